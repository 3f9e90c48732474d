/* Markup elimination: the states of the HTML standard's tokenizer, on bytes.  kernel/markup.py defines it. */
#include <string.h>

#include "elements.h"
#include "kernel.h"
#include "markup.h"

typedef struct {
    const uint8_t *at, *end;
    uint8_t *out, *start; /* where to write next, and where the output begins */
    const uint8_t *body_end; /* where the text ended when the body did, or NULL */
    int xml, may_have_bracket;
    elements open;
} reader;

static int needs_space(const reader *r) { return r->out > r->start && !is_space(r->out[-1]); }

static void space(reader *r) {
    if (needs_space(r)) *r->out++ = ' ';
}

/* Write the text before *end*, without white space if the output already ends with some. */
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

/* Write a space for a comment, except right after the body and between cells. */
static void comment_space(reader *r) {
    if (r->out != r->body_end && !is_between_cells(&r->open)) space(r);
}

/* Go past the next '>', or to the end. */
static void skip_tag(reader *r) {
    const uint8_t *found = find(r->at, r->end, '>');
    r->at = found ? found + 1 : r->end;
}

/* Go past the '>' of a tag, or to the end; return whether the tag closes itself. */
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

/* Close an element, and write a space where a word ends. */
static void close_element(reader *r, const uint8_t *start, const uint8_t *end) {
    if (r->xml) {
        space(r);
        return;
    }
    int number = number_of(start, end, r->end);
    if (is_foreign(&r->open) && kind_of(number) != FOREIGN) {
        if (number == E_p || number == E_br) {
            leave_foreign(&r->open);
        } else if (end_element(&r->open, foreign_number_of(start, end, number))) {
            space(r);
            return;
        }
    }
    r->body_end = (number == E_body || number == E_html) && !r->open.count[E_table] ? r->out : NULL;
    if (end_element(&r->open, number)) space(r);
}

/* The end tag of this name from *at* on: where its '<' is, or NULL. */
static const uint8_t *end_tag(const uint8_t *at, const uint8_t *end, int number) {
    ptrdiff_t length = NAMES[number].length;
    while ((at = find(at, end, '<')) != NULL) {
        if (end - at > length + 2 && at[1] == '/' && CLASS[at[length + 2]] & ENDS_NAME &&
            is_word(at + 2, end, NAMES[number].name, length))
            return at;
        at++;
    }
    return NULL;
}

/* Go past the end tag at *found*, or to the end if that is NULL. */
static void raw_end(reader *r, const uint8_t *found, int number) {
    r->at = r->end;
    if (!found) return;
    r->at = found + 2 + NAMES[number].length;
    attributes(r);
    space(r);
}

/* The end tag of a script; after '<!--' it may contain other scripts. */
static const uint8_t *script_end(const uint8_t *at, const uint8_t *end) {
    int depth = 0; /* 1 after '<!--', 2 in a script after it */
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

/* Open an element of a page, and write a space where a word ends; return whether it has content. */
static int open_element(reader *r, const uint8_t *start, const uint8_t *end, int number, int closes_itself) {
    elements *open = &r->open;
    r->body_end = NULL;
    if (is_foreign(open) && rules_of(number) & BREAKING) {
        leave_foreign(open);
        space(r);
    }
    int kind = kind_of(number);
    if (!is_foreign(open) && kind != FOREIGN) {
        if (start_element(open, number)) space(r);
        return 1;
    }
    space(r);
    if (closes_itself) return 0;
    if (kind == FOREIGN)
        push(open, number);
    else
        push(open, foreign_number_of(start, end, number));
    return 1;
}

static void start_tag(reader *r) {
    const uint8_t *name = ++r->at, *stop = name_end(name, r->end, ENDS_NAME);
    r->at = stop;
    int number = number_of(name, stop, r->end), kind = kind_of(number);
    int closes_itself = attributes(r), has_content = !closes_itself;
    if (r->xml)
        space(r);
    else
        has_content = open_element(r, name, stop, number, closes_itself);
    if (!has_content || kind == PLAIN || kind == FOREIGN || r->at >= r->end || is_silent(&r->open)) return;
    if (kind == SCRIPT && !r->xml) {
        raw_end(r, script_end(r->at, r->end), number);
    } else if (kind == SCRIPT || kind == DROPPED) {
        raw_end(r, end_tag(r->at, r->end, number), number);
    } else if (!r->xml && !is_foreign(&r->open)) {
        const uint8_t *found = kind == PLAINTEXT ? NULL : end_tag(r->at, r->end, number);
        emit(r, found ? found : r->end, kind == WITH_REFERENCES);
        raw_end(r, found, number);
    }
}

static void comment(reader *r) {
    const uint8_t *at = r->at + 4, *end = r->end;
    r->at = at;
    if (starts(at, end, ">", 1) || starts(at, end, "->", 2)) {
        skip_tag(r);
        comment_space(r);
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
    comment_space(r);
}

/* *at* after the next *word* of *length* bytes that begins with a byte not of white space, or the end. */
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
    } else if ((r->xml || is_foreign(&r->open)) && starts(r->at, r->end, "<![CDATA[", 9)) {
        r->at += 9;
        found = find_word(r->at, r->end, "]]>", 3);
        emit(r, found ? found : r->end, 0);
        r->at = found ? found + 3 : r->end;
    } else if (is_word(r->at, r->end, "<!doctype", 9)) {
        if (r->xml && r->may_have_bracket) {
            const uint8_t *closed = find(r->at, r->end, '>');
            found = closed ? find(r->at, closed, '[') : NULL;
            closed = found ? find(found, r->end, ']') : NULL;
            r->may_have_bracket = !found || closed;
            if (closed) r->at = closed;
        }
        skip_tag(r); /* a parser passes over a doctype that does not come first */
        r->open.has_doctype |= r->out == r->start;
    } else {
        skip_tag(r);
        comment_space(r);
    }
}

