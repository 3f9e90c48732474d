/* Markup elimination: the states of the HTML standard's tokenizer, on bytes.  kernel/markup.py defines it. */
#include <string.h>

#include "kernel.h"

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

typedef struct {
    const uint8_t *at, *end;
    uint8_t *out, *start; /* where to write next, and where the output begins */
    ptrdiff_t foreign;    /* open elements of SVG and MathML */
    int xml, may_have_bracket;
    uint32_t open[256]; /* how many elements are open, by a number made of their name */
} reader;

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

static int needs_space(const reader *r) { return r->out > r->start && !is_space(r->out[-1]); }

static void space(reader *r) {
    if (needs_space(r)) *r->out++ = ' ';
}

/* Put out what stands before *end*, without white space where there is some already. */
static void piece(reader *r, const uint8_t *end) {
    if (!needs_space(r))
        while (r->at < end && is_space(*r->at)) r->at++;
    if (r->at < end) {
        memcpy(r->out, r->at, (size_t)(end - r->at));
        r->out += end - r->at;
    }
    r->at = end;
}

/* The end of the character reference at *at*, which is '&', or NULL. */
static const uint8_t *reference(const uint8_t *at, const uint8_t *end) {
    const uint8_t *first = ++at;
    int wanted = IS_ALPHA | IS_DIGIT, most = 31;
    if (at < end && *at == '#') {
        at++;
        wanted = IS_DIGIT;
        most = 8;
        if (at < end && (*at == 'x' || *at == 'X')) {
            at++;
            wanted = IS_HEX;
        }
        first = at;
    } else if (at >= end || !is_alpha(*at)) {
        return NULL;
    }
    while (at < end && at - first < most && CLASS[*at] & wanted) at++;
    int closed = at < end && *at == ';';
    if (most == 8) return at == first ? NULL : at + closed;
    return closed && at - first >= 2 ? at + 1 : NULL;
}

static void emit(reader *r, const uint8_t *end, int references) {
    const uint8_t *from = r->at, *found, *behind;
    while (references && (found = find(from, end, '&')) != NULL) {
        behind = reference(found, end);
        if (behind) {
            piece(r, found);
            space(r);
            r->at = behind;
        }
        from = behind ? behind : found + 1;
    }
    piece(r, end);
}

