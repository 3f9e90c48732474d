/* Which elements of a page are open: kernel/elements.py defines it.  For markup.c alone. */
#ifndef CHARLENS_ELEMENTS_H
#define CHARLENS_ELEMENTS_H

#include "facts.h"
#include "markup.h"

#define NUMBER(name, first, second, last, rules) E_##name,
enum { NO_ELEMENT, ELEMENTS(NUMBER) ALIASES(NUMBER) SILENT_SCRIPT = 126, SILENT_STYLE, UNKNOWN };
#undef NUMBER

/* By number: what is said of it, its name, and its number but for those that are treated as another. */
#define RULE(name, first, second, last, rules) [E_##name] = rules,
#define NAME(name, first, second, last, rules) [E_##name] = {#name, sizeof #name - 1, E_##name},
#define ALIAS(name, first, second, last, other) [E_##name] = {#name, sizeof #name - 1, E_##other},
static const uint16_t RULES[256] = {ELEMENTS(RULE)};
static int rules_of(int number) { return RULES[number & 255]; }

static const struct {
    char name[14];
    uint8_t length, number;
} NAMES[UNKNOWN] = {ELEMENTS(NAME) ALIASES(ALIAS)};

/* What follows a start tag: markup as before, or text up to the tag's own end. */
enum { PLAIN, SCRIPT, DROPPED, KEPT, WITH_REFERENCES, PLAINTEXT, FOREIGN };
static const uint8_t KINDS[256] = {
    [E_script] = SCRIPT,  [E_style] = DROPPED, [E_xmp] = KEPT,
    [E_iframe] = KEPT,    [E_noembed] = KEPT,  [E_noframes] = KEPT,
    [E_title] = WITH_REFERENCES, [E_textarea] = WITH_REFERENCES, [E_plaintext] = PLAINTEXT,
    [E_svg] = FOREIGN,    [E_math] = FOREIGN,
};
static int kind_of(int number) { return KINDS[number & 255]; }

/* With these factors each of the names has a slot of its own; found by trying. */
#define HASH(first, second, last, length) ((first) * 351 + (second) * 71 + (last) * 392 + (int)(length) * 474)
#define SLOT(name, first, second, last, rules) [HASH(first, second, last, sizeof #name - 1) & 511] = E_##name,
static const uint8_t SLOTS[512] = {ELEMENTS(SLOT) ALIASES(SLOT)};
#undef RULE
#undef NAME
#undef ALIAS
#undef SLOT

static int hash_of(const uint8_t *start, const uint8_t *end) {
    return HASH(*start | 0x20, start[end - start > 1] | 0x20, end[-1] | 0x20, (end - start) & 0xFFFF);
}

/* The number in SVG and MathML of an element that has this *number* in HTML: no rule is about those; a few names share one. */
static int foreign_number_of(const uint8_t *start, const uint8_t *end, int number) {
    if (number == E_script || number == E_style) return number == E_script ? SILENT_SCRIPT : SILENT_STYLE;
    return UNKNOWN | (hash_of(start, end) & 0xFF7F);
}

/* The number of an element of HTML by its name; *all_end* is where the page ends. */
static int number_of(const uint8_t *start, const uint8_t *end, const uint8_t *all_end) {
    int hash = hash_of(start, end), row = SLOTS[hash & 511];
    ptrdiff_t length = end - start;
    if (NAMES[row].length != length) return UNKNOWN | (hash & 0xFF7F);
#ifdef __SSE2__
    if (length > 0 && length <= 8 && all_end - start >= 8) { /* all letters at once, without a loop whose end is hard to guess */
        uint64_t page, name, lower;
        memcpy(&page, start, 8);
        memcpy(&name, NAMES[row].name, 8);
        lower = name >> 1 & 0x2020202020202020u; /* not of digits */
        return ((page | lower) ^ name) << (64 - 8 * length) ? UNKNOWN | (hash & 0xFF7F) : NAMES[row].number;
    }
#endif
    (void)all_end;
    return is_word(start, end, NAMES[row].name, length) ? NAMES[row].number : UNKNOWN | (hash & 0xFF7F);
}

