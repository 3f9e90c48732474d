/* A column of byte strings: facts about each row, for whoever wants to know which rows need a closer look. */
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

static int has_any(const charlens_scan *scan, const uint64_t *set) {
    return ((scan->seen[0] & set[0]) | (scan->seen[1] & set[1]) | (scan->seen[2] & set[2]) | (scan->seen[3] & set[3])) != 0;
}

static uint16_t facts_of(const uint8_t *row, ptrdiff_t length, const charlens_scan *scan, const charlens_column_sets *sets) {
    unsigned facts = 0;
    for (int i = 0; i < CHARLENS_COLUMN_SETS; i++) facts |= (unsigned)has_any(scan, sets->any[i]) << i;
    if (length && sets->opening[row[0] >> 6] >> (row[0] & 63) & 1) facts |= CHARLENS_ROW_OPENS;
    if (scan->error >= 0) facts |= CHARLENS_ROW_NOT_UTF8;
    facts |= (unsigned)scan->cut * CHARLENS_ROW_CUT;
    facts |= (unsigned)(scan->leads < CHARLENS_ROW_MOST_LEADS ? scan->leads : CHARLENS_ROW_MOST_LEADS) * CHARLENS_ROW_LEADS;
    return (uint16_t)facts;
}

void charlens_scan_many(const uint8_t *data, const void *offsets, int width, ptrdiff_t rows,
                        const charlens_column_sets *sets, ptrdiff_t longest, uint16_t *out) {
    void (*const scan_row)(const uint8_t *, ptrdiff_t, charlens_scan *) = charlens_scan_best();
    charlens_scan scan;
    for (ptrdiff_t row = 0; row < rows; row++) {
        const int64_t start = offset_at(offsets, width, row);
        const ptrdiff_t length = (ptrdiff_t)(offset_at(offsets, width, row + 1) - start);
        if (length > longest) {
            out[row] = CHARLENS_ROW_LONG;
            continue;
        }
        scan_row(data + start, length, &scan);
        out[row] = facts_of(data + start, length, &scan, sets);
    }
}
