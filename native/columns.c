/* A column of byte strings: facts about each row, to find the rows that need the whole pipeline. */
#include <string.h>

#include "kernel.h"

static int64_t offset_at(const void *offsets, int width, ptrdiff_t row) {
    if (width == 8) {
        int64_t wide;
        memcpy(&wide, (const uint8_t *)offsets + 8 * row, 8);
        return wide;
    }
    int32_t narrow;
    memcpy(&narrow, (const uint8_t *)offsets + 4 * row, 4);
    return narrow;
}

int charlens_offsets_fit(const void *offsets, int width, ptrdiff_t rows, ptrdiff_t length) {
    int64_t before = 0;
    for (ptrdiff_t row = 0; row <= rows; row++) {
        const int64_t offset = offset_at(offsets, width, row);
        if (offset < before || offset > length) return 0;
        before = offset;
    }
    return 1;
}

void charlens_prepare_sets(const uint8_t *any, const uint8_t *opening, charlens_column_sets *sets) {
    memset(sets, 0, sizeof *sets);
    memcpy(sets->opening, opening, sizeof sets->opening);
    for (int value = 0; value < 256; value++) {
        for (int i = 0; i < CHARLENS_COLUMN_SETS; i++)
            if (any[32 * i + (value >> 3)] >> (value & 7) & 1) sets->of[value] |= (uint8_t)(1 << i);
        for (int joined = 0; joined < 1 << CHARLENS_COLUMN_SETS; joined++)
            if (sets->of[value] & joined) sets->rows[joined][value >> 7][value & 15] |= (uint8_t)(1 << (value >> 4 & 7));
    }
}

static unsigned row_facts_portable(const uint8_t *data, ptrdiff_t length, const charlens_column_sets *sets) {
    unsigned met = 0;
    ptrdiff_t leads = 0, error, cut;
    charlens_utf8(data, length, 0, &error, &cut);
    if (error >= 0) return CHARLENS_ROW_NOT_UTF8;
    for (ptrdiff_t i = 0; i < length; i++) {
        met |= sets->of[data[i]];
        leads += data[i] >= 0xC0;
    }
    return charlens_pack_facts(met, leads, error, cut);
}

static unsigned (*row_facts_best(void))(const uint8_t *, ptrdiff_t, const charlens_column_sets *) {
#ifdef CHARLENS_HAVE_AVX2
    if (charlens_scan_best() == charlens_scan_avx2) return charlens_row_facts_avx2;
#endif
    return row_facts_portable;
}

void charlens_scan_many(const uint8_t *data, const void *offsets, int width, ptrdiff_t rows,
                        const charlens_column_sets *sets, ptrdiff_t longest, uint16_t *out) {
    unsigned (*const row_facts)(const uint8_t *, ptrdiff_t, const charlens_column_sets *) = row_facts_best();
    int64_t start = offset_at(offsets, width, 0);
    for (ptrdiff_t row = 0; row < rows; row++) {
        const int64_t end = offset_at(offsets, width, row + 1);
        const uint8_t *first = data + start;
        const ptrdiff_t length = (ptrdiff_t)(end - start);
        unsigned facts = length > longest ? CHARLENS_ROW_LONG : row_facts(first, length, sets);
        if (facts != CHARLENS_ROW_LONG && length && sets->opening[first[0] >> 3] >> (first[0] & 7) & 1)
            facts |= CHARLENS_ROW_OPENS;
        out[row] = (uint16_t)facts;
        start = end;
    }
}
