/* The Python bindings of the native kernel, and the only file that uses Python: buffers and integers in,
 * integers out. charlens.kernel.pure says what each function does. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <string.h>
#include <structmember.h>

#include "kernel.h"

/* For fewer bytes, the work takes less time than releasing the interpreter lock and taking it again. */
enum { WORTH_UNLOCKING = 4096 };

/* The most offsets that a caller may ask for. */
enum { MOST_PLACES = 100000 };

#define UNLOCKED(length, statement)                                                                                    \
    do {                                                                                                               \
        if ((length) >= WORTH_UNLOCKING) {                                                                             \
            Py_BEGIN_ALLOW_THREADS statement;                                                                          \
            Py_END_ALLOW_THREADS                                                                                       \
        } else {                                                                                                       \
            statement;                                                                                                 \
        }                                                                                                              \
    } while (0)

#define METHOD(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL

typedef struct {
    PyTypeObject *scan, *judge, *survey;
} module_state;

/* ---- arguments and results */

/* Get several buffers; if one fails, release the others. */
static int take_buffers(PyObject *const *objects, Py_buffer *views, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyObject_GetBuffer(objects[i], &views[i], PyBUF_SIMPLE) == 0) continue;
        while (i > 0) PyBuffer_Release(&views[--i]);
        return 0;
    }
    return 1;
}

static int take_numbers(PyObject *const *objects, Py_ssize_t *numbers, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        numbers[i] = PyNumber_AsSsize_t(objects[i], PyExc_OverflowError);
        if (numbers[i] == -1 && PyErr_Occurred()) return 0;
    }
    return 1;
}

/* The items of a tuple of exactly *count*; NULL with an error for anything else. */
static PyObject **items_of(const char *name, PyObject *tuple, Py_ssize_t count) {
    if (PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) == count) return ((PyTupleObject *)tuple)->ob_item;
    PyErr_Format(PyExc_ValueError, "%s(): needs a tuple of %zd", name, count);
    return NULL;
}

/* A set as bytes, its lowest bit first. */
static int take_set(PyObject *number, uint8_t *bytes, size_t size) {
    if (!PyLong_Check(number)) {
        PyErr_SetString(PyExc_TypeError, "a set is an int");
        return 0;
    }
#if PY_VERSION_HEX >= 0x030D0000
    const int flags =
        Py_ASNATIVEBYTES_LITTLE_ENDIAN | Py_ASNATIVEBYTES_UNSIGNED_BUFFER | Py_ASNATIVEBYTES_REJECT_NEGATIVE;
    const Py_ssize_t used = PyLong_AsNativeBytes(number, bytes, (Py_ssize_t)size, flags);
    if (used >= 0 && (size_t)used <= size) return 1;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_OverflowError, "a set has too many bits");
    return 0;
#else
    return _PyLong_AsByteArray((PyLongObject *)number, bytes, size, 1, 0) == 0;
#endif
}

