/* From numbers to an answer; see judge.h. */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- structure and markup */

/* The sets of what is possible and what doubtful, by byte values. */
static void judge_values(const charlens_judge *judge, charlens_case *it) {
    uint64_t bits[4] = {0}, row[4];
    for (int number = 0; number < 256; number++) {
        memcpy(row, judge->undefined + 32 * number, 32);
        uint64_t common = 0;
        for (int i = 0; i < 4; i++) common |= row[i] & it->scan.seen[i];
        bits[number >> 6] |= (uint64_t)(common == 0) << (number & 63);
    }
    for (int i = 0; i < 2; i++) {
        it->sets[i] = bits[i];
        it->sets[2 + i] = bits[i] & ~bits[2 + i];
    }
}

static charlens_walk walk_from(const charlens_case *it, const charlens_table *table, ptrdiff_t start, ptrdiff_t end) {
    charlens_walk out;
    charlens_walk_table(it->data + start, end - start, table->table, table->width, table->states, &out);
    return out;
}

/* Whether there are few enough faults, the first of them at *first*, to be stray bytes: see charlens.strays. */
static int are_strays(const charlens_limits *limits, const charlens_case *it, const charlens_table *table, ptrdiff_t first) {
    charlens_walk out = walk_from(it, table, first + 1, it->length);
    ptrdiff_t good = out.sequences, faults = 1, start = first + 1;
    if (out.error >= 0 && first / 2 + good < limits->strays_good) return 0;
    good += walk_from(it, table, 0, first).sequences;
    while (out.error >= 0) {
        start += out.error + 1;
        faults++;
        if (faults > 1 + good / limits->strays_good || faults >= limits->most_spans) return 0;
        out = walk_from(it, table, start, it->length);
        good += out.sequences;
    }
    return faults * limits->strays_good <= good;
}

/* Whether a multi-byte encoding may have a few stray bytes in this. */
static int may_have_strays(const charlens_judge *judge, const charlens_case *it) {
    const charlens_limits *limits = &judge->limits;
    if (it->scan.non_ascii < limits->strays_least) return 0;
    if ((it->sets[0] & judge->strict[0]) | (it->sets[1] & judge->strict[1])) return 0;
    const int lax = ((it->sets[0] & judge->lax[0]) | (it->sets[1] & judge->lax[1])) != 0;
    for (int t = 0; t < judge->table_count; t++) {
        const ptrdiff_t error = it->walked[2 * t];
        if (!(judge->tolerant >> t & 1) || error < limits->strays_first) continue;
        const charlens_table *table = &judge->tables[t];
        const ptrdiff_t far = it->length - error < limits->strays_far ? it->length : error + limits->strays_far;
        if (lax && walk_from(it, table, error + 1, far).error >= 0) continue;
        if (are_strays(limits, it, table, error)) return 1;
    }
    return 0;
}

static void walk_all(const charlens_judge *judge, charlens_case *it) {
    ptrdiff_t errors[CHARLENS_MOST_TABLES], cuts[CHARLENS_MOST_TABLES];
    charlens_walk_together(it->data, it->length, judge->tables, judge->table_count, judge->masks, judge->masks + 256,
                           errors, cuts);
    for (int t = 0; t < judge->table_count; t++) {
        const int number = judge->walked[t];
        it->walked[2 * t] = errors[t];
        it->walked[2 * t + 1] = cuts[t];
        if (errors[t] < 0) it->sets[number >> 6] |= (uint64_t)1 << (number & 63);
    }
}

/* Take the words out of a page; -1: no memory. */
static int strip(const charlens_limits *limits, charlens_case *it) {
    for (int round = 0; round < 2; round++) {
        const ptrdiff_t most = round ? limits->markup_most : limits->markup_first;
        const ptrdiff_t size = it->length < most ? it->length : most;
        uint8_t *room = realloc(it->stripped, (size_t)size + 1);
        if (!room) return -1;
        it->stripped = room;
        it->stripped_size = size;
        it->stripped_length = charlens_strip_markup(it->data, size, it->flavour == CHARLENS_XML, room);
        it->stripped_beyond = charlens_count_beyond_ascii(room, it->stripped_length);
        if (size == it->length || it->stripped_beyond >= limits->markup_plenty) break;
    }
    const ptrdiff_t wanted = it->scan.non_ascii < limits->markup_enough ? it->scan.non_ascii : limits->markup_enough;
    it->enough = it->stripped_beyond >= wanted;
    return 1;
}

