/* One pass over the bytes: values that occur, counts by parity, UTF-8. */
#include <string.h>

#include "kernel.h"

void charlens_scan_begin(charlens_scan *out) {
    memset(out, 0, sizeof *out);
    memset(out->first, 0xFF, sizeof out->first); /* -1 */
    out->blocked = -1;
    out->error = -1;
}

static void see(charlens_scan *out, uint8_t byte, ptrdiff_t at) {
    uint64_t bit = (uint64_t)1 << (byte & 63);
    if (out->seen[byte >> 6] & bit) return;
    out->seen[byte >> 6] |= bit;
    if (byte >= 0x20) return;
    out->first[byte] = at;
    if (out->blocked < 0 && (CHARLENS_BLOCKED >> byte & 1)) out->blocked = at;
}

/* Values and counts of a range; UTF-8 is left to the caller. */
void charlens_scan_range(const uint8_t *data, ptrdiff_t from, ptrdiff_t to, charlens_scan *out) {
    for (ptrdiff_t i = from; i < to; i++) {
        uint8_t byte = data[i];
        see(out, byte, i);
        if (byte >= 0x80) {
            out->non_ascii++;
            out->leads += byte >= 0xC0;
        } else if (byte < 0x20) {
            out->nuls[i & 1] += byte == 0;
            out->ends[i & 1] += byte == 10 || byte == 13;
        }
    }
}

void charlens_scan_portable(const uint8_t *data, ptrdiff_t length, charlens_scan *out) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    ptrdiff_t at = 0;
    charlens_scan_begin(out);
    for (; at + 8 <= length; at += 8) {
        uint64_t eight;
        memcpy(&eight, data + at, 8);
        /* Eight bytes of 0x20-0x7F count only for their values. */
        if (((eight | (eight - ones * 0x20)) & tops) == 0) {
            for (int i = 0; i < 8; i++) see(out, data[at + i], at + i);
        } else {
            charlens_scan_range(data, at, at + 8, out);
        }
    }
    charlens_scan_range(data, at, length, out);
    charlens_utf8(data, length, 0, &out->error, &out->cut);
}

#ifdef CHARLENS_HAVE_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX2_INLINE static inline __attribute__((target("avx2,popcnt"), always_inline))

/* The set of seen values as two tables of 16 bytes, for lookups by the low nibble: bit h of
 * rows[0][l] stands for value 16h + l, bit h of rows[1][l] for value 128 + 16h + l.
 * plain is rows[0] without NUL: what a run of plain ASCII may have. */
typedef struct {
    uint8_t bytes[2][16];
    __m256i rows[2];
    __m256i plain;
} value_set;

AVX2_INLINE __m256i both_lanes(const uint8_t *row) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)row));
}

AVX2_INLINE void load_set(value_set *set) {
    uint8_t nul = set->bytes[0][0] & 1;
    set->rows[0] = both_lanes(set->bytes[0]);
    set->rows[1] = both_lanes(set->bytes[1]);
    set->bytes[0][0] ^= nul;
    set->plain = both_lanes(set->bytes[0]);
    set->bytes[0][0] ^= nul;
}

/* Take those of the 32 bytes at *at* into the set that are *fresh*; a blocked value is always new when it comes first. */
AVX2_INLINE void add_values(const uint8_t *data, ptrdiff_t at, uint32_t fresh, value_set *set, charlens_scan *out) {
    for (; fresh; fresh &= fresh - 1) {
        ptrdiff_t i = at + __builtin_ctz(fresh);
        uint8_t byte = data[i];
        set->bytes[byte >> 7][byte & 15] |= (uint8_t)(1u << (byte >> 4 & 7));
        see(out, byte, i);
    }
    load_set(set);
}

AVX2_INLINE __m256i high_nibble(__m256i block) {
    return _mm256_and_si256(_mm256_srli_epi16(block, 4), _mm256_set1_epi8(0x0F));
}

/* The bit of each byte in its row of a value set. */
AVX2_INLINE __m256i row_bits(__m256i block) {
    const __m256i bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8,
                                          16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    return _mm256_shuffle_epi8(bits, high_nibble(block));
}

