/* The quick halves of the stages; see straight.h. */
#include <string.h>

#include "straight.h"

static int is_space(uint8_t byte) { return byte == ' ' || (byte >= 9 && byte <= 13); }
static int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }
static int is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }
static uint8_t lower(uint8_t byte) { return (uint8_t)(byte - 'A') < 26 ? byte | 0x20 : byte; }

/* Where *words* stands in *data* first, or NULL. */
static const uint8_t *find(const uint8_t *data, ptrdiff_t length, const char *words) {
    const ptrdiff_t size = (ptrdiff_t)strlen(words);
    for (const uint8_t *at = data, *end = data + length; end - at >= size; at++) {
        at = memchr(at, words[0], (size_t)(end - at - size + 1));
        if (!at) return NULL;
        if (memcmp(at, words, (size_t)size) == 0) return at;
    }
    return NULL;
}

static int opens_with(const uint8_t *data, ptrdiff_t length, const char *words) {
    const ptrdiff_t size = (ptrdiff_t)strlen(words);
    return length >= size && memcmp(data, words, (size_t)size) == 0;
}

static ptrdiff_t shorter(ptrdiff_t one, ptrdiff_t two) { return one < two ? one : two; }

/* The head of the input in small letters; returns how many. */
static ptrdiff_t lower_head(const uint8_t *data, ptrdiff_t length, ptrdiff_t most, uint8_t *out) {
    length = shorter(shorter(length, most), CHARLENS_MOST_HEAD);
    for (ptrdiff_t i = 0; i < length; i++) out[i] = lower(data[i]);
    return length;
}