int charlens_settle(const charlens_judge *judge, charlens_case *it) {
    const charlens_limits *limits = &judge->limits;
    if (charlens_may_be_wide(it->data, it->length, judge->weights, limits) ||
        charlens_may_be_damaged_utf8(it->data, it->length, &it->scan, limits) ||
        charlens_may_be_ebcdic(it->data, it->length, &it->scan, limits))
        return 0;
    it->flavour = charlens_find_flavour(it->data, it->length, &it->scan, limits);
    if (it->flavour == CHARLENS_UNSURE) return 0;
    judge_values(judge, it);
    walk_all(judge, it);
    if (may_have_strays(judge, it)) return 0;
    it->words = it->data;
    it->words_length = it->length;
    it->beyond_ascii = it->scan.non_ascii;
    if (it->flavour != CHARLENS_NO_MARKUP) {
        if (strip(limits, it) < 0) return -1;
        if (it->enough) {
            it->words = it->stripped;
            it->words_length = it->stripped_length;
            it->beyond_ascii = it->stripped_beyond;
        }
    }
    while (it->row < judge->amount_count - 1 && judge->amounts[it->row] < it->beyond_ascii) it->row++;
    return 1;
}

/* ---- languages by their letters */

static ptrdiff_t read_tongue(const charlens_judge *judge, const uint8_t *data, ptrdiff_t length, ptrdiff_t most,
                             ptrdiff_t *numbers) {
    const charlens_tongue_model *model = &judge->tongue;
    int32_t totals[CHARLENS_MOST_TOTALS];
    charlens_tongue out;
    uint32_t classes = 0;
    for (unsigned i = 0; i < model->script_count; classes += model->scripts[i++].classes) out.offsets[i] = classes;
    memset(out.letters, 0, model->script_count * sizeof *out.letters);
    memset(out.found, 0, model->script_count * sizeof *out.found);
    memset(totals, 0, classes * sizeof *totals);
    out.totals = totals;
    charlens_read_tongue(data, length, model, &out);
    return charlens_tongue_best(&out, model, most, numbers);
}

typedef struct {
    double odds;
    ptrdiff_t number;
} likely_tongue;

/* The logarithm of the odds of each class in *numbers*, the best first; returns how many. */
static int tongue_odds(const charlens_judge *judge, const ptrdiff_t *numbers, ptrdiff_t count, likely_tongue *out) {
    const double sharp = judge->sharpness[numbers[0] - 1] / sqrt((double)(numbers[3] ? numbers[3] : 1));
    int found = 0;
    for (ptrdiff_t at = 4; at < count; at += 2) {
        const likely_tongue one = {(double)numbers[at + 1] * sharp + judge->priors[numbers[at]], numbers[at]};
        int place = found++;
        for (; place > 0 && (out[place - 1].odds < one.odds ||
                             (out[place - 1].odds == one.odds && out[place - 1].number < one.number));
             place--)
            out[place] = out[place - 1];
        out[place] = one;
    }
    return found;
}

/* Their probabilities but for the whole, which is returned. */
static double tongue_shares(const likely_tongue *odds, int count, double *shares) {
    double whole = 0.0;
    for (int i = 0; i < count; i++) {
        shares[i] = exp(odds[i].odds - odds[0].odds);
        whole += shares[i];
    }
    return whole;
}

