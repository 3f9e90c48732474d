/* Pages: what kind of markup a file opens with, and where its meta elements name a charset; see kernel/pure_pages.py. */
#include <string.h>

#include "kernel.h"

typedef struct {
    const uint8_t *at;
    ptrdiff_t length;
} text;

static uint8_t lower(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }
static int is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }
static int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }
/* White space in the patterns of page_flavour, and in the HTML standard. */
static int is_gap(uint8_t byte) { return byte == ' ' || (byte >= 9 && byte <= 13); }
static int is_space(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r'; }
static int ends_name(uint8_t byte) { return is_gap(byte) || byte == '/' || byte == '>'; }

/* Whether *words* (lower case) are at *at*, ignoring case. */
static int stands_at(text head, ptrdiff_t at, const char *words) {
    for (; *words; at++, words++)
        if (at >= head.length || lower(head.at[at]) != (uint8_t)*words) return 0;
    return 1;
}

/* The same, with exact case. */
static int stands_exactly(text head, ptrdiff_t at, const char *words) {
    for (; *words; at++, words++)
        if (at >= head.length || head.at[at] != (uint8_t)*words) return 0;
    return 1;
}

static ptrdiff_t find_byte(text head, ptrdiff_t at, uint8_t byte) {
    if (at >= head.length) return -1;
    const uint8_t *found = memchr(head.at + at, byte, (size_t)(head.length - at));
    return found ? found - head.at : -1;
}

static ptrdiff_t skip_gaps(text head, ptrdiff_t at) {
    while (at < head.length && is_gap(head.at[at])) at++;
    return at;
}

/* ---- page_flavour */

/* A name of an element of HTML at *at*, which is after the '<', and a byte that ends it. */
static int is_html_tag(text head, ptrdiff_t at) {
    static const char *const names[] = {CHARLENS_HTML_NAMES};
    if (at + 1 >= head.length) return 0;
    if (head.at[at] == '!') {
        if (!stands_at(head, at, "!doctype") || at + 8 >= head.length || !is_gap(head.at[at + 8])) return 0;
        at = skip_gaps(head, at + 8);
        return stands_at(head, at, "html") && at + 4 < head.length && ends_name(head.at[at + 4]);
    }
    ptrdiff_t end = at;
    while (end < head.length && (is_letter(head.at[end]) || is_digit(head.at[end]))) end++;
    if (end >= head.length || !ends_name(head.at[end])) return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((ptrdiff_t)strlen(names[i]) == end - at && stands_at(head, at, names[i])) return 1;
    return 0;
}

static int count_tags(text head, int enough) {
    int count = 0;
    for (ptrdiff_t at = 0; count < enough && (at = find_byte(head, at, '<')) >= 0; at++) count += is_html_tag(head, at + 1);
    return count;
}

static int has_root(text head) {
    for (ptrdiff_t at = 0; (at = find_byte(head, at, '<')) >= 0; at++)
        if (stands_at(head, at, "<html") || stands_at(head, at, "<!doctype html") || stands_at(head, at, "<head") ||
            stands_at(head, at, "<body"))
            return 1;
    return 0;
}

static int opens_as_xml(text head) {
    ptrdiff_t at = stands_exactly(head, 0, "\xef\xbb\xbf") ? 3 : 0;
    at = skip_gaps(head, at);
    if (!stands_exactly(head, at, "<")) return 0;
    at++;
    if (stands_exactly(head, at, "?xml") || stands_exactly(head, at, "!--") || stands_exactly(head, at, "!DOCTYPE") ||
        stands_exactly(head, at, "![CDATA") || stands_exactly(head, at, "!ENTITY"))
        return 1;
    if (at >= head.length || !(is_letter(head.at[at]) || head.at[at] == '_')) return 0;
    while (at < head.length && (is_letter(head.at[at]) || is_digit(head.at[at]) || head.at[at] == '_' || head.at[at] == '.' ||
                                head.at[at] == ':' || head.at[at] == '-'))
        at++;
    return at < head.length && ends_name(head.at[at]);
}

/* The time of a cue at *at*: '1:02:03,456' or '02:03.45'; returns its end, or -1. */
static ptrdiff_t cue_time(text head, ptrdiff_t at) {
    for (int hours = 2; hours >= 0; hours--) { /* the digits of the hours, longest match first, as in the pattern */
        ptrdiff_t i = at;
        int fits = 1;
        for (int k = 0; k < hours; k++, i++) fits = fits && i < head.length && is_digit(head.at[i]);
        if (hours) fits = fits && i < head.length && head.at[i++] == ':';
        static const char form[] = "00:00";
        for (int k = 0; k < 5; k++, i++)
            fits = fits && i < head.length && (form[k] == ':' ? head.at[i] == ':' : is_digit(head.at[i]));
        fits = fits && i < head.length && (head.at[i] == '.' || head.at[i] == ',');
        i++;
        int digits = 0;
        while (fits && digits < 3 && i < head.length && is_digit(head.at[i])) i++, digits++;
        if (fits && digits >= 2) return i;
    }
    return -1;
}

/* Whether a line opens with two times and an arrow between them.  A time may end after two digits of three: then
 * the arrow does not follow, and the pattern would not match either. */
static int has_cue(text head) {
    for (ptrdiff_t line = 0; line >= 0 && line < head.length;) {
        ptrdiff_t at = cue_time(head, skip_gaps(head, line));
        if (at >= 0) {
            at = skip_gaps(head, at);
            if (stands_exactly(head, at, "-->") && cue_time(head, skip_gaps(head, at + 3)) >= 0) return 1;
        }
        line = find_byte(head, line, '\n');
        if (line >= 0) line++;
    }
    return 0;
}

static int is_scripted(text head) {
    for (ptrdiff_t line = 0; line >= 0 && line < head.length;) {
        if (stands_exactly(head, line, "[Script Info]") || stands_exactly(head, line, "Dialogue:")) return 1;
        line = find_byte(head, line, '\n');
        if (line >= 0) line++;
    }
    return 0;
}

static int has_arrow(text head) {
    for (ptrdiff_t at = 0; (at = find_byte(head, at, '>')) >= 0; at++)
        if (at >= 3 && stands_exactly(head, at - 3, " --> ")) return 1;
    return 0;
}

int charlens_page_flavour(const uint8_t *data, ptrdiff_t length) {
    const text head = {data, length};
    if (has_arrow(head) && (stands_exactly(head, 0, "WEBVTT") || has_cue(head))) return CHARLENS_CUES;
    if (is_scripted(head)) return CHARLENS_SCRIPTED;
    if (has_root(head)) return CHARLENS_HTML;
    if (opens_as_xml(head)) {
        const int declared = stands_exactly(head, skip_gaps(head, 0), "<?xml");
        return !declared && count_tags(head, 1) ? CHARLENS_HTML : CHARLENS_XML;
    }
    return count_tags(head, CHARLENS_LEAST_TAGS) >= CHARLENS_LEAST_TAGS ? CHARLENS_HTML : CHARLENS_NO_MARKUP;
}

/* ---- mentions */

/* Whether *data* begins with a word of *words*. */
static int mentions_here(const uint8_t *data, ptrdiff_t length, const uint8_t *words, ptrdiff_t size) {
    for (ptrdiff_t at = 0; at < size; at++) {
        ptrdiff_t used = 0;
        while (at < size && words[at] != '\n' && used < length && lower(data[used]) == words[at]) at++, used++;
        if (used && (at == size || words[at] == '\n')) return 1;
        while (at < size && words[at] != '\n') at++;
    }
    return 0;
}

/* Two and four bytes in any case, and others that look like them, as a number under PAIRS. */
enum { PAIRS = CHARLENS_WORD_PAIRS, MOST_APART = 8 };
static unsigned folded_pair(const uint8_t *at) { return ((at[0] | 0x20u) * 37 ^ (at[1] | 0x20u)) % PAIRS; }
static unsigned folded_four(const uint8_t *at) {
    uint32_t four;
    memcpy(&four, at, 4);
    return ((four | 0x20202020u) * CHARLENS_MIX >> 16) % PAIRS;
}

/* The length of the shortest word. */
static ptrdiff_t shortest_word(const uint8_t *words, ptrdiff_t size) {
    ptrdiff_t shortest = size, length = 0;
    for (ptrdiff_t at = 0; at <= size; at++) {
        if (at < size && words[at] != '\n') length++;
        else {
            if (length && length < shortest) shortest = length;
            length = 0;
        }
    }
    return shortest;
}

/* A pair is looked at only every few bytes, near enough that every word has one of them in its first bytes: *places* has
 * for each pair, as bits, how far after the beginning of a word it can be. */
void charlens_index_words(const uint8_t *words, ptrdiff_t size, charlens_word_index *index) {
    const ptrdiff_t shortest = shortest_word(words, size);
    memset(index, 0, sizeof *index);
    index->words = words;
    index->size = size;
    index->apart = shortest > MOST_APART ? MOST_APART : shortest - 1;
    for (ptrdiff_t at = 0, place = 0; at + 1 < size && index->apart >= 3; at++) {
        if (words[at] == '\n') place = 0;
        else if (place++ < index->apart) index->places[folded_pair(words + at)] |= (uint8_t)(1 << (place - 1));
        if (place == 1) index->is_opening[folded_four(words + at)] = 1;
    }
}

int charlens_mentions(const uint8_t *data, ptrdiff_t length, const charlens_word_index *index) {
    if (index->apart < 3) { /* words too short for that, or none */
        for (ptrdiff_t at = 0; at < length; at++)
            if (mentions_here(data + at, length - at, index->words, index->size)) return 1;
        return 0;
    }
    for (ptrdiff_t at = 0; at + 1 < length; at += index->apart)
        for (unsigned left = index->places[folded_pair(data + at)]; left; left &= left - 1) {
            const ptrdiff_t start = at - charlens_lowest_bit(left);
            if (start >= 0 && start + 4 <= length && index->is_opening[folded_four(data + start)] &&
                mentions_here(data + start, length - start, index->words, index->size))
                return 1;
        }
    return 0;
}

/* ---- find_charsets */

/* The result of reading an attribute. */
enum { ENDED, FOUND, OUT_OF_BYTES };

typedef struct {
    range_pair name, value;
} attribute;

static ptrdiff_t skip_spaces(text head, ptrdiff_t at) {
    while (at < head.length && is_space(head.at[at])) at++;
    return at;
}

static ptrdiff_t skip_to_name(text head, ptrdiff_t at) {
    while (at < head.length && (is_space(head.at[at]) || head.at[at] == '/')) at++;
    return at;
}

/* Read the next attribute; *at* goes past it, or to the '>'. */
static int read_attribute(text head, ptrdiff_t *at, attribute *out) {
    ptrdiff_t i = skip_to_name(head, *at);
    if (i >= head.length) return OUT_OF_BYTES;
    *at = i;
    if (head.at[i] == '>') return ENDED;
    out->name.start = i++; /* the first byte may be '=' */
    while (i < head.length && !is_space(head.at[i]) && head.at[i] != '/' && head.at[i] != '>' && head.at[i] != '=') i++;
    out->name.end = i;
    if (i >= head.length) return OUT_OF_BYTES;
    i = skip_spaces(head, i);
    if (i >= head.length) return OUT_OF_BYTES;
    *at = out->value.start = out->value.end = i;
    if (head.at[i] != '=') return FOUND;
    i = skip_spaces(head, i + 1);
    if (i >= head.length) return OUT_OF_BYTES;
    const uint8_t quote = head.at[i];
    if (quote == '"' || quote == '\'') {
        const ptrdiff_t end = find_byte(head, i + 1, quote);
        if (end < 0) return OUT_OF_BYTES;
        out->value = (range_pair){i + 1, end};
        *at = end + 1;
        return FOUND;
    }
    out->value.start = i;
    while (i < head.length && !is_space(head.at[i]) && head.at[i] != '>') i++;
    if (i >= head.length) return OUT_OF_BYTES;
    out->value.end = *at = i;
    return FOUND;
}

static int is_named(text head, range_pair name, const char *words) {
    return name.end - name.start == (ptrdiff_t)strlen(words) && stands_at(head, name.start, words);
}

range_pair charlens_find_label(const uint8_t *data, ptrdiff_t length) {
    const text value = {data, length};
    for (ptrdiff_t at = 0; at + 7 <= length; at++) {
        if (!stands_at(value, at, "charset")) continue;
        ptrdiff_t i = skip_spaces(value, at + 7);
        if (i >= length || data[i] != '=') continue;
        i = skip_spaces(value, i + 1);
        if (i < length && (data[i] == '"' || data[i] == '\'')) {
            const ptrdiff_t end = find_byte(value, i + 1, data[i]);
            return end < 0 ? (range_pair){-1, -1} : (range_pair){i + 1, end};
        }
        ptrdiff_t end = i;
        while (end < length && !is_space(data[end]) && data[end] != ';') end++;
        return end > i ? (range_pair){i, end} : (range_pair){-1, -1};
    }
    return (range_pair){-1, -1};
}

/* Read the meta element at *at*, which goes to its '>'; 0 if the bytes end.  The first attribute of a name counts. */
static int read_meta(text head, ptrdiff_t *at, ptrdiff_t *out, ptrdiff_t *count) {
    const ptrdiff_t opened = *at;
    range_pair pragma = {-1, -1}, content = {-1, -1}, charset = {-1, -1};
    attribute one;
    int more;
    *at += 5;
    while ((more = read_attribute(head, at, &one)) == FOUND) {
        if (pragma.start < 0 && is_named(head, one.name, "http-equiv")) pragma = one.value;
        else if (content.start < 0 && is_named(head, one.name, "content")) content = one.value;
        else if (charset.start < 0 && is_named(head, one.name, "charset")) charset = one.value;
    }
    if (more == OUT_OF_BYTES) return 0;
    range_pair label = charset;
    if (charset.start < 0 && pragma.start >= 0 && is_named(head, pragma, "content-type") && content.start >= 0) {
        const range_pair found = charlens_find_label(head.at + content.start, content.end - content.start);
        if (found.start >= 0) label = (range_pair){content.start + found.start, content.start + found.end};
    }
    if (label.start >= 0) {
        out[(*count)++] = opened;
        out[(*count)++] = label.start;
        out[(*count)++] = label.end;
    }
    return 1;
}

/* Where the text without elements after the start tag *name* ends: before '</name'; -1: it has elements. */
static ptrdiff_t raw_end(text head, range_pair name, ptrdiff_t at) {
    static const char *const names[] = {CHARLENS_RAW_NAMES};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!is_named(head, (range_pair){name.start + 1, name.end}, names[i])) continue; /* after the '<' */
        const ptrdiff_t size = (ptrdiff_t)strlen(names[i]);
        for (; (at = find_byte(head, at, '<')) >= 0; at++)
            if (stands_at(head, at, "</") && stands_at(head, at + 2, names[i]) && at + 2 + size < head.length &&
                (is_space(head.at[at + 2 + size]) || head.at[at + 2 + size] == '/' || head.at[at + 2 + size] == '>'))
                return at;
        return head.length;
    }
    return -1;
}