static PyObject *bytes_as_set(const uint8_t *bytes, size_t size) {
#if PY_VERSION_HEX >= 0x030D0000
    return PyLong_FromUnsignedNativeBytes(bytes, size, Py_ASNATIVEBYTES_LITTLE_ENDIAN);
#else
    return _PyLong_FromByteArray(bytes, size, 1, 0);
#endif
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

/* The arguments of a call that have a kind of their own, in their order. */
typedef struct {
    const char *name;
    Py_buffer b[18];
    Py_ssize_t n[5];
    uint8_t sets[2][32];
    int buffers, numbers, set_count;
} call;

/* Release the buffers, and return *result*. */
static PyObject *done(call *c, PyObject *result) {
    while (c->buffers > 0) PyBuffer_Release(&c->b[--c->buffers]);
    return result;
}

/* An error, after which the call is done. */
static PyObject *refuse(call *c, const char *words) {
    PyErr_Format(PyExc_ValueError, "%s(): %s", c->name, words);
    return done(c, NULL);
}

/* Take the arguments of *name* by their kinds: 'b' a buffer, a digit a tuple of so many buffers (7: a model, 4: a
 * structure), 'n' a number, 's' a set of byte values, 'e' a set of encodings; 'o' is left to the caller. */
static int take(call *c, const char *name, const char *kinds, PyObject *const *arguments, Py_ssize_t count) {
    const Py_ssize_t wanted = (Py_ssize_t)strlen(kinds);
    c->name = name;
    c->buffers = c->numbers = c->set_count = 0;
    if (count != wanted) PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments; got %zd", name, wanted, count);
    for (Py_ssize_t i = 0; i < wanted && !PyErr_Occurred(); i++) {
        const char kind = kinds[i];
        const int several = kind < 'a' ? kind - '0' : 1;
        PyObject *const *objects = several > 1 ? items_of(name, arguments[i], several) : arguments + i;
        if (kind == 'n') {
            take_numbers(objects, &c->n[c->numbers++], 1);
        } else if (kind == 's' || kind == 'e') {
            take_set(*objects, c->sets[c->set_count++], kind == 's' ? 32 : 16);
        } else if (kind != 'o' && objects && take_buffers(objects, c->b + c->buffers, several)) {
            c->buffers += several;
        }
    }
    if (PyErr_Occurred()) done(c, NULL);
    return !PyErr_Occurred();
}

/* ---- scan */

/* A tuple with named items.  A struct sequence would be the same, but the interpreter reads only attributes of this
 * kind (T_OBJECT_EX) without a lookup, and the stages read forty. */
enum { SCAN_ITEMS = 11 };
#define ITEM(name, place)                                                                                              \
    { name, T_OBJECT_EX, offsetof(PyTupleObject, ob_item) + (place) * sizeof(PyObject *), READONLY, NULL }
static PyMemberDef scan_members[] = {
    ITEM("seen", 0),       ITEM("blocked", 1),  ITEM("non_ascii", 2), ITEM("leads", 3),
    ITEM("utf8_error", 4), ITEM("utf8_cut", 5), ITEM("nuls_even", 6), ITEM("nuls_odd", 7),
    ITEM("ends_even", 8),  ITEM("ends_odd", 9), ITEM("first", 10),    {NULL, 0, 0, 0, NULL},
};
#undef ITEM
static PyType_Slot scan_slots[] = {
    {Py_tp_doc, "What one pass over the bytes saw."}, {Py_tp_members, scan_members}, {0, NULL}};
/* Made by scan() only, so that each has all its items. */
static PyType_Spec scan_spec = {"charlens.kernel._native.Scan", 0, 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                                scan_slots};

static PyObject *scan_as_record(PyObject *module, const charlens_scan *out) {
    const module_state *state = PyModule_GetState(module);
    uint8_t seen[32];
    charlens_values_of(out, seen);
    const ptrdiff_t numbers[] = {out->blocked, out->non_ascii, out->leads,   out->error,  out->cut,
                                 out->nuls[0], out->nuls[1],   out->ends[0], out->ends[1]};
    PyObject *record = state->scan->tp_alloc(state->scan, SCAN_ITEMS);
    if (!record) return NULL;
    PyObject *items[SCAN_ITEMS] = {bytes_as_set(seen, 32)};
    for (int i = 0; i < 9; i++) items[1 + i] = PyLong_FromSsize_t(numbers[i]);
    items[10] = PyBytes_FromStringAndSize((const char *)out->first, sizeof out->first);
    int failed = 0;
    for (int i = 0; i < SCAN_ITEMS; i++) {
        failed |= !items[i];
        PyTuple_SET_ITEM(record, i, items[i]);
    }
    if (failed) Py_CLEAR(record);
    return record;
}

static PyObject *scan_with(PyObject *module, void (*function)(const uint8_t *, ptrdiff_t, charlens_scan *),
                           PyObject *object) {
    Py_buffer view;
    charlens_scan out;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return NULL;
    UNLOCKED(view.len, function(view.buf, view.len, &out));
    PyBuffer_Release(&view);
    return scan_as_record(module, &out);
}

static PyObject *scan(PyObject *module, PyObject *object) { return scan_with(module, charlens_scan_best(), object); }

static PyObject *scan_portable(PyObject *module, PyObject *object) {
    return scan_with(module, charlens_scan_portable, object);
}

/* ---- columns */

static PyObject *scan_many(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, offsets, their width, sets, opening, longest */
    charlens_column_sets sets;
    int fits;
    if (!take(&c, "scan_many", "bbnbbn", arguments, count)) return NULL;
    const Py_buffer *data = c.b, *offsets = c.b + 1;
    const Py_ssize_t width = c.n[0], longest = c.n[1];
    if ((width != 4 && width != 8) || !offsets->len || offsets->len % width)
        return refuse(&c, "the offsets are integers of 4 or 8 bytes, one more than there are rows");
    if (c.b[2].len != 32 * CHARLENS_COLUMN_SETS || c.b[3].len != sizeof sets.opening || longest < 0)
        return refuse(&c, "needs four sets and one, of 32 bytes each, and a length");
    const Py_ssize_t rows = offsets->len / width - 1;
    UNLOCKED(offsets->len, fits = charlens_offsets_fit(offsets->buf, (int)width, rows, data->len));
    if (!fits) return refuse(&c, "the offsets do not rise, or leave the data");
    PyObject *result = PyBytes_FromStringAndSize(NULL, 2 * rows);
    if (result) {
        uint16_t *out = (uint16_t *)PyBytes_AS_STRING(result);
        charlens_prepare_sets(c.b[2].buf, c.b[3].buf, &sets);
        UNLOCKED(data->len, charlens_scan_many(data->buf, offsets->buf, (int)width, rows, &sets, longest, out));
    }
    return done(&c, result);
}

/* ---- UTF-8, multi-byte encodings, units */

static PyObject *damage(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c;                                                /* data; start, sequences, ratio, slack, most */
    const Py_ssize_t large = PY_SSIZE_T_MAX / 4, *n = c.n; /* sums of two such numbers fit */
    if (!take(&c, "damage", "bnnnnn", arguments, count)) return NULL;
    if (n[0] < 0 || n[4] < 0 || n[4] > MOST_PLACES || n[2] < 0 || n[2] > 1000000 || n[1] < 0 || n[1] > large ||
        n[3] < 0 || n[3] > large)
        return refuse(&c, "a number is out of range");
    ptrdiff_t *spans = PyMem_Malloc((size_t)(2 * n[4] + 1) * sizeof *spans);
    if (!spans) return done(&c, PyErr_NoMemory());
    charlens_damage out = {.sequences = n[1]};
    UNLOCKED(c.b->len, charlens_find_damage(c.b->buf, c.b->len, n[0], n[2], n[3], n[4], spans, &out));
    PyObject *listed = numbers_as_tuple(spans, 2 * out.listed), *result = NULL;
    PyMem_Free(spans);
    if (listed)
        result =
            Py_BuildValue("(nnnN)", (Py_ssize_t)out.sequences, (Py_ssize_t)out.bad, (Py_ssize_t)out.stopped, listed);
    return done(&c, result);
}

static PyObject *walk(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, table */
    charlens_walk out;
    if (!take(&c, "walk", "bb", arguments, count)) return NULL;
    const Py_buffer *data = c.b, *table = c.b + 1;
    const ptrdiff_t width = charlens_table_width(table->buf, table->len);
    if (width < 0) return refuse(&c, "the table is not 256 columns and whole rows");
    UNLOCKED(data->len, charlens_walk_table(data->buf, data->len, table->buf, width, (table->len - 256) / width, &out));
    return done(&c, Py_BuildValue("(nnn)", (Py_ssize_t)out.error, (Py_ssize_t)out.cut, (Py_ssize_t)out.sequences));
}

static PyObject *walk_all(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, tables, masks; starts, alive */
    charlens_table tables[CHARLENS_MOST_TABLES];
    ptrdiff_t flat[2 * CHARLENS_MOST_TABLES];
    uint8_t bits[8], alive[4], starts[CHARLENS_MOST_TABLES];
    if (!take(&c, "walk_all", "bbboo", arguments, count)) return NULL;
    if (!take_set(arguments[3], bits, sizeof bits) || !take_set(arguments[4], alive, sizeof alive))
        return done(&c, NULL);
    const int found = charlens_unpack_tables(c.b[1].buf, c.b[1].len, tables);
    if (c.b[2].len != 4 * (256 + 65536) || found < 0)
        return refuse(&c, "the tables or the masks do not fit one another");
    for (int t = 0; t < CHARLENS_MOST_TABLES; t++)
        starts[t] = charlens_has(alive, t) ? bits[t >> 2] >> 2 * (t & 3) & 3 : CHARLENS_NOT_WALKED;
    UNLOCKED(c.b->len, charlens_walk_all(c.b->buf, c.b->len, tables, found, c.b[2].buf, starts, flat));
    return done(&c, numbers_as_tuple(flat, 2 * found));
}

/* Parse columns, tables, masks and owners; 0 with an error if they do not fit together. */
static int take_structure(const char *name, const Py_buffer *b, charlens_structure *out) {
    out->columns = b[0].buf;
    out->table_count = charlens_unpack_tables(b[1].buf, b[1].len, out->tables);
    out->masks = b[2].buf;
    out->owners = b[3].buf;
    int fits =
        out->table_count >= 0 && b[3].len == out->table_count && b[2].len == 4 * (256 + 65536) && b[0].len == 32 * 256;
    for (int t = 0; fits && t < out->table_count; t++) fits = out->owners[t] < 128;
    if (!fits) PyErr_Format(PyExc_ValueError, "%s(): the tables do not fit one another", name);
    return fits;
}

/* 64 bits for each number, on every machine. */
static PyObject *walks_as_bytes(const ptrdiff_t *flat, int tables) {
    int64_t numbers[2 * CHARLENS_MOST_TABLES];
    for (int i = 0; i < 2 * tables; i++) numbers[i] = flat[i];
    return PyBytes_FromStringAndSize((const char *)numbers, (Py_ssize_t)(2 * (size_t)tables * sizeof *numbers));
}

static PyObject *candidates(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, seen, columns, tables, masks, owners */
    charlens_structure structure;
    ptrdiff_t flat[2 * CHARLENS_MOST_TABLES];
    uint8_t able[16], doubtful[16], cut[16];
    if (!take(&c, "candidates", "bsbbbb", arguments, count)) return NULL;
    if (!take_structure("candidates", c.b + 1, &structure)) return done(&c, NULL);
    UNLOCKED(c.b->len, charlens_candidates(c.b->buf, c.b->len, c.sets[0], &structure, able, doubtful, cut, flat));
    return done(&c, Py_BuildValue("(NNNN)", bytes_as_set(able, 16), bytes_as_set(doubtful, 16), bytes_as_set(cut, 16),
                                  walks_as_bytes(flat, structure.table_count)));
}

/* Room for *count* offsets, given to *places_as_tuple*. */
static ptrdiff_t *new_places(Py_ssize_t count) { return PyMem_Malloc((size_t)(count + 1) * sizeof(ptrdiff_t)); }

static PyObject *places_as_tuple(ptrdiff_t *places, Py_ssize_t count) {
    PyObject *tuple = places ? numbers_as_tuple(places, count) : PyErr_NoMemory();
    PyMem_Free(places);
    return tuple;
}

static PyObject *strays(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, table; first, most, apart */
    ptrdiff_t used = 0;
    if (!take(&c, "strays", "bbnnn", arguments, count)) return NULL;
    const Py_ssize_t first = c.n[0], most = c.n[1], apart = c.n[2];
    if (first < 0 || most < 0 || most > MOST_PLACES || apart < 1) return refuse(&c, "a number is out of range");
    const ptrdiff_t width = charlens_table_width(c.b[1].buf, c.b[1].len);
    if (width < 0 || first >= c.b->len) return refuse(&c, "the table or the offset does not fit");
    const charlens_table table = {c.b[1].buf, width, (c.b[1].len - 256) / width};
    ptrdiff_t *found = new_places(most);
    if (found) UNLOCKED(c.b->len, used = charlens_find_strays(c.b->buf, c.b->len, &table, first, most, apart, found));
    return done(&c, places_as_tuple(found, used));
}

static PyObject *find_values(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, values, most */
    ptrdiff_t used = 0;
    if (!take(&c, "find_values", "bsn", arguments, count)) return NULL;
    if (c.n[0] < 0 || c.n[0] > MOST_PLACES) return refuse(&c, "takes a set of 256 bits, and at most 100,000 offsets");
    ptrdiff_t *found = new_places(c.n[0]);
    if (found) UNLOCKED(c.b->len, used = charlens_find_values(c.b->buf, c.b->len, c.sets[0], c.n[0], found));
    return done(&c, places_as_tuple(found, used));
}

static PyObject *known_words(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* words, width, points, salts, table */
    ptrdiff_t found[CHARLENS_MOST_SALTS];
    if (!take(&c, "known_words", "bnbbb", arguments, count)) return NULL;
    const Py_buffer *words = c.b, *points = c.b + 1, *salts = c.b + 2, *table = c.b + 3;
    const Py_ssize_t width = c.n[0], languages = salts->len / 4;
    if (width < 1 || width > 4 || words->len % 2 || salts->len % 4 || table->len % 3 || !points->len ||
        languages > CHARLENS_MOST_SALTS)
        return refuse(&c, "the words, their width, the points, the salts or the table do not fit");
    const charlens_words set = {table->buf, points->buf, table->len / 3, points->len - 1};
    UNLOCKED(words->len,
             charlens_known_words(words->buf, words->len / 2, (int)width, salts->buf, languages, &set, found));
    return done(&c, numbers_as_tuple(found, languages));
}

static PyObject *misread(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, index, rows; pages, at, most */
    ptrdiff_t used = 0;
    if (!take(&c, "misread", "bbbnnn", arguments, count)) return NULL;
    const Py_buffer *data = c.b, *index = c.b + 1, *rows = c.b + 2;
    const Py_ssize_t number = c.n[0], at = c.n[1], most = c.n[2];
    if (number < 1 || number > CHARLENS_MOST_PAGES || at < 0 || most < 0 || most > MOST_PLACES)
        return refuse(&c, "a number is out of range");
    if (index->len != 131072 || rows->len % number || (uintptr_t)index->buf % 2)
        return refuse(&c, "the tables do not fit one another");
    const charlens_pages pages = {index->buf, rows->buf, rows->len / number, (int)number};
    ptrdiff_t *found = new_places(2 * most);
    if (found) UNLOCKED(data->len, used = charlens_misread_lines(data->buf, data->len, at, &pages, most, found));
    return done(&c, places_as_tuple(found, 2 * used));
}

static PyObject *weigh(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, width, big, table */
    charlens_weigh out;
    if (!take(&c, "weigh", "bnnb", arguments, count)) return NULL;
    if (c.b[1].len != 65536 || (c.n[0] != 2 && c.n[0] != 4))
        return refuse(&c, "needs a width of 2 or 4 and a table of 65,536 bytes");
    UNLOCKED(c.b->len, charlens_weigh_units(c.b->buf, c.b->len, (int)c.n[0], c.n[1] != 0, c.b[1].buf, &out));
    const ptrdiff_t numbers[] = {out.characters, (ptrdiff_t)out.weight, out.wide, out.faults, out.left};
    return done(&c, numbers_as_tuple(numbers, 5));
}

/* ---- the two models */

/* Whether the sizes of the buffers of a model fit together: pairs, weights, levels, members, spoken,
 * characters, wide, bias. */
static int model_fits(const Py_buffer *b) {
    const Py_ssize_t classes = b[3].len / 16, wide_count = b[6].len / 2;
    const uint16_t *wide = b[6].buf;
    for (Py_ssize_t k = 0; k < wide_count; k++)
        if (wide[k] >= classes) return 0;
    return b[6].len % 2 == 0 && b[5].len == CHARLENS_CHARACTERS * wide_count && b[0].len == 2 * 65536 && classes > 0 &&
           b[3].len % 16 == 0 && b[1].len % classes == 0 && b[1].len / classes < 0xFFFF && b[2].len > 0 &&
           b[2].len < 256 && b[4].len == classes && b[7].len == 4 * classes;
}

/* Class and total of the classes in *order*. */
static PyObject *classes_as_tuple(const int32_t *totals, const int32_t *order, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(2 * count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *number = PyLong_FromLong(order[i]), *total = PyLong_FromLong(totals[order[i]]);
        if (!number || !total) {
            Py_XDECREF(number);
            Py_XDECREF(total);
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, 2 * i, number);
        PyTuple_SET_ITEM(tuple, 2 * i + 1, total);
    }
    return tuple;
}

static int in_range(double number, double least, double most) { return number >= least && number <= most; }

/* Two sets for each nudge, and its step or log-odds, at most *most*; -1 with an error for anything else. */
static Py_ssize_t take_nudges(const char *name, PyObject *tuple, double most, charlens_nudge *nudges) {
    const Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) / 3 : -1;
    if (count < 0 || PyTuple_GET_SIZE(tuple) % 3 || count > CHARLENS_MOST_NUDGES) {
        PyErr_Format(PyExc_ValueError, "%s(): needs at most %d nudges of three numbers", name, CHARLENS_MOST_NUDGES);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject **items = ((PyTupleObject *)tuple)->ob_item + 3 * i;
        if (!take_set(items[0], nudges[i].encodings, 16) || !take_set(items[1], nudges[i].languages, 32)) return -1;
        nudges[i].odds = PyFloat_AsDouble(items[2]);
        if (nudges[i].odds == -1.0 && PyErr_Occurred()) return -1;
        if (!in_range(nudges[i].odds, -most, most)) {
            PyErr_Format(PyExc_ValueError, "%s(): a nudge is out of range", name);
            return -1;
        }
        nudges[i].step = (int32_t)nudges[i].odds;
    }
    return count;
}

