/* Bytes and names of markup: classes of bytes, searches, and the names of tags that mean something. For markup.c alone. */
#ifndef CHARLENS_MARKUP_H
#define CHARLENS_MARKUP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__ /* every x86-64 has it; runs in pages are short, so that a call of memchr or memcpy costs more than they */
#include <emmintrin.h>
#endif

enum { PLAIN, SCRIPT, DROPPED, KEPT, WITH_REFERENCES, PLAINTEXT, FOREIGN };

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

static const struct {
    char name[10];
    uint8_t length, kind;
} NAMES[] = {
    {"script", 6, SCRIPT}, {"style", 5, DROPPED},         {"xmp", 3, KEPT},
    {"iframe", 6, KEPT},   {"noembed", 7, KEPT},          {"noframes", 8, KEPT},
    {"title", 5, WITH_REFERENCES}, {"textarea", 8, WITH_REFERENCES}, {"plaintext", 9, PLAINTEXT},
    {"svg", 3, FOREIGN},   {"math", 4, FOREIGN},
};
enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };

/* By the length of a name, the first letters that a name of NAMES with this length has: bit 1 is 'a'. */
#define L(letter) (1u << ((letter) & 31))
static const uint32_t FIRST_LETTERS[10] = {
    [3] = L('x') | L('s'), [4] = L('m'), [5] = L('s') | L('t'), [6] = L('s') | L('i'),
    [7] = L('n'),          [8] = L('n') | L('t'),              [9] = L('p'),
};

/* The row in NAMES of the name from *start* to *end*, or -1. */
static int named(const uint8_t *start, const uint8_t *end) {
    ptrdiff_t length = end - start;
    if (length > 9 || !(FIRST_LETTERS[length] & L(*start))) return -1;
    for (int i = 0; i < NAME_COUNT; i++)
        if (NAMES[i].length == length && is_word(start, end, NAMES[i].name, length)) return i;
    return -1;
}
#undef L

/* Elements of HTML that SVG and MathML cannot have inside: they end them, closed or not. */
static const char BREAKING[] =
    " b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol "
    "p pre ruby s small span strong strike sub sup table tt u ul var ";

static int is_breaking(const uint8_t *start, const uint8_t *end) {
    const char *word = BREAKING;
    for (const char *next; (next = strchr(word + 1, ' ')) != NULL; word = next)
        if (next - word - 1 == end - start && is_word(start, end, word + 1, end - start)) return 1;
    return 0;
}

static int number_of(const uint8_t *start, const uint8_t *end) {
    uint8_t last = end[-1] >= 'A' && end[-1] <= 'Z' ? end[-1] | 0x20 : end[-1];
    return ((*start | 0x20) * 31 + last * 7 + (int)((end - start) & 255)) & 255;
}

#endif
