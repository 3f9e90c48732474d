/* The linear model: a histogram of byte pairs, then one row of weights for each different pair. */
#include <string.h>

#include "kernel.h"

/* Count the pairs of one window, as if it stood between spaces.  Without a branch in COUNT: what is no feature counts in
 * a slot of its own behind the others.  The sums are kept apart from *out*, which the counts might overlap for all that
 * the compiler knows. */
static void count_window(const uint8_t *data, ptrdiff_t length, const charlens_model *model, uint8_t *counts,
                         uint16_t *touched, charlens_evidence *out) {
    const uint16_t *features = model->pairs;
    const unsigned none = (unsigned)model->features, most = (unsigned)model->level_count;
    ptrdiff_t distinct = out->distinct, pairs = out->pairs, i = 0;
#define COUNT(first, second)                                                                                       \
    do {                                                                                                           \
        unsigned feature = features[(unsigned)(first) << 8 | (second)];                                            \
        feature = feature < none ? feature : none;                                                                 \
        const unsigned count = counts[feature];                                                                    \
        touched[distinct] = (uint16_t)feature;                                                                     \
        distinct += count == 0;                                                                                    \
        counts[feature] = (uint8_t)(count + (count < most));                                                       \
        pairs += feature != none;                                                                                  \
    } while (0)
    if (length && data[0] >= 0x80) COUNT(' ', data[0]);
    /* Pairs of ASCII are never features; most pairs of most files are that. */
    for (; i + 65 <= length; i += 64) {
        uint64_t left = charlens_high_bytes(data + i) | charlens_high_bytes(data + i + 1);
        for (; left; left &= left - 1) {
            const uint8_t *at = data + i + charlens_lowest_bit(left);
            COUNT(at[0], at[1]);
        }
    }
    for (; i + 1 < length; i++)
        if ((data[i] | data[i + 1]) >= 0x80) COUNT(data[i], data[i + 1]);
    if (length && data[length - 1] >= 0x80) COUNT(data[length - 1], ' ');
#undef COUNT
    out->distinct = distinct;
    out->pairs = pairs;
}

/* The offset of the first byte beyond ASCII from *start* on, or *end*. */
static ptrdiff_t first_beyond_ascii(const uint8_t *data, ptrdiff_t start, ptrdiff_t end) {
    uint64_t eight;
    while (start + 8 <= end && (memcpy(&eight, data + start, 8), (eight & UINT64_C(0x8080808080808080)) == 0)) start += 8;
    while (start < end && data[start] < 0x80) start++;
    return start;
}

/* Add a row, times its level, to the totals. */
static void add_row(int32_t *totals, const charlens_model *model, uint16_t feature, int level) {
    const int8_t *row = model->weights + feature * model->classes;
    for (ptrdiff_t c = 0; c < model->classes; c++) totals[c] += (int32_t)row[c] * level;
}

#ifdef CHARLENS_HAVE_AVX2
#include <immintrin.h>

/* So many rows add up in 16 bits: 16 * 16 * -128 = -32,768.  Levels over 16 go the plain way. */
enum { BATCH = 16, MOST_LEVEL = 16 };

__attribute__((target("avx2"))) static void widen(__m256i sums, int32_t *low, int32_t *high) {
    __m256i first = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(sums));
    __m256i second = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sums, 1));
    _mm256_storeu_si256((__m256i *)low, _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)low), first));
    _mm256_storeu_si256((__m256i *)high, _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)high), second));
}

/* Add at most BATCH rows.  The last block of 32 classes reads beyond the row, into the next one: what comes of it lands in the
 * room behind the totals, which nobody reads.  So no row may be the last of the model. */
__attribute__((target("avx2"))) static void add_batch(int32_t *totals, const charlens_model *model,
                                                      const uint16_t *features, int count, const uint8_t *counts) {
    const int8_t *rows[BATCH];
    __m256i levels[BATCH / 2];
    for (int r = 0; r < count; r += 2) {
        const int last = r + 1 == count; /* an odd one goes with itself, times nothing */
        const uint16_t one = features[r], two = features[last ? r : r + 1];
        const int first = model->levels[counts[one] - 1], second = last ? 0 : model->levels[counts[two] - 1];
        rows[r] = model->weights + one * model->classes;
        rows[r + 1] = model->weights + two * model->classes;
        levels[r / 2] = _mm256_set1_epi16((short)(second << 8 | first));
    }
    for (ptrdiff_t c = 0; c < model->classes; c += 32) {
        __m256i low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
        for (int r = 0; r < count; r += 2) {
            __m256i one = _mm256_loadu_si256((const __m256i *)(rows[r] + c));
            __m256i two = _mm256_loadu_si256((const __m256i *)(rows[r + 1] + c));
            /* Interleaved, one multiply-add gives level * row + level * row for sixteen classes. */
            low = _mm256_add_epi16(low, _mm256_maddubs_epi16(levels[r / 2], _mm256_unpacklo_epi8(one, two)));
            high = _mm256_add_epi16(high, _mm256_maddubs_epi16(levels[r / 2], _mm256_unpackhi_epi8(one, two)));
        }
        widen(low, totals + c, totals + c + 16);
        widen(high, totals + c + 8, totals + c + 24);
    }
}