static charlens_model model_of(const Py_buffer *b) {
    return (charlens_model){.pairs = b[0].buf,
                            .weights = b[1].buf,
                            .levels = b[2].buf,
                            .members = b[3].buf,
                            .spoken = b[4].buf,
                            .characters = b[5].buf,
                            .wide = b[6].buf,
                            .level_count = b[2].len,
                            .features = b[1].len / (b[3].len / 16),
                            .classes = b[3].len / 16,
                            .wide_count = b[6].len / 2};
}

/* Score the first buffer of a call with a model and a bias, the next eight. */
static PyObject *score_with(call *c, const uint8_t *sets, const charlens_nudge *nudges, Py_ssize_t nudge_count,
                            const Py_ssize_t cut[2], const Py_ssize_t limits[4]) {
    const Py_buffer *data = c->b, *parts = c->b + 1;
    if (!model_fits(parts) || cut[0] < 0 || cut[1] < 0 || limits[2] < 0 || limits[2] >= 1 << 24)
        return refuse(c, "the parts of the model do not fit one another");
    const charlens_model model = model_of(parts);
    char *block = PyMem_Malloc(charlens_score_room(&model));
    PyObject *result = NULL;
    if (!block) return done(c, PyErr_NoMemory());
    charlens_scores out;
    UNLOCKED(data->len, charlens_score(data->buf, data->len, &model, sets, parts[7].buf, nudges, nudge_count, cut,
                                       limits, block, &out));
    PyObject *best = classes_as_tuple(out.totals, out.order, out.count);
    if (best) result = Py_BuildValue("(nnN)", (Py_ssize_t)out.pairs, (Py_ssize_t)out.distinct, best);
    PyMem_Free(block);
    return done(c, result);
}

