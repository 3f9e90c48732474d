/* Multi-byte encodings by table, and code units of 16 and 32 bits by weight. */
#include <string.h>

#include "kernel.h"

/* Whether ASCII never leaves the state between characters, so that runs of it can be skipped. */
static int ascii_stays(const uint8_t *columns, const uint8_t *rows) {
    for (int byte = 0; byte < 128; byte++)
        if (rows[columns[byte]] != 0) return 0;
    return 1;
}

void charlens_walk_table(const uint8_t *data, ptrdiff_t length, const uint8_t *table, ptrdiff_t width,
                         ptrdiff_t states, charlens_walk *out) {
    const uint8_t *columns = table, *rows = table + 256;
    const int skip = ascii_stays(columns, rows);
    ptrdiff_t i = 0;
    out->error = -1;
    out->cut = 0;
    out->sequences = 0;
    while (i < length) {
        uint64_t eight;
        while (skip && i + 8 <= length &&
               (memcpy(&eight, data + i, 8), (eight & UINT64_C(0x8080808080808080)) == 0))
            i += 8;
        if (i >= length) return;
        /* One character from its first byte to its last: the next one does not wait for this one's lookups,
         * only for the guess at its length, which is nearly always right. */
        ptrdiff_t start = i;
        unsigned state = rows[columns[data[i++]]];
        while (state != 0) {
            if (state >= (unsigned)states) { /* an error, or a table that names a state it does not have */
                out->error = start;
                return;
            }
            if (i == length) {
                out->cut = length - start;
                return;
            }
            state = rows[(ptrdiff_t)state * width + columns[data[i++]]];
        }
        out->sequences += i > start + 1;
    }
}

enum { WIDE = 0x2E00 }; /* from here on the characters of East Asia */

static const uint32_t BLOCKED = 0xF3FFC07Fu; /* 0-6, 14-25, 28-31 */

static int is_fault(uint32_t unit) {
    return (unit < 32 && (BLOCKED >> unit & 1)) || (unit >= 0xD800 && unit < 0xE000) ||
           (unit >= 0xFFFE && unit < 0x10000) || unit > 0x10FFFF;
}

static void fault(charlens_weigh *out, ptrdiff_t offset) {
    if (out->first < 0) out->first = offset;
    out->faults++;
}

static void weigh16(const uint8_t *data, ptrdiff_t length, int big, const int8_t *table, charlens_weigh *out) {
    ptrdiff_t pending = -1, i = 0;
    uint32_t high = 0;
    for (; i + 2 <= length; i += 2) {
        uint32_t unit = big ? (uint32_t)data[i] << 8 | data[i + 1] : (uint32_t)data[i + 1] << 8 | data[i];
        if (unit >= 0xDC00 && unit < 0xE000 && pending >= 0) {
            out->characters++;
            out->wide++;
            out->weight += table[high >= 0xD8C0 ? 0xDC00 : 0xD800]; /* beyond plane 3, or not */
            pending = -1;
            continue;
        }
        if (pending >= 0) {
            fault(out, pending);
            pending = -1;
        }
        if (unit >= 0xD800 && unit < 0xDC00) {
            pending = i;
            high = unit;
        } else if (is_fault(unit)) {
            fault(out, i);
        } else {
            out->characters++;
            out->wide += unit >= WIDE;
            out->weight += table[unit];
        }
    }
    out->left = length - (pending >= 0 ? pending : i);
}

static void weigh32(const uint8_t *data, ptrdiff_t length, int big, const int8_t *table, charlens_weigh *out) {
    ptrdiff_t i = 0;
    for (; i + 4 <= length; i += 4) {
        const uint8_t *b = data + i;
        uint32_t unit = big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                            : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
        if (is_fault(unit)) {
            fault(out, i);
        } else {
            out->characters++;
            out->wide += unit >= WIDE;
            out->weight += table[unit < 0x10000 ? unit : unit < 0x40000 ? 0xD800 : 0xDC00];
        }
    }
    out->left = length - i;
}

void charlens_weigh_units(const uint8_t *data, ptrdiff_t length, int width, int big, const int8_t *table,
                          charlens_weigh *out) {
    memset(out, 0, sizeof *out);
    out->first = -1;
    if (width == 2) weigh16(data, length, big, table, out);
    else weigh32(data, length, big, table, out);
}
