/* Judge legacy text: pure_judge.py defines it.  All sums of floats are in the same order as there, without contraction,
 * and exp, log and sqrt are those that Python's math has, so both give the same floats. */
#include <math.h>
#include <string.h>

#include "kernel.h"

#if defined(_MSC_VER)
#pragma fp_contract(off)
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF /* gcc has only -ffp-contract=off, which setup.py gives */
#endif

enum { SET = 16 };

/* ---- evidence */

static int is_small(uint8_t byte) { return byte >= 'a' && byte <= 'z'; }
static int is_letter(uint8_t byte) { return is_small(byte | 0x20) && byte < 0x80; }

static ptrdiff_t count_glued(const uint8_t *data, ptrdiff_t length) {
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i + 2 < length; i++)
        count += data[i] > 0x80 && is_letter(data[i + 1]) && is_small(data[i + 2]) && !(i && data[i - 1] > 0x80);
    return count;
}

static int is_sparse(const charlens_judge_rules *rules, const uint8_t *seen, ptrdiff_t beyond_ascii, ptrdiff_t length) {
    const int values = charlens_count(charlens_word(seen + 16)) + charlens_count(charlens_word(seen + 24));
    return beyond_ascii == 1 || values == 1 || (double)beyond_ascii * rules->sparse <= (double)length;
}

/* The words of a piece in ASCII, scored by language: what pure_languages.languages returns. */
static void read_letters(const charlens_judge *judge, uint8_t *piece, ptrdiff_t size, charlens_languages *room,
                         charlens_judged *out) {
    for (ptrdiff_t i = 0; i < size; i++) piece[i] = piece[i] < 0x80 ? piece[i] : ' ';
    charlens_read_languages(piece, size, &judge->languages, room);
    out->letter_count =
        charlens_best_languages(room, &judge->languages, (ptrdiff_t)judge->rules.most_languages, out->letters);
}

/* The nudge of some log-odds: half to even, as Python rounds. */
static int32_t step_of(double points, double factor) { return (int32_t)nearbyint(points / factor); }

static void add_nudge(charlens_nudge *nudges, ptrdiff_t *count, const uint8_t *encodings, const uint8_t *languages,
                      int32_t step) {
    charlens_nudge *nudge = &nudges[(*count)++];
    memset(nudge, 0xFF, sizeof *nudge); /* all encodings, all languages */
    if (encodings) memcpy(nudge->encodings, encodings, sizeof nudge->encodings);
    if (languages) memcpy(nudge->languages, languages, sizeof nudge->languages);
    nudge->step = step;
}

typedef struct {
    double odds;
    ptrdiff_t number;
} odds_of;

/* The nudges of the language of the words: pure_judge.language_odds.  Languages far behind the best one are left out.
 */
static void add_languages(const charlens_judge *judge, double factor, charlens_judged *out, charlens_nudge *nudges,
                          ptrdiff_t *nudge_count) {
    const charlens_judge_rules *rules = &judge->rules;
    const ptrdiff_t *letters = out->letters;
    odds_of odds[CHARLENS_MOST_JUDGED];
    double shares[CHARLENS_MOST_JUDGED], together = 0.0;
    ptrdiff_t count = 0;
    if (out->letter_count <= 4 || (double)letters[1] < rules->least_letters) return;
    const double sharp = judge->sharpness[letters[0] - 1] / sqrt((double)(letters[3] ? letters[3] : 1));
    const double least = (double)letters[5] - rules->language_reach / sharp;
    for (ptrdiff_t at = 4; at < out->letter_count; at += 2) {
        if ((double)letters[at + 1] < least) {
            out->letter_count = at;
            break;
        }
        const odds_of each = {(double)letters[at + 1] * sharp + judge->priors[letters[at]], letters[at]};
        ptrdiff_t place = count++;
        for (; place > 0 && (each.odds > odds[place - 1].odds ||
                             (each.odds == odds[place - 1].odds && each.number > odds[place - 1].number));
             place--)
            odds[place] = odds[place - 1];
        odds[place] = each;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        shares[i] = exp(odds[i].odds - odds[0].odds);
        together += shares[i];
    }
    const int is_english = (double)odds[0].number == rules->english;
    const double floor = together * (is_english ? rules->left_beside_english : rules->left);
    const uint8_t *not_latin = judge->spoken + 32 * judge->language_classes;
    add_nudge(nudges, nudge_count, NULL, not_latin,
              step_of(is_english ? rules->others_beside_english : rules->others, factor));
    for (ptrdiff_t i = 0; i < count; i++)
        if (shares[i] > floor)
            add_nudge(nudges, nudge_count, NULL, judge->spoken + 32 * odds[i].number,
                      step_of(rules->weight * log(shares[i] / floor + 1.0), factor));
}

/* ---- texts */

