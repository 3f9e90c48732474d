/* The straight way: one call that goes through all stages, for inputs without anything out of the ordinary.
 *
 * It gives the verdict that the stages in Python give, field by field (tests/test_lane.py), or None where one of them
 * has to look closer.  Tables, limits, types and functions come from charlens.lane, by name; what is worked out from
 * them is in judge.c.
 */
#define PY_SSIZE_T_CLEAN
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#include "judge.h"

enum { WORTH_UNLOCKING = 4096, MOST_BUFFERS = 24, MOST_KEPT = 4096 };

#define UNLOCKED(length, statement)                                                                                \
    do {                                                                                                           \
        if ((length) >= WORTH_UNLOCKING) {                                                                         \
            Py_BEGIN_ALLOW_THREADS statement;                                                                      \
            Py_END_ALLOW_THREADS                                                                                   \
        } else {                                                                                                   \
            statement;                                                                                             \
        }                                                                                                          \
    } while (0)

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
    Py_buffer buffers[MOST_BUFFERS];
    int buffer_count, portable, ignores, has_legacy;
    uint64_t odd_somewhere[2], odd_in_ebcdic[2];
    charlens_judge judge;
} lane_state;

static const char *CAPSULE = "charlens.lane";

static void free_lane(PyObject *capsule) {
    lane_state *lane = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!lane) return;
#define X(name) Py_XDECREF(lane->name);
    OBJECTS(X) LEGACY_OBJECTS(X)
#undef X
    Py_XDECREF(lane->same_sets);
    Py_XDECREF(lane->begins);
    Py_XDECREF(lane->ascii_sets);
    for (int i = 0; i < lane->buffer_count; i++) PyBuffer_Release(&lane->buffers[i]);
    PyMem_Free(lane);
}

/* ---- settings */

static PyObject *setting(PyObject *settings, const char *name) {
    PyObject *value = PyDict_GetItemString(settings, name);
    if (!value && !PyErr_Occurred()) PyErr_Format(PyExc_KeyError, "the lane needs %s", name);
    return value;
}

static int take_object(PyObject *settings, const char *name, PyObject **slot) {
    PyObject *value = setting(settings, name);
    if (!value) return 0;
    Py_INCREF(value);
    Py_XSETREF(*slot, value);
    return 1;
}

/* A buffer of *size* bytes, or of any size where that is -1; it stays with the lane. */
static const void *take_buffer(lane_state *lane, PyObject *settings, const char *name, Py_ssize_t size, Py_ssize_t *got) {
    PyObject *value = setting(settings, name);
    Py_buffer *buffer = &lane->buffers[lane->buffer_count];
    if (value && lane->buffer_count >= MOST_BUFFERS) PyErr_SetString(PyExc_ValueError, "the lane was given too many buffers");
    if (PyErr_Occurred() || PyObject_GetBuffer(value, buffer, PyBUF_SIMPLE) < 0) return NULL;
    lane->buffer_count++;
    if (got) *got = buffer->len;
    if (size >= 0 && buffer->len != size) {
        PyErr_Format(PyExc_ValueError, "the lane's %s has %zd bytes, not %zd", name, buffer->len, size);
        return NULL;
    }
    return buffer->buf;
}

static int take_count(PyObject *settings, const char *name, ptrdiff_t *out) {
    PyObject *value = setting(settings, name);
    *out = value ? PyNumber_AsSsize_t(value, PyExc_OverflowError) : -1;
    if (*out < 0 && !PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "the lane's %s is below 0", name);
    return *out >= 0;
}

static int take_number(PyObject *settings, const char *name, double *out) {
    PyObject *value = setting(settings, name);
    *out = value ? PyFloat_AsDouble(value) : -1.0;
    return !PyErr_Occurred();
}

static int no_room(void) {
    PyErr_SetString(PyExc_ValueError, "the lane has no room for such limits");
    return 0;
}