int charlens_read_around(const charlens_judge *judge, charlens_case *it, int32_t *bias) {
    const charlens_limits *limits = &judge->limits;
    uint8_t piece[CHARLENS_MOST_PIECE];
    likely_tongue odds[CHARLENS_MOST_ASKED];
    double shares[CHARLENS_MOST_ASKED];
    ptrdiff_t length = it->words_length;
    it->around_count = 0;
    if (it->beyond_ascii > limits->around_few) return 0;
    if (length <= limits->around_whole) memcpy(piece, it->words, (size_t)length);
    else
        length = charlens_excerpt(it->words, length, limits->around_windows, limits->around_window, limits->around_ahead,
                                  limits->around_back, piece);
    for (ptrdiff_t i = 0; i < length; i++) piece[i] = piece[i] < 0x80 ? piece[i] : ' ';
    const ptrdiff_t found = read_tongue(judge, piece, length, limits->around_most, it->around);
    if (found <= 4 || it->around[1] < limits->around_letters) return 0;
    it->around_count = found;
    const int count = tongue_odds(judge, it->around, found, odds);
    const double whole = tongue_shares(odds, count, shares), factor = judge->factors[it->row];
    it->is_english = judge->tongue_tags[odds[0].number] == judge->english;
    const double left = it->is_english ? limits->english_left : limits->around_left;
    const int32_t others = (int32_t)rint((it->is_english ? limits->english_others : limits->around_others) / factor);
    for (ptrdiff_t c = 0; c < judge->model.classes; c++) bias[c] += judge->strangers[c] ? others : 0;
    for (int i = 0; i < count; i++) {
        const uint16_t tag = judge->tongue_tags[odds[i].number];
        if (!(shares[i] > whole * left) || tag == judge->no_language) continue;
        const double weight = limits->around_weight * log(shares[i] / (whole * left) + 1.0);
        const int32_t step = (int32_t)rint(weight / factor);
        it->likely[it->likely_count] = (uint16_t)odds[i].number;
        it->likely_odds[it->likely_count++] = weight;
        for (ptrdiff_t c = 0; c < judge->model.classes; c++) bias[c] += judge->class_tags[c] == tag ? step : 0;
    }
    return 1;
}

/* ---- scores */

static void choose_windows(const charlens_limits *limits, charlens_case *it) {
    const ptrdiff_t length = it->words_length, beyond = it->beyond_ascii;
    if (beyond <= limits->enough && length <= limits->all_of) return;
    const ptrdiff_t stride = (length + limits->windows - 1) / limits->windows;
    ptrdiff_t size = limits->enough * stride / (beyond ? beyond : 1);
    size = size < limits->most_window ? size : limits->most_window;
    it->windows[0] = stride;
    it->windows[1] = size > limits->least_window ? size : limits->least_window;
}

int charlens_score_words(const charlens_judge *judge, charlens_case *it, const int32_t *bias) {
    const charlens_model *model = &judge->model;
    const double factor = judge->factors[it->row];
    /* One block: the counts of the features, which must be zero, the totals with room for whole blocks of 32, and the
     * features touched. */
    const size_t counted = ((size_t)model->features + 16) / 16 * 16, room = 4 * ((size_t)model->classes + 32);
    uint8_t *block = malloc(counted + room + 2 * ((size_t)model->features + 1));
    if (!block) return -1;
    int32_t *totals = (int32_t *)(block + counted);
    memset(block, 0, counted);
    memcpy(totals, bias, 4 * (size_t)model->classes);
    memset(totals + model->classes, 0, 4 * 32);
    choose_windows(&judge->limits, it);
    charlens_score_pairs(it->words, it->words_length, it->windows[0], it->windows[1], model, block,
                         (uint16_t *)(block + counted + room), totals, &it->evidence);
    it->penalty = (int32_t)(judge->limits.doubt / factor);
    const uint8_t *sets = (const uint8_t *)it->sets;
    if (it->penalty) charlens_doubt_classes(totals, judge->members, sets, model->classes, it->penalty);
    it->count = charlens_best_classes(totals, judge->members, sets, model->classes, judge->limits.most_classes,
                                      (ptrdiff_t)(judge->limits.reach / factor), it->order);
    double whole = 0.0;
    for (ptrdiff_t i = 0; i < it->count; i++) {
        it->shares[i] = exp((double)(totals[it->order[i]] - totals[it->order[0]]) * factor);
        whole += it->shares[i];
    }
    for (ptrdiff_t i = 0; i < it->count; i++) it->shares[i] /= whole;
    free(block);
    return 1;
}

/* ---- readings */