/* Go behind the next '>', or to the end, and leave a space. */
static void skip_tag(reader *r) {
    const uint8_t *found = find(r->at, r->end, '>');
    r->at = found ? found + 1 : r->end;
    space(r);
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

/* Go behind the '>' of a tag, or to the end; return whether the tag closes itself. */
static int attributes(reader *r) {
    const uint8_t *at = r->at, *end = r->end;
    for (;;) {
        const uint8_t *start = at;
        while (at < end && (is_space(*at) || *at == '/')) at++;
        if (at >= end) break;
        if (*at == '>') {
            r->at = at + 1;
            return at > start && at[-1] == '/';
        }
        at++;
        at = name_end(at, end, ENDS_ATTRIBUTE);
        while (at < end && is_space(*at)) at++;
        if (at >= end || *at != '=') continue;
        at++;
        while (at < end && is_space(*at)) at++;
        if (at >= end) break;
        if (*at == '"' || *at == '\'') {
            at = find(at + 1, end, *at);
            if (!at) break;
            at++;
        } else {
            while (at < end && !is_space(*at) && *at != '>') at++;
        }
    }
    r->at = end;
    return 0;
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

/* Leave the space of an end tag; one of which nothing is open leaves none, unless it makes an element. */
static void close_element(reader *r, const uint8_t *start, const uint8_t *end) {
    uint32_t *open = &r->open[number_of(start, end)];
    if (*open || is_word(start, end, "p", end - start == 1 ? 1 : PTRDIFF_MAX) ||
        is_word(start, end, "br", end - start == 2 ? 2 : PTRDIFF_MAX))
        space(r);
    *open -= *open > 0;
}

/* Read the name of a tag; return its row in NAMES, or -1. */
static int tag_name(reader *r) {
    const uint8_t *start = r->at;
    r->at = name_end(start, r->end, ENDS_NAME);
    return named(start, r->at);
}

/* The end tag of this name from *at* on: where its '<' is, or NULL. */
static const uint8_t *end_tag(const uint8_t *at, const uint8_t *end, int row) {
    ptrdiff_t length = NAMES[row].length;
    while ((at = find(at, end, '<')) != NULL) {
        if (end - at > length + 2 && at[1] == '/' && CLASS[at[length + 2]] & ENDS_NAME &&
            is_word(at + 2, end, NAMES[row].name, length))
            return at;
        at++;
    }
    return NULL;
}

/* Go behind the end tag at *found*, or to the end where that is NULL. */
static void raw_end(reader *r, const uint8_t *found, int row) {
    r->at = r->end;
    if (!found) return;
    r->at = found + 2 + NAMES[row].length;
    attributes(r);
    space(r);
}

/* The end tag of a script; behind '<!--' it may have scripts of its own inside. */
static const uint8_t *script_end(const uint8_t *at, const uint8_t *end) {
    int depth = 0; /* 1 behind '<!--', 2 in a script behind it */
    const uint8_t *opened = at; /* the dashes of '-->' are not before this */
    for (;;) {
        while (at < end && *at != '<' && !(depth && *at == '>')) at++;
        if (at >= end) return NULL;
        if (*at == '>') {
            if (at - opened >= 2 && at[-1] == '-' && at[-2] == '-') depth = 0;
            at++;
            continue;
        }
        int closing = end - at > 1 && at[1] == '/';
        const uint8_t *word = at + 1 + closing;
        if (starts(at, end, "<!--", 4)) {
            if (!depth) {
                depth = 1;
                opened = at + 2;
            }
            at += 4;
        } else if (end - word > 6 && CLASS[word[6]] & ENDS_NAME && is_word(word, end, "script", 6)) {
            if (closing && depth < 2) return at;
            depth = closing ? 1 : depth ? 2 : 0;
            at = word + 6;
            opened = at;
        } else {
            at++;
        }
    }
}

static void start_tag(reader *r) {
    const uint8_t *name = ++r->at;
    int row = tag_name(r);
    if (r->foreign && row < 0 && is_breaking(name, r->at)) r->foreign = 0;
    const uint8_t *name_stop = r->at;
    int closes_itself = attributes(r);
    space(r);
    int kind = row < 0 ? PLAIN : NAMES[row].kind;
    if ((kind == PLAIN || kind == FOREIGN) && !(closes_itself && (r->xml || r->foreign)))
        r->open[number_of(name, name_stop)]++;
    if (kind == PLAIN || r->at >= r->end || (closes_itself && (r->xml || r->foreign))) return;
    if (kind == FOREIGN) {
        r->foreign += !closes_itself;
    } else if (kind == SCRIPT && !r->xml) {
        raw_end(r, script_end(r->at, r->end), row);
    } else if (kind == SCRIPT || kind == DROPPED) {
        raw_end(r, end_tag(r->at, r->end, row), row);
    } else if (!r->xml && !(r->foreign && NAMES[row].name[0] == 't' && NAMES[row].length == 5)) {
        const uint8_t *found = kind == PLAINTEXT ? NULL : end_tag(r->at, r->end, row);
        emit(r, found ? found : r->end, kind == WITH_REFERENCES);
        raw_end(r, found, row);
    }
}

static void comment(reader *r) {
    const uint8_t *at = r->at + 4, *end = r->end;
    r->at = at;
    if (starts(at, end, ">", 1) || starts(at, end, "->", 2)) {
        skip_tag(r);
        return;
    }
    r->at = end;
    while ((at = find(at, end, '-')) != NULL) {
        if (starts(at, end, "-->", 3) || starts(at, end, "--!>", 4)) {
            r->at = at + 3 + (at[2] == '!');
            break;
        }
        at++;
    }
    space(r);
}

/* *at* behind the next *word* of *length* bytes that begins with a byte not of white space, or the end. */
static const uint8_t *find_word(const uint8_t *at, const uint8_t *end, const char *word, ptrdiff_t length) {
    while ((at = find(at, end, word[0])) != NULL) {
        if (starts(at, end, word, length)) return at;
        at++;
    }
    return NULL;
}

static void declaration(reader *r) {
    const uint8_t *found;
    if (starts(r->at, r->end, "<!--", 4)) {
        comment(r);
    } else if ((r->xml || r->foreign) && starts(r->at, r->end, "<![CDATA[", 9)) {
        r->at += 9;
        found = find_word(r->at, r->end, "]]>", 3);
        emit(r, found ? found : r->end, 0);
        r->at = found ? found + 3 : r->end;
    } else {
        if (r->xml && is_word(r->at, r->end, "<!doctype", 9) && r->may_have_bracket) {
            const uint8_t *closed = find(r->at, r->end, '>');
            found = closed ? find(r->at, closed, '[') : NULL;
            closed = found ? find(found, r->end, ']') : NULL;
            r->may_have_bracket = !found || closed;
            if (closed) r->at = closed;
        }
        skip_tag(r);
    }
}

#ifdef __SSE2__
/* Go behind a short tag without a quotation mark, whose name means nothing here; most tags are such. */
static int short_tag(reader *r, const uint8_t *name, int is_end) {
    if (r->end - name < 16 || r->foreign) return 0;
    __m128i block = _mm_loadu_si128((const __m128i *)name), closing = _mm_cmpeq_epi8(block, _mm_set1_epi8('>'));
    __m128i quoted = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\'')));
    unsigned closed = (unsigned)_mm_movemask_epi8(closing), quotes = (unsigned)_mm_movemask_epi8(quoted);
    if (!closed || quotes & (closed ^ (closed - 1))) return 0;
    const uint8_t *stop = name_end(name, r->end, ENDS_NAME), *last = name + __builtin_ctz(closed);
    if (named(name, stop) >= 0 || (r->xml && last[-1] == '/')) return 0;
    r->at = last + 1;
    if (is_end) {
        close_element(r, name, stop);
    } else {
        r->open[number_of(name, stop)]++;
        space(r);
    }
    return 1;
}
#endif