static PyObject *score(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, model, two sets, bias and nudges, cut, limits */
    PyObject **two;
    Py_ssize_t cut[2], limits[4] = {0}, nudge_count;
    charlens_nudge nudges[CHARLENS_MOST_NUDGES];
    uint8_t sets[32];
    if (!take(&c, "score", "b7oooo", arguments, count)) return NULL;
    if (!(two = items_of("score", arguments[2], 2)) || !take_set(two[0], sets, 16) ||
        !take_set(two[1], sets + 16, 16) || !(two = items_of("score", arguments[4], 2)) || !take_numbers(two, cut, 2) ||
        !(two = items_of("score", arguments[5], 3)) || !take_numbers(two, limits, 3) ||
        !(two = items_of("score", arguments[3], 2)) ||
        (nudge_count = take_nudges("score", two[1], 1 << 24, nudges)) < 0 || !take_buffers(two, c.b + c.buffers, 1))
        return done(&c, NULL);
    c.buffers++;
    return score_with(&c, sets, nudges, nudge_count, cut, limits);
}

static PyObject *score_families(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, model, bias, encodings, reach */
    const Py_ssize_t whole[2] = {0, 0};
    uint8_t sets[32] = {0};
    if (!take(&c, "score_families", "b7ben", arguments, count)) return NULL;
    memcpy(sets, c.sets[0], 16);
    return score_with(&c, sets, NULL, 0, whole, (Py_ssize_t[]){PY_SSIZE_T_MAX, c.n[0], 0, 1});
}

enum { MOST_WINDOWS = 64 };

/* Windows of *length* bytes, a start and an end each; -1 with an error for anything else. */
static Py_ssize_t take_windows(const char *name, PyObject *tuple, Py_ssize_t length, Py_ssize_t at[2 * MOST_WINDOWS]) {
    const Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) / 2 : -1;
    if (count < 0 || count > MOST_WINDOWS || PyTuple_GET_SIZE(tuple) % 2) {
        PyErr_Format(PyExc_ValueError, "%s(): needs at most %d windows, a start and an end each", name, MOST_WINDOWS);
        return -1;
    }
    if (!take_numbers(((PyTupleObject *)tuple)->ob_item, at, 2 * count)) return -1;
    for (Py_ssize_t w = 0; w < count; w++)
        if (at[2 * w] < 0 || at[2 * w] > at[2 * w + 1] || at[2 * w + 1] > length) {
            PyErr_Format(PyExc_ValueError, "%s(): a window is outside the data", name);
            return -1;
        }
    return count;
}

static PyObject *misfits(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, windows, model, class, least */
    Py_ssize_t at[2 * MOST_WINDOWS], windows, kept = 0;
    if (!take(&c, "misfits", "bo7nn", arguments, count)) return NULL;
    const Py_buffer *parts = c.b + 1;
    c.b[8].len = 4 * (parts[3].len / 16); /* the bias, which is not read */
    if ((windows = take_windows("misfits", arguments[1], c.b->len, at)) < 0) return done(&c, NULL);
    if (!model_fits(parts) || c.n[0] < 0 || c.n[0] >= parts[3].len / 16 || c.n[1] < -CHARLENS_MOST_POINTS ||
        c.n[1] > CHARLENS_MOST_POINTS)
        return refuse(&c, "the parts of the model do not fit, or a number is out of range");
    const charlens_model model = model_of(parts);
    const uint8_t *data = c.b->buf;
    char *block = PyMem_Malloc(charlens_score_room(&model));
    for (Py_ssize_t w = 0; block && w < windows; w++) {
        const Py_ssize_t start = at[2 * w], end = at[2 * w + 1];
        if (charlens_fits(data + start, end - start, &model, c.n[0], c.n[1], block)) continue;
        at[2 * kept] = start;
        at[2 * kept++ + 1] = end;
    }
    PyObject *result = block ? numbers_as_tuple(at, 2 * kept) : PyErr_NoMemory();
    PyMem_Free(block);
    return done(&c, result);
}

static PyObject *compare(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, windows, structure, model, bias, sets */
    Py_ssize_t at[2 * MOST_WINDOWS], windows;
    ptrdiff_t numbers[(3 + 2 * CHARLENS_MOST_GROUPS) * MOST_WINDOWS];
    charlens_structure structure;
    uint8_t sets[16 * (CHARLENS_MOST_GROUPS + 1)];
    if (!take(&c, "compare", "bo47bo", arguments, count)) return NULL;
    const Py_ssize_t groups = PyTuple_Check(arguments[5]) ? PyTuple_GET_SIZE(arguments[5]) - 1 : 0;
    if (groups < 1 || groups > CHARLENS_MOST_GROUPS) return refuse(&c, "needs a tuple of two or three sets");
    for (Py_ssize_t i = 0; i <= groups; i++)
        if (!take_set(PyTuple_GET_ITEM(arguments[5], i), sets + 16 * i, 16)) return done(&c, NULL);
    if ((windows = take_windows("compare", arguments[1], c.b->len, at)) < 0) return done(&c, NULL);
    if (!model_fits(c.b + 5)) return refuse(&c, "the parts of the model do not fit");
    if (!take_structure("compare", c.b + 1, &structure)) return done(&c, NULL);
    const charlens_model model = model_of(c.b + 5);
    const uint8_t *data = c.b->buf;
    char *block = PyMem_Malloc(charlens_score_room(&model));
    for (Py_ssize_t w = 0; block && w < windows; w++)
        charlens_compare(data + at[2 * w], at[2 * w + 1] - at[2 * w], &structure, &model, sets, groups, c.b[12].buf,
                         block, numbers + (3 + 2 * groups) * w);
    PyObject *result = block ? numbers_as_tuple(numbers, (3 + 2 * groups) * windows) : PyErr_NoMemory();
    PyMem_Free(block);
    return done(&c, result);
}

/* The rows that the bytes have in each language. *characters* is NULL for UTF-8; otherwise *room* is for the recoded
 * bytes. */
static void sum_languages(const Py_buffer *data, const uint16_t *characters, uint8_t *room,
                          const charlens_language_model *model, charlens_languages *out) {
    const uint8_t *text = data->buf;
    ptrdiff_t length = data->len;
    if (characters) {
        length = charlens_to_utf8(text, length, characters, room);
        text = room;
    }
    charlens_read_languages(text, length, model, out);
}