/* The encoding that class *c* stands for here, or -1: the first of its family that is possible. */
static int stands_for(const charlens_judge *judge, const charlens_case *it, int32_t c) {
    const uint8_t *family = judge->families + c * judge->family;
    for (ptrdiff_t i = 0; i < judge->family && family[i] != 0xFF; i++)
        if (charlens_in_set(it->sets, family[i])) return family[i];
    return -1;
}

/* The encodings that the classes stand for, in order of their shares, and of their coming where these are equal. */
typedef struct {
    int encoding, best;
    double share;
} joined_class;

static int join_classes(const charlens_judge *judge, const charlens_case *it, joined_class *joined) {
    int count = 0;
    for (ptrdiff_t i = 0; i < it->count; i++) {
        const int encoding = stands_for(judge, it, it->order[i]);
        int known = 0;
        if (encoding < 0) continue;
        while (known < count && joined[known].encoding != encoding) known++;
        if (known == count) joined[count++] = (joined_class){encoding, it->order[i], it->shares[i]};
        else joined[known].share += it->shares[i];
    }
    return count;
}

int charlens_join_readings(const charlens_judge *judge, charlens_case *it, charlens_same same, void *who) {
    joined_class joined[CHARLENS_MOST_LIKELY];
    int order[CHARLENS_MOST_LIKELY];
    const int count = join_classes(judge, it, joined);
    uint64_t done[2] = {0, 0};
    it->reading_count = 0;
    for (int i = 0; i < count; i++) {
        int place = i;
        for (; place > 0 && joined[order[place - 1]].share < joined[i].share; place--) order[place] = order[place - 1];
        order[place] = i;
    }
    for (int i = 0; i < count; i++) {
        const joined_class *one = &joined[order[i]];
        charlens_reading reading = {one->share, {0, 0}, one->best};
        if (charlens_in_set(done, one->encoding)) continue;
        if (!same(who, it, one->encoding, reading.same)) return 0;
        for (int k = 0; k < 2; k++) reading.same[k] &= it->sets[k];
        for (int other = 0; other < count; other++) {
            const int number = joined[other].encoding;
            if (number != one->encoding && charlens_in_set(reading.same, number) && !charlens_in_set(done, number))
                reading.share += joined[other].share;
        }
        for (int k = 0; k < 2; k++) done[k] |= reading.same[k];
        ptrdiff_t place = it->reading_count++;
        for (; place > 0 && it->readings[place - 1].share < reading.share; place--) it->readings[place] = it->readings[place - 1];
        it->readings[place] = reading;
    }
    return 1;
}

/* ---- the language of the text */

int charlens_judge_language(const charlens_judge *judge, charlens_case *it) {
    const charlens_limits *limits = &judge->limits;
    uint8_t piece[CHARLENS_MOST_PIECE];
    likely_tongue odds[CHARLENS_MOST_ASKED];
    ptrdiff_t *numbers = it->tongue;
    if (it->length > limits->whole) {
        ptrdiff_t length = charlens_excerpt(it->data, it->length, limits->tongue_windows, limits->tongue_window,
                                            limits->ahead, limits->back, piece);
        it->tongue_count = read_tongue(judge, piece, length, limits->most_tongues, numbers);
        if (numbers[2] < limits->few_letters) {
            length = charlens_excerpt(it->data, it->length, limits->second_windows, limits->second_window, limits->ahead,
                                      limits->back, piece);
            it->tongue_count = read_tongue(judge, piece, length, limits->most_tongues, numbers);
        }
    } else {
        it->tongue_count = read_tongue(judge, it->data, it->length, limits->most_tongues, numbers);
    }
    if (numbers[1] < limits->least_letters) return -1;
    if (it->tongue_count < 8) return (int)numbers[4]; /* the only language of its script */
    const ptrdiff_t script = numbers[0], grams = numbers[3];
    if (grams == 0 || (double)numbers[5] < judge->least[script - 1] * (double)grams) return -1;
    ptrdiff_t number = numbers[4];
    const double lead = (double)(numbers[5] - numbers[7]) * judge->sharpness[script - 1];
    if (lead <= limits->plain * sqrt((double)grams)) {
        const int count = tongue_odds(judge, numbers, it->tongue_count, odds);
        double others = 0.0;
        number = odds[0].number;
        for (int i = 1; i < count; i++) others += exp(odds[i].odds - odds[0].odds);
        if (odds[0].odds - odds[1].odds < limits->clear && others > limits->most_others) return -1;
    }
    return judge->tongue_tags[number] == judge->no_language ? -1 : (int)number;
}

