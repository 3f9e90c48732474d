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
        if (skip) i = charlens_skip_ascii(data, i, length);
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

/* One character of more than two bytes, or a wrong or unfinished one, that starts at *start*: returns its length, or 0. */
static ptrdiff_t walk_one(const uint8_t *data, ptrdiff_t length, ptrdiff_t start, const charlens_table *table,
                          ptrdiff_t *error, ptrdiff_t *cut) {
    const uint8_t *columns = table->table, *rows = table->table + 256;
    unsigned state = 0;
    for (ptrdiff_t i = start; i < length && i < start + 4; i++) {
        state = rows[(ptrdiff_t)state * table->width + columns[data[i]]];
        if (state == 0) return i + 1 - start;
        if (state >= (unsigned)table->states) {
            *error = start;
            return 0;
        }
    }
    if (start + 4 <= length) *error = start; /* no encoding has a fifth byte */
    else *cut = length - start;
    return 0;
}

/* Continue in blocks of 64 bytes while each is ASCII and pairs that are characters in *all* tables;
 * returns where the next character starts. In such text the characters of two bytes start at every
 * second byte of a run of high bytes, the first of a run among them, whatever the trailing byte of the
 * last is: so they are found without a walk. */
static ptrdiff_t walk_blocks(const uint8_t *data, ptrdiff_t length, ptrdiff_t i, uint32_t all, const uint32_t *pairs) {
    const uint64_t even = UINT64_C(0x5555555555555555);
    uint64_t carry = 0; /* whether the block before ended with the first byte of a character */
    for (; i + 64 < length; i += 64) {
        uint64_t high = charlens_high_bytes(data + i) & ~carry, starts = high & ~(high << 1);
        /* Adding the lowest bit of a run clears the run. */
        uint64_t from_even = high & ~(high + (starts & even)), from_odd = high & ~(high + (starts & ~even));
        uint64_t leads = (from_even & even) | (from_odd & ~even);
        uint32_t common = all;
        if (leads == even) { /* only pairs, as in East Asian text without ASCII */
            for (const uint8_t *pair = data + i; pair < data + i + 64; pair += 2) common &= pairs[pair[0] << 8 | pair[1]];
        } else {
            for (uint64_t left = leads; left; left &= left - 1) {
                const uint8_t *pair = data + i + charlens_lowest_bit(left);
                common &= pairs[pair[0] << 8 | pair[1]];
            }
        }
        if (common != all) break;
        carry = leads >> 63;
    }
    return i + (ptrdiff_t)carry;
}

void charlens_walk_all(const uint8_t *data, ptrdiff_t length, const charlens_table *tables, int count,
                       const uint32_t *masks, const uint8_t *starts, ptrdiff_t *out) {
    const uint32_t *singles = masks, *pairs = masks + 256;
    /* at[k]: the tables for which a character starts k bytes from here. */
    uint32_t at[5] = {0}, ascii = ~UINT32_C(0);
    ptrdiff_t again = 0; /* from here on it is worth trying whole blocks */
    for (int byte = 0; byte < 128; byte++) ascii &= singles[byte];
    for (int t = 0; t < count; t++) {
        if (starts[t] < CHARLENS_NOT_WALKED) at[starts[t]] |= UINT32_C(1) << t;
        out[2 * t] = -1;
        out[2 * t + 1] = 0;
    }
    for (ptrdiff_t i = 0; i < length && (at[0] | at[1] | at[2] | at[3]); i++) {
        if (!(at[1] | at[2] | at[3])) {
            /* All tables are at the same character, which is usual: read whole characters while all agree. */
            const uint32_t all = at[0];
            if (i >= again && !(all & ~ascii)) {
                i = walk_blocks(data, length, i, all, pairs);
                again = i + 64;
            }
            while (i < length && i < again) {
                if (i + 1 < length && !(all & ~pairs[data[i] << 8 | data[i + 1]])) i += 2;
                else if (!(all & ~singles[data[i]])) i++;
                else break;
            }
            if (i >= length) return;
            if (i >= again && !(all & ~ascii)) {
                i--; /* the loop continues at i */
                continue;
            }
        }
        uint32_t one = at[0] & singles[data[i]], rest = at[0] & ~one;
        uint32_t two = i + 1 < length ? rest & pairs[data[i] << 8 | data[i + 1]] : 0;
        at[1] |= one;
        at[2] |= two;
        rest &= ~two;
        for (int t = 0; rest; t++, rest >>= 1) {
            if (!(rest & 1)) continue;
            ptrdiff_t size = walk_one(data, length, i, &tables[t], &out[2 * t], &out[2 * t + 1]);
            if (size) at[size] |= UINT32_C(1) << t;
        }
        at[0] = at[1];
        at[1] = at[2];
        at[2] = at[3];
        at[3] = at[4];
        at[4] = 0;
    }
}

ptrdiff_t charlens_table_width(const uint8_t *table, ptrdiff_t length) {
    uint8_t last = 0;
    if (length < 257) return -1;
    for (int i = 0; i < 256; i++) last = table[i] > last ? table[i] : last;
    return (length - 256) % (last + 1) ? -1 : last + 1;
}

int charlens_unpack_tables(const uint8_t *packed, ptrdiff_t length, charlens_table *tables) {
    ptrdiff_t at = 0;
    int count = 0;
    while (at < length) {
        uint32_t shape[2];
        if (length - at < 8 + 256 || count == CHARLENS_MOST_TABLES) return -1;
        memcpy(shape, packed + at, 8);
        if (shape[0] < 1 || shape[0] > 256 || shape[1] < 1 || shape[1] > 256) return -1;
        const ptrdiff_t size = 256 + (ptrdiff_t)(shape[0] * shape[1]);
        if (length - at - 8 < size || charlens_table_width(packed + at + 8, size) != (ptrdiff_t)shape[0]) return -1;
        tables[count++] = (charlens_table){packed + at + 8, shape[0], shape[1]};
        at += 8 + (size + 3) / 4 * 4;
    }
    return count;
}

