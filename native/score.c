/* The linear model: a histogram of byte pairs, then one row of weights for each different pair. */
#include "kernel.h"

static void count_pair(uint16_t feature, const charlens_model *model, uint8_t *counts, uint16_t *touched,
                       charlens_evidence *out) {
    if (feature >= model->features) return;
    if (counts[feature] == 0) touched[out->distinct++] = feature;
    if (counts[feature] < model->level_count) counts[feature]++;
    out->pairs++;
}

/* Two rows at a time halve the reading and writing of the totals. */
#define ADD_ROWS                                                                                                   \
    for (ptrdiff_t c = 0; c < classes; c++) totals[c] += (int32_t)first[c] * a + (int32_t)second[c] * b

static void add_portable(int32_t *totals, ptrdiff_t classes, const int8_t *first, int a, const int8_t *second, int b) {
    ADD_ROWS;
}

#ifdef CHARLENS_HAVE_AVX2
#include <immintrin.h>

__attribute__((target("avx2"))) static void add_avx2(int32_t *totals, ptrdiff_t classes, const int8_t *first, int a,
                                                     const int8_t *second, int b) {
    /* One multiply-add gives a * first + b * second for eight classes. */
    const __m256i factors = _mm256_set1_epi32((int)((uint32_t)b << 16 | (uint32_t)a));
    ptrdiff_t c = 0;
    for (; c + 16 <= classes; c += 16) {
        __m256i one = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(first + c)));
        __m256i two = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(second + c)));
        __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(one, two), factors);
        __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(one, two), factors);
        __m256i *out = (__m256i *)(totals + c);
        __m256i left = _mm256_permute2x128_si256(low, high, 0x20), right = _mm256_permute2x128_si256(low, high, 0x31);
        _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), left));
        _mm256_storeu_si256(out + 1, _mm256_add_epi32(_mm256_loadu_si256(out + 1), right));
    }
    totals += c;
    first += c;
    second += c;
    classes -= c;
    ADD_ROWS;
}
#endif

void charlens_score_pairs(const uint8_t *data, ptrdiff_t length, const charlens_model *model, uint8_t *counts,
                          uint16_t *touched, int32_t *totals, charlens_evidence *out) {
    void (*add)(int32_t *, ptrdiff_t, const int8_t *, int, const int8_t *, int) = add_portable;
#ifdef CHARLENS_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) add = add_avx2;
#endif
    unsigned before = ' ';
    out->pairs = out->distinct = 0;
    for (ptrdiff_t i = 0; i < length; i++) {
        unsigned byte = data[i];
        /* Pairs of ASCII are never features; most pairs of most files are that. */
        if ((before | byte) >= 0x80) count_pair(model->pairs[before << 8 | byte], model, counts, touched, out);
        before = byte;
    }
    if (before >= 0x80) count_pair(model->pairs[before << 8 | ' '], model, counts, touched, out);
    for (ptrdiff_t i = 0; i < out->distinct; i += 2) {
        uint16_t one = touched[i], two = touched[i + 1 < out->distinct ? i + 1 : i];
        int a = model->levels[counts[one] - 1];
        int b = i + 1 < out->distinct ? model->levels[counts[two] - 1] : 0;
        add(totals, model->classes, model->weights + one * model->classes, a, model->weights + two * model->classes, b);
    }
    for (ptrdiff_t i = 0; i < out->distinct; i++) counts[touched[i]] = 0;
}