static PyObject *languages(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, model, most, and perhaps characters */
    charlens_language_model model;
    charlens_languages out;
    ptrdiff_t numbers[CHARLENS_MOST_NUMBERS];
    if (!take(&c, "languages", count == 4 ? "bbnb" : "bbn", arguments, count)) return NULL;
    const Py_buffer *data = c.b, *characters = count == 4 && c.b[2].len ? c.b + 2 : NULL;
    if (characters && (characters->len != 512 || (uintptr_t)characters->buf % 2))
        return refuse(&c, "needs 256 characters of two bytes");
    if (data->len > PY_SSIZE_T_MAX / 4) return done(&c, PyErr_NoMemory());
    if (c.n[0] < 0 || !charlens_language_model_fits(c.b[1].buf, c.b[1].len, &model))
        return refuse(&c, "the parts of the model do not fit one another");
    const size_t sums = (charlens_begin_languages(&model, &out) + 1) * sizeof *out.totals;
    if (!(out.totals = PyMem_Malloc(sums + (characters ? 3 * (size_t)data->len : 0))))
        return done(&c, PyErr_NoMemory());
    memset(out.totals, 0, sums);
    UNLOCKED(data->len,
             sum_languages(data, characters ? characters->buf : NULL, (uint8_t *)out.totals + sums, &model, &out));
    PyObject *result = numbers_as_tuple(numbers, charlens_best_languages(&out, &model, c.n[0], numbers));
    PyMem_Free(out.totals);
    return done(&c, result);
}

/* ---- legacy text */

/* JudgeTables and SurveyTables begin like this: their buffers stay taken as long as the object lives. */
typedef struct {
    PyObject_HEAD call taken;
    PyObject *held; /* another object whose tables it reads, or NULL */
} tables_object;

