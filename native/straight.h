/* What can be told of an input before a model is asked, where nothing about it is out of the ordinary.
 *
 * These are the quick halves of the stages: each says "no" only where the stage would say so, and "maybe" where the
 * stage has to look closer.  Nothing here knows of Python.
 */
#ifndef CHARLENS_STRAIGHT_H
#define CHARLENS_STRAIGHT_H

#include "kernel.h"

/* Where the stages draw their lines; the numbers come from them, by these names (see charlens.lane). */
#define CHARLENS_LIMITS(X)                                                                                         \
    X(glance) X(probe) X(longest) X(few_sequences) X(first_lines) X(prescan) X(language_head) X(whole)                 \
    X(tongue_windows) X(tongue_window) X(ahead) X(back) X(few_letters) X(second_windows) X(second_window)              \
    X(most_tongues) X(most_beside) X(whole_beside) X(window_beside) X(most_letters) X(least_letters)
#define CHARLENS_RATES(X) X(most_others) X(plain) X(clear) X(statistics) X(floor) X(unseen)
/* These only where legacy text comes. */
#define CHARLENS_LEGACY_LIMITS(X)                                                                                  \
    X(good_per_bad) X(patience) X(wide_from) X(wide_to) X(ebcdic_shortest) X(ebcdic_sample) X(markup_head)             \
    X(markup_first) X(markup_plenty) X(markup_most) X(markup_enough) X(strays_least) X(strays_first) X(strays_far)     \
    X(enough) X(windows) X(least_window) X(most_window) X(all_of) X(most_classes) X(around_few) X(around_whole)        \
    X(around_windows) X(around_window) X(around_ahead) X(around_back) X(around_letters) X(around_most) \
    X(strays_good) X(most_spans)
#define CHARLENS_LEGACY_RATES(X)                                                                                   \
    X(least_wide) X(ebcdic_spaces) X(around_weight) X(around_left) X(around_others) X(english_left) X(english_others) X(most_sure) X(least_likely)       \
    X(reach) X(doubt)

typedef struct {
#define X(name) ptrdiff_t name;
    CHARLENS_LIMITS(X) CHARLENS_LEGACY_LIMITS(X)
#undef X
#define X(name) double name;
    CHARLENS_RATES(X) CHARLENS_LEGACY_RATES(X)
#undef X
} charlens_limits;

enum { CHARLENS_MOST_HEAD = 4096 };

typedef enum { CHARLENS_NO_MARKUP, CHARLENS_HTML, CHARLENS_XML, CHARLENS_UNSURE } charlens_flavour;

static inline int charlens_has(const charlens_scan *scan, uint8_t value) {
    return (int)(scan->seen[value >> 6] >> (value & 63) & 1);
}

/* Whether the input opens with the first byte of a byte order mark. */
int charlens_may_have_mark(const uint8_t *data, ptrdiff_t length);
/* Whether text without a blocked byte, and not UTF-8, may be UTF-16. */
int charlens_may_be_wide(const uint8_t *data, ptrdiff_t length, const int8_t *weights, const charlens_limits *limits);
int charlens_may_be_damaged_utf8(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                                 const charlens_limits *limits);
int charlens_may_be_ebcdic(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                           const charlens_limits *limits);
/* Whether ASCII may be ISO-2022, HZ or UTF-7. */
int charlens_may_be_escaped(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan);
/* Whether there may be a declaration of a charset or a language; *tags*: there is a '<'. */
int charlens_may_declare(const uint8_t *data, ptrdiff_t length, int tags, const charlens_limits *limits);
charlens_flavour charlens_find_flavour(const uint8_t *data, ptrdiff_t length, const charlens_scan *scan,
                                       const charlens_limits *limits);
/* How many bytes are 0x80 or more. */
ptrdiff_t charlens_count_beyond_ascii(const uint8_t *data, ptrdiff_t length);

#endif