/* 256: the most that kernel/elements.py keeps. */
enum { MOST = 256 };
typedef struct {
    uint16_t count[256];  /* how many are open, by the low byte of their number */
    uint16_t stack[MOST]; /* their numbers, innermost last */
    int size, in_form, has_doctype;
} elements;

static int is_foreign(const elements *e) { return e->count[E_svg] | e->count[E_math]; }

/* Whether text here is that of a script or a style of SVG or MathML. */
static int is_silent(const elements *e) {
    int top = e->size ? e->stack[e->size - 1] : 0;
    return top == SILENT_SCRIPT || top == SILENT_STYLE;
}

static int is_between_cells(const elements *e) {
    int top = e->size ? e->stack[e->size - 1] : 0;
    return top == E_table || top == E_colgroup || top == E_tbody || top == E_tr;
}

static void push(elements *e, int number) {
    if (e->size == MOST) {
        for (int i = 0; i < MOST / 2; i++) e->count[e->stack[i] & 255]--;
        memmove(e->stack, e->stack + MOST / 2, MOST / 2 * sizeof *e->stack);
        e->size = MOST / 2;
    }
    e->stack[e->size++] = (uint16_t)number;
    e->count[number & 255]++;
}

/* Where the innermost element of this number is, unless one of the *walls* is before it, or -1. */
static int find_open(const elements *e, int number, int walls) {
    for (int i = e->size - 1; i >= 0; i--) {
        if (e->stack[i] == number) return i;
        if (rules_of(e->stack[i]) & walls) break;
    }
    return -1;
}

/* Close all from *from* on, except what is *kept* from *behind* on: nothing from the first marker on. */
static void clear(elements *e, int from, int behind, int kept) {
    int size = from;
    for (int i = behind; i < e->size; i++) {
        int number = e->stack[i];
        if (rules_of(number) & MARKER) kept = 0;
        if (rules_of(number) & kept)
            e->stack[size++] = (uint16_t)number;
        else
            e->count[number & 255]--;
    }
    e->size = size;
}

/* Close the element at *index*, with what is in it except what is *kept*. */
static void close_at(elements *e, int index, int kept) {
    int number = e->stack[index];
    e->count[number & 255]--;
    clear(e, index, index + 1, rules_of(number) & MARKER ? 0 : kept);
}

static void leave_foreign(elements *e) {
    while (e->count[E_svg]) close_at(e, find_open(e, E_svg, 0), FORMATTING);
    while (e->count[E_math]) close_at(e, find_open(e, E_math, 0), FORMATTING);
}

/* What the end tag of an element does not reach through. */
static int reach_of(int number) {
    int rules = rules_of(number);
    if (rules & (PART | TABLE_SCOPE)) return number == E_template ? 0 : TABLE_SCOPE;
    if (number == E_p) return SCOPE | BUTTON_SCOPE;
    if (number == E_li) return SCOPE | LIST;
    return rules & (REACHES | FORMATTING) ? SCOPE : SPECIAL;
}

/* Close a form; what is in it stays open, so that a word only ends where nothing is. */
static int end_form(elements *e) {
    int found = e->in_form ? find_open(e, E_form, SCOPE) : -1, size = e->size;
    e->in_form = 0;
    if (found < 0) return 0;
    while (rules_of(e->stack[e->size - 1]) & IMPLIED) close_at(e, e->size - 1, FORMATTING);
    int ends = e->size < size || found == size - 1;
    memmove(e->stack + found, e->stack + found + 1, (size_t)(e->size - found - 1) * sizeof *e->stack);
    e->size--;
    e->count[E_form]--;
    return ends;
}