static void release_tables(PyObject *object) {
    tables_object *self = (tables_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    done(&self->taken, NULL);
    Py_XDECREF(self->held);
    type->tp_free(object);
    Py_DECREF(type);
}

/* A new object with the buffers among the arguments.  They are checked once: nobody must change them afterwards. */
static void *new_tables(PyTypeObject *type, const char *name, const char *kinds, PyObject *arguments,
                        PyObject *keywords) {
    if (keywords && PyDict_GET_SIZE(keywords)) return PyErr_Format(PyExc_TypeError, "%s() takes no keywords", name);
    tables_object *self = (tables_object *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    call *c = &self->taken;
    int fixed = take(c, name, kinds, ((PyTupleObject *)arguments)->ob_item, PyTuple_GET_SIZE(arguments));
    for (int i = 0; fixed && i < c->buffers; i++) fixed = c->b[i].readonly;
    if (fixed) return self;
    if (!PyErr_Occurred()) refuse(c, "the tables do not fit: they must be read-only");
    Py_DECREF(self);
    return NULL;
}

typedef struct {
    tables_object base;
    charlens_judge judge;
} judge_object;

enum { JUDGE_RULES = sizeof(charlens_judge_rules) / sizeof(double) };

static int take_rules(PyObject *tuple, charlens_judge_rules *rules) {
    double *numbers = (double *)rules;
    PyObject **items = items_of("JudgeTables", tuple, JUDGE_RULES);
    for (int i = 0; items && i < JUDGE_RULES; i++) {
        numbers[i] = PyFloat_AsDouble(items[i]);
        if (numbers[i] == -1.0 && PyErr_Occurred()) return 0;
    }
    return items != NULL;
}

/* Whether no constant makes a number too large, or a piece longer than its room. */
static int rules_fit(const charlens_judge_rules *r) {
    const double large = 1 << 20, numbers[] = {r->sparse, r->ahead, r->back, r->least_letters},
                 sizes[] = {r->enough, r->windows, r->least_window, r->most_window},
                 reaches[] = {r->reach, r->doubt, r->language_reach},
                 against[] = {r->glued, r->most_glued, r->against_rare}, odds[] = {r->others, r->others_beside_english},
                 few[] = {r->few, r->few_in_many};
    int fit = r->pieces * (r->piece + 1) <= CHARLENS_MOST_WHOLE && r->most_window >= r->least_window;
    for (int i = 0; i < 4; i++) fit &= in_range(numbers[i], 0, large) && in_range(sizes[i], 1, large);
    for (int i = 0; i < 3; i++) fit &= in_range(reaches[i], 0, 100) && in_range(against[i], -20, 0);
    for (int i = 0; i < 2; i++) fit &= in_range(odds[i], -20, 20) && in_range(few[i], -large, large);
    return fit && in_range(r->most_classes, 1, CHARLENS_MOST_JUDGED) &&
           in_range(r->most_languages, 1, CHARLENS_MOST_JUDGED) && in_range(r->whole, 0, CHARLENS_MOST_WHOLE) &&
           in_range(r->pieces, 1, 64) && in_range(r->piece, 1, 4096) && in_range(r->weight, 0, 1) &&
           in_range(r->left, 1e-9, 1) && in_range(r->left_beside_english, 1e-9, 1);
}

/* The numbers of the classes of the language model stay within *classes*. */
static int languages_fit(const charlens_language_model *model, ptrdiff_t classes) {
    ptrdiff_t all = 0;
    for (unsigned i = 0; i < model->script_count; i++) {
        all += model->scripts[i].classes;
        if ((ptrdiff_t)model->scripts[i].first + model->scripts[i].classes > classes) return 0;
    }
    return all <= classes;
}

static int judge_fits(const Py_buffer *b, charlens_judge *judge) {
    const Py_buffer *families = b + 8, *meanings = b + 9, *relatives = b + 10, *begins = b + 11, *odds = b + 14,
                    *sets = b + 17;
    Py_buffer parts[8];
    memcpy(parts, b, 7 * sizeof *parts);
    parts[7].len = 4 * (b[3].len / 16); /* the bias of one row */
    if (!model_fits(parts) || !charlens_language_model_fits(b[7].buf, b[7].len, &judge->languages)) return 0;
    judge->model = model_of(b);
    judge->rows = begins[0].len / 8;
    judge->language_classes = odds[0].len / 8;
    for (int i = 0; i < 3; i++)
        if ((uintptr_t)begins[i].buf % 4) return 0;
    if ((uintptr_t)meanings->buf % 2 || (uintptr_t)begins[0].buf % 8 || (uintptr_t)begins[1].buf % 8 ||
        (uintptr_t)odds[0].buf % 8 || (uintptr_t)odds[1].buf % 8)
        return 0;
    const int64_t *amounts = begins[0].buf;
    const double *factors = begins[1].buf, *priors = odds[0].buf, *sharpness = odds[1].buf;
    for (ptrdiff_t i = 0; i < judge->language_classes; i++)
        if (!in_range(priors[i], -1e6, 1e6)) return 0;
    for (ptrdiff_t i = 0; i < odds[1].len / 8; i++)
        if (!in_range(sharpness[i], 1e-9, 1e9)) return 0;
    for (ptrdiff_t i = 0; i < judge->rows; i++)
        if ((i && amounts[i] <= amounts[i - 1]) || begins[1].len != begins[0].len || !in_range(factors[i], 1e-5, 1e5))
            return 0;
    const uint8_t *family = families->buf;
    for (ptrdiff_t c = 0; c < judge->model.classes; c++)
        if (families->len != 16 * judge->model.classes || family[16 * c] >= 128) return 0;
    return judge->rows > 0 && begins[0].len % 8 == 0 && begins[2].len == 4 * judge->rows * judge->model.classes &&
           meanings->len == 2 * 256 * 128 && relatives->len == 16 * 128 && odds[0].len % 8 == 0 &&
           odds[1].len == 8 * (Py_ssize_t)judge->languages.script_count &&
           odds[2].len == 32 * (judge->language_classes + 1) && sets->len == 32 &&
           languages_fit(&judge->languages, judge->language_classes) && rules_fit(&judge->rules);
}

static PyObject *make_judge(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    judge_object *self = new_tables(type, "JudgeTables", "7bbbb33bo", arguments, keywords);
    if (!self) return NULL;
    charlens_judge *judge = &self->judge;
    const Py_buffer *b = self->base.taken.b;
    if (!take_rules(PyTuple_GET_ITEM(arguments, 8), &judge->rules) || !judge_fits(b, judge)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "JudgeTables(): the tables do not fit one another");
        Py_DECREF(self);
        return NULL;
    }
    judge->families = b[8].buf;
    judge->meanings = b[9].buf;
    judge->relatives = b[10].buf;
    charlens_same_ascii(judge->meanings, judge->identity);
    judge->amounts = b[11].buf;
    judge->factors = b[12].buf;
    judge->bias = b[13].buf;
    judge->priors = b[14].buf;
    judge->sharpness = b[15].buf;
    judge->spoken = b[16].buf;
    judge->rare = b[17].buf;
    judge->lettered = judge->rare + 16;
    return (PyObject *)self;
}

static PyType_Slot judge_slots[] = {
    {Py_tp_doc, "What judge_legacy() knows, parsed once; see charlens.kernel.pure_judge.JudgeTables."},
    {Py_tp_new, make_judge},
    {Py_tp_dealloc, release_tables},
    {0, NULL}};
static PyType_Spec judge_spec = {"charlens.kernel._native.JudgeTables", sizeof(judge_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, judge_slots};

/* Three sets for each encoding with stray bytes; -1 with an error for anything else. */
static Py_ssize_t take_strays(PyObject *tuple, charlens_stray *strays) {
    const Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) / 3 : -1;
    if (count < 0 || PyTuple_GET_SIZE(tuple) % 3 || count > CHARLENS_MOST_STRAYED) {
        PyErr_SetString(PyExc_ValueError,
                        "judge_legacy(): needs at most 32 encodings with stray bytes, three sets each");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject **items = ((PyTupleObject *)tuple)->ob_item + 3 * i;
        uint8_t own[16];
        if (!take_set(items[0], own, 16) || !take_set(items[1], strays[i].values, 32) ||
            !take_set(items[2], strays[i].alike, 16))
            return -1;
        strays[i].number = -1;
        for (int bit = 0; bit < 128; bit++)
            if (own[bit >> 3] >> (bit & 7) & 1) strays[i].number = bit;
    }
    return count;
}

static PyObject *shares_as_tuple(const charlens_judged *out) {
    PyObject *tuple = PyTuple_New(out->count);
    for (Py_ssize_t i = 0; tuple && i < out->count; i++) {
        PyObject *item = PyFloat_FromDouble(out->shares[i]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

/* A tuple of new references; NULL if one of them is missing. */
static PyObject *pack(PyObject **items, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    int failed = !tuple;
    for (Py_ssize_t i = 0; i < count; i++) {
        failed |= !items[i];
        if (tuple) PyTuple_SET_ITEM(tuple, i, items[i]);
        else Py_XDECREF(items[i]);
    }
    if (failed) Py_CLEAR(tuple);
    return tuple;
}

static PyObject *texts_as_tuple(const charlens_judged *out) {
    PyObject *texts[CHARLENS_MOST_JUDGED];
    for (ptrdiff_t i = 0; i < out->text_count; i++) {
        const charlens_text *text = &out->texts[i];
        PyObject *items[] = {PyFloat_FromDouble(text->share), bytes_as_set(text->same, 16),
                             PyLong_FromLong(text->best)};
        texts[i] = pack(items, 3);
    }
    return pack(texts, out->text_count);
}

static PyObject *judged_as_tuple(const charlens_judged *out) {
    ptrdiff_t classes[CHARLENS_MOST_JUDGED];
    for (ptrdiff_t i = 0; i < out->count; i++) classes[i] = out->classes[i];
    PyObject *items[] = {PyLong_FromSsize_t(out->row),
                         PyLong_FromSsize_t(out->pairs),
                         PyLong_FromSsize_t(out->distinct),
                         PyBool_FromLong(out->sparse),
                         PyLong_FromSsize_t(out->glued),
                         numbers_as_tuple(out->letters, out->letter_count),
                         numbers_as_tuple(out->cut, 2),
                         numbers_as_tuple(classes, out->count),
                         shares_as_tuple(out),
                         texts_as_tuple(out)};
    return pack(items, sizeof items / sizeof *items);
}

static PyObject *judge_legacy(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    call c; /* tables, data, facts, evidence, strays */
    charlens_nudge nudges[CHARLENS_MOST_NUDGES + CHARLENS_OWN_NUDGES];
    charlens_stray strays[CHARLENS_MOST_STRAYED];
    charlens_facts facts;
    charlens_judged out;
    Py_ssize_t nudge_count, stray_count;
    PyObject **items;
    if (!take(&c, "judge_legacy", "obooo", arguments, count)) return NULL;
    if (!Py_IS_TYPE(arguments[0], ((module_state *)PyModule_GetState(module))->judge))
        return done(&c, PyErr_Format(PyExc_TypeError, "judge_legacy() needs JudgeTables"));
    const charlens_judge *judge = &((judge_object *)arguments[0])->judge;
    if (!(items = items_of("judge_legacy", arguments[2], 4)) || !take_set(items[0], facts.seen, 32) ||
        !take_numbers(items + 1, &facts.beyond_ascii, 1) || !take_set(items[2], facts.sets, 16) ||
        !take_set(items[3], facts.sets + 16, 16) ||
        (nudge_count = take_nudges("judge_legacy", arguments[3], CHARLENS_MOST_ODDS, nudges)) < 0 ||
        (stray_count = take_strays(arguments[4], strays)) < 0)
        return done(&c, NULL);
    if (facts.beyond_ascii < 0) return refuse(&c, "a number is out of range");
    char *block = PyMem_Malloc(charlens_judge_room(judge));
    if (!block) return done(&c, PyErr_NoMemory());
    UNLOCKED(c.b->len, charlens_judge_legacy(judge, c.b->buf, c.b->len, &facts, nudges, nudge_count, strays,
                                             stray_count, block, &out));
    PyObject *result = judged_as_tuple(&out);
    PyMem_Free(block);
    return done(&c, result);
}

/* It holds the tables of judge_legacy(). */
typedef struct {
    tables_object base;
    charlens_structure structure;
    charlens_survey survey;
} survey_object;

enum { SURVEY_RULES = sizeof(charlens_survey_rules) / sizeof(int64_t) };

static int take_survey_rules(PyObject *tuple, charlens_survey_rules *rules) {
    PyObject **items = items_of("SurveyTables", tuple, SURVEY_RULES);
    Py_ssize_t numbers[SURVEY_RULES];
    if (!items || !take_numbers(items, numbers, SURVEY_RULES)) return 0;
    int fit = 1;
    for (int i = 0; i < SURVEY_RULES; i++) {
        ((int64_t *)rules)[i] = numbers[i];
        fit &= numbers[i] >= 0 && (int64_t)numbers[i] <= 1 << 30;
    }
    if (fit && rules->apart > 0 && rules->apart_without_c1 > 0 && rules->bytes_per_fault > 0 &&
        rules->most_undefined <= CHARLENS_MOST_UNDEFINED && rules->good_per_bad <= 1000 && rules->patience <= 1 << 20)
        return 1;
    PyErr_SetString(PyExc_ValueError, "SurveyTables(): a number is out of range");
    return 0;
}

/* Characters, words, openings, sets, pages, lacking, tolerant, relatives, not_ebcdic. */
static int survey_fits(const Py_buffer *b, const charlens_structure *structure) {
    const uint8_t *pages = b[4].buf, *tolerant = b[6].buf;
    int fits = b[0].len == 65536 && b[2].len == 8192 && b[3].len == 224 && b[5].len == 32 * b[4].len &&
               b[7].len == 16 * b[6].len && b[8].len == 16 && b[4].len <= 128 && b[6].len <= CHARLENS_MOST_TABLES;
    for (Py_ssize_t i = 0; fits && i < b[4].len; i++) fits = pages[i] < 128;
    for (Py_ssize_t i = 0; fits && i < b[6].len; i++) fits = tolerant[i] < structure->table_count;
    return fits;
}

static PyObject *make_survey(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    const module_state *state = PyModule_GetState(PyType_GetModule(type));
    const int judges = PyTuple_GET_SIZE(arguments) && PyTuple_GET_ITEM(arguments, 0) != Py_None;
    survey_object *self =
        new_tables(type, "SurveyTables", judges ? "o4bbbbbbbbbo" : "oobbbbbbbbbo", arguments, keywords);
    if (!self) return NULL;
    PyObject *judge = PyTuple_GET_ITEM(arguments, 0), *structure = PyTuple_GET_ITEM(arguments, 1);
    const Py_buffer *b = self->base.taken.b + (judges ? 4 : 0);
    charlens_survey *survey = &self->survey;
    if (judges ? !Py_IS_TYPE(judge, state->judge) : structure != Py_None)
        PyErr_SetString(PyExc_TypeError, "SurveyTables() needs JudgeTables and a structure, or None for both");
    else if (take_survey_rules(PyTuple_GET_ITEM(arguments, 11), &survey->rules) &&
             (!judges || take_structure("SurveyTables", self->base.taken.b, &self->structure)) &&
             !survey_fits(b, &self->structure))
        PyErr_SetString(PyExc_ValueError, "SurveyTables(): the tables do not fit one another");
    if (PyErr_Occurred()) {
        Py_DECREF(self);
        return NULL;
    }
    self->base.held = Py_NewRef(judge);
    survey->judge = judges ? &((judge_object *)judge)->judge : NULL;
    survey->structure = &self->structure;
    survey->characters = b[0].buf;
    charlens_index_words(b[1].buf, b[1].len, &survey->words);
    survey->openings = b[2].buf;
    survey->watched = b[3].buf;
    survey->not_base64 = survey->watched + 32;
    survey->unusual = survey->watched + 64;
    survey->together = survey->watched + 96;
    survey->gaps = survey->watched + 128;
    survey->uncommon = survey->watched + 160;
    survey->evidence = survey->watched + 192;
    survey->pages = b[4].buf;
    survey->page_count = (int)b[4].len;
    survey->lacking = b[5].buf;
    survey->tolerant = b[6].buf;
    survey->tolerant_count = (int)b[6].len;
    survey->relatives = b[7].buf;
    survey->not_ebcdic = b[8].buf;
    return (PyObject *)self;
}

static PyType_Slot survey_slots[] = {
    {Py_tp_doc, "What survey() knows, parsed once; see charlens.kernel.pure_survey.SurveyTables."},
    {Py_tp_new, make_survey},
    {Py_tp_dealloc, release_tables},
    {0, NULL}};
static PyType_Spec survey_spec = {"charlens.kernel._native.SurveyTables", sizeof(survey_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, survey_slots};

static PyObject *survey_with(PyObject *module, void (*function)(const uint8_t *, ptrdiff_t, charlens_scan *),
                             PyObject *const *arguments, Py_ssize_t count) {
    call c; /* tables, data, how, evidence */
    charlens_nudge nudges[CHARLENS_MOST_NUDGES + CHARLENS_OWN_NUDGES];
    charlens_surveyed out;
    charlens_scan scan;
    Py_ssize_t nudge_count;
    int found, quiet;
    if (!take(&c, "survey", "obno", arguments, count)) return NULL;
    if (!Py_IS_TYPE(arguments[0], ((module_state *)PyModule_GetState(module))->survey))
        return done(&c, PyErr_Format(PyExc_TypeError, "survey() needs SurveyTables"));
    const survey_object *tables = (survey_object *)arguments[0];
    const Py_buffer *data = c.b;
    if ((nudge_count = take_nudges("survey", arguments[3], CHARLENS_MOST_ODDS, nudges)) < 0) return done(&c, NULL);
    UNLOCKED(data->len, {
        function(data->buf, data->len, &scan);
        quiet = charlens_is_quiet(&tables->survey, data->buf, data->len, &scan);
    });
    found = quiet && scan.error >= 0 && tables->survey.judge;
    if (found) { /* ASCII and UTF-8 need no room to be judged */
        char *block = PyMem_Malloc(charlens_judge_room(tables->survey.judge));
        if (!block) return done(&c, PyErr_NoMemory());
        UNLOCKED(data->len, found = charlens_survey_text(&tables->survey, data->buf, data->len, &scan,
                                                         (int)(c.n[0] & 3), nudges, nudge_count, block, &out));
        PyMem_Free(block);
    }
    done(&c, NULL);
    PyObject *surveyed = found ? NULL : Py_NewRef(Py_None);
    if (found) {
        PyObject *parts[] = {bytes_as_set(out.sets, 16), bytes_as_set(out.sets + 16, 16),
                             walks_as_bytes(out.walked, tables->structure.table_count),
                             out.is_judged ? judged_as_tuple(&out.judged) : Py_NewRef(Py_None)};
        surveyed = pack(parts, 4);
    }
    PyObject *items[] = {scan_as_record(module, &scan), PyBool_FromLong(quiet), surveyed};
    return pack(items, 3);
}

static PyObject *survey(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    return survey_with(module, charlens_scan_best(), arguments, count);
}

static PyObject *survey_portable(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    return survey_with(module, charlens_scan_portable, arguments, count);
}

static PyObject *same_reading(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    static const uint8_t unknown[128 * 16]; /* charlens_same_ascii would take longer than it saves */
    call c;                                 /* seen, number, meanings, relatives */
    uint8_t same[16];
    if (!take(&c, "same_reading", "snbb", arguments, count)) return NULL;
    const Py_buffer *meanings = c.b, *relatives = c.b + 1;
    if (c.n[0] < 0 || c.n[0] > 127 || meanings->len != 2 * 256 * 128 || (uintptr_t)meanings->buf % 2 ||
        relatives->len != 16 * 128)
        return refuse(&c, "a number is out of range, or the tables do not fit");
    memset(same, 0xFF, sizeof same);
    charlens_same_reading(c.sets[0], (int)c.n[0], meanings->buf, relatives->buf, unknown, same);
    return done(&c, bytes_as_set(same, 16));
}

/* ---- pieces and pages */

static PyObject *excerpt(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data; windows, size, ahead, back */
    const Py_ssize_t *n = c.n;
    if (!take(&c, "excerpt", "bnnnn", arguments, count)) return NULL;
    if (n[0] < 1 || n[0] > 64 || n[1] < 1 || n[1] > 4096 || n[2] < 0 || n[3] < 0)
        return refuse(&c, "a number is out of range");
    PyObject *result = PyBytes_FromStringAndSize(NULL, n[0] * (n[1] + 1));
    if (result) {
        uint8_t *out = (uint8_t *)PyBytes_AS_STRING(result);
        _PyBytes_Resize(&result, charlens_excerpt(c.b->buf, c.b->len, n[0], n[1], n[2], n[3], out));
    }
    return done(&c, result);
}

static PyObject *line_windows(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, size */
    ptrdiff_t numbers[1 + 2 * 3];
    if (!take(&c, "line_windows", "bn", arguments, count)) return NULL;
    if (c.n[0] < 1 || c.n[0] > 4096) return refuse(&c, "a number is out of range");
    const int found = charlens_line_windows(c.b->buf, c.b->len, c.n[0], numbers, numbers + 1);
    return done(&c, numbers_as_tuple(numbers, 1 + 2 * found));
}

static PyObject *strip_markup(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, whether it is XML */
    Py_ssize_t used;
    if (!take(&c, "strip_markup", "bn", arguments, count)) return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, c.b->len);
    if (result) {
        uint8_t *out = (uint8_t *)PyBytes_AS_STRING(result);
        UNLOCKED(c.b->len, used = charlens_strip_markup(c.b->buf, c.b->len, c.n[0] != 0, out));
        _PyBytes_Resize(&result, used);
    }
    return done(&c, result);
}

static PyObject *page_flavour(PyObject *Py_UNUSED(module), PyObject *object) {
    call c;
    if (!take(&c, "page_flavour", "b", &object, 1)) return NULL;
    return done(&c, PyLong_FromLong(charlens_page_flavour(c.b->buf, c.b->len)));
}

static PyObject *find_label(PyObject *Py_UNUSED(module), PyObject *object) {
    call c;
    if (!take(&c, "find_label", "b", &object, 1)) return NULL;
    const range_pair found = charlens_find_label(c.b->buf, c.b->len);
    return done(&c, numbers_as_tuple((const ptrdiff_t[]){found.start, found.end}, 2));
}

static PyObject *mentions(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, words */
    charlens_word_index index;
    if (!take(&c, "mentions", "bb", arguments, count)) return NULL;
    charlens_index_words(c.b[1].buf, c.b[1].len, &index);
    return done(&c, PyLong_FromLong(charlens_mentions(c.b->buf, c.b->len, &index)));
}

static PyObject *find_charsets(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    call c; /* data, raw */
    ptrdiff_t out[3 * CHARLENS_MOST_CHARSETS], used = 0;
    if (!take(&c, "find_charsets", "bn", arguments, count)) return NULL;
    UNLOCKED(c.b->len, used = charlens_find_charsets(c.b->buf, c.b->len, c.n[0] != 0, out));
    return done(&c, numbers_as_tuple(out, used));
}

/* ---- the module */

static PyMethodDef methods[] = {
    {"scan", scan, METH_O, "Look at every byte once; see charlens.kernel.pure.scan."},
    {"scan_portable", scan_portable, METH_O, "scan() without vector instructions."},
    {"damage", METHOD(damage), "List what is not UTF-8; see charlens.kernel.pure.damage."},
    {"walk", METHOD(walk), "Walk a multi-byte encoding; see charlens.kernel.pure.walk."},
    {"walk_all", METHOD(walk_all), "Walk several at once; see charlens.kernel.pure.walk_all."},
    {"judge_legacy", METHOD(judge_legacy),
     "The likely texts of legacy bytes; see charlens.kernel.pure_judge.judge_legacy."},
    {"survey", METHOD(survey),
     "Scan, and judge if no other stage could decide; see charlens.kernel.pure_survey.survey."},
    {"survey_portable", METHOD(survey_portable), "survey() without vector instructions."},
    {"same_reading", METHOD(same_reading),
     "Encodings that read the same text; see charlens.kernel.pure_judge.same_reading."},
    {"candidates", METHOD(candidates), "Which encodings decode the bytes; see charlens.kernel.pure.candidates."},
    {"strays", METHOD(strays), "Bytes that do not fit a walk; see charlens.kernel.pure.strays."},
    {"find_values", METHOD(find_values), "Where some values are; see charlens.kernel.pure.find_values."},
    {"known_words", METHOD(known_words), "Words that languages know; see charlens.kernel.pure_words.known_words."},
    {"misread", METHOD(misread), "Lines that were UTF-8; see charlens.kernel.pure.misread."},
    {"weigh", METHOD(weigh), "Weigh 16- or 32-bit units; see charlens.kernel.pure.weigh."},
    {"score", METHOD(score), "Score a linear model; see charlens.kernel.pure.score."},
    {"score_families", METHOD(score_families),
     "Score a linear model by families; see charlens.kernel.pure.score_families."},
    {"compare", METHOD(compare),
     "Compare the best class of each window with others; see charlens.kernel.pure.compare."},
    {"misfits", METHOD(misfits), "Find windows that a class does not fit; see charlens.kernel.pure_scores.misfits."},
    {"languages", METHOD(languages), "Score languages; see charlens.kernel.pure_languages.languages."},
    {"excerpt", METHOD(excerpt), "Take pieces from all over; see charlens.kernel.pure_languages.excerpt."},
    {"line_windows", METHOD(line_windows),
     "Windows that begin with a line; see charlens.kernel.pure_scores.line_windows."},
    {"strip_markup", METHOD(strip_markup), "The text of a page; see charlens.kernel.pure.strip_markup."},
    {"page_flavour", page_flavour, METH_O,
     "What markup a file opens with; see charlens.kernel.pure_pages.page_flavour."},
    {"find_label", find_label, METH_O, "The label in a Content-Type; see charlens.kernel.pure_pages.find_label."},
    {"scan_many", METHOD(scan_many), "Facts about the rows of a column; see charlens.kernel.pure_columns.scan_many."},
    {"mentions", METHOD(mentions), "Whether a word is there; see charlens.kernel.pure_pages.mentions."},
    {"find_charsets", METHOD(find_charsets),
     "Charsets of meta elements; see charlens.kernel.pure_pages.find_charsets."},
    {NULL, NULL, 0, NULL},
};

static int begin_module(PyObject *module) {
    module_state *state = PyModule_GetState(module);
    state->scan = (PyTypeObject *)PyType_FromSpecWithBases(&scan_spec, (PyObject *)&PyTuple_Type);
    state->judge = (PyTypeObject *)PyType_FromModuleAndSpec(module, &judge_spec, NULL);
    state->survey = (PyTypeObject *)PyType_FromModuleAndSpec(module, &survey_spec, NULL);
    if (!state->scan || !state->judge || !state->survey) return -1;
    return PyModule_AddType(module, state->judge) < 0 ? -1 : PyModule_AddType(module, state->survey);
}

static int visit_module(PyObject *module, visitproc visit, void *arg) {
    Py_VISIT(((module_state *)PyModule_GetState(module))->scan);
    Py_VISIT(((module_state *)PyModule_GetState(module))->judge);
    Py_VISIT(((module_state *)PyModule_GetState(module))->survey);
    return 0;
}

static int clear_module(PyObject *module) {
    Py_CLEAR(((module_state *)PyModule_GetState(module))->scan);
    Py_CLEAR(((module_state *)PyModule_GetState(module))->judge);
    Py_CLEAR(((module_state *)PyModule_GetState(module))->survey);
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)begin_module},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native",    "The native kernel of charlens.",
    sizeof(module_state),  methods,      slots,
    visit_module,          clear_module, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