void charlens_same_ascii(const uint16_t *meanings, uint8_t *identity) {
    memset(identity, 0, 128 * SET);
    for (int value = 0; value < 128; value++)
        for (int number = 0; number < 128; number++)
            if (meanings[128 * value + number] == value)
                identity[SET * value + (number >> 3)] |= (uint8_t)(1 << (number & 7));
}

/* Drop the encodings that read a byte value otherwise than *number* does; 0 if that has no character for it. */
static int drop_others(uint64_t same[2], int value, int number, const uint16_t *meanings) {
    const uint16_t *row = meanings + 128 * value, point = row[number];
    for (int half = 0; half < 2; half++)
        for (uint64_t left = same[half]; left; left &= left - 1)
            if (row[64 * half + charlens_lowest_bit(left)] != point) same[half] ^= left & (~left + 1);
    return point != CHARLENS_UNDEFINED;
}

void charlens_same_reading(const uint8_t *seen, int number, const uint16_t *meanings, const uint8_t *relatives,
                           const uint8_t *identity, uint8_t *same) {
    uint64_t kept[2] = {charlens_word(same), charlens_word(same + 8)};
    const uint8_t *family = relatives + SET * number;
    const uint64_t related[2] = {charlens_word(family), charlens_word(family + 8)};
    int defined = 1;
    if (related[0] | related[1]) {
        for (int half = 0; half < 2; half++) kept[half] &= related[half];
    } else {
        /* From the top: values beyond ASCII differ most, and leave few encodings for the rest. */
        for (int group = 3; group >= 0 && defined; group--)
            for (uint64_t left = charlens_word(seen + 8 * group); left && defined; left &= left - 1) {
                const int value = 64 * group + charlens_lowest_bit(left);
                const uint8_t *alike = identity + SET * value;
                if (value >= 128 || !charlens_has(alike, number)) {
                    defined = drop_others(kept, value, number, meanings);
                } else {
                    for (int half = 0; half < 2; half++) kept[half] &= charlens_word(alike + 8 * half);
                }
            }
    }
    for (int half = 0; half < 2; half++) {
        const uint64_t own = number >> 6 == half ? UINT64_C(1) << (number & 63) : 0;
        if (!defined) kept[half] &= own;
        charlens_put_word(same + 8 * half, kept[half]);
    }
}

static int leader_of(const charlens_judge *judge, int32_t number, const uint8_t *possible) {
    const uint8_t *family = judge->families + SET * number;
    for (int i = 0; i < SET && family[i] < 128; i++)
        if (charlens_has(possible, family[i])) return family[i];
    return family[0];
}

/* Join the classes that read the same text; the likeliest text first. */
static void join_texts(const charlens_judge *judge, const uint8_t *seen, const uint8_t *possible,
                       const charlens_stray *strays, ptrdiff_t stray_count, charlens_judged *out) {
    uint8_t joined[SET] = {0}, values[32];
    ptrdiff_t count = 0;
    for (ptrdiff_t row = 0; row < out->count; row++) {
        const int leader = leader_of(judge, out->classes[row], possible);
        if (charlens_has(joined, leader)) {
            ptrdiff_t place = 0;
            while (place < count && !charlens_has(out->texts[place].same, leader)) place++;
            if (place < count) out->texts[place].share += out->shares[row];
            continue;
        }
        charlens_text *text = &out->texts[count++];
        const charlens_stray *stray = NULL;
        for (ptrdiff_t i = 0; i < stray_count; i++)
            if (strays[i].number == leader) stray = &strays[i];
        for (int i = 0; i < 32; i++) values[i] = stray ? seen[i] & (uint8_t)~stray->values[i] : seen[i];
        for (int i = 0; i < SET; i++) text->same[i] = stray ? stray->alike[i] & possible[i] : possible[i];
        charlens_same_reading(values, leader, judge->meanings, judge->relatives, judge->identity, text->same);
        for (int i = 0; i < SET; i++) joined[i] |= text->same[i];
        text->share = out->shares[row];
        text->best = out->classes[row];
    }
    for (ptrdiff_t i = 1; i < count; i++) {
        const charlens_text text = out->texts[i];
        ptrdiff_t place = i;
        for (; place > 0 && text.share > out->texts[place - 1].share; place--)
            out->texts[place] = out->texts[place - 1];
        out->texts[place] = text;
    }
    out->text_count = count;
}

/* ---- all together */

/* The work memory: a copy of the words, the sums of the languages, and what charlens_score needs. */
enum { MOST_WHOLE = CHARLENS_MOST_WHOLE };
static size_t language_room(const charlens_judge *judge) { return 4 * ((size_t)judge->language_classes + 4) / 16 * 16; }

size_t charlens_judge_room(const charlens_judge *judge) {
    return MOST_WHOLE + language_room(judge) + charlens_score_room(&judge->model);
}

