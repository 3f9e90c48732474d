/* What a page declares; see declare.h.  charlens.prescan and charlens.stages.declarations define it. */
#include "declare.h"

#include <string.h>

typedef struct {
    const uint8_t *at; /* the bytes, in small letters */
    ptrdiff_t length;
} text;

typedef struct {
    ptrdiff_t name, name_length, value, value_length;
} attribute;

/* What reading comes to: there is nothing more, this is it, or a stage has to look. */
enum { ENDED = 0, FOUND = 1, UNSURE = 2 };

static int is_space(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r'; }
static int is_letter(uint8_t byte) { return (uint8_t)(byte - 'a') < 26; }
static int is_word(uint8_t byte) { return is_letter(byte) || (uint8_t)(byte - '0') < 10; }

static int stands_at(text head, ptrdiff_t at, const char *words) {
    const ptrdiff_t size = (ptrdiff_t)strlen(words);
    return at >= 0 && at + size <= head.length && memcmp(head.at + at, words, (size_t)size) == 0;
}

static ptrdiff_t find_from(text head, ptrdiff_t at, const char *words) {
    for (; at < head.length; at++) {
        const uint8_t *found = memchr(head.at + at, words[0], (size_t)(head.length - at));
        if (!found) return -1;
        at = found - head.at;
        if (stands_at(head, at, words)) return at;
    }
    return -1;
}

static int is_meta(text head, ptrdiff_t at) {
    return stands_at(head, at, "<meta") && at + 5 < head.length && (is_space(head.at[at + 5]) || head.at[at + 5] == '/');
}

static int equals(text head, ptrdiff_t at, ptrdiff_t length, const char *words) {
    return length == (ptrdiff_t)strlen(words) && stands_at(head, at, words);
}

static ptrdiff_t skip_spaces(text head, ptrdiff_t at) {
    while (at < head.length && is_space(head.at[at])) at++;
    return at;
}

static ptrdiff_t skip_to_name(text head, ptrdiff_t at) {
    while (at < head.length && (is_space(head.at[at]) || head.at[at] == '/')) at++;
    return at;
}

/* Read the next attribute; *at* goes behind it.  ENDED at the '>', UNSURE where the bytes end. */
static int read_attribute(text head, ptrdiff_t *at, attribute *out) {
    ptrdiff_t i = skip_to_name(head, *at);
    if (i >= head.length) return UNSURE;
    *at = i;
    if (head.at[i] == '>') return ENDED;
    out->name = i++; /* the first byte may be '=' */
    while (i < head.length && !is_space(head.at[i]) && head.at[i] != '/' && head.at[i] != '>' && head.at[i] != '=') i++;
    out->name_length = i - out->name;
    out->value = out->value_length = 0;
    i = skip_spaces(head, i);
    if (i >= head.length) return UNSURE;
    *at = i;
    if (head.at[i] != '=') return FOUND;
    i = skip_spaces(head, i + 1);
    if (i >= head.length) return UNSURE;
    const uint8_t quote = head.at[i];
    if (quote == '"' || quote == '\'') {
        const uint8_t *end = memchr(head.at + i + 1, quote, (size_t)(head.length - i - 1));
        if (!end) return UNSURE;
        out->value = i + 1;
        out->value_length = end - head.at - i - 1;
        *at = end - head.at + 1;
        return FOUND;
    }
    out->value = i;
    while (i < head.length && !is_space(head.at[i]) && head.at[i] != '>') i++;
    if (i >= head.length) return UNSURE;
    out->value_length = i - out->value;
    *at = i;
    return FOUND;
}

/* Take a label of ASCII without spaces around it. */
static int take_label(text head, ptrdiff_t at, ptrdiff_t length, charlens_declared *out) {
    while (length && is_space(head.at[at])) at++, length--;
    while (length && is_space(head.at[at + length - 1])) length--;
    if (length == 0 || length > CHARLENS_MOST_LABEL) return UNSURE;
    for (ptrdiff_t i = 0; i < length; i++)
        if (head.at[at + i] <= ' ' || head.at[at + i] >= 0x7F) return UNSURE;
    memcpy(out->label, head.at + at, (size_t)length);
    out->length = length;
    return FOUND;
}

/* The label behind 'charset=' in the content of a meta element; ENDED where there is none. */
static int take_content(text head, const attribute *content, charlens_declared *out) {
    const text value = {head.at + content->value, content->value_length};
    for (ptrdiff_t at = 0; (at = find_from(value, at, "charset")) >= 0; at += 7) {
        ptrdiff_t i = skip_spaces(value, at + 7);
        if (i >= value.length || value.at[i] != '=') continue;
        i = skip_spaces(value, i + 1);
        if (i < value.length && (value.at[i] == '"' || value.at[i] == '\'')) return UNSURE;
        ptrdiff_t end = i;
        while (end < value.length && !is_space(value.at[end]) && value.at[end] != ';') end++;
        return end > i ? take_label(value, i, end - i, out) : ENDED;
    }
    return ENDED;
}

/* Read the meta element at *at*, which goes to its '>'; FOUND where it declares a charset. */
static int read_meta(text head, ptrdiff_t *at, charlens_declared *out) {
    const ptrdiff_t opened = *at;
    int pragma = -1, content = -1, charset = 0, more;
    attribute one;
    *at += 5;
    while ((more = read_attribute(head, at, &one)) == FOUND) {
        if (equals(head, one.name, one.name_length, "http-equiv")) {
            if (pragma < 0) pragma = equals(head, one.value, one.value_length, "content-type");
        } else if (equals(head, one.name, one.name_length, "content")) {
            if (content >= 0) continue;
            content = take_content(head, &one, out);
            if (content == UNSURE) return UNSURE;
        } else if (equals(head, one.name, one.name_length, "charset")) {
            if (charset) continue;
            charset = take_label(head, one.value, one.value_length, out);
            if (charset == UNSURE) return UNSURE;
        }
    }
    if (more == UNSURE || (charset && content == FOUND)) return UNSURE; /* which of the two counts depends on what they mean */
    out->offset = opened;
    return charset || (content == FOUND && pragma == 1) ? FOUND : ENDED;
}

/* Go through the tags to the first meta element that declares something. */
static int find_meta(text head, charlens_declared *out) {
    ptrdiff_t first = 0;
    while ((first = find_from(head, first, "<meta")) >= 0 && !is_meta(head, first)) first++;
    if (first < 0) return ENDED;
    for (ptrdiff_t at = 0; (at = find_from(head, at, "<")) >= 0; at++) {
        const uint8_t next = at + 1 < head.length ? head.at[at + 1] : 0;
        const int closes = next == '/' && at + 2 < head.length && is_letter(head.at[at + 2]);
        if (stands_at(head, at, "<!--")) {
            at = find_from(head, at + 2, "-->");
            if (at < 0) return ENDED;
            at += 2;
        } else if (is_meta(head, at)) {
            const int found = read_meta(head, &at, out);
            if (found != ENDED) return found;
        } else if (is_letter(next) || closes) {
            attribute one;
            int more;
            while (at < head.length && !is_space(head.at[at]) && head.at[at] != '>') at++;
            while ((more = read_attribute(head, &at, &one)) == FOUND) continue;
            if (more == UNSURE) return ENDED; /* out of bytes: nothing was found */
        } else if (next == '!' || next == '/' || next == '?') {
            at = find_from(head, at, ">");
            if (at < 0) return ENDED;
        }
    }
    return ENDED;
}

/* The label of the XML declaration that the page opens with.  *data* is as it is: the word is in small letters there. */
static int find_xml(const uint8_t *data, ptrdiff_t length, charlens_declared *out) {
    const text head = {data, length};
    if (!stands_at(head, 0, "<?xml")) return ENDED;
    const ptrdiff_t end = find_from(head, 0, ">");
    if (end < 0 || length < 6 || !is_space(data[5])) return UNSURE;
    const text inside = {data, end};
    ptrdiff_t at = find_from(inside, 0, "encoding");
    if (at < 0) return ENDED;
    for (at += 8; at < end && data[at] <= ' ';) at++;
    if (at >= end || data[at++] != '=') return UNSURE;
    while (at < end && data[at] <= ' ') at++;
    if (at >= end || (data[at] != '"' && data[at] != '\'')) return UNSURE;
    const uint8_t *closed = memchr(data + at + 1, data[at], (size_t)(end - at - 1));
    if (!closed || closed == data + at + 1 || is_space(data[at + 1]) || is_space(closed[-1])) return UNSURE;
    out->offset = at + 1;
    return take_label(head, at + 1, closed - data - at - 1, out);
}

/* How long the tag of a language at *at* is: 'en', 'zh-tw'. */
static ptrdiff_t tag_length(text head, ptrdiff_t at) {
    ptrdiff_t end = at;
    while (end < head.length && end - at < 3 && is_letter(head.at[end])) end++;
    if (end - at < 2) return 0;
    while (end + 1 < head.length && head.at[end] == '-' && is_word(head.at[end + 1])) {
        ptrdiff_t part = end + 1;
        while (part < head.length && part - end <= 8 && is_word(head.at[part])) part++;
        end = part;
    }
    return end - at;
}

static int is_gap(uint8_t byte) { return is_space(byte) || byte == '\v'; }

/* Whether *at* is inside a tag: a '<' is nearer than a '>'. */
static int is_inside_tag(text head, ptrdiff_t at) {
    while (at > 0) {
        at--;
        if (head.at[at] == '<') return 1;
        if (head.at[at] == '>') return 0;
    }
    return 0;
}

/* Add a language that is not there yet. */
static int add_language(text head, ptrdiff_t at, ptrdiff_t length, charlens_declared *out) {
    if (length > CHARLENS_MOST_LABEL) return UNSURE;
    for (int i = 0; i < out->language_count; i++)
        if (out->language_lengths[i] == length && memcmp(out->languages[i], head.at + at, (size_t)length) == 0) return FOUND;
    memcpy(out->languages[out->language_count], head.at + at, (size_t)length);
    out->language_lengths[out->language_count++] = (int)length;
    return FOUND;
}

static int find_languages(text head, charlens_declared *out) {
    for (ptrdiff_t at = 0; out->language_count < CHARLENS_MOST_LANGUAGES && (at = find_from(head, at, "lang")) >= 0; at++) {
        if (stands_at(head, at - 8, "content-")) return UNSURE;
        if (at == 0 || !(is_gap(head.at[at - 1]) || head.at[at - 1] == ':')) continue;
        ptrdiff_t i = at + 4;
        while (i < head.length && is_gap(head.at[i])) i++;
        if (i >= head.length || head.at[i] != '=') continue;
        for (i++; i < head.length && is_gap(head.at[i]);) i++;
        if (i < head.length && (head.at[i] == '"' || head.at[i] == '\'')) i++;
        const ptrdiff_t size = tag_length(head, i);
        if (size && is_inside_tag(head, at - 1) && add_language(head, i, size, out) == UNSURE) return UNSURE;
    }
    return FOUND;
}

int charlens_read_declared(const uint8_t *data, ptrdiff_t length, const charlens_limits *limits, charlens_declared *out) {
    uint8_t small[CHARLENS_MOST_HEAD];
    const ptrdiff_t all = length < limits->language_head ? length : limits->language_head;
    const ptrdiff_t first = all < limits->prescan ? all : limits->prescan;
    ptrdiff_t opens = 0;
    for (ptrdiff_t i = 0; i < all; i++) small[i] = (uint8_t)(data[i] - 'A') < 26 ? data[i] | 0x20 : data[i];
    const text head = {small, first}, whole = {small, all};
    out->source = CHARLENS_NO_CHARSET;
    out->length = out->offset = 0;
    out->language_count = 0;
    while (opens < all && (is_space(data[opens]) || data[opens] == '\v')) opens++;
    if (opens == all || data[opens] != '<') return 0; /* a style sheet, a program or a mail may declare in its own way */
    for (ptrdiff_t i = opens; i < all && i < opens + 61 && small[i] > ' ' && small[i] < 0x7F; i++)
        if (small[i] == ':') return 0;
    const text given = {data, all};
    const int spoken = find_from(given, 0, "lang") >= 0 || find_from(given, 0, "LANG") >= 0 || find_from(given, 0, "Lang") >= 0;
    if (spoken && find_languages(whole, out) == UNSURE) return 0;
    if (find_from(head, 0, "charset") < 0 && find_from(head, 0, "encoding") < 0 && find_from(head, 0, "coding:") < 0 &&
        find_from(head, 0, "coding=") < 0)
        return 1;
    int found = find_meta(head, out);
    if (found == FOUND) out->source = CHARLENS_IN_META;
    else if (found == ENDED && (found = find_xml(data, first, out)) == FOUND) out->source = CHARLENS_IN_XML;
    return found != UNSURE;
}