/* Go through the tag at *at*, to its '>' or to the end of its raw text, less one; 0 if the bytes end. */
static int pass_tag(text head, ptrdiff_t *at, int raw) {
    range_pair name = {*at, *at};
    attribute one;
    int more;
    while (name.end < head.length && !is_space(head.at[name.end]) && head.at[name.end] != '>') name.end++;
    *at = name.end;
    while ((more = read_attribute(head, at, &one)) == FOUND) continue;
    if (more == OUT_OF_BYTES) return 0;
    const ptrdiff_t end = raw ? raw_end(head, name, *at) : -1;
    if (end >= 0) *at = end < head.length ? end - 1 : end;
    return 1;
}

ptrdiff_t charlens_find_charsets(const uint8_t *data, ptrdiff_t length, int raw, ptrdiff_t *out) {
    const text head = {data, length};
    ptrdiff_t count = 0;
    for (ptrdiff_t at = 0; (at = find_byte(head, at, '<')) >= 0 && count < 3 * CHARLENS_MOST_CHARSETS; at++) {
        const uint8_t next = at + 1 < length ? data[at + 1] : 0;
        if (stands_exactly(head, at, "<!--")) {
            /* The dashes of '<!--' may also be those of '-->'. */
            for (at += 2; (at = find_byte(head, at, '-')) >= 0 && !stands_exactly(head, at, "-->"); at++) continue;
            if (at < 0) break;
            at += 2;
        } else if (stands_at(head, at, "<meta") && at + 5 < length && (is_space(data[at + 5]) || data[at + 5] == '/')) {
            if (!read_meta(head, &at, out, &count)) break;
        } else if (is_letter(next) || (next == '/' && at + 2 < length && is_letter(data[at + 2]))) {
            if (!pass_tag(head, &at, raw)) break;
        } else if (next == '!' || next == '/' || next == '?') {
            at = find_byte(head, at, '>');
            if (at < 0) break;
        }
    }
    return count;
}