/* Write a piece of the input, of one byte a character, as UTF-8; returns how many bytes. */
static ptrdiff_t decode_piece(const uint8_t *piece, ptrdiff_t length, const uint16_t *map, uint8_t *out) {
    uint8_t *to = out;
    for (ptrdiff_t i = 0; i < length; i++) {
        const unsigned point = map[piece[i]];
        if (point < 0x80) {
            *to++ = (uint8_t)point;
        } else if (point < 0x800) {
            *to++ = (uint8_t)(0xC0 | point >> 6);
            *to++ = (uint8_t)(0x80 | (point & 0x3F));
        } else if (point != 0xFFFF) {
            *to++ = (uint8_t)(0xE0 | point >> 12);
            *to++ = (uint8_t)(0x80 | (point >> 6 & 0x3F));
            *to++ = (uint8_t)(0x80 | (point & 0x3F));
        }
    }
    return to - out;
}

/* Read the letters of a piece of the text, unless those in ASCII have been read and are enough. */
static void read_letters(const charlens_judge *judge, charlens_case *it, int number) {
    const charlens_limits *limits = &judge->limits;
    uint8_t piece[CHARLENS_MOST_PIECE / 4], text[CHARLENS_MOST_PIECE];
    const uint8_t *from = it->data;
    ptrdiff_t length = it->length;
    if (it->around_count && it->around[1] >= limits->most_letters) {
        memcpy(it->tongue, it->around, sizeof it->tongue);
        it->tongue_count = it->around_count;
        return;
    }
    if (length > limits->whole_beside) {
        length = charlens_excerpt(from, length, limits->tongue_windows, limits->window_beside, limits->ahead, limits->back,
                                  piece);
        from = piece;
    }
    length = decode_piece(from, length, judge->maps + 256 * number, text);
    it->tongue_count = read_tongue(judge, text, length, limits->most_beside, it->tongue);
}

static int shares_member(const charlens_judge *judge, const uint64_t same[2], int32_t c) {
    uint64_t ours[2];
    memcpy(ours, judge->members + 16 * c, 16);
    return ((ours[0] & same[0]) | (ours[1] & same[1])) != 0;
}

int charlens_judge_beside(const charlens_judge *judge, charlens_case *it, int number) {
    const charlens_limits *limits = &judge->limits;
    const charlens_reading *reading = &it->readings[0];
    const int known = reading->best;
    likely_tongue odds[CHARLENS_MOST_ASKED];
    double letters[CHARLENS_MOST_ASKED], shares[CHARLENS_MOST_LIKELY], best = -INFINITY;
    int classes[CHARLENS_MOST_LIKELY], count = 0, found = known;
    read_letters(judge, it, number);
    if (it->tongue[1] < limits->least_letters) return -1;
    if (it->tongue_count <= 4 || judge->tongue_tags[it->tongue[4]] == judge->class_tags[known]) return known;
    for (ptrdiff_t i = 0; i < it->count; i++) {
        const int32_t c = it->order[i];
        int place = 0;
        if (!shares_member(judge, reading->same, c)) continue;
        while (place < count && judge->class_tags[classes[place]] != judge->class_tags[c]) place++;
        if (place == count) {
            classes[count] = c;
            shares[count++] = 0.0;
        }
        shares[place] += it->shares[i];
    }
    if (count == 1) return known;
    const int asked = tongue_odds(judge, it->tongue, it->tongue_count, odds);
    const double whole = tongue_shares(odds, asked, letters);
    for (int i = 0; i < count; i++) {
        double by_letters = 0.0;
        for (int k = 0; k < asked; k++)
            if (judge->tongue_tags[odds[k].number] == judge->class_tags[classes[i]]) by_letters = letters[k] / whole;
        const double both = limits->statistics * log(shares[i] + limits->unseen) + log(by_letters + limits->floor);
        if (both > best) {
            best = both;
            found = classes[i];
        }
    }
    return found;
}
