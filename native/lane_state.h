/* What the parts of the lane share: its state, and what each part does for the others.  See lane.c. */
#ifndef CHARLENS_LANE_STATE_H
#define CHARLENS_LANE_STATE_H

#include "shared.h" /* Python's header comes before all others */

#include <string.h>

#include "judge.h"

enum { LANE_MOST_BUFFERS = 24 };

/* Objects that are there from the beginning, and those that the first legacy input brings. */
#define OBJECTS(X)                                                                                                 \
    X(verdict) X(unicode_form) X(tongue) X(text) X(content) X(ascii_form) X(ascii) X(utf8) X(web_ascii) X(web_utf8)    \
    X(sequences) X(language_model) X(tags) X(same_as_ascii) X(declared) X(contradicts) X(load_legacy)
#define LEGACY_OBJECTS(X)                                                                                          \
    X(candidates) X(scores) X(surroundings) X(alternative) X(markup) X(rules) X(model) X(flavours) X(names) X(webs)    \
    X(languages) X(evidence) X(differences) X(others) X(strangers) X(around_odds) X(english_odds) X(most_sure)

typedef struct {
#define X(name) PyObject *name;
    OBJECTS(X) LEGACY_OBJECTS(X)
#undef X
    PyObject *same_sets, *begins, *ascii_sets; /* answers that were worked out once */
    Py_buffer buffers[LANE_MOST_BUFFERS];
    int buffer_count, portable, ignores, has_legacy;
    uint64_t odd_somewhere[2], odd_in_ebcdic[2];
    charlens_judge judge;
} lane_state;

/* An input, and what the HTTP header says of it, or None. */
typedef struct {
    PyObject *data, *header;
} asked_of;

static inline PyObject *with_ref(PyObject *object) {
    Py_XINCREF(object);
    return object;
}

/* ---- lane_settings.c */

/* Take what the lane needs from the beginning, or for legacy text, out of a dict; 0 for an error. */
int lane_take_settings(lane_state *lane, PyObject *settings);
int lane_take_legacy(lane_state *lane, PyObject *settings);
void lane_release(lane_state *lane);

/* ---- lane_findings.c: each gives a new reference, or NULL for an error */

/* An instance of a named tuple; the items are taken over, also where this fails. */
PyObject *lane_build(PyObject *type, PyObject **items, Py_ssize_t count);
/* A set of *size* bytes as an int; the sets are in the order of this machine. */
PyObject *lane_set_as_number(const uint64_t *set, int words);
PyObject *lane_set_as_bytes(const uint64_t *set, int words);
/* The findings that are there, in their order; they are taken over. */
PyObject *lane_list_findings(PyObject **found, Py_ssize_t count);
/* The finding of the language stage, and the language itself as a new reference. */
PyObject *lane_tongue_finding(lane_state *lane, const charlens_case *it, PyObject *language, int both);
PyObject *lane_markup_finding(lane_state *lane, const charlens_case *it);
PyObject *lane_candidates_finding(lane_state *lane, const charlens_case *it);
PyObject *lane_surroundings_finding(lane_state *lane, const charlens_case *it);
PyObject *lane_scores_finding(lane_state *lane, const charlens_case *it, PyObject *bias);
/* The readings but for the first, at most seven. */
PyObject *lane_list_alternatives(lane_state *lane, const charlens_case *it);

#define BUILD(type, ...)                                                                                           \
    lane_build(type, (PyObject *[]){__VA_ARGS__}, (Py_ssize_t)(sizeof((PyObject *[]){__VA_ARGS__}) / sizeof(PyObject *)))

/* ---- lane_questions.c */

/* The encodings that read ASCII alike; None where a stage has to look. */
PyObject *lane_same_as_ascii(lane_state *lane, const charlens_case *it);
/* What *function* says of the declarations and *more*: asked once where they are plain, and again with the input itself
 * where that is not enough for it, or they are not. */
PyObject *lane_ask_declared(lane_state *lane, const charlens_case *it, PyObject *function, asked_of asked,
                            const int more[3]);
/* Whether what is declared is not what was found; -1 for an error. */
int lane_contradicts(lane_state *lane, PyObject *declarations, PyObject *encoding, PyObject *same);
/* Whether the first declaration covers none of the encodings that read the answer. */
int lane_is_contradicted(PyObject *covered, const uint64_t same[2]);
/* The encodings that read the bytes like *number* does: a set, or a set of byte values for each encoding. */
int lane_find_same(void *who, const charlens_case *it, int number, uint64_t same[2]);
PyObject *lane_name_others(lane_state *lane, const charlens_reading *reading, int number);

#endif
