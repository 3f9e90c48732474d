/* The Python face of the native kernel: takes buffers and integers, gives integers. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernel.h"

/* Under this many bytes the work is shorter than letting the interpreter lock go and taking it back. */
enum { WORTH_UNLOCKING = 4096 };

#define UNLOCKED(length, statement)                                                                                \
    do {                                                                                                           \
        if ((length) >= WORTH_UNLOCKING) {                                                                         \
            Py_BEGIN_ALLOW_THREADS statement;                                                                      \
            Py_END_ALLOW_THREADS                                                                                   \
        } else {                                                                                                   \
            statement;                                                                                             \
        }                                                                                                          \
    } while (0)

typedef void (*scan_function)(const uint8_t *, ptrdiff_t, charlens_scan *);

static scan_function best_scan(void) {
#ifdef CHARLENS_HAVE_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return charlens_scan_avx2;
#endif
    return charlens_scan_portable;
}

/* The set of seen values as 32 bytes, value 0 in the lowest bit of the first. */
static PyObject *seen_as_bytes(const uint64_t seen[4]) {
    uint8_t bytes[32];
    for (int i = 0; i < 32; i++) bytes[i] = (uint8_t)(seen[i >> 3] >> (8 * (i & 7)));
    return PyBytes_FromStringAndSize((const char *)bytes, 32);
}

static PyObject *scan_with(scan_function function, PyObject *object) {
    Py_buffer view;
    charlens_scan out;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return NULL;
    UNLOCKED(view.len, function(view.buf, view.len, &out));
    PyBuffer_Release(&view);
    PyObject *seen = seen_as_bytes(out.seen);
    PyObject *first = PyBytes_FromStringAndSize((const char *)out.first, sizeof out.first);
    if (!seen || !first) {
        Py_XDECREF(seen);
        Py_XDECREF(first);
        return NULL;
    }
    return Py_BuildValue("(NnnnnnnnnnN)", seen, (Py_ssize_t)out.blocked, (Py_ssize_t)out.non_ascii,
                         (Py_ssize_t)out.leads, (Py_ssize_t)out.error, (Py_ssize_t)out.cut,
                         (Py_ssize_t)out.nuls[0], (Py_ssize_t)out.nuls[1], (Py_ssize_t)out.ends[0],
                         (Py_ssize_t)out.ends[1], first);
}

static PyObject *scan(PyObject *module, PyObject *object) {
    (void)module;
    return scan_with(best_scan(), object);
}

static PyObject *scan_portable(PyObject *module, PyObject *object) {
    (void)module;
    return scan_with(charlens_scan_portable, object);
}

