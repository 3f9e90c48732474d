/* What a page declares, where that is plain: the first charset of the standard's prescan or of the XML declaration, and the
 * languages of its tags.  Like the other quick halves of stages it gives up where the stage has to look closer. */
#ifndef CHARLENS_DECLARE_H
#define CHARLENS_DECLARE_H

#include "straight.h"

enum { CHARLENS_MOST_LABEL = 40, CHARLENS_MOST_LANGUAGES = 3 };

typedef enum { CHARLENS_NO_CHARSET, CHARLENS_IN_META, CHARLENS_IN_XML, CHARLENS_CHARSET_UNSURE } charlens_source;

typedef struct {
    charlens_source source;
    ptrdiff_t offset, length;
    char label[CHARLENS_MOST_LABEL];
    int language_count;
    int language_lengths[CHARLENS_MOST_LANGUAGES];
    char languages[CHARLENS_MOST_LANGUAGES][CHARLENS_MOST_LABEL];
} charlens_declared;

/* For input with a '<' in it that `charlens_may_declare`.  0: a stage has to look. */
int charlens_read_declared(const uint8_t *data, ptrdiff_t length, const charlens_limits *limits, charlens_declared *out);

#endif
