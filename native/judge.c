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
