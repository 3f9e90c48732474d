/* From letters to languages: what stands around, and the language of the text; see judge.h. */
#include <math.h>
#include <string.h>

#include "judge.h"

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
