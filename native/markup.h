/* Bytes of markup: classes of bytes, and searches.  For markup.c alone. */
#ifndef CHARLENS_MARKUP_H
#define CHARLENS_MARKUP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__ /* every x86-64 has it; runs in pages are short, so that a call of memchr or memcpy costs more than they */
#include <emmintrin.h>
#endif

/* Classes of bytes: what ends a name, what ends an attribute's name, white space. */
enum { IS_SPACE = 1, ENDS_NAME = 2, ENDS_ATTRIBUTE = 4, IS_ALPHA = 8, IS_DIGIT = 16, IS_HEX = 32 };
#define S (IS_SPACE | ENDS_NAME | ENDS_ATTRIBUTE)
#define E (ENDS_NAME | ENDS_ATTRIBUTE)
#define D (IS_DIGIT | IS_HEX)
#define H (IS_ALPHA | IS_HEX)
#define A IS_ALPHA
static const uint8_t CLASS[256] = {
    ['\t'] = S, ['\n'] = S, ['\f'] = S, ['\r'] = S, [' '] = S, ['/'] = E, ['>'] = E, ['='] = ENDS_ATTRIBUTE,
    ['0'] = D,  ['1'] = D,  ['2'] = D,  ['3'] = D,  ['4'] = D, ['5'] = D, ['6'] = D, ['7'] = D, ['8'] = D, ['9'] = D,
    ['A'] = H,  ['B'] = H,  ['C'] = H,  ['D'] = H,  ['E'] = H, ['F'] = H, ['G'] = A, ['H'] = A, ['I'] = A, ['J'] = A,
    ['K'] = A,  ['L'] = A,  ['M'] = A,  ['N'] = A,  ['O'] = A, ['P'] = A, ['Q'] = A, ['R'] = A, ['S'] = A, ['T'] = A,
    ['U'] = A,  ['V'] = A,  ['W'] = A,  ['X'] = A,  ['Y'] = A, ['Z'] = A, ['a'] = H, ['b'] = H, ['c'] = H, ['d'] = H,
    ['e'] = H,  ['f'] = H,  ['g'] = A,  ['h'] = A,  ['i'] = A, ['j'] = A, ['k'] = A, ['l'] = A, ['m'] = A, ['n'] = A,
    ['o'] = A,  ['p'] = A,  ['q'] = A,  ['r'] = A,  ['s'] = A, ['t'] = A, ['u'] = A, ['v'] = A, ['w'] = A, ['x'] = A,
    ['y'] = A,  ['z'] = A,
};
#undef S
#undef E
#undef D
#undef H
#undef A

static int is_space(uint8_t byte) { return CLASS[byte] & IS_SPACE; }
static int is_alpha(uint8_t byte) { return CLASS[byte] & IS_ALPHA; }

static const uint8_t *find(const uint8_t *at, const uint8_t *end, int byte) {
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8((char)byte);
    for (int round = 0; round < 4 && end - at >= 16; round++, at += 16) {
        int found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), wanted));
        if (found) return at + __builtin_ctz((unsigned)found);
    }
#endif
    return at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
}

/* Whether the bytes at *at* are *word*, given in lower case, in either case. */
static int is_word(const uint8_t *at, const uint8_t *end, const char *word, ptrdiff_t length) {
    if (end - at < length) return 0;
    for (ptrdiff_t i = 0; i < length; i++) {
        uint8_t byte = at[i];
        if (byte >= 'A' && byte <= 'Z') byte |= 0x20;
        if (byte != (uint8_t)word[i]) return 0;
    }
    return 1;
}

static int starts(const uint8_t *at, const uint8_t *end, const char *word, ptrdiff_t length) {
    return end - at >= length && memcmp(at, word, (size_t)length) == 0;
}

/* Where a name ends that goes on at *at*: at the next byte of one of these classes, or at the end. */
static const uint8_t *name_end(const uint8_t *at, const uint8_t *end, int classes) {
#ifdef __SSE2__
    if (end - at >= 16) {
        /* No loop, so no guess of how long it runs.  All up to the space are looked at closer below. */
        __m128i block = _mm_loadu_si128((const __m128i *)at), space = _mm_set1_epi8(' ');
        __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(block, space), block),
                                    _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('/')),
                                                 _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('>')),
                                                              _mm_cmpeq_epi8(block, _mm_set1_epi8('=')))));
        int found = _mm_movemask_epi8(ends);
        at += found ? __builtin_ctz((unsigned)found) : 16;
    }
#endif
    while (at < end && !(CLASS[*at] & classes)) at++;
    return at;
}

#endif
