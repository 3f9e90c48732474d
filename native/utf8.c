/* UTF-8: one sequence at a time.  The ranges are those of the Unicode standard, table 3-7. */
#include <string.h>

#include "kernel.h"

/* The first byte from *at* on that is not ASCII, eight at a time. */
static ptrdiff_t skip_ascii(const uint8_t *data, ptrdiff_t at, ptrdiff_t length) {
    uint64_t eight;
    while (at + 8 <= length && (memcpy(&eight, data + at, 8), (eight & UINT64_C(0x8080808080808080)) == 0)) at += 8;
    while (at < length && data[at] < 0x80) at++;
    return at;
}

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
    while ((start = skip_ascii(data, start, length)) < length) {
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
    while ((start = skip_ascii(data, start, length)) < length) {
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
        out->bad_bytes += bad_length;
        start += bad_length;
        if (out->bad * ratio > out->sequences + slack) {
            out->stopped = start;
            return;
        }
    }
    out->stopped = -1;
}
