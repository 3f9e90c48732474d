/* UTF-8: one sequence at a time.  The ranges are those of the Unicode standard, table 3-7. */
#include <string.h>

#include "kernel.h"

static int is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

ptrdiff_t charlens_utf8_sequence(const uint8_t *data, ptrdiff_t left, ptrdiff_t *bad) {
    uint8_t lead = data[0];
    uint8_t low = 0x80, high = 0xBF;
    ptrdiff_t length;
    *bad = 1;
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    /* Overlong forms, surrogates and values over U+10FFFF show in the second byte. */
    if (lead == 0xE0) low = 0xA0;
    else if (lead == 0xED) high = 0x9F;
    else if (lead == 0xF0) low = 0x90;
    else if (lead == 0xF4) high = 0x8F;
    if (left < 2) return -1;
    if (data[1] < low || data[1] > high) return 0;
    for (ptrdiff_t i = 2; i < length; i++) {
        if (i >= left) return -1;
        if (!is_continuation(data[i])) {
            *bad = i;
            return 0;
        }
    }
    return length;
}

void charlens_utf8(const uint8_t *data, ptrdiff_t length, ptrdiff_t start, ptrdiff_t *error, ptrdiff_t *cut) {
    ptrdiff_t bad;
    *error = -1;
    *cut = 0;
    while ((start = charlens_skip_ascii(data, start, length)) < length) {
        ptrdiff_t step = charlens_utf8_sequence(data + start, length - start, &bad);
        if (step > 0) {
            start += step;
        } else {
            if (step == 0) *error = start;
            else *cut = length - start;
            return;
        }
    }
}

void charlens_find_damage(const uint8_t *data, ptrdiff_t length, ptrdiff_t start, ptrdiff_t ratio,
                          ptrdiff_t slack, ptrdiff_t most, ptrdiff_t *spans, charlens_damage *out) {
    ptrdiff_t bad_length;
    while ((start = charlens_skip_ascii(data, start, length)) < length) {
        ptrdiff_t step = charlens_utf8_sequence(data + start, length - start, &bad_length);
        if (step < 0) break;
        if (step > 0) {
            out->sequences++;
            start += step;
            continue;
        }
        if (out->listed < most) {
            spans[2 * out->listed] = start;
            spans[2 * out->listed + 1] = start + bad_length;
            out->listed++;
        }
        out->bad++;
        start += bad_length;
        if (out->bad * ratio > out->sequences + slack) {
            out->stopped = start;
            return;
        }
    }
    out->stopped = -1;
}

/* Read one non-ASCII character in each code page that is still possible; return those that remain. */
static uint32_t take_sign(const uint8_t *row, uint32_t alive, uint8_t *need) {
    uint32_t left = 0;
    for (int page = 0; page < CHARLENS_MOST_PAGES && alive >> page; page++) {
        const uint8_t byte = row[page];
        if (!(alive >> page & 1) || byte < 0x80) continue;
        if (need[page] & 3) {
            if (byte > 0xBF) continue;
            need[page] = (uint8_t)((need[page] & 3) - 1);
        } else {
            if (byte < 0xC2 || byte > 0xF4) continue;
            need[page] = (uint8_t)((byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3) | (byte == 0xC3) << 2);
        }
        left |= UINT32_C(1) << page;
    }
    return left;
}

/* The code pages in which no sequence is unfinished; before a space, the lead C3 may be. */
static uint32_t finished(uint32_t alive, uint8_t *need, int space) {
    for (int page = 0; page < CHARLENS_MOST_PAGES && alive >> page; page++) {
        if (!(need[page] & 3)) continue;
        if (space && need[page] == (4 | 1)) need[page] = 0;
        else alive &= ~(UINT32_C(1) << page);
    }
    return alive;
}

ptrdiff_t charlens_misread_lines(const uint8_t *data, ptrdiff_t length, ptrdiff_t at, const charlens_pages *pages,
                                 ptrdiff_t most, ptrdiff_t *out) {
    ptrdiff_t count = 0;
    while (count < most && (at = charlens_skip_ascii(data, at, length)) < length) {
        uint8_t need[CHARLENS_MOST_PAGES] = {0};
        uint32_t alive = (uint32_t)((UINT64_C(1) << pages->count) - 1);
        ptrdiff_t start = at;
        while (start > 0 && data[start - 1] != '\n') start--;
        const uint8_t *stop = memchr(data + at, '\n', (size_t)(length - at));
        const ptrdiff_t end = stop ? stop - data : length;
        for (at = charlens_skip_ascii(data, start, end); alive && at < end;) {
            const uint8_t lead = data[at];
            const ptrdiff_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
            if (size == 1) {
                alive = finished(alive, need, lead == ' ');
                while (alive && at + 1 < end && data[at + 1] < 0x80) at++;
            } else if (lead < 0xC0 || size == 4 || at + size > end) {
                alive = 0;
            } else {
                const uint32_t code = size == 2 ? (uint32_t)(lead & 0x1F) << 6 | (data[at + 1] & 0x3F)
                                                : (uint32_t)(lead & 0x0F) << 12 | (uint32_t)(data[at + 1] & 0x3F) << 6 |
                                                      (data[at + 2] & 0x3F);
                const uint16_t row = pages->index[code];
                alive = row < pages->rows ? take_sign(pages->bytes + row * pages->count, alive, need) : 0;
            }
            at += alive ? size : 0;
        }
        if (alive) alive = finished(alive, need, 0);
        if (alive) {
            out[2 * count] = start;
            out[2 * count++ + 1] = end;
        }
        at = end;
    }
    return count;
}