/* Which of the 32 bytes are not in the set yet. */
AVX2_INLINE uint32_t not_seen(__m256i block, const value_set *set) {
    __m256i low = _mm256_and_si256(block, _mm256_set1_epi8(0x0F));
    __m256i row = _mm256_blendv_epi8(_mm256_shuffle_epi8(set->rows[0], low),
                                     _mm256_shuffle_epi8(set->rows[1], low), block);
    __m256i known = _mm256_cmpeq_epi8(_mm256_and_si256(row, row_bits(block)), _mm256_setzero_si256());
    return (uint32_t)_mm256_movemask_epi8(known);
}

AVX2_INLINE __m256i line_ends(__m256i block) {
    return _mm256_or_si256(_mm256_cmpeq_epi8(block, _mm256_set1_epi8(10)),
                           _mm256_cmpeq_epi8(block, _mm256_set1_epi8(13)));
}

AVX2_INLINE ptrdiff_t sum_bytes(__m256i bytes) {
    uint64_t four[4];
    _mm256_storeu_si256((__m256i *)four, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
    return (ptrdiff_t)(four[0] + four[1] + four[2] + four[3]);
}

/* Go over plain ASCII whose values were all seen before, 64 bytes at a time; most text is that. */
AVX2_INLINE ptrdiff_t skip_plain(const uint8_t *data, ptrdiff_t at, ptrdiff_t length, const value_set *set,
                                 charlens_scan *out) {
    const __m256i even = _mm256_set1_epi16(0x00FF);
    int more = 1;
    while (more) {
        __m256i ends = _mm256_setzero_si256();
        /* 127 rounds of two: a byte counts to 255 */
        for (int round = 0; round < 127; round++, at += 64) {
            if (at + 64 > length) {
                more = 0;
                break;
            }
            __m256i one = _mm256_loadu_si256((const __m256i *)(data + at));
            __m256i two = _mm256_loadu_si256((const __m256i *)(data + at + 32));
            /* A shuffle gives 0 where the top bit is set, so what is not ASCII is never in the row. */
            __m256i odd = _mm256_or_si256(_mm256_andnot_si256(_mm256_shuffle_epi8(set->plain, one), row_bits(one)),
                                          _mm256_andnot_si256(_mm256_shuffle_epi8(set->plain, two), row_bits(two)));
            if (!_mm256_testz_si256(odd, odd)) {
                more = 0;
                break;
            }
            ends = _mm256_sub_epi8(_mm256_sub_epi8(ends, line_ends(one)), line_ends(two));
        }
        out->ends[0] += sum_bytes(_mm256_and_si256(ends, even));
        out->ends[1] += sum_bytes(_mm256_andnot_si256(even, ends));
    }
    return at;
}

/* Whether *block*, after *before*, breaks a rule of UTF-8.  The method is the one of Keiser and Lemire,
 * "Validating UTF-8 In Less Than One Instruction Per Byte" (2021): three lookups by nibble name
 * the errors that a pair of bytes can make, and one comparison finds missing third and fourth bytes. */
AVX2_INLINE __m256i bytes_back(__m256i block, __m256i before, int count) {
    __m256i joined = _mm256_permute2x128_si256(before, block, 0x21);
    switch (count) {
    case 1: return _mm256_alignr_epi8(block, joined, 15);
    case 2: return _mm256_alignr_epi8(block, joined, 14);
    default: return _mm256_alignr_epi8(block, joined, 13);
    }
}

#define TWICE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                                      \
    _mm256_setr_epi8((char)(a), (char)(b), (char)(c), (char)(d), (char)(e), (char)(f), (char)(g), (char)(h),      \
                     (char)(i), (char)(j), (char)(k), (char)(l), (char)(m), (char)(n), (char)(o), (char)(p),      \
                     (char)(a), (char)(b), (char)(c), (char)(d), (char)(e), (char)(f), (char)(g), (char)(h),      \
                     (char)(i), (char)(j), (char)(k), (char)(l), (char)(m), (char)(n), (char)(o), (char)(p))

enum {
    SHORT = 1,      /* a lead, then no continuation */
    LONG = 2,       /* ASCII, then a continuation */
    OVERLONG3 = 4,  /* E0 80-9F */
    SURROGATE = 8,  /* ED A0-BF */
    OVERLONG2 = 16, /* C0, C1 */
    OVER = 32,      /* F4 90-BF, F5-FF: over U+10FFFF */
    OVERLONG4 = 64, /* F0 80-8F; the same bit marks F5-FF with 80-8F, wrong as well */
    TWO = 128       /* two continuations in a row: an error, unless a longer lead is before them */
};

AVX2_INLINE __m256i utf8_errors(__m256i block, __m256i before) {
    /* by the high nibble of the first byte */
    const __m256i first_high =
        TWICE(LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, TWO, TWO, TWO, TWO, SHORT | OVERLONG2, SHORT,
              SHORT | OVERLONG3 | SURROGATE, SHORT | OVER | OVERLONG4);
    /* by the low nibble of the first byte: which of those can be meant */
    const int always = SHORT | LONG | TWO;
    const __m256i first_low =
        TWICE(always | OVERLONG3 | OVERLONG2 | OVERLONG4, always | OVERLONG2, always, always, always | OVER,
              always | OVER | OVERLONG4, always | OVER | OVERLONG4, always | OVER | OVERLONG4,
              always | OVER | OVERLONG4, always | OVER | OVERLONG4, always | OVER | OVERLONG4,
              always | OVER | OVERLONG4, always | OVER | OVERLONG4, always | OVER | OVERLONG4 | SURROGATE,
              always | OVER | OVERLONG4, always | OVER | OVERLONG4);
    /* by the high nibble of the second byte: which of those it makes real */
    const __m256i second_high =
        TWICE(SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT,
              LONG | OVERLONG2 | TWO | OVERLONG3 | OVERLONG4, LONG | OVERLONG2 | TWO | OVERLONG3 | OVER,
              LONG | OVERLONG2 | TWO | SURROGATE | OVER, LONG | OVERLONG2 | TWO | SURROGATE | OVER, SHORT, SHORT,
              SHORT, SHORT);
    __m256i back1 = bytes_back(block, before, 1);
    __m256i errors = _mm256_and_si256(
        _mm256_and_si256(
            _mm256_shuffle_epi8(first_high, high_nibble(back1)),
            _mm256_shuffle_epi8(first_low, _mm256_and_si256(back1, _mm256_set1_epi8(0x0F)))),
        _mm256_shuffle_epi8(second_high, high_nibble(block)));
    /* a byte must be a second continuation exactly where E0-FF is two back or F0-FF three back */
    __m256i third = _mm256_subs_epu8(bytes_back(block, before, 2), _mm256_set1_epi8((char)(0xE0 - 0x80)));
    __m256i fourth = _mm256_subs_epu8(bytes_back(block, before, 3), _mm256_set1_epi8((char)(0xF0 - 0x80)));
    __m256i wanted = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(wanted, errors);
}

/* The start of the character that may reach over *at*, all before *at* being good so far. */
static ptrdiff_t boundary(const uint8_t *data, ptrdiff_t at) {
    for (ptrdiff_t back = 1; back <= 3 && back <= at; back++) {
        uint8_t byte = data[at - back];
        if (byte >= 0xC0) return at - back;
        if (byte < 0x80) break;
    }
    return at;
}

/* Counts of one byte for each of 32 places; they are added up before one can overflow. */
typedef struct {
    __m256i ends, nuls;
    int rounds;
} place_counts;

AVX2_INLINE void begin_counts(place_counts *counts) {
    counts->ends = counts->nuls = _mm256_setzero_si256();
    counts->rounds = 0;
}

/* The blocks began at multiples of 32, so the parity of a place is that of the offset. */
AVX2_INLINE void add_counts(place_counts *counts, charlens_scan *out) {
    const __m256i even = _mm256_set1_epi16(0x00FF);
    out->ends[0] += sum_bytes(_mm256_and_si256(counts->ends, even));
    out->ends[1] += sum_bytes(_mm256_andnot_si256(even, counts->ends));
    out->nuls[0] += sum_bytes(_mm256_and_si256(counts->nuls, even));
    out->nuls[1] += sum_bytes(_mm256_andnot_si256(even, counts->nuls));
    begin_counts(counts);
}

/* No branches that depend on the block, except for rare cases: in text of two scripts they could not be
 * predicted. */
AVX2 void charlens_scan_avx2(const uint8_t *data, ptrdiff_t length, charlens_scan *out) {
    const __m256i zero = _mm256_setzero_si256(), last_continuation = _mm256_set1_epi8((char)0xBF);
    value_set set;
    place_counts counts;
    __m256i before = zero;
    int is_utf8 = 1, plain = 2; /* plain: how many blocks before this one were ASCII */
    ptrdiff_t at = 0, non_ascii = 0, leads = 0;

    charlens_scan_begin(out);
    begin_counts(&counts);
    memset(set.bytes, 0, sizeof set.bytes);
    load_set(&set);
    for (;; at += 32) {
        if (plain >= 2) { /* a sequence that is open ends in the first of them, or is an error there */
            ptrdiff_t start = at;
            at = skip_plain(data, at, length, &set, out);
            if (at > start) before = zero;
        }
        if (at + 32 > length) break;
        __m256i block = _mm256_loadu_si256((const __m256i *)(data + at));
        uint32_t fresh = not_seen(block, &set), high = (uint32_t)_mm256_movemask_epi8(block);
        if (fresh) add_values(data, at, fresh, &set, out);
        counts.ends = _mm256_sub_epi8(counts.ends, line_ends(block));
        counts.nuls = _mm256_sub_epi8(counts.nuls, _mm256_cmpeq_epi8(block, zero));
        if (++counts.rounds == 255) add_counts(&counts, out);
        non_ascii += __builtin_popcount(high);
        leads += __builtin_popcount(high & (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(block, last_continuation)));
        if (is_utf8) {
            __m256i errors = utf8_errors(block, before);
            if (!_mm256_testz_si256(errors, errors)) {
                charlens_utf8(data, length, boundary(data, at), &out->error, &out->cut);
                is_utf8 = 0;
            }
        }
        plain = high ? 0 : plain + 1;
        before = block;
    }
    add_counts(&counts, out);
    out->non_ascii += non_ascii;
    out->leads += leads;
    charlens_scan_range(data, at, length, out);
    if (is_utf8) charlens_utf8(data, length, boundary(data, at), &out->error, &out->cut);
}

/* The facts of charlens_row_facts for one row, without the counts and offsets of a scan; stops at the
 * first error. */
AVX2 unsigned charlens_row_facts_avx2(const uint8_t *data, ptrdiff_t length, const charlens_column_sets *sets) {
    const __m256i last_continuation = _mm256_set1_epi8((char)0xBF);
    const unsigned all = (1u << CHARLENS_COLUMN_SETS) - 1;
    unsigned met = 0; /* the sets that occur in the row */
    uint32_t before_high = 0;
    __m256i before = _mm256_setzero_si256();
    __m256i rows[2] = {both_lanes(sets->rows[all][0]), both_lanes(sets->rows[all][1])};
    ptrdiff_t at = 0, leads = 0, error, cut;
    for (; at + 32 <= length; at += 32) {
        __m256i block = _mm256_loadu_si256((const __m256i *)(data + at));
        __m256i low = _mm256_and_si256(block, _mm256_set1_epi8(0x0F));
        __m256i row = _mm256_blendv_epi8(_mm256_shuffle_epi8(rows[0], low), _mm256_shuffle_epi8(rows[1], low), block);
        uint32_t high = (uint32_t)_mm256_movemask_epi8(block);
        if (!_mm256_testz_si256(row, row_bits(block))) {
            for (int i = 0; i < 32; i++) met |= sets->of[data[at + i]];
            rows[0] = both_lanes(sets->rows[all & ~met][0]);
            rows[1] = both_lanes(sets->rows[all & ~met][1]);
        }
        if (high | before_high) {
            __m256i errors = utf8_errors(block, before);
            if (!_mm256_testz_si256(errors, errors)) {
                charlens_utf8(data, length, boundary(data, at), &error, &cut);
                if (error >= 0) return CHARLENS_ROW_NOT_UTF8;
            }
            leads += __builtin_popcount(high & (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(block, last_continuation)));
        }
        before = block;
        before_high = high;
    }
    charlens_utf8(data, length, boundary(data, at), &error, &cut);
    for (; at < length; at++) {
        met |= sets->of[data[at]];
        leads += data[at] >= 0xC0;
    }
    return charlens_pack_facts(met, leads, error, cut);
}
#endif

void (*charlens_scan_best(void))(const uint8_t *, ptrdiff_t, charlens_scan *) {
#ifdef CHARLENS_HAVE_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return charlens_scan_avx2;
#endif
    return charlens_scan_portable;
}