static void score_classes(const charlens_judge *judge, const uint8_t *data, ptrdiff_t length,
                          const charlens_facts *facts, const charlens_nudge *nudges, ptrdiff_t nudge_count, char *block,
                          charlens_judged *out) {
    const charlens_judge_rules *rules = &judge->rules;
    const double factor = judge->factors[out->row];
    const ptrdiff_t limits[4] = {(ptrdiff_t)rules->most_classes, (ptrdiff_t)(rules->reach / factor),
                                 (ptrdiff_t)(rules->doubt / factor), 0};
    charlens_scores scores;
    double together = 0.0;
    charlens_score(data, length, &judge->model, facts->sets, judge->bias + judge->model.classes * out->row, nudges,
                   nudge_count, out->cut, limits, block, &scores);
    out->pairs = scores.pairs;
    out->distinct = scores.distinct;
    out->count = scores.count;
    for (ptrdiff_t i = 0; i < scores.count; i++) {
        out->classes[i] = scores.order[i];
        out->shares[i] = exp((double)(scores.totals[scores.order[i]] - scores.totals[scores.order[0]]) * factor);
        together += out->shares[i];
    }
    for (ptrdiff_t i = 0; i < scores.count; i++) out->shares[i] /= together;
}

static void cut_windows(const charlens_judge_rules *rules, ptrdiff_t length, ptrdiff_t beyond_ascii, ptrdiff_t cut[2]) {
    const ptrdiff_t windows = (ptrdiff_t)rules->windows, enough = (ptrdiff_t)rules->enough;
    cut[0] = cut[1] = 0;
    if (beyond_ascii <= enough) return;
    cut[0] = length / windows + (length % windows != 0);
    /* The product of both is under 2 ** 63, since the pieces that are judged at once are at most a few megabytes. */
    cut[1] = (ptrdiff_t)((uint64_t)enough * (uint64_t)cut[0] / (uint64_t)beyond_ascii);
    if (cut[1] > (ptrdiff_t)rules->most_window) cut[1] = (ptrdiff_t)rules->most_window;
    if (cut[1] < (ptrdiff_t)rules->least_window) cut[1] = (ptrdiff_t)rules->least_window;
}

void charlens_judge_legacy(const charlens_judge *judge, const uint8_t *data, ptrdiff_t length,
                           const charlens_facts *facts, charlens_nudge *nudges, ptrdiff_t nudge_count,
                           const charlens_stray *strays, ptrdiff_t stray_count, char *block, charlens_judged *out) {
    const charlens_judge_rules *rules = &judge->rules;
    uint8_t *piece = (uint8_t *)block, lettered[SET];
    const ptrdiff_t beyond_ascii = facts->beyond_ascii;
    const int few_enough = (double)beyond_ascii <= rules->few_in_many;
    ptrdiff_t row = 0;
    while (row < judge->rows - 1 && judge->amounts[row] < beyond_ascii) row++;
    const double factor = judge->factors[row];
    for (ptrdiff_t i = 0; i < nudge_count; i++) nudges[i].step = step_of(nudges[i].odds, factor);
    out->row = row;
    out->sparse = is_sparse(rules, facts->seen, beyond_ascii, length);
    out->glued = out->letter_count = 0;
    for (int i = 0; i < SET; i++) lettered[i] = facts->sets[i] & judge->lettered[i];
    const int may_glue = few_enough && charlens_meets(lettered, lettered, SET);
    const int has_letters = (double)beyond_ascii <= (out->sparse ? rules->few_in_many : rules->few);
    if (may_glue || has_letters) {
        ptrdiff_t size = length;
        if (length <= (ptrdiff_t)rules->whole) {
            if (length) memcpy(piece, data, (size_t)length);
        } else {
            size = charlens_excerpt(data, length, (ptrdiff_t)rules->pieces, (ptrdiff_t)rules->piece,
                                    (ptrdiff_t)rules->ahead, (ptrdiff_t)rules->back, piece);
        }
        if (may_glue && (out->glued = count_glued(piece, size))) {
            const double points = (double)out->glued * rules->glued;
            add_nudge(nudges, &nudge_count, lettered, NULL,
                      step_of(points > rules->most_glued ? points : rules->most_glued, factor));
        }
        if (has_letters) {
            charlens_languages room;
            memset(block + MOST_WHOLE, 0, language_room(judge));
            charlens_begin_languages(&judge->languages, &room);
            room.totals = (int32_t *)(block + MOST_WHOLE);
            read_letters(judge, piece, size, &room, out);
            add_languages(judge, factor, out, nudges, &nudge_count);
        }
    }
    if (out->sparse && few_enough)
        add_nudge(nudges, &nudge_count, judge->rare, NULL, step_of(rules->against_rare, factor));
    cut_windows(rules, length, beyond_ascii, out->cut);
    score_classes(judge, data, length, facts, nudges, nudge_count, block + MOST_WHOLE + language_room(judge), out);
    join_texts(judge, facts->seen, facts->sets, strays, stray_count, out);
}
