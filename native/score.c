/* The linear model: a histogram of byte pairs, then one row of weights for each different pair. */
#include <string.h>

#include "kernel.h"

/* Count the pairs of one window, as if it stood between spaces.  COUNT has no branch: a pair that is no feature counts in
 * a slot of its own behind the others.  The sums are in variables, not in *out*: the compiler would have to assume that
 * writing the counts changes it. */
static void count_window(const uint8_t *data, ptrdiff_t length, const charlens_model *model, uint8_t *counts,
                         uint16_t *touched, charlens_scores *out) {
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
        const uint64_t high = charlens_high_bytes(data + i), next = data[i + 64] >= 0x80;
        uint64_t left = high | high >> 1 | next << 63;
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

/* Add up the weights of the characters of one window, each different one once, for the wide classes: see pure.score. */
static void add_characters(const uint8_t *data, ptrdiff_t length, const charlens_model *model, uint8_t *met, int32_t *sums) {
    const ptrdiff_t wide = model->wide_count;
    for (ptrdiff_t i = 0; i + 1 < length && wide; i++) {
        if (data[i] < CHARLENS_FIRST_LEAD || data[i + 1] < CHARLENS_FIRST_TRAIL) continue;
        const ptrdiff_t number = (data[i] - CHARLENS_FIRST_LEAD) * (256 - CHARLENS_FIRST_TRAIL) + data[i + 1] - CHARLENS_FIRST_TRAIL;
        if (met[number >> 3] >> (number & 7) & 1) continue;
        met[number >> 3] |= (uint8_t)(1 << (number & 7));
        const int8_t *row = model->characters + number * wide;
        for (ptrdiff_t k = 0; k < wide; k++) sums[k] += row[k];
    }
}

/* Add a row, times its level, to the totals. */
static void add_row(int32_t *totals, const charlens_model *model, uint16_t feature, int level) {
    const int8_t *row = model->weights + feature * model->classes;
    for (ptrdiff_t c = 0; c < model->classes; c++) totals[c] += (int32_t)row[c] * level;
}

#ifdef CHARLENS_HAVE_AVX2
#include <immintrin.h>

/* The sum of this many rows fits into 16 bits: 16 * 16 * -128 = -32,768.  Levels over 16 are added without AVX2. */
enum { BATCH = 16, MOST_LEVEL = 16 };

__attribute__((target("avx2"))) static void widen(__m256i sums, int32_t *low, int32_t *high) {
    __m256i first = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(sums));
    __m256i second = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sums, 1));
    _mm256_storeu_si256((__m256i *)low, _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)low), first));
    _mm256_storeu_si256((__m256i *)high, _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)high), second));
}

/* Add at most BATCH rows. The last block of 32 classes reads beyond the row, into the next one; the
 * result is written after the totals and ignored. So this must not be used for the last row of the
 * model. */