/* Close an element of HTML where one is open; return whether a word ends here. */
static int end_element(elements *e, int number) {
    if (e->size && e->stack[e->size - 1] == number && (rules_of(number) & (MARKER | PART)) != PART &&
        number != E_form) { /* most are the innermost */
        e->size--;
        e->count[number & 255]--;
        return 1;
    }
    if (number == E_form) return end_form(e);
    int found = e->count[number & 255] ? find_open(e, number, reach_of(number)) : -1;
    if (found < 0) return number == E_p || number == E_br; /* these two make an element */
    int ends = number == E_table || found < e->size - 1 || !is_between_cells(e);
    close_at(e, found, rules_of(number) & FORMATTING ? FORMATTING | SPECIAL : FORMATTING);
    return ends;
}

/* Close the item before this one, unless it is that of a list around. */
static void end_item(elements *e, int number) {
    for (int i = e->size - 1; i >= 0; i--) {
        int open = e->stack[i];
        if (open == number || (number != E_li && (open == E_dd || open == E_dt))) {
            close_at(e, i, FORMATTING);
            return;
        }
        if ((rules_of(open) & (SPECIAL | THROUGH)) == SPECIAL) return;
    }
}

/* Where the innermost table or part of one is, or -1. */
static int context_of(const elements *e) {
    if (!e->count[E_table] && !e->count[E_template]) return -1;
    int i = e->size - 1;
    while (i >= 0 && !(rules_of(e->stack[i]) & (PART | TABLE_SCOPE))) i--;
    return i;
}

/* Open a part of a table, with those that it must be in; outside a table it is passed over. */
static int start_part(elements *e, int number) {
    int wanted = number == E_tr ? 2 : number == E_td || number == E_th ? 3 : 1;
    int between = is_between_cells(e), context, depth = wanted;
    while ((context = context_of(e)) >= 0) {
        int open = e->stack[context];
        depth = open == E_table ? 1 : open == E_tbody ? 2 : open == E_tr ? 3 : open == E_template ? wanted : 4;
        if (depth <= wanted) break;
        if (number == E_col && open == E_colgroup) return !between;
        close_at(e, context, FORMATTING);
    }
    if (context < 0) return 0;
    clear(e, context + 1, context + 1, FORMATTING);
    if (depth < 2 && wanted >= 2) push(e, E_tbody);
    if (depth < 3 && wanted >= 3) push(e, E_tr);
    push(e, number == E_col ? E_colgroup : number);
    return !between || rules_of(number) & MARKER;
}

/* Close what cannot be open where this element starts; return whether it is open from here on. */
static int make_way(elements *e, int number, int rules) {
    if (number == E_table) {
        int context = context_of(e);
        if (context >= 0 && !(rules_of(e->stack[context]) & MARKER)) end_element(e, E_table);
        if (!e->has_doctype) rules = 0;
    } else if (number == E_li || number == E_dd || number == E_dt) {
        end_item(e, number);
    } else if (number == E_a) {
        int found = e->count[E_a] ? find_open(e, E_a, MARKER) : -1;
        if (found >= 0) close_at(e, found, FORMATTING | SPECIAL);
    } else if ((number == E_nobr || number == E_button || number == E_select) && e->count[number]) {
        return !end_element(e, number) || number != E_select;
    }
    if (rules & CLOSES_P && e->count[E_p]) end_element(e, E_p);
    if ((number == E_h1 || number == E_option) && e->size && e->stack[e->size - 1] == number)
        close_at(e, e->size - 1, FORMATTING);
    return 1;
}

/* Open an element of HTML, and close what it closes; return whether a word ends here. */
static int start_element(elements *e, int number) {
    int rules = rules_of(number), size = e->size, stays = !(rules & VOID);
    if (rules & NOWHERE || (number == E_form && e->in_form)) return 0;
    if (rules & PART) return start_part(e, number);
    if (number == E_form) {
        e->in_form = 1;
        if (is_between_cells(e)) return 0;
    }
    if (rules) stays &= make_way(e, number, rules);
    int ends = number != E_table || e->size != size;
    if (stays) push(e, number);
    return ends;
}

#endif