ptrdiff_t charlens_find_strays(const uint8_t *data, ptrdiff_t length, const charlens_table *table, ptrdiff_t first,
                               ptrdiff_t most, ptrdiff_t apart, ptrdiff_t *out) {
    ptrdiff_t count = 0, start = 0, error = first;
    while (error >= 0) {
        charlens_walk walked;
        out[count++] = start + error;
        if (count > most || count > CHARLENS_STRAYS_AHEAD + (start + error) / apart) return 0;
        start += error + 1;
        if (start >= length) break;
        charlens_walk_table(data + start, length - start, table->table, table->width, table->states, &walked);
        error = walked.error;
    }
    return count;
}

ptrdiff_t charlens_find_values(const uint8_t *data, ptrdiff_t length, const uint8_t *values, ptrdiff_t most, ptrdiff_t *out) {
    const uint8_t *next[256]; /* the next place of each value that has one */
    int left = 0;
    ptrdiff_t count = 0;
    for (int value = 0; value < 256 && length; value++)
        if (values[value >> 3] >> (value & 7) & 1 && (next[left] = memchr(data, value, (size_t)length))) left++;
    while (left) {
        int first = 0;
        for (int k = 1; k < left; k++) first = next[k] < next[first] ? k : first;
        const uint8_t *at = next[first];
        if (count == most) return 0;
        out[count++] = at - data;
        next[first] = memchr(at + 1, *at, (size_t)(data + length - at - 1));
        if (!next[first]) next[first] = next[--left];
    }
    return count;
}

void charlens_candidates(const uint8_t *data, ptrdiff_t length, const uint8_t *seen,
                         const charlens_structure *structure, uint8_t *able, uint8_t *doubtful, uint8_t *cut,
                         ptrdiff_t *walked) {
    static const uint8_t starts[CHARLENS_MOST_TABLES] = {0};
    uint64_t met[4] = {0}, column[4]; /* the encodings that lack one of the values, and those that have it as a control */
    uint8_t bits[32];
    charlens_walk_all(data, length, structure->tables, structure->table_count, structure->masks, starts, walked);
    for (int group = 0; group < 4; group++)
        for (uint64_t left = charlens_word(seen + 8 * group); left; left &= left - 1) {
            memcpy(column, structure->columns + 32 * (64 * group + charlens_lowest_bit(left)), 32);
            for (int i = 0; i < 4; i++) met[i] |= column[i];
        }
    memcpy(bits, met, 32);
    for (int i = 0; i < 16; i++) {
        able[i] = (uint8_t)~bits[i];
        doubtful[i] = able[i] & bits[16 + i];
    }
    memset(cut, 0, 16);
    for (int t = 0; t < structure->table_count; t++) {
        const int owner = structure->owners[t];
        if (walked[2 * t] < 0) able[owner >> 3] |= (uint8_t)(1 << (owner & 7));
        if (walked[2 * t + 1]) cut[owner >> 3] |= (uint8_t)(1 << (owner & 7));
    }
}

static int is_fault(uint32_t unit) {
    return (unit < 32 && (CHARLENS_BLOCKED >> unit & 1)) || (unit >= 0xD800 && unit < 0xE000) ||
           (unit >= 0xFFFE && unit < 0x10000) || unit > 0x10FFFF;
}

/* Both functions sum up in a copy: the compiler must assume that the bytes overlap *result*. */
static void weigh16(const uint8_t *data, ptrdiff_t length, int big, const int8_t *table, charlens_weigh *result) {
    charlens_weigh out = {0};
    ptrdiff_t pending = -1, i = 0;
    uint32_t high = 0;
    for (; i + 2 <= length; i += 2) {
        uint32_t unit = big ? (uint32_t)data[i] << 8 | data[i + 1] : (uint32_t)data[i + 1] << 8 | data[i];
        if (unit >= 0xDC00 && unit < 0xE000 && pending >= 0) {
            out.characters++;
            out.wide++;
            out.weight += table[high >= 0xD8C0 ? 0xDC00 : 0xD800]; /* beyond plane 3, or not */
            pending = -1;
            continue;
        }
        out.faults += pending >= 0;
        pending = -1;
        if (unit >= 0xD800 && unit < 0xDC00) {
            pending = i;
            high = unit;
        } else if (is_fault(unit)) {
            out.faults++;
        } else {
            out.characters++;
            out.wide += unit >= CHARLENS_EAST_ASIA;
            out.weight += table[unit];
        }
    }
    out.left = length - (pending >= 0 ? pending : i);
    *result = out;
}

static void weigh32(const uint8_t *data, ptrdiff_t length, int big, const int8_t *table, charlens_weigh *result) {
    charlens_weigh out = {0};
    ptrdiff_t i = 0;
    for (; i + 4 <= length; i += 4) {
        const uint8_t *b = data + i;
        uint32_t unit = big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                            : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
        if (is_fault(unit)) {
            out.faults++;
        } else {
            out.characters++;
            out.wide += unit >= CHARLENS_EAST_ASIA;
            out.weight += table[unit < 0x10000 ? unit : unit < 0x40000 ? 0xD800 : 0xDC00];
        }
    }
    out.left = length - i;
    *result = out;
}

void charlens_weigh_units(const uint8_t *data, ptrdiff_t length, int width, int big, const int8_t *table,
                          charlens_weigh *out) {
    if (width == 2) weigh16(data, length, big, table, out);
    else weigh32(data, length, big, table, out);
}