int charlens_may_have_mark(const uint8_t *data, ptrdiff_t length) {
    static const struct {
        uint8_t size;
        char bytes[4];
    } marks[] = {{3, "+/v"}, {2, {0, 0}},  {2, "\xff\xfe"}, {2, "\xfe\xff"}, {4, {(char)0x84, 0x31, (char)0x95, 0x33}},
                 {3, "\xef\xbb\xbf"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (length >= marks[i].size && memcmp(data, marks[i].bytes, marks[i].size) == 0) return 1;
    return 0;
}

int charlens_may_be_wide(const uint8_t *data, ptrdiff_t length, const int8_t *weights, const charlens_limits *limits) {
    if (length < limits->wide_from || length >= limits->wide_to) return 0;
    for (int big = 0; big < 2; big++) {
        charlens_weigh out;
        charlens_weigh_units(data, length, 2, big, weights, &out);
        if (!out.faults && (double)out.weight >= limits->least_wide * (double)out.characters && out.weight > 0) return 1;
    }
    return 0;
}

int charlens_may_be_damaged_utf8(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                                 const charlens_limits *limits) {
    const ptrdiff_t continuations = scan->non_ascii - scan->leads, ratio = limits->good_per_bad;
    if (continuations < 2 || (1 + ratio) * continuations < ratio * (scan->leads - 1)) return 0;
    charlens_damage out = {0};
    for (ptrdiff_t i = 0; i < scan->error; i++) out.sequences += data[i] >= 0xC0;
    charlens_find_damage(data, length, scan->error, ratio, ratio * limits->patience, 0, NULL, &out);
    return out.stopped < 0 && out.sequences >= ratio * out.bad && out.sequences >= 2;
}

static ptrdiff_t count_byte(const uint8_t *data, ptrdiff_t length, uint8_t byte) {
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < length; i++) count += data[i] == byte;
    return count;
}

int charlens_may_be_ebcdic(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                           const charlens_limits *limits) {
    if (length < limits->ebcdic_shortest || !charlens_has(scan, 0x40)) return 0;
    const ptrdiff_t size = limits->ebcdic_sample, sample = length <= 3 * size ? length : 3 * size;
    const ptrdiff_t starts[3] = {0, length / 2, length - size};
    ptrdiff_t spaces = 0, others = 0;
    for (int piece = 0; piece < (length <= 3 * size ? 1 : 3); piece++) {
        const ptrdiff_t count = length <= 3 * size ? length : size;
        spaces += count_byte(data + starts[piece], count, 0x40);
        others += count_byte(data + starts[piece], count, 0x20);
    }
    return (double)spaces / (double)sample >= limits->ebcdic_spaces && others <= spaces;
}

static int is_base64(uint8_t byte) { return is_letter(byte) || is_digit(byte) || byte == '+' || byte == '/'; }

/* Whether the first run behind a '+' may be one of UTF-7. */
static int may_be_utf7(const uint8_t *data, ptrdiff_t length) {
    for (const uint8_t *at = data, *end = data + length; at < end; at++) {
        at = memchr(at, '+', (size_t)(end - at));
        if (!at) return 0;
        const uint8_t *from = at + 1, *to = from;
        while (to < end && to - from < 64 && is_base64(*to)) to++;
        if (to == end || to - from == 64) return 1;
        if (to == from && *to == '-') continue; /* '+-' is a plus sign */
        return *to != '=' && to - from >= 3 && (to - from) * 6 % 16 < 6;
    }
    return 0;
}

int charlens_may_be_escaped(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan) {
    if (charlens_has(scan, 0x1B)) return 1;
    if (charlens_has(scan, '~') && charlens_has(scan, '{') && charlens_has(scan, '}') && find(data, length, "~{"))
        return 1;
    return charlens_has(scan, '+') && may_be_utf7(data, length);
}

/* Whether the first line is one of the header of a mail: 'Name: value'. */
static int opens_with_header(const uint8_t *data, ptrdiff_t length) {
    ptrdiff_t i = 0;
    while (i < length && i < 61 && data[i] > ' ' && data[i] < 0x7F && data[i] != ':') i++;
    if (i == 0 || i > 60 || i + 1 >= length || data[i] != ':' || (data[i + 1] != ' ' && data[i + 1] != '\t')) return 0;
    for (i += 2; i < length; i++) {
        if (data[i] == '\n') return 1;
        if (data[i] == '\r') return i + 1 < length && data[i + 1] == '\n';
    }
    return 0;
}

int charlens_may_declare(const uint8_t *data, ptrdiff_t length, int tags, const charlens_limits *limits) {
    uint8_t head[CHARLENS_MOST_HEAD];
    if (!tags) {
        length = shorter(length, limits->first_lines);
        return find(data, length, "coding") || opens_with(data, length, "@charset") || opens_with_header(data, length);
    }
    const ptrdiff_t seen = shorter(length, limits->language_head);
    if (find(data, seen, "lang") || find(data, seen, "LANG") || find(data, seen, "Lang")) return 1;
    const ptrdiff_t small = lower_head(data, length, limits->prescan, head);
    return find(head, small, "charset") || find(head, small, "encoding") || find(head, small, "coding:") ||
           find(head, small, "coding=") || opens_with_header(data, seen);
}

/* Whether a time of subtitles ends at *end*: '00:01,000'. */
static int ends_with_time(const uint8_t *data, const uint8_t *end) {
    ptrdiff_t digits = 0;
    for (; end > data && is_digit(end[-1]) && digits < 4; end--) digits++;
    return (digits == 2 || digits == 3) && end - data >= 6 && (end[-1] == '.' || end[-1] == ',') && is_digit(end[-2]) &&
           is_digit(end[-3]) && end[-4] == ':' && is_digit(end[-5]) && is_digit(end[-6]);
}

/* Whether an arrow of subtitles may stand in the head: '-->' behind a time. */
static int may_have_cues(const uint8_t *data, ptrdiff_t length) {
    if (opens_with(data, length, "WEBVTT")) return 1;
    for (const uint8_t *at = data; (at = find(at, data + length - at, "-->")); at++) {
        const uint8_t *before = at;
        while (before > data && is_space(before[-1])) before--;
        if (ends_with_time(data, before)) return 1;
    }
    return 0;
}

/* Whether the tag of HTML, or its doctype, that opens at *at* is one that tells HTML from XML; returns where it ends. */
static const uint8_t *plain_tag(const uint8_t *at, const uint8_t *end) {
    static const char *names[] = {"html",  "head",   "body", "title", "meta",  "link",   "table",  "tr",       "td",     "div",
                                  "span",  "p",      "br",   "hr",    "b",     "i",      "u",      "em",       "strong", "font",
                                  "center", "img",   "h1",   "h2",    "h3",    "h4",     "h5",     "h6",       "ul",     "ol",
                                  "li",    "dl",     "dt",   "dd",    "pre",   "form",   "input",  "select",   "option", "frameset",
                                  "script", "style"};
    uint8_t name[9] = {0};
    const uint8_t *to = at + 1;
    int size = 0;
    if (to < end && *to == '!') {
        for (to++; to < end && size < 7; to++, size++) name[size] = lower(*to);
        if (memcmp(name, "doctype", 7) || to >= end || !is_space(*to)) return NULL;
        while (to < end && is_space(*to)) to++;
        for (size = 0; to < end && size < 4; to++, size++) name[size] = lower(*to);
        if (size < 4 || memcmp(name, "html", 4)) return NULL;
    } else {
        for (; to < end && size < 9 && (is_letter(*to) || is_digit(*to)); to++) name[size++] = lower(*to);
        if (size == 0 || size == 9) return NULL;
        if (size == 1 && name[0] == 'a') {
            if (to >= end || !is_space(*to)) return NULL;
            to++;
        } else {
            size_t known = 0;
            const size_t count = sizeof names / sizeof *names;
            while (known < count && (strlen(names[known]) != (size_t)size || memcmp(names[known], name, (size_t)size))) known++;
            if (known == count) return NULL;
        }
    }
    return to < end && (is_space(*to) || *to == '/' || *to == '>') ? to + 1 : NULL;
}

/* How many such tags there are, up to *most*. */
static int count_tags(const uint8_t *data, ptrdiff_t length, int most) {
    const uint8_t *at = data, *end = data + length;
    int count = 0;
    while (count < most && at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
        const uint8_t *behind = plain_tag(at, end);
        count += behind != NULL;
        at = behind ? behind : at + 1;
    }
    return count;
}

static int opens_as_xml(const uint8_t *data, ptrdiff_t length) {
    static const char *openings[] = {"?xml", "!--", "!DOCTYPE", "![CDATA", "!ENTITY"};
    ptrdiff_t i = 0;
    while (i < length && is_space(data[i])) i++;
    if (i >= length || data[i++] != '<') return 0;
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++)
        if (opens_with(data + i, length - i, openings[k])) return 1;
    if (i >= length || !(is_letter(data[i]) || data[i] == '_')) return 0;
    while (i < length && (is_letter(data[i]) || is_digit(data[i]) || strchr("_.:-", data[i]))) {
        if (data[i] == 0) return 0;
        i++;
    }
    return i < length && (is_space(data[i]) || data[i] == '/' || data[i] == '>');
}