#ifdef __SSE2__
/* Go past a short tag without a quotation mark, followed by markup; most tags are such. */
static int short_tag(reader *r, const uint8_t *name, int is_end) {
    if (r->end - name < 16) return 0;
    __m128i block = _mm_loadu_si128((const __m128i *)name), closing = _mm_cmpeq_epi8(block, _mm_set1_epi8('>'));
    __m128i quoted = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\'')));
    unsigned closed = (unsigned)_mm_movemask_epi8(closing), quotes = (unsigned)_mm_movemask_epi8(quoted);
    if (!closed || quotes & (closed ^ (closed - 1))) return 0;
    const uint8_t *stop = name_end(name, r->end, ENDS_NAME), *behind = name + __builtin_ctz(closed) + 1;
    if (is_end) {
        r->at = behind;
        close_element(r, name, stop);
        return 1;
    }
    int number = number_of(name, stop, r->end);
    if (kind_of(number) != PLAIN || is_foreign(&r->open)) return 0;
    r->at = behind;
    r->body_end = NULL;
    if (r->xml || start_element(&r->open, number)) space(r);
    return 1;
}
#endif

/* Read the markup that begins with this '<', or write the '<' if it is text. */
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
        const uint8_t *start = r->at += 2, *stop;
        if (is_alpha(*start)) {
            r->at = stop = name_end(start, r->end, ENDS_NAME);
            attributes(r);
            close_element(r, start, stop);
        } else if (*start == '>') {
            r->at++;
        } else {
            skip_tag(r);
            comment_space(r);
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
        comment_space(r);
    } else {
        *r->out++ = *r->at++;
        if (after == '/') *r->out++ = *r->at++;
    }
}

/* Write the text up to the next '<', or to the end. */
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

/* Go to the next markup, past text that is not read. */
static void silence(reader *r) {
    while ((r->at = find(r->at, r->end, '<')) != NULL) {
        ptrdiff_t left = r->end - r->at;
        uint8_t after = left > 1 ? r->at[1] : 0;
        if (starts(r->at, r->end, "<![CDATA[", 9)) {
            const uint8_t *found = find_word(r->at, r->end, "]]>", 3);
            if (!found) break;
            r->at = found + 3;
        } else if (is_alpha(after) || after == '!' || after == '?' || (after == '/' && left > 2)) {
            return;
        } else {
            r->at++;
        }
    }
    r->at = r->end;
}

ptrdiff_t charlens_strip_markup(const uint8_t *data, ptrdiff_t length, int xml, uint8_t *out) {
    reader r = {.at = data, .end = data + length, .out = out, .start = out, .xml = xml, .may_have_bracket = 1};
    while (r.at < r.end) {
        if (is_silent(&r.open)) silence(&r);
        else text(&r);
        if (r.at < r.end) markup(&r);
    }
    return r.out - out;
}