__attribute__((target("avx2"))) static void add_batch(int32_t *totals, const charlens_model *model,
                                                      const uint16_t *features, int count, const uint8_t *counts) {
    const int8_t *rows[BATCH];
    __m256i levels[BATCH / 2];
    for (int r = 0; r < count; r += 2) {
        const int last = r + 1 == count; /* the last of an odd number is paired with itself, times 0 */
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
        /* A read beyond the end of a row must not leave the model. */
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

/* Count the pairs of the input, or of its windows, and add up their rows. */
static void score_pairs(const uint8_t *data, ptrdiff_t length, const ptrdiff_t cut[2], const charlens_model *model,
                        uint8_t *counts, uint16_t *touched, uint8_t *met, int32_t *sums, int32_t *totals, charlens_scores *out) {
    const ptrdiff_t stride = cut[0], size = cut[1];
    out->pairs = out->distinct = 0;
    counts[model->features] = 1; /* never touched */
    if (stride == 0) {
        count_window(data, length, model, counts, touched, out);
        add_characters(data, length, model, met, sums);
    }
    for (ptrdiff_t start = 0; stride > 0 && start < length; start += stride) {
        const ptrdiff_t end = length - start < stride ? length : start + stride;
        const ptrdiff_t found = charlens_skip_ascii(data, start, end);
        const ptrdiff_t first = found - start < CHARLENS_BEFORE_WINDOW ? start : found - CHARLENS_BEFORE_WINDOW;
        const ptrdiff_t window = end - first < size ? end - first : size;
        if (found < end) {
            count_window(data + first, window, model, counts, touched, out);
            add_characters(data + first, window, model, met, sums);
        }
        if (length - start < stride) break; /* the sum could overflow */
    }
    for (ptrdiff_t k = 0; k < model->wide_count; k++) totals[model->wide[k]] += sums[k] * model->levels[0];
    add_rows(totals, model, touched, out->distinct, counts);
}

/* Nudges for all encodings, which most are, differ by language only: their points are added up first, and to each class
 * once. */
static void add_nudges(int32_t *totals, const charlens_model *model, const charlens_nudge *nudges, ptrdiff_t count) {
    static const uint8_t all[16] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    int32_t by_language[256] = {0};
    ptrdiff_t general = 0;
    for (ptrdiff_t i = 0; i < count; i++) { /* by values: the pointers may be NULL */
        const charlens_nudge *nudge = &nudges[i];
        if (memcmp(nudge->encodings, all, sizeof all) == 0) {
            for (int at = 0; at < 32; at += 8)
                for (uint64_t left = charlens_word(nudge->languages + at); left; left &= left - 1)
                    by_language[8 * at + charlens_lowest_bit(left)] += nudge->step;
            general++;
            continue;
        }
        const uint64_t low = charlens_word(nudge->encodings), high = charlens_word(nudge->encodings + 8);
        for (ptrdiff_t c = 0; c < model->classes; c++) {
            const uint8_t *own = model->members + 16 * c;
            if (!((charlens_word(own) & low) | (charlens_word(own + 8) & high))) continue;
            if (charlens_has(nudge->languages, model->spoken[c])) totals[c] += nudge->step;
        }
    }
    for (ptrdiff_t c = 0; general && c < model->classes; c++) totals[c] += by_language[model->spoken[c]];
}

/* Whether class *a* comes before class *b*: the greater total, then the smaller number. */
static int comes_before(const int32_t *totals, int32_t a, int32_t b) {
    return totals[a] > totals[b] || (totals[a] == totals[b] && a < b);
}

/* Keep the best class of each family (the same encodings); returns the number of classes kept. */
static ptrdiff_t best_of_families(const int32_t *totals, const charlens_model *model, int32_t *order, ptrdiff_t count) {
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const int32_t c = order[i];
        ptrdiff_t k = kept;
        while (k > 0 && memcmp(model->members + 16 * c, model->members + 16 * order[k - 1], 16)) k--;
        if (!k) order[kept++] = c;
        else if (comes_before(totals, c, order[k - 1])) order[k - 1] = c;
    }
    return kept;
}

enum { BLOCK = 16 };

/* Whether one of a block of totals is over *limit*. */
static inline int block_over(const int32_t *totals, int32_t limit) {
#ifdef __SSE2__
    const __m128i limits = _mm_set1_epi32(limit);
    __m128i over = _mm_setzero_si128();
    for (int k = 0; k < BLOCK; k += 4)
        over = _mm_or_si128(over, _mm_cmpgt_epi32(_mm_loadu_si128((const __m128i *)(totals + k)), limits));
    return _mm_movemask_epi8(over) != 0;
#else
    int over = 0;
    for (int k = 0; k < BLOCK; k++) over |= totals[k] > limit;
    return over;
#endif
}

/* The first class from *c* on whose total may be *least* or more.  Few are so high, so that whole blocks are passed over. */
static inline ptrdiff_t next_high(const int32_t *totals, ptrdiff_t classes, ptrdiff_t c, int64_t least) {
    if (least <= INT32_MIN) return c;
    const int32_t limit = least > INT32_MAX ? INT32_MAX : (int32_t)(least - 1);
    while (c % BLOCK == 0 && c + BLOCK <= classes && !block_over(totals + c, limit)) c += BLOCK;
    return c;
}

/* The total of class *c*, less the penalty if all its encodings are doubtful; INT64_MIN if it does not take part. */
static int64_t total_of(const int32_t *totals, const charlens_model *model, const uint8_t *sets, ptrdiff_t penalty, ptrdiff_t c) {
    uint64_t own[2], able[2], doubtful[2];
    memcpy(own, model->members + 16 * c, 16);
    memcpy(able, sets, 16);
    memcpy(doubtful, sets + 16, 16);
    own[0] &= able[0];
    own[1] &= able[1];
    if ((own[0] | own[1]) == 0) return INT64_MIN;
    return totals[c] - (((own[0] & ~doubtful[0]) | (own[1] & ~doubtful[1])) != 0 ? 0 : (int32_t)penalty);
}

/* The possible classes in order of their totals, the best first, at most *most*, none more than *reach* behind the best.
 * Those of which all encodings are doubtful lose the penalty first; the last limit is 1 for one class of each family.
 * A class is looked at only if its total is near enough before the penalty: few are. */
static ptrdiff_t best_classes(int32_t *totals, const charlens_model *model, const uint8_t *sets, const ptrdiff_t limits[4],
                              int32_t *order) {
    const ptrdiff_t most = limits[0] < model->classes ? limits[0] : model->classes, reach = limits[1] < 0 ? -1 : limits[1];
    int64_t best = INT64_MIN;
    ptrdiff_t count = 0, near = 0;
    for (ptrdiff_t c = 0; (c = next_high(totals, model->classes, c, best)) < model->classes; c++) {
        if (totals[c] <= best) continue;
        const int64_t total = total_of(totals, model, sets, limits[2], c);
        best = total > best ? total : best;
    }
    if (best == INT64_MIN || most <= 0) return 0;
    /* Totals have 32 bits: all are within twice their range. */
    const int64_t least = reach > INT64_C(1) << 33 ? INT64_MIN : best - reach;
    for (ptrdiff_t c = 0; (c = next_high(totals, model->classes, c, least)) < model->classes; c++) {
        if (totals[c] < least) continue;
        const int64_t total = total_of(totals, model, sets, limits[2], c);
        if (total == INT64_MIN || total < least) continue;
        totals[c] = (int32_t)total;
        order[near++] = (int32_t)c;
    }
    if (limits[3]) near = best_of_families(totals, model, order, near);
    for (ptrdiff_t i = 0; i < near; i++) {
        const int32_t c = order[i];
        if (count == most && !comes_before(totals, c, order[count - 1])) continue;
        ptrdiff_t place = count < most ? count++ : count - 1;
        for (; place > 0 && comes_before(totals, c, order[place - 1]); place--) order[place] = order[place - 1];
        order[place] = c;
    }
    return count;
}

/* One block: the counts of the features and the characters met, which must be zero, the totals with room for whole blocks
 * of 32, the order of the classes, and the features touched. */
enum { MET = CHARLENS_CHARACTERS / 8 };
static size_t counts_room(const charlens_model *model) { return ((size_t)model->features + 16) / 16 * 16; }
static size_t totals_room(const charlens_model *model) { return 4 * ((size_t)model->classes + 32); }

size_t charlens_score_room(const charlens_model *model) {
    return MET + counts_room(model) + 2 * totals_room(model) + 2 * ((size_t)model->features + 1);
}

/* Whether the totals of one of the wide classes matter. */
static int has_wide(const charlens_model *model, const uint8_t *sets) {
    for (ptrdiff_t k = 0; k < model->wide_count; k++) {
        const uint8_t *own = model->members + 16 * model->wide[k];
        if (charlens_meets(own, sets, 16) || charlens_meets(own, sets + 16, 16)) return 1;
    }
    return 0;
}

/* The totals of all classes.  The order of the classes is not known yet; its place has the sums of the characters. */
static void add_up(const uint8_t *data, ptrdiff_t length, const charlens_model *whole, const uint8_t *sets,
                   const int32_t *bias, const charlens_nudge *nudges, ptrdiff_t nudge_count, const ptrdiff_t cut[2],
                   char *block, charlens_scores *out) {
    charlens_model narrow = *whole, *model = &narrow;
    if (!has_wide(whole, sets)) narrow.wide_count = 0;
    const size_t counted = MET + counts_room(model), room = totals_room(model);
    int32_t *totals = (int32_t *)(block + counted), *order = (int32_t *)(block + counted + room);
    const size_t unused = narrow.wide_count ? 0 : MET; /* without wide classes, no character is looked for */
    memset(block + unused, 0, counted + room - unused);
    memset(order, 0, 4 * (size_t)model->wide_count);
    memcpy(totals, bias, 4 * (size_t)model->classes);
    add_nudges(totals, model, nudges, nudge_count);
    score_pairs(data, length, cut, model, (uint8_t *)block + MET, (uint16_t *)(block + counted + 2 * room), (uint8_t *)block,
                order, totals, out);
    out->totals = totals;
    out->order = order;
}

void charlens_score(const uint8_t *data, ptrdiff_t length, const charlens_model *model, const uint8_t *sets,
                    const int32_t *bias, const charlens_nudge *nudges, ptrdiff_t nudge_count, const ptrdiff_t cut[2],
                    const ptrdiff_t limits[4], char *block, charlens_scores *out) {
    add_up(data, length, model, sets, bias, nudges, nudge_count, cut, block, out);
    out->count = best_classes(out->totals, model, sets, limits, out->order);
}

/* The best class with an encoding of *set*, or -1. */
static ptrdiff_t best_of(const int32_t *totals, const charlens_model *model, const uint8_t *set) {
    ptrdiff_t best = -1;
    int64_t most = INT64_MIN;
    for (ptrdiff_t c = 0; (c = next_high(totals, model->classes, c, most)) < model->classes; c++) {
        if (totals[c] <= most || !charlens_meets(model->members + 16 * c, set, 16)) continue;
        most = totals[c];
        best = c;
    }
    return best;
}

int charlens_fits(const uint8_t *data, ptrdiff_t length, const charlens_model *model, ptrdiff_t number, ptrdiff_t least,
                  char *block) {
    const size_t counted = counts_room(model);
    uint8_t *counts = (uint8_t *)block;
    uint16_t *touched = (uint16_t *)(block + counted);
    charlens_scores found = {0};
    ptrdiff_t total = 0;
    memset(counts, 0, counted);
    counts[model->features] = 1; /* never touched */
    count_window(data, length, model, counts, touched, &found);
    for (ptrdiff_t i = 0; i < found.distinct; i++)
        total += model->levels[counts[touched[i]] - 1] * model->weights[touched[i] * model->classes + number];
    return total >= least * found.distinct;
}

void charlens_compare(const uint8_t *data, ptrdiff_t length, const charlens_structure *structure, const charlens_model *model,
                      const uint8_t *sets, ptrdiff_t groups, const int32_t *bias, char *block, ptrdiff_t *out) {
    static const ptrdiff_t whole[2] = {0, 0};
    uint8_t seen[32] = {0}, possible[32], asked[32], group[16], cut[16];
    ptrdiff_t walked[2 * CHARLENS_MOST_TABLES];
    charlens_scores scores;
    for (ptrdiff_t i = 0; i < length; i++) seen[data[i] >> 3] |= (uint8_t)(1 << (data[i] & 7));
    charlens_candidates(data, length, seen, structure, possible, possible + 16, cut, walked);
    for (int i = 0; i < 16; i++) asked[i] = (uint8_t)(possible[i] & (sets[i] | sets[16 * (groups - 1) + i]));
    memcpy(asked + 16, sets + 16 * groups, 16); /* where the doubtful ones stand, which here lose nothing */
    add_up(data, length, model, asked, bias, NULL, 0, whole, block, &scores);
    out[0] = scores.pairs;
    out[1] = scores.distinct;
    for (ptrdiff_t g = 0; g < groups; g++) {
        for (int i = 0; i < 16; i++) group[i] = (uint8_t)(possible[i] & sets[16 * g + i]);
        const ptrdiff_t best = best_of(scores.totals, model, group);
        out[2 + 2 * g] = best;
        out[3 + 2 * g] = best < 0 ? 0 : scores.totals[best];
    }
    const ptrdiff_t other = best_of(scores.totals, model, sets + 16 * groups);
    out[2 + 2 * groups] = other < 0 ? 0 : scores.totals[other];
}