/* Adds up the runs of UTF-8 in bytes that come one by one: see pure_scores.line_windows.  A pattern is three bits for each
 * byte, the last one lowest; *seven* stands for nothing before the first byte. */
enum { ASCII, TRAIL, LEAD_OF_2, LEAD_OF_3, LEAD_OF_4, PATTERNS = 4 };

typedef struct {
    uint32_t last;            /* the kinds of the last five bytes */
    ptrdiff_t at, runs;
    ptrdiff_t free[PATTERNS]; /* where the next run of each pattern may begin */
} run_counter;

static void count_byte(run_counter *c, uint8_t byte) {
    static const struct {
        uint32_t mask, kinds;
        int size;
    } patterns[PATTERNS] = {
        {07777, ASCII << 9 | LEAD_OF_2 << 6 | TRAIL << 3 | ASCII, 4},
        {077777, ASCII << 12 | LEAD_OF_2 << 9 | TRAIL << 6 | LEAD_OF_2 << 3 | TRAIL, 5},
        {077777, ASCII << 12 | LEAD_OF_3 << 9 | TRAIL << 6 | TRAIL << 3 | ASCII, 5},
        {077777, ASCII << 12 | LEAD_OF_3 << 9 | TRAIL << 6 | TRAIL << 3 | LEAD_OF_3, 5},
    };
    static const uint8_t kinds[16] = {ASCII, ASCII, ASCII, ASCII, ASCII, ASCII, ASCII, ASCII, TRAIL, TRAIL, TRAIL, TRAIL,
                                      LEAD_OF_2, LEAD_OF_2, LEAD_OF_3, LEAD_OF_4};
    c->last = (c->last << 3 | kinds[byte >> 4]) & 077777;
    c->at++;
    if ((c->last >> 3 & 7) != TRAIL && (c->last & 7) != TRAIL) return; /* no pattern ends so */
    for (int p = 0; p < PATTERNS; p++) {
        if ((c->last & patterns[p].mask) != patterns[p].kinds || c->at - patterns[p].size < c->free[p]) continue;
        c->free[p] = c->at;
        c->runs++;
    }
}

int charlens_line_windows(const uint8_t *data, ptrdiff_t length, ptrdiff_t size, ptrdiff_t *runs, ptrdiff_t *out) {
    const ptrdiff_t starts[3] = {0, length / 2, length - size};
    run_counter counter = {.last = 077777};
    int count = 0;
    for (int i = 0; i < (length > size ? 3 : 2); i++) {
        ptrdiff_t start = starts[i];
        const ptrdiff_t left = length - start < 2 * size ? length - start : 2 * size;
        const uint8_t *line = start && left ? memchr(data + start, '\n', (size_t)left) : NULL;
        const ptrdiff_t stop = start + left;
        if (line) start = line + 1 - data;
        const ptrdiff_t end = stop - start < size ? stop : start + size;
        if (charlens_skip_ascii(data, start, end) >= end) continue;
        if (count) count_byte(&counter, '\n');
        for (ptrdiff_t k = start; k < end; k++) count_byte(&counter, data[k]);
        out[2 * count] = start;
        out[2 * count++ + 1] = end;
    }
    *runs = counter.runs;
    return count;
}

ptrdiff_t charlens_to_utf8(const uint8_t *data, ptrdiff_t length, const uint16_t *characters, uint8_t *out) {
    uint8_t *to = out;
    for (ptrdiff_t i = 0; i < length; i++) {
        const uint16_t point = characters[data[i]];
        if (point < 0x80) {
            *to++ = (uint8_t)point;
        } else if (point < 0x800) {
            *to++ = (uint8_t)(0xC0 | point >> 6);
            *to++ = (uint8_t)(0x80 | (point & 0x3F));
        } else if (point != 0xFFFF && (point < 0xD800 || point >= 0xE000)) {
            *to++ = (uint8_t)(0xE0 | point >> 12);
            *to++ = (uint8_t)(0x80 | (point >> 6 & 0x3F));
            *to++ = (uint8_t)(0x80 | (point & 0x3F));
        }
    }
    return to - out;
}
