/* The lane: what Python hands over, checked, so that no number in it leads out of its buffer. */
#include "lane_state.h"

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
    if (value && lane->buffer_count >= LANE_MOST_BUFFERS) PyErr_SetString(PyExc_ValueError, "the lane was given too many buffers");
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

/* What was taken before an error is given back, so that it can be tried again. */
int lane_take_legacy(lane_state *lane, PyObject *settings) {
    const int before = lane->buffer_count;
    if (take_legacy(lane, settings)) return 1;
    while (lane->buffer_count > before) PyBuffer_Release(&lane->buffers[--lane->buffer_count]);
    return 0;
}

int lane_take_settings(lane_state *lane, PyObject *settings) {
    double portable = 1, ignores = 0, no_language = 0, english = 0;
#define X(name)                                                                                                    \
    if (!take_object(settings, #name, &lane->name)) return 0;
    OBJECTS(X)
#undef X
    if (!take_limits(&lane->judge.limits, settings) || !take_number(settings, "portable", &portable) ||
        !take_number(settings, "ignores", &ignores) || !take_number(settings, "no_language", &no_language) ||
        !take_number(settings, "english", &english) || !take_set(settings, "odd_somewhere", lane->odd_somewhere) ||
        !take_set(settings, "odd_in_ebcdic", lane->odd_in_ebcdic) || !take_tongue(lane, settings))
        return 0;
    lane->portable = portable != 0;
    lane->ignores = ignores != 0;
    lane->judge.no_language = (uint16_t)no_language;
    lane->judge.english = (uint16_t)english;
    return (lane->same_sets = PyDict_New()) && (lane->begins = PyDict_New()) && (lane->ascii_sets = PyDict_New());
}

void lane_release(lane_state *lane) {
#define X(name) Py_XDECREF(lane->name);
    OBJECTS(X) LEGACY_OBJECTS(X)
#undef X
    Py_XDECREF(lane->same_sets);
    Py_XDECREF(lane->begins);
    Py_XDECREF(lane->ascii_sets);
    for (int i = 0; i < lane->buffer_count; i++) PyBuffer_Release(&lane->buffers[i]);
}