charlens_flavour charlens_find_flavour(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                                       const charlens_limits *limits) {
    uint8_t head[CHARLENS_MOST_HEAD];
    const int opens = charlens_has(scan, '<'), arrows = opens || charlens_has(scan, '>');
    if (!arrows && !(charlens_has(scan, '[') && charlens_has(scan, ':'))) return CHARLENS_NO_MARKUP;
    length = shorter(length, limits->markup_head);
    if (charlens_has(scan, '>') && may_have_cues(data, length)) return CHARLENS_UNSURE;
    if (find(data, length, "[Script Info]") || find(data, length, "Dialogue:")) return CHARLENS_UNSURE;
    if (!opens) return CHARLENS_NO_MARKUP;
    const ptrdiff_t small = lower_head(data, length, length, head);
    for (const uint8_t *at = head; (at = find(at, head + small - at, "<")); at++) {
        const ptrdiff_t left = head + small - at;
        if (opens_with(at, left, "<html") || opens_with(at, left, "<!doctype html") || opens_with(at, left, "<head") ||
            opens_with(at, left, "<body"))
            return CHARLENS_HTML;
    }
    if (opens_as_xml(data, length)) {
        ptrdiff_t i = 0;
        while (i < length && is_space(data[i])) i++;
        return count_tags(data, length, 1) && !opens_with(data + i, length - i, "<?xml") ? CHARLENS_HTML : CHARLENS_XML;
    }
    return count_tags(data, length, 3) >= 3 ? CHARLENS_HTML : CHARLENS_NO_MARKUP;
}

ptrdiff_t charlens_count_beyond_ascii(const uint8_t *data, ptrdiff_t length) {
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    ptrdiff_t count = 0, i = 0;
    uint64_t eight;
    for (; i + 8 <= length; i += 8) {
        memcpy(&eight, data + i, 8);
        count += (ptrdiff_t)(((eight & tops) >> 7) * ones >> 56);
    }
    for (; i < length; i++) count += data[i] >= 0x80;
    return count;
}