static int take_limits(charlens_limits *limits, PyObject *settings) {
#define X(name)                                                                                                    \
    if (!take_count(settings, #name, &limits->name)) return 0;
    CHARLENS_LIMITS(X)
#undef X
#define X(name)                                                                                                    \
    if (!take_number(settings, #name, &limits->name)) return 0;
    CHARLENS_RATES(X)
#undef X
    const ptrdiff_t most = CHARLENS_MOST_PIECE;
    const int fits = limits->tongue_windows * (limits->tongue_window + 1) <= most &&
                     limits->second_windows * (limits->second_window + 1) <= most &&
                     limits->tongue_windows * (limits->window_beside + 1) <= most / 4 && limits->whole_beside <= most / 4 &&
                     limits->most_tongues <= CHARLENS_MOST_ASKED && limits->most_beside <= CHARLENS_MOST_ASKED &&
                     limits->tongue_windows && limits->second_windows && limits->prescan <= CHARLENS_MOST_HEAD;
    return fits ? 1 : no_room();
}

static int take_legacy_limits(charlens_limits *limits, PyObject *settings) {
#define X(name)                                                                                                    \
    if (!take_count(settings, #name, &limits->name)) return 0;
    CHARLENS_LEGACY_LIMITS(X)
#undef X
#define X(name)                                                                                                    \
    if (!take_number(settings, #name, &limits->name)) return 0;
    CHARLENS_LEGACY_RATES(X)
#undef X
    const ptrdiff_t most = CHARLENS_MOST_PIECE;
    const int fits = limits->around_whole <= most && limits->around_windows * (limits->around_window + 1) <= most &&
                     limits->around_most <= CHARLENS_MOST_ASKED && limits->most_classes <= CHARLENS_MOST_LIKELY &&
                     limits->around_windows && limits->windows && limits->strays_good && limits->markup_head <= CHARLENS_MOST_HEAD;
    return fits ? 1 : no_room();
}

static int take_tongue(lane_state *lane, PyObject *settings) {
    charlens_judge *judge = &lane->judge;
    Py_ssize_t size = 0, classes;
    const void *tables = take_buffer(lane, settings, "tongue_tables", -1, &size);
    if (!tables) return 0;
    if (!charlens_tongue_fits(tables, size, &judge->tongue)) {
        PyErr_SetString(PyExc_ValueError, "the parts of the language model do not fit one another");
        return 0;
    }
    judge->priors = take_buffer(lane, settings, "tongue_priors", -1, &size);
    classes = size / 8;
    const Py_ssize_t scripts = judge->tongue.script_count;
    if (!judge->priors || !(judge->tongue_tags = take_buffer(lane, settings, "tongue_tags", 2 * classes, NULL)) ||
        !(judge->sharpness = take_buffer(lane, settings, "tongue_sharpness", 8 * scripts, NULL)) ||
        !(judge->least = take_buffer(lane, settings, "tongue_least", 8 * scripts, NULL)))
        return 0;
    Py_ssize_t all = 0;
    for (Py_ssize_t i = 0; i < scripts; i++) {
        all += judge->tongue.scripts[i].classes;
        if ((Py_ssize_t)(judge->tongue.scripts[i].first + judge->tongue.scripts[i].classes) > classes) all = PY_SSIZE_T_MAX / 2;
    }
    if (all > CHARLENS_MOST_TOTALS || PyTuple_Size(lane->tags) != classes) {
        PyErr_SetString(PyExc_ValueError, "the language model has more classes than the lane has room for");
        return 0;
    }
    return 1;
}

static int take_set(PyObject *settings, const char *name, uint64_t set[2]) {
    PyObject *value = setting(settings, name);
    if (!value || !PyBytes_Check(value) || PyBytes_GET_SIZE(value) != 16) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "the lane's %s is no set of 16 bytes", name);
        return 0;
    }
    memcpy(set, PyBytes_AS_STRING(value), 16);
    return 1;
}

/* The tables of the multi-byte encodings, one behind the other; *sizes* has the width and the length of each. */
static int take_walks(lane_state *lane, PyObject *settings) {
    charlens_judge *judge = &lane->judge;
    Py_ssize_t all = 0, size = 0, at = 0;
    const uint8_t *tables = take_buffer(lane, settings, "walk_tables", -1, &all);
    const int64_t *sizes = tables ? take_buffer(lane, settings, "walk_sizes", -1, &size) : NULL;
    if (!sizes || !(judge->masks = take_buffer(lane, settings, "walk_masks", 4 * (256 + 65536), NULL))) return 0;
    judge->table_count = (int)(size / 16);
    if (judge->table_count > CHARLENS_MOST_TABLES ||
        !(judge->walked = take_buffer(lane, settings, "walked", judge->table_count, NULL)))
        return 0;
    for (int t = 0; t < judge->table_count; t++) {
        const int64_t width = sizes[2 * t], length = sizes[2 * t + 1];
        int fits = width > 0 && width <= 256 && length >= 256 && at + length <= all && judge->walked[t] < CHARLENS_MOST_ENCODINGS;
        for (int i = 0; fits && i < 256; i++) fits = tables[at + i] < width;
        if (!fits) {
            PyErr_SetString(PyExc_ValueError, "the lane's walk_tables do not fit their sizes");
            return 0;
        }
        judge->tables[t] = (charlens_table){tables + at, width, (length - 256) / width};
        at += length;
    }
    return 1;
}

static int take_model(lane_state *lane, PyObject *settings) {
    charlens_judge *judge = &lane->judge;
    charlens_model *model = &judge->model;
    Py_ssize_t size = 0, classes, weights = 0, levels = 0;
    if (!(judge->class_tags = take_buffer(lane, settings, "class_tags", -1, &size))) return 0;
    classes = size / 2;
    model->classes = classes;
    if (!(model->pairs = take_buffer(lane, settings, "pairs", 2 * 65536, NULL)) ||
        !(model->weights = take_buffer(lane, settings, "weights", -1, &weights)) ||
        !(model->levels = take_buffer(lane, settings, "levels", -1, &levels)) ||
        !(judge->members = take_buffer(lane, settings, "members", 16 * classes, NULL)) ||
        !(judge->families = take_buffer(lane, settings, "families", -1, &size)) ||
        !(judge->strangers = take_buffer(lane, settings, "strange", classes, NULL)))
        return 0;
    judge->family = classes ? size / classes : 0;
    model->level_count = levels;
    model->features = classes ? weights / classes : 0;
    if (!(judge->factors = take_buffer(lane, settings, "factors", -1, &size)) ||
        !(judge->amounts = take_buffer(lane, settings, "amounts", size, NULL)))
        return 0;
    judge->amount_count = size / 8;
    if (classes <= 0 || weights % classes || model->features >= 0xFFFF || levels <= 0 || levels >= 256 ||
        judge->amount_count <= 0 || judge->amount_count > 64 || PyTuple_Size(lane->languages) != classes) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the parts of the model do not fit one another");
        return 0;
    }
    return 1;
}

static int take_legacy(lane_state *lane, PyObject *settings) {
    charlens_judge *judge = &lane->judge;
    double tolerant;
#define X(name)                                                                                                    \
    if (!take_object(settings, #name, &lane->name)) return 0;
    LEGACY_OBJECTS(X)
#undef X
    if (!take_legacy_limits(&judge->limits, settings) || !take_model(lane, settings) || !take_walks(lane, settings) || !take_number(settings, "tolerant", &tolerant) ||
        !take_set(settings, "strict", judge->strict) || !take_set(settings, "lax", judge->lax) ||
        !(judge->undefined = take_buffer(lane, settings, "undefined", 32 * 256, NULL)) ||
        !(judge->maps = take_buffer(lane, settings, "maps", 512 * CHARLENS_MOST_ENCODINGS, NULL)) ||
        !(judge->single = take_buffer(lane, settings, "single", CHARLENS_MOST_ENCODINGS, NULL)) ||
        !(judge->weights = take_buffer(lane, settings, "character_weights", 65536, NULL)))
        return 0;
    judge->tolerant = (uint32_t)tolerant;
    return 1;
}

/* ---- building */

/* An instance of a named tuple; the items are taken over, also where this fails. */
static PyObject *build(PyObject *type, PyObject **items, Py_ssize_t count) {
    PyTypeObject *kind = (PyTypeObject *)type;
    int whole = 1;
    for (Py_ssize_t i = 0; i < count; i++) whole = whole && items[i];
    PyObject *made = whole ? kind->tp_alloc(kind, count) : NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (made) PyTuple_SET_ITEM(made, i, items[i]);
        else Py_XDECREF(items[i]);
    }
    return made;
}

#define BUILD(type, ...)                                                                                           \
    build(type, (PyObject *[]){__VA_ARGS__}, (Py_ssize_t)(sizeof((PyObject *[]){__VA_ARGS__}) / sizeof(PyObject *)))

static PyObject *with_ref(PyObject *object) {
    Py_XINCREF(object);
    return object;
}

static PyObject *numbers_as_tuple(const ptrdiff_t *numbers, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *item = PyLong_FromSsize_t(numbers[i]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

/* A set of *size* bytes as an int; the sets are in the order of this machine. */
static PyObject *set_as_number(const uint64_t *set, int words) {
    uint8_t bytes[32];
    for (int i = 0; i < 8 * words; i++) bytes[i] = (uint8_t)(set[i >> 3] >> (8 * (i & 7)));
#if PY_VERSION_HEX >= 0x030D0000
    return PyLong_FromUnsignedNativeBytes(bytes, 8 * (size_t)words, Py_ASNATIVEBYTES_LITTLE_ENDIAN);
#else
    return _PyLong_FromByteArray(bytes, 8 * (size_t)words, 1, 0);
#endif
}

static PyObject *set_as_bytes(const uint64_t *set, int words) {
    uint8_t bytes[32];
    for (int i = 0; i < 8 * words; i++) bytes[i] = (uint8_t)(set[i >> 3] >> (8 * (i & 7)));
    return PyBytes_FromStringAndSize((const char *)bytes, 8 * words);
}

/* What *function* gives for *key*, asked once. */
static PyObject *ask_once(PyObject *known, PyObject *function, PyObject *key, PyObject *argument) {
    PyObject *answer;
#if PY_VERSION_HEX >= 0x030D0000
    if (PyDict_GetItemRef(known, key, &answer)) return answer;
#else
    answer = PyDict_GetItemWithError(known, key);
    if (answer || PyErr_Occurred()) return with_ref(answer);
#endif
    answer = PyObject_CallOneArg(function, argument);
    if (answer && PyDict_SetItem(known, key, answer) < 0) Py_CLEAR(answer);
    return answer;
}

/* The findings that are there, in their order; they are taken over. */
static PyObject *list_findings(PyObject **found, Py_ssize_t count) {
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!found[i] || found[i] == Py_None) Py_XDECREF(found[i]);
        else found[kept++] = found[i];
    }
    PyObject *tuple = PyTuple_New(kept);
    for (Py_ssize_t i = 0; i < kept; i++) {
        if (tuple) PyTuple_SET_ITEM(tuple, i, found[i]);
        else Py_DECREF(found[i]);
    }
    return tuple;
}

/* ---- ASCII and UTF-8 */

/* The encodings that read ASCII alike; None where a stage has to look. */
static PyObject *same_as_ascii(lane_state *lane, const charlens_case *it) {
    const uint64_t *seen = it->scan.seen;
    if (!((seen[0] & lane->odd_in_ebcdic[0]) | (seen[1] & lane->odd_in_ebcdic[1]))) return with_ref(Py_None);
    const uint64_t odd[2] = {seen[0] & lane->odd_somewhere[0], seen[1] & lane->odd_somewhere[1]};
    PyObject *key = set_as_number(odd, 2), *whole = key ? set_as_number(seen, 4) : NULL;
    PyObject *same = whole ? ask_once(lane->ascii_sets, lane->same_as_ascii, key, whole) : NULL;
    Py_XDECREF(key);
    Py_XDECREF(whole);
    return same;
}

/* An input, and what the HTTP header says of it, or None. */
typedef struct {
    PyObject *data, *header;
} asked_of;

/* See whether anything is declared, and read it where that is plain. */
static void read_declared(const lane_state *lane, charlens_case *it, PyObject *header) {
    const charlens_limits *limits = &lane->judge.limits;
    it->declares = !lane->ignores && charlens_has(&it->scan, '<') && charlens_may_declare(it->data, it->length, 1, limits);
    if (header != Py_None) it->declares = -1; /* what a header says is for the stage */
    else if (it->declares && !charlens_read_declared(it->data, it->length, limits, &it->declared)) it->declares = -1;
}

/* What is declared and plain, for Python: source, label, offset, languages. */
static PyObject *declared_as_tuple(const charlens_declared *declared) {
    PyObject *languages = PyTuple_New(declared->language_count);
    for (int i = 0; languages && i < declared->language_count; i++) {
        PyObject *one = PyUnicode_DecodeLatin1(declared->languages[i], declared->language_lengths[i], NULL);
        if (!one) Py_CLEAR(languages);
        else PyTuple_SET_ITEM(languages, i, one);
    }
    PyObject *label = languages ? PyUnicode_DecodeLatin1(declared->label, declared->length, NULL) : NULL;
    if (!label) {
        Py_XDECREF(languages);
        return NULL;
    }
    return Py_BuildValue("(iNnN)", (int)declared->source, label, (Py_ssize_t)declared->offset, languages);
}

/* What *function* says of the declarations and *more*: asked once where they are plain, and again with the input itself
 * where that is not enough for it, or they are not. */
static PyObject *ask_declared(lane_state *lane, const charlens_case *it, PyObject *function, asked_of asked_of, const int more[4]) {
    char key[32 + (CHARLENS_MOST_LANGUAGES + 1) * (CHARLENS_MOST_LABEL + 1)];
    const charlens_declared *declared = &it->declared;
    Py_ssize_t used = 4 * (Py_ssize_t)sizeof(int);
    PyObject *asked = NULL, *answer = NULL;
    memcpy(key, more, (size_t)used);
    if (it->declares >= 0) {
        key[used++] = (char)(it->declares ? declared->source : CHARLENS_CHARSET_UNSURE);
        if (it->declares) {
            const int16_t offset = (int16_t)declared->offset; /* within the head */
            memcpy(key + used, &offset, 2);
            key[used + 2] = (char)declared->length;
            memcpy(key + used + 3, declared->label, (size_t)declared->length);
            used += 3 + declared->length;
            for (int i = 0; i < declared->language_count; i++) {
                key[used++] = (char)declared->language_lengths[i];
                memcpy(key + used, declared->languages[i], (size_t)declared->language_lengths[i]);
                used += declared->language_lengths[i];
            }
        }
        PyObject *name = PyBytes_FromStringAndSize(key, used);
        if (!name) return NULL;
        answer = PyDict_GetItemWithError(lane->begins, name);
        Py_XINCREF(answer);
        if (!answer && !PyErr_Occurred()) {
            asked = it->declares ? declared_as_tuple(declared) : with_ref(Py_None);
            answer = asked ? PyObject_CallFunction(function, "Oiiii", asked, more[0], more[1], more[2], more[3]) : NULL;
            if (PyDict_GET_SIZE(lane->begins) >= MOST_KEPT) PyDict_Clear(lane->begins);
            if (answer && PyDict_SetItem(lane->begins, name, answer) < 0) Py_CLEAR(answer);
            Py_XDECREF(asked);
        }
        Py_DECREF(name);
        if (answer != Py_NotImplemented) return answer;
        Py_DECREF(answer);
    }
    return PyObject_CallFunction(function, "OiiiiO", asked_of.data, more[0], more[1], more[2], more[3], asked_of.header);
}

/* Whether what is declared is not what was found; -1 for an error. */
static int contradicts(lane_state *lane, PyObject *declarations, PyObject *encoding, PyObject *same) {
    if (declarations == Py_None) return 0;
    PyObject *answer = PyObject_CallFunctionObjArgs(lane->contradicts, declarations, encoding, same, NULL);
    const int is_true = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return is_true;
}

/* The finding of the language stage, and the language itself as a new reference. */
static PyObject *tongue_finding(lane_state *lane, const charlens_case *it, PyObject *language, int both) {
    return BUILD(lane->tongue, with_ref(language), numbers_as_tuple(it->tongue, it->tongue_count),
                 with_ref(lane->language_model), with_ref(both ? Py_True : Py_False));
}

static PyObject *unicode_verdict(lane_state *lane, charlens_case *it, asked_of asked) {
    static const int nothing_more[4] = {-1, 0, 0, 0};
    const charlens_scan *scan = &it->scan;
    const int is_ascii = scan->non_ascii == 0;
    const ptrdiff_t whole = scan->leads - (scan->cut ? 1 : 0);
    if (is_ascii) {
        const uint64_t allowed = ~(uint64_t)0xFFFFFFFF | 1 << 9 | 1 << 10 | 1 << 13;
        if (charlens_may_be_escaped(it->data, it->length, scan) || !((scan->seen[0] & allowed) | scan->seen[1])) Py_RETURN_NONE;
    } else if (whole == 0 || (whole <= lane->judge.limits.few_sequences && scan->seen[3] >> 28 & 0xF)) {
        Py_RETURN_NONE; /* a cut and nothing else, or the rarest of leads, 0xDC to 0xDF */
    }
    PyObject *encoding = is_ascii ? lane->ascii : lane->utf8, *web = is_ascii ? lane->web_ascii : lane->web_utf8;
    read_declared(lane, it, asked.header);
    PyObject *declarations = it->declares ? ask_declared(lane, it, lane->declared, asked, nothing_more) : with_ref(Py_None);
    PyObject *same = is_ascii ? same_as_ascii(lane, it) : PyTuple_New(0);
    const int otherwise = declarations && same ? contradicts(lane, declarations, encoding, same) : -1;
    if (otherwise || same == Py_None) {
        Py_XDECREF(declarations);
        Py_XDECREF(same);
        if (otherwise < 0) return NULL;
        Py_RETURN_NONE;
    }
    const int number = charlens_judge_language(&lane->judge, it);
    PyObject *language = number < 0 ? Py_None : PyTuple_GET_ITEM(lane->tags, number);
    const Py_ssize_t most = PyTuple_GET_SIZE(lane->sequences) - 1;
    PyObject *confidence = is_ascii ? PyTuple_GET_ITEM(lane->ascii_form, 1)
                                    : PyTuple_GET_ITEM(lane->sequences, whole < most ? whole : most);
    PyObject *form = is_ascii ? with_ref(lane->ascii_form)
                              : BUILD(lane->unicode_form, with_ref(encoding), with_ref(confidence), PyUnicode_New(0, 0),
                                      PyLong_FromSsize_t(scan->cut), PyTuple_New(0), PyLong_FromLong(0), PyLong_FromSsize_t(whole));
    PyObject *tongue = tongue_finding(lane, it, language, 0);
    PyObject *found[] = {form, with_ref(lane->content), declarations, tongue};
    const int failed = !form || !tongue;
    PyObject *findings = list_findings(found, 4);
    if (failed) Py_CLEAR(findings);
    return BUILD(lane->verdict, with_ref(lane->text), with_ref(encoding), with_ref(confidence), with_ref(language),
                 PyBytes_FromStringAndSize(NULL, 0), same, PyTuple_New(0), PyTuple_New(0), PyLong_FromSsize_t(scan->cut),
                 findings, with_ref(web));
}

/* ---- legacy encodings */

/* Which line ends there are: 0 for those of Unix or none, 1 for CR, 2 for CR LF. */
static int line_ends(const charlens_scan *scan) {
    if (!charlens_has(scan, 13)) return 0;
    if (!charlens_has(scan, 10)) return 1;
    return scan->first[13] + 1 == scan->first[10] ? 2 : 0;
}

/* What the classes begin with: a tuple of declarations, the encodings that the first of them covers as a set, hints, and
 * a number for each class. */
static PyObject *find_evidence(lane_state *lane, charlens_case *it, asked_of asked) {
    const int more[4] = {(int)it->row, line_ends(&it->scan), it->flavour == CHARLENS_HTML, 0};
    read_declared(lane, it, asked.header);
    PyObject *answer = ask_declared(lane, it, lane->evidence, asked, more);
    if (answer && (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 4 || !PyBytes_Check(PyTuple_GET_ITEM(answer, 3)) ||
                   PyBytes_GET_SIZE(PyTuple_GET_ITEM(answer, 3)) != 4 * lane->judge.model.classes)) {
        PyErr_SetString(PyExc_ValueError, "the lane's evidence is not what it should be");
        Py_CLEAR(answer);
    }
    return answer;
}

/* Whether the first declaration covers none of the encodings that read the answer. */
static int is_contradicted(PyObject *covered, const uint64_t same[2]) {
    uint64_t set[2];
    if (!PyBytes_Check(covered) || PyBytes_GET_SIZE(covered) != 16) return 0;
    memcpy(set, PyBytes_AS_STRING(covered), 16);
    return !((set[0] & same[0]) | (set[1] & same[1]));
}

/* The encodings that read the bytes like *number* does: a set, or a set of byte values for each encoding. */
static int find_same(void *who, const charlens_case *it, int number, uint64_t same[2]) {
    lane_state *lane = who;
    PyObject *key = PyLong_FromLong(number), *answer = NULL;
    if (key) answer = ask_once(lane->same_sets, lane->differences, key, key);
    Py_XDECREF(key);
    if (!answer || !PyBytes_Check(answer) || PyBytes_GET_SIZE(answer) % 16) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the lane's differences are no sets");
        Py_XDECREF(answer);
        return 0;
    }
    const char *rows = PyBytes_AS_STRING(answer);
    const Py_ssize_t count = PyBytes_GET_SIZE(answer) / 32;
    same[0] = same[1] = 0;
    if (PyBytes_GET_SIZE(answer) == 16) memcpy(same, rows, 16);
    for (Py_ssize_t other = 0; other < count && other < CHARLENS_MOST_ENCODINGS; other++) {
        uint64_t row[4], common = 0;
        memcpy(row, rows + 32 * other, 32);
        for (int i = 0; i < 4; i++) common |= row[i] & it->scan.seen[i];
        same[other >> 6] |= (uint64_t)(common == 0) << (other & 63);
    }
    Py_DECREF(answer);
    return 1;
}

static PyObject *markup_finding(lane_state *lane, const charlens_case *it) {
    if (it->flavour == CHARLENS_NO_MARKUP) return with_ref(Py_None);
    return BUILD(lane->markup, with_ref(PyTuple_GetItem(lane->flavours, it->flavour == CHARLENS_XML)),
                 PyBytes_FromStringAndSize(NULL, 0), PyLong_FromSsize_t(it->stripped_length),
                 PyLong_FromSsize_t(it->stripped_beyond), PyLong_FromSsize_t(it->stripped_size),
                 with_ref(it->enough ? Py_True : Py_False));
}

static PyObject *candidates_finding(lane_state *lane, const charlens_case *it) {
    return BUILD(lane->candidates, set_as_number(it->sets, 2), set_as_number(it->sets + 2, 2),
                 numbers_as_tuple(it->walked, 2 * lane->judge.table_count), set_as_bytes(it->scan.seen, 4),
                 PyBytes_FromStringAndSize((const char *)it->scan.first, sizeof it->scan.first), with_ref(lane->rules),
                 PyTuple_New(0));
}

static PyObject *surroundings_finding(lane_state *lane, const charlens_case *it) {
    if (!it->around_count) return with_ref(Py_None);
    PyObject *likely = PyTuple_New(it->likely_count);
    for (int i = 0; likely && i < it->likely_count; i++) {
        PyObject *pair = PyTuple_New(2), *odds = PyFloat_FromDouble(it->likely_odds[i]);
        if (!pair || !odds) {
            Py_XDECREF(pair);
            Py_XDECREF(odds);
            Py_CLEAR(likely);
            break;
        }
        PyTuple_SET_ITEM(pair, 0, with_ref(PyTuple_GET_ITEM(lane->tags, it->likely[i])));
        PyTuple_SET_ITEM(pair, 1, odds);
        PyTuple_SET_ITEM(likely, i, pair);
    }
    return BUILD(lane->surroundings, likely, with_ref(it->is_english ? lane->english_odds : lane->around_odds), with_ref(lane->strangers),
                 numbers_as_tuple(it->around, it->around_count));
}

static PyObject *scores_finding(lane_state *lane, const charlens_case *it, PyObject *bias) {
    PyObject *numbers = PyTuple_New(it->count), *shares = PyTuple_New(it->count);
    for (ptrdiff_t i = 0; numbers && shares && i < it->count; i++) {
        PyObject *number = PyLong_FromLong(it->order[i]), *share = PyFloat_FromDouble(it->shares[i]);
        if (!number || !share) {
            Py_XDECREF(number);
            Py_XDECREF(share);
            Py_CLEAR(numbers);
            break;
        }
        PyTuple_SET_ITEM(numbers, i, number);
        PyTuple_SET_ITEM(shares, i, share);
    }
    return BUILD(lane->scores, numbers, shares, PyLong_FromSsize_t(it->evidence.pairs),
                 PyLong_FromSsize_t(it->evidence.distinct), with_ref(lane->model), with_ref(bias),
                 numbers_as_tuple(it->windows, 2), set_as_bytes(it->sets, 4), PyLong_FromLong(it->penalty));
}

/* The readings but for the first, at most seven. */
static PyObject *list_alternatives(lane_state *lane, const charlens_case *it) {
    const ptrdiff_t count = it->reading_count < 8 ? it->reading_count : 8;
    PyObject *tuple = PyTuple_New(count - 1);
    for (ptrdiff_t i = 1; tuple && i < count; i++) {
        const charlens_reading *reading = &it->readings[i];
        PyObject *one = BUILD(lane->alternative, with_ref(PyTuple_GetItem(lane->names, charlens_lowest(reading->same))),
                              PyFloat_FromDouble(reading->share), with_ref(PyTuple_GET_ITEM(lane->languages, reading->best)));
        if (!one) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i - 1, one);
    }
    return tuple;
}

/* The length of the character cut off at the end, read as encoding *number*. */
static ptrdiff_t cut_off(const charlens_judge *judge, const charlens_case *it, int number) {
    for (int t = 0; t < judge->table_count; t++)
        if (judge->walked[t] == number) return it->walked[2 * t + 1];
    return 0;
}

static PyObject *name_others(lane_state *lane, const charlens_reading *reading, int number) {
    uint64_t others[2] = {reading->same[0], reading->same[1]};
    others[number >> 6] &= ~((uint64_t)1 << (number & 63));
    PyObject *set = set_as_number(others, 2), *names = set ? PyObject_CallOneArg(lane->others, set) : NULL;
    Py_XDECREF(set);
    return names;
}

/* Put together what was found for the likeliest reading. */
static PyObject *legacy_verdict(lane_state *lane, charlens_case *it, PyObject *evidence, PyObject *bias) {
    const charlens_judge *judge = &lane->judge;
    const charlens_reading *reading = &it->readings[0];
    const int number = charlens_lowest(reading->same);
    PyObject *declarations = PyTuple_GET_ITEM(evidence, 0), *hints = PyTuple_GET_ITEM(evidence, 2);
    PyObject *name = PyTuple_GetItem(lane->names, number), *web = PyTuple_GetItem(lane->webs, number);
    if (is_contradicted(PyTuple_GET_ITEM(evidence, 1), reading->same)) Py_RETURN_NONE;
    PyObject *same = name && web ? name_others(lane, reading, number) : NULL;
    if (!same) return NULL;
    PyObject *language = PyTuple_GET_ITEM(lane->languages, reading->best), *tongue = Py_None;
    if (judge->single[number]) {
        const int spoken = charlens_judge_beside(judge, it, number);
        language = spoken < 0 ? Py_None : PyTuple_GET_ITEM(lane->languages, spoken);
        tongue = tongue_finding(lane, it, language, 1);
    } else {
        Py_INCREF(tongue);
    }
    PyObject *found[] = {with_ref(lane->content),
                         with_ref(declarations),
                         markup_finding(lane, it),
                         candidates_finding(lane, it),
                         with_ref(hints),
                         surroundings_finding(lane, it),
                         scores_finding(lane, it, bias),
                         tongue};
    int failed = 0;
    for (int i = 0; i < 8; i++) failed |= !found[i];
    PyObject *findings = list_findings(found, 8);
    if (failed) Py_CLEAR(findings);
    PyObject *sure = reading->share < judge->limits.most_sure ? PyFloat_FromDouble(reading->share) : with_ref(lane->most_sure);
    return BUILD(lane->verdict, with_ref(lane->text), with_ref(name), sure, with_ref(language),
                 PyBytes_FromStringAndSize(NULL, 0), same, list_alternatives(lane, it), PyTuple_New(0),
                 PyLong_FromSsize_t(cut_off(judge, it, number)), findings, with_ref(web));
}

/* Score the words and answer, or None. */
static PyObject *score_and_answer(lane_state *lane, charlens_case *it, PyObject *evidence) {
    const charlens_judge *judge = &lane->judge;
    PyObject *bias = with_ref(PyTuple_GET_ITEM(evidence, 3)), *verdict = NULL;
    int done = 1;
    if (it->beyond_ascii <= judge->limits.around_few) {
        PyObject *mine = PyBytes_FromStringAndSize(PyBytes_AS_STRING(bias), PyBytes_GET_SIZE(bias));
        if (!mine) goto end;
        charlens_read_around(judge, it, (int32_t *)PyBytes_AS_STRING(mine));
        Py_SETREF(bias, mine);
    }
    const int32_t *begin = (const int32_t *)PyBytes_AS_STRING(bias);
    UNLOCKED(it->words_length, done = charlens_score_words(judge, it, begin));
    if (done < 0) PyErr_NoMemory();
    else if (it->count == 0) verdict = with_ref(Py_None);
    else if (!charlens_join_readings(judge, it, find_same, lane)) verdict = NULL;
    else if (it->reading_count == 0 || it->readings[0].share < judge->limits.least_likely) verdict = with_ref(Py_None);
    else verdict = legacy_verdict(lane, it, evidence, bias);
end:
    Py_DECREF(bias);
    return verdict;
}

/* Take what legacy text needs, if it is not there yet.  Another thread may have taken it while Python was asked. */
static int need_legacy(lane_state *lane, PyObject *capsule) {
    PyObject *settings = NULL;
    int there;
#if PY_VERSION_HEX >= 0x030D0000
    Py_BEGIN_CRITICAL_SECTION(capsule);
#endif
    if (!lane->has_legacy && (settings = PyObject_CallNoArgs(lane->load_legacy)) && !lane->has_legacy)
        lane->has_legacy = take_legacy(lane, settings);
    there = lane->has_legacy;
#if PY_VERSION_HEX >= 0x030D0000
    Py_END_CRITICAL_SECTION();
#endif
    (void)capsule;
    Py_XDECREF(settings);
    return there;
}

static PyObject *judge_legacy(lane_state *lane, PyObject *capsule, charlens_case *it, asked_of asked) {
    int settled = 0;
    if (!lane->ignores && asked.header == Py_None && !charlens_has(&it->scan, '<') &&
        charlens_may_declare(it->data, it->length, 0, &lane->judge.limits))
        Py_RETURN_NONE;
    if (!need_legacy(lane, capsule)) return NULL;
    UNLOCKED(it->length, settled = charlens_settle(&lane->judge, it));
    if (settled < 0) return PyErr_NoMemory();
    if (settled == 0) Py_RETURN_NONE;
    PyObject *evidence = find_evidence(lane, it, asked);
    PyObject *verdict = evidence ? score_and_answer(lane, it, evidence) : NULL;
    Py_XDECREF(evidence);
    return verdict;
}

static void scan_with(const lane_state *lane, const uint8_t *data, ptrdiff_t length, charlens_scan *out) {
#ifdef CHARLENS_HAVE_AVX2
    if (!lane->portable) {
        charlens_scan_avx2(data, length, out);
        return;
    }
#endif
    (void)lane;
    charlens_scan_portable(data, length, out);
}

static PyObject *judge_data(PyObject *capsule, PyObject *const *arguments, Py_ssize_t count) {
    lane_state *lane = PyCapsule_GetPointer(capsule, CAPSULE);
    Py_buffer view;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "lane() takes the bytes and a header or None; got %zd arguments", count);
    const asked_of asked = {arguments[0], arguments[1]};
    if (!lane || PyObject_GetBuffer(asked.data, &view, PyBUF_SIMPLE) < 0) return NULL;
    const charlens_limits *limits = &lane->judge.limits;
    PyObject *verdict = NULL;
    charlens_case it;
    memset(&it, 0, offsetof(charlens_case, order)); /* what follows is written before it is read */
    it.data = view.buf;
    it.length = view.len;
    int plain = it.length > 0 && it.length <= limits->longest && !charlens_may_have_mark(it.data, it.length);
    if (plain && it.length > limits->probe) {
        scan_with(lane, it.data, limits->glance, &it.scan);
        plain = it.scan.blocked < 0;
    }
    if (plain) {
        UNLOCKED(it.length, scan_with(lane, it.data, it.length, &it.scan));
        plain = it.scan.blocked < 0;
    }
    if (!plain) verdict = with_ref(Py_None);
    else if (it.scan.error < 0) verdict = unicode_verdict(lane, &it, asked);
    else verdict = judge_legacy(lane, capsule, &it, asked);
    free(it.stripped);
    PyBuffer_Release(&view);
    return verdict;
}

static PyMethodDef judge_method = {"lane", (PyCFunction)(void (*)(void))judge_data, METH_FASTCALL, "The verdict on bytes, or None where the stages must look."};

PyObject *charlens_make_lane(PyObject *module, PyObject *settings) {
    (void)module;
    if (!PyDict_Check(settings)) return PyErr_Format(PyExc_TypeError, "make_lane() takes a dict");
    lane_state *lane = PyMem_Calloc(1, sizeof *lane);
    PyObject *capsule = lane ? PyCapsule_New(lane, CAPSULE, free_lane) : PyErr_NoMemory();
    if (!capsule) {
        PyMem_Free(lane);
        return NULL;
    }
    double portable = 1, ignores = 0, no_language = 0, english = 0;
    int taken = take_limits(&lane->judge.limits, settings) && take_number(settings, "portable", &portable) &&
                take_number(settings, "ignores", &ignores) &&
                take_number(settings, "no_language", &no_language) && take_number(settings, "english", &english) &&
                take_set(settings, "odd_somewhere", lane->odd_somewhere) && take_set(settings, "odd_in_ebcdic", lane->odd_in_ebcdic);
#define X(name) taken = taken && take_object(settings, #name, &lane->name);
    OBJECTS(X)
#undef X
    taken = taken && take_tongue(lane, settings);
    lane->same_sets = PyDict_New();
    lane->begins = PyDict_New();
    lane->ascii_sets = PyDict_New();
    lane->portable = portable != 0;
    lane->ignores = ignores != 0;
    lane->judge.no_language = (uint16_t)no_language;
    lane->judge.english = (uint16_t)english;
#ifdef CHARLENS_HAVE_AVX2
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt")) lane->portable = 1;
#endif
    PyObject *function = taken && lane->same_sets && lane->begins && lane->ascii_sets ? PyCFunction_New(&judge_method, capsule) : NULL;
    Py_DECREF(capsule);
    return function;
}