static int fits_batches(const charlens_model *model) {
    if (!__builtin_cpu_supports("avx2")) return 0;
    for (ptrdiff_t i = 0; i < model->level_count; i++)
        if (model->levels[i] > MOST_LEVEL) return 0;
    return 1;
}
#endif

static void add_rows(int32_t *totals, const charlens_model *model, uint16_t *features, ptrdiff_t distinct,
                     const uint8_t *counts) {
    ptrdiff_t i = 0;
#ifdef CHARLENS_HAVE_AVX2
    if (fits_batches(model)) {
        /* What reads beyond the end of its row must not stand at the end of the model. */
        const ptrdiff_t reach = (model->classes + 31) / 32 * 32, size = model->features * model->classes;
        for (ptrdiff_t k = 0; k < distinct;) {
            if (features[k] * model->classes + reach <= size) {
                k++;
                continue;
            }
            add_row(totals, model, features[k], model->levels[counts[features[k]] - 1]);
            distinct--;
            uint16_t done = features[k];
            features[k] = features[distinct];
            features[distinct] = done;
        }
        for (; i < distinct; i += BATCH)
            add_batch(totals, model, features + i, distinct - i < BATCH ? (int)(distinct - i) : BATCH, counts);
    }
#endif
    for (; i < distinct; i++) add_row(totals, model, features[i], model->levels[counts[features[i]] - 1]);
}

void charlens_score_pairs(const uint8_t *data, ptrdiff_t length, ptrdiff_t stride, ptrdiff_t size,
                          const charlens_model *model, uint8_t *counts, uint16_t *touched, int32_t *totals,
                          charlens_evidence *out) {
    enum { BEFORE = 16 };
    out->pairs = out->distinct = 0;
    counts[model->features] = 1; /* never touched */
    if (stride == 0) count_window(data, length, model, counts, touched, out);
    for (ptrdiff_t start = 0; stride > 0 && start < length; start += stride) {
        const ptrdiff_t end = length - start < stride ? length : start + stride;
        const ptrdiff_t found = first_beyond_ascii(data, start, end);
        const ptrdiff_t first = found - start < BEFORE ? start : found - BEFORE;
        if (found < end)
            count_window(data + first, end - first < size ? end - first : size, model, counts, touched, out);
        if (length - start < stride) break; /* the sum could overflow */
    }
    add_rows(totals, model, touched, out->distinct, counts);
}

/* Whether class *c* speaks for something that is possible: both are sets of 16 bytes. */
static int is_allowed(const uint8_t *members, const uint64_t possible[2], ptrdiff_t c) {
    uint64_t ours[2];
    memcpy(ours, members + 16 * c, 16);
    return ((ours[0] & possible[0]) | (ours[1] & possible[1])) != 0;
}

/* Whether class *a* comes before class *b*: the greater total, then the smaller number. */
static int comes_before(const int32_t *totals, int32_t a, int32_t b) {
    return totals[a] > totals[b] || (totals[a] == totals[b] && a < b);
}

void charlens_doubt_classes(int32_t *totals, const uint8_t *members, const uint8_t *sets, ptrdiff_t classes,
                            int32_t penalty) {
    uint64_t both[4];
    memcpy(both, sets, 32);
    const uint64_t clean[2] = {both[0] & ~both[2], both[1] & ~both[3]};
    for (ptrdiff_t c = 0; c < classes; c++)
        if (!is_allowed(members, clean, c)) totals[c] -= penalty;
}

ptrdiff_t charlens_best_classes(const int32_t *totals, const uint8_t *members, const uint8_t *sets, ptrdiff_t classes,
                                ptrdiff_t most, ptrdiff_t reach, int32_t *order) {
    uint64_t possible[2];
    int64_t best = INT64_MIN;
    ptrdiff_t count = 0;
    memcpy(possible, sets, 16);
    for (ptrdiff_t c = 0; c < classes; c++)
        if (totals[c] > best && is_allowed(members, possible, c)) best = totals[c];
    for (ptrdiff_t c = 0; c < classes && most > 0; c++) {
        if (best - totals[c] > reach || !is_allowed(members, possible, c)) continue;
        if (count == most && !comes_before(totals, (int32_t)c, order[count - 1])) continue;
        ptrdiff_t place = count < most ? count++ : count - 1;
        for (; place > 0 && comes_before(totals, (int32_t)c, order[place - 1]); place--) order[place] = order[place - 1];
        order[place] = (int32_t)c;
    }
    return count;
}