/* Read what begins with the '<' here, or put it out where it begins nothing. */
static void markup(reader *r) {
    const uint8_t *found;
    ptrdiff_t left = r->end - r->at;
    uint8_t after = left > 1 ? r->at[1] : 0;
#ifdef __SSE2__
    const uint8_t *name = r->at + 1 + (after == '/');
    if (left > 2 && is_alpha(*name) && short_tag(r, name, after == '/')) return;
#endif
    if (is_alpha(after)) {
        start_tag(r);
    } else if (after == '/' && left > 2) {
        const uint8_t *start = r->at += 2;
        if (is_alpha(*start)) {
            int row = tag_name(r);
            const uint8_t *stop = r->at;
            attributes(r);
            close_element(r, start, stop);
            if (r->foreign && row >= 0 && NAMES[row].kind == FOREIGN) r->foreign--;
        } else {
            skip_tag(r);
        }
    } else if (after == '!') {
        declaration(r);
    } else if (after == '?' && r->xml) {
        found = find_word(r->at + 2, r->end, "?>", 2);
        r->at = found ? found + 2 : r->end;
        space(r);
    } else if (after == '?') {
        r->at += 2;
        skip_tag(r);
    } else {
        *r->out++ = *r->at++;
        if (after == '/') *r->out++ = *r->at++;
    }
}

/* Put out text up to the next '<', or to the end. */
static void text(reader *r) {
#ifdef __SSE2__
    /* There is as much room in the output as there is input left, so 16 bytes can be written before it is known
     * how many of them count. */
    const __m128i less = _mm_set1_epi8('<'), ampersand = _mm_set1_epi8('&');
    if (!needs_space(r))
        while (r->at < r->end && is_space(*r->at)) r->at++;
    while (r->end - r->at >= 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)r->at);
        int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(block, less), _mm_cmpeq_epi8(block, ampersand)));
        _mm_storeu_si128((__m128i *)r->out, block);
        int count = found ? __builtin_ctz((unsigned)found) : 16;
        r->at += count;
        r->out += count;
        if (!found) continue;
        if (*r->at == '<') return;
        const uint8_t *behind = reference(r->at, r->end);
        if (behind) {
            space(r);
            r->at = behind;
            while (r->at < r->end && is_space(*r->at)) r->at++;
        } else {
            *r->out++ = *r->at++;
        }
    }
    while (r->at < r->end && *r->at != '<' && *r->at != '&') *r->out++ = *r->at++;
    if (r->at >= r->end || *r->at == '<') return;
#endif
    const uint8_t *opened = find(r->at, r->end, '<');
    emit(r, opened ? opened : r->end, 1);
}

ptrdiff_t charlens_strip_markup(const uint8_t *data, ptrdiff_t length, int xml, uint8_t *out) {
    reader r = {.at = data, .end = data + length, .out = out, .start = out, .xml = xml, .may_have_bracket = 1};
    while (r.at < r.end) {
        text(&r);
        if (r.at < r.end) markup(&r);
    }
    return r.out - out;
}