static PyObject *spans_as_tuple(const ptrdiff_t *spans, ptrdiff_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (ptrdiff_t i = 0; tuple && i < count; i++) {
        PyObject *item = PyLong_FromSsize_t(spans[i]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *damage(PyObject *module, PyObject *arguments) {
    Py_buffer view;
    Py_ssize_t start, sequences, ratio, slack, most;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*nnnnn", &view, &start, &sequences, &ratio, &slack, &most)) return NULL;
    const Py_ssize_t large = PY_SSIZE_T_MAX / 4; /* sums of two such numbers fit */
    if (start < 0 || most < 0 || most > 100000 || ratio < 0 || ratio > 1000000 || sequences < 0 ||
        sequences > large || slack < 0 || slack > large) {
        PyBuffer_Release(&view);
        PyErr_SetString(PyExc_ValueError, "damage(): a number is out of range");
        return NULL;
    }
    ptrdiff_t *spans = PyMem_Malloc((size_t)(2 * most + 1) * sizeof *spans);
    if (!spans) {
        PyBuffer_Release(&view);
        return PyErr_NoMemory();
    }
    charlens_damage out = {.sequences = sequences};
    UNLOCKED(view.len, charlens_find_damage(view.buf, view.len, start, ratio, slack, most, spans, &out));
    PyBuffer_Release(&view);
    PyObject *listed = spans_as_tuple(spans, 2 * out.listed);
    PyMem_Free(spans);
    if (!listed) return NULL;
    return Py_BuildValue("(nnnnN)", (Py_ssize_t)out.sequences, (Py_ssize_t)out.bad, (Py_ssize_t)out.bad_bytes,
                         (Py_ssize_t)out.stopped, listed);
}

/* A table is 256 columns, then whole rows as long as there are columns. */
static Py_ssize_t table_width(const Py_buffer *table) {
    const uint8_t *bytes = table->buf;
    int width = 0;
    if (table->len < 257) return -1;
    for (int i = 0; i < 256; i++) width = bytes[i] >= width ? bytes[i] + 1 : width;
    return (table->len - 256) % width ? -1 : width;
}

static PyObject *walk(PyObject *module, PyObject *arguments) {
    Py_buffer view, table;
    charlens_walk out;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*", &view, &table)) return NULL;
    Py_ssize_t width = table_width(&table);
    if (width < 0) {
        PyBuffer_Release(&view);
        PyBuffer_Release(&table);
        PyErr_SetString(PyExc_ValueError, "walk(): the table is not 256 columns and whole rows");
        return NULL;
    }
    UNLOCKED(view.len, charlens_walk_table(view.buf, view.len, table.buf, width,
                                             (table.len - 256) / width, &out));
    PyBuffer_Release(&view);
    PyBuffer_Release(&table);
    return Py_BuildValue("(nnn)", (Py_ssize_t)out.error, (Py_ssize_t)out.cut, (Py_ssize_t)out.sequences);
}

static PyObject *weigh(PyObject *module, PyObject *arguments) {
    Py_buffer view, table;
    int width, big;
    charlens_weigh out;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*iiy*", &view, &width, &big, &table)) return NULL;
    if (table.len != 65536 || (width != 2 && width != 4)) {
        PyBuffer_Release(&view);
        PyBuffer_Release(&table);
        PyErr_SetString(PyExc_ValueError, "weigh(): needs a width of 2 or 4 and a table of 65,536 bytes");
        return NULL;
    }
    UNLOCKED(view.len, charlens_weigh_units(view.buf, view.len, width, big, table.buf, &out));
    PyBuffer_Release(&view);
    PyBuffer_Release(&table);
    return Py_BuildValue("(nLnnnn)", (Py_ssize_t)out.characters, (long long)out.weight, (Py_ssize_t)out.wide,
                         (Py_ssize_t)out.faults, (Py_ssize_t)out.first, (Py_ssize_t)out.left);
}

/* Whether the buffers of a model fit one another. */
static int model_fits(const Py_buffer b[6]) {
    Py_ssize_t classes = b[4].len;
    return b[1].len == 2 * 65536 && classes > 0 && b[2].len % classes == 0 && b[2].len / classes < 0xFFFF &&
           b[3].len > 0 && b[3].len < 256 && b[5].len == 4 * classes;
}

/* Whether class *a* comes before class *b*: the greater total, then the smaller number. */
static int comes_before(const int32_t *totals, int32_t a, int32_t b) {
    return totals[a] > totals[b] || (totals[a] == totals[b] && a < b);
}

/* The classes in order of their totals, the best first, at most *most*, none more than *reach* under the best.
 * *order* has room for all classes. */
static PyObject *best_classes(const int32_t *totals, const uint8_t *allowed, Py_ssize_t classes, Py_ssize_t most,
                              Py_ssize_t reach, int32_t *order) {
    int64_t best = INT64_MIN;
    Py_ssize_t count = 0;
    for (Py_ssize_t c = 0; c < classes; c++)
        if (allowed[c] && totals[c] > best) best = totals[c];
    for (Py_ssize_t c = 0; c < classes && most > 0; c++) {
        if (!allowed[c] || best - totals[c] > reach) continue;
        if (count == most && !comes_before(totals, (int32_t)c, order[count - 1])) continue;
        Py_ssize_t place = count < most ? count++ : count - 1;
        for (; place > 0 && comes_before(totals, (int32_t)c, order[place - 1]); place--) order[place] = order[place - 1];
        order[place] = (int32_t)c;
    }
    PyObject *tuple = PyTuple_New(2 * count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *number = PyLong_FromLong(order[i]), *total = PyLong_FromLong(totals[order[i]]);
        if (!number || !total) Py_CLEAR(tuple);
        if (!tuple) {
            Py_XDECREF(number);
            Py_XDECREF(total);
            break;
        }
        PyTuple_SET_ITEM(tuple, 2 * i, number);
        PyTuple_SET_ITEM(tuple, 2 * i + 1, total);
    }
    return tuple;
}

static PyObject *score(PyObject *module, PyObject *arguments) {
    Py_buffer b[6]; /* data, pairs, weights, levels, allowed, bias */
    Py_ssize_t most, reach;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*nn", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &most, &reach))
        return NULL;
    Py_ssize_t classes = b[4].len, features = classes ? b[2].len / classes : 0;
    /* One block: totals, the order of the classes, the features touched, then their counts. */
    char *room = model_fits(b) ? PyMem_Calloc(1, (size_t)(8 * classes + 3 * features + 8)) : NULL;
    if (!model_fits(b)) {
        PyErr_SetString(PyExc_ValueError, "score(): the parts of the model do not fit one another");
    } else if (!room) {
        PyErr_NoMemory();
    } else {
        int32_t *totals = (int32_t *)room;
        uint16_t *touched = (uint16_t *)(totals + 2 * classes);
        charlens_model model = {b[1].buf, b[2].buf, b[3].buf, b[3].len, features, classes};
        charlens_evidence evidence;
        memcpy(totals, b[5].buf, (size_t)(4 * classes));
        UNLOCKED(b[0].len, charlens_score_pairs(b[0].buf, b[0].len, &model, (uint8_t *)(touched + features + 1),
                                                touched, totals, &evidence));
        PyObject *best = best_classes(totals, b[4].buf, classes, most, reach, totals + classes);
        if (best) result = Py_BuildValue("(nnN)", (Py_ssize_t)evidence.pairs, (Py_ssize_t)evidence.distinct, best);
    }
    PyMem_Free(room);
    for (int i = 0; i < 6; i++) PyBuffer_Release(&b[i]);
    return result;
}

static PyObject *strip_markup(PyObject *module, PyObject *arguments) {
    Py_buffer view;
    int xml;
    Py_ssize_t used;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*i", &view, &xml)) return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, view.len);
    if (result) {
        uint8_t *out = (uint8_t *)PyBytes_AS_STRING(result);
        UNLOCKED(view.len, used = charlens_strip_markup(view.buf, view.len, xml != 0, out));
        _PyBytes_Resize(&result, used);
    }
    PyBuffer_Release(&view);
    return result;
}

static PyMethodDef methods[] = {
    {"scan", scan, METH_O, "Look at every byte once; see charlens.kernel.pure.scan."},
    {"scan_portable", scan_portable, METH_O, "scan() without vector instructions."},
    {"damage", damage, METH_VARARGS, "List what is not UTF-8; see charlens.kernel.pure.damage."},
    {"walk", walk, METH_VARARGS, "Walk a multi-byte encoding; see charlens.kernel.pure.walk."},
    {"score", score, METH_VARARGS, "Score a linear model; see charlens.kernel.pure.score."},
    {"strip_markup", strip_markup, METH_VARARGS, "The text of a page; see charlens.kernel.pure.strip_markup."},
    {"weigh", weigh, METH_VARARGS, "Weigh 16- or 32-bit units; see charlens.kernel.pure.weigh."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The native kernel of charlens.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
