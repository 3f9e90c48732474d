/* The Python face of the native kernel: takes buffers and integers, gives integers. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernel.h"
#include "lane.h"
#include "shared.h"

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
    PyObject *listed = numbers_as_tuple(spans, 2 * out.listed);
    PyMem_Free(spans);
    if (!listed) return NULL;
    return Py_BuildValue("(nnnnN)", (Py_ssize_t)out.sequences, (Py_ssize_t)out.bad, (Py_ssize_t)out.bad_bytes,
                         (Py_ssize_t)out.stopped, listed);
}

/* A table is 256 columns, then whole rows as long as there are columns. */
static Py_ssize_t table_width(const Py_buffer *table) {
    const uint8_t *bytes = table->buf;
    uint8_t last = 0;
    if (table->len < 257) return -1;
    for (int i = 0; i < 256; i++) last = bytes[i] > last ? bytes[i] : last;
    return (table->len - 256) % (last + 1) ? -1 : last + 1;
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

/* Read the tuple of tables; the buffers taken are counted in *taken*. */
static int take_tables(PyObject *tuple, Py_buffer *buffers, charlens_table *tables, Py_ssize_t *taken) {
    for (Py_ssize_t t = 0; t < PyTuple_GET_SIZE(tuple); t++) {
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(tuple, t), &buffers[t], PyBUF_SIMPLE) < 0) return -1;
        *taken = t + 1;
        Py_ssize_t width = table_width(&buffers[t]);
        if (width < 0) {
            PyErr_SetString(PyExc_ValueError, "walk_together(): a table is not 256 columns and whole rows");
            return -1;
        }
        tables[t] = (charlens_table){buffers[t].buf, width, (buffers[t].len - 256) / width};
    }
    return 0;
}

static PyObject *walk_together(PyObject *module, PyObject *arguments) {
    Py_buffer view, pairs, buffers[CHARLENS_MOST_TABLES];
    charlens_table tables[CHARLENS_MOST_TABLES];
    ptrdiff_t errors[CHARLENS_MOST_TABLES], cuts[CHARLENS_MOST_TABLES], flat[2 * CHARLENS_MOST_TABLES];
    PyObject *tuple, *result = NULL;
    Py_ssize_t taken = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*O!y*", &view, &PyTuple_Type, &tuple, &pairs)) return NULL;
    int count = (int)PyTuple_GET_SIZE(tuple);
    if (PyTuple_GET_SIZE(tuple) > CHARLENS_MOST_TABLES || pairs.len != 4 * (256 + 65536)) {
        PyErr_SetString(PyExc_ValueError, "walk_together(): takes at most 32 tables, and 65,792 masks of 32 bits");
    } else if (take_tables(tuple, buffers, tables, &taken) == 0) {
        const uint32_t *masks = pairs.buf;
        UNLOCKED(view.len, charlens_walk_together(view.buf, view.len, tables, count, masks, masks + 256, errors, cuts));
        uint32_t whole = 0;
        for (int t = 0; t < count; t++) {
            whole |= (uint32_t)(errors[t] < 0) << t;
            flat[2 * t] = errors[t];
            flat[2 * t + 1] = cuts[t];
        }
        PyObject *found = numbers_as_tuple(flat, 2 * count);
        result = found ? Py_BuildValue("(kN)", (unsigned long)whole, found) : NULL;
    }
    for (Py_ssize_t t = 0; t < taken; t++) PyBuffer_Release(&buffers[t]);
    PyBuffer_Release(&view);
    PyBuffer_Release(&pairs);
    return result;
}

static PyObject *disjoint(PyObject *module, PyObject *arguments) {
    Py_buffer seen, rows;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*", &seen, &rows)) return NULL;
    if (seen.len != 32 || rows.len % 32 || rows.len > 32 * 256) {
        PyErr_SetString(PyExc_ValueError, "disjoint(): takes sets of 32 bytes, at most 256 of them");
    } else {
        uint8_t bits[32] = {0};
        uint64_t ours[4], theirs[4];
        memcpy(ours, seen.buf, 32);
        for (Py_ssize_t row = 0; row < rows.len / 32; row++) {
            memcpy(theirs, (const char *)rows.buf + 32 * row, 32);
            uint64_t common = 0;
            for (int i = 0; i < 4; i++) common |= ours[i] & theirs[i];
            bits[row >> 3] |= (uint8_t)((common == 0) << (row & 7));
        }
        result = bytes_as_number(bits, 32);
    }
    PyBuffer_Release(&seen);
    PyBuffer_Release(&rows);
    return result;
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
static int model_fits(const Py_buffer b[7]) {
    Py_ssize_t classes = b[4].len / 16;
    return b[1].len == 2 * 65536 && classes > 0 && b[4].len % 16 == 0 && b[2].len % classes == 0 &&
           b[2].len / classes < 0xFFFF && b[3].len > 0 && b[3].len < 256 && b[5].len == 32 && b[6].len == 4 * classes;
}

/* Pairs of a class and its total, the classes in *order*. */
static PyObject *classes_as_tuple(const int32_t *totals, const int32_t *order, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(2 * count);
    for (Py_ssize_t i = 0; tuple && i < 2 * count; i++) {
        PyObject *item = PyLong_FromLong(i % 2 ? totals[order[i / 2]] : order[i / 2]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *score(PyObject *module, PyObject *arguments) {
    Py_buffer b[7]; /* data, pairs, weights, levels, members, possible, bias */
    Py_ssize_t stride, size, most, reach;
    int penalty;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*(y*y*y*y*)y*y*(nn)(nni)", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6],
                          &stride, &size, &most, &reach, &penalty))
        return NULL;
    Py_ssize_t classes = b[4].len / 16, features = classes ? b[2].len / classes : 0;
    /* One block: the counts of the features, which must be zero, the totals with room for whole blocks of 32, the
     * order of the classes, and the features touched. */
    size_t counted = ((size_t)features + 16) / 16 * 16, room = 4 * ((size_t)classes + 32);
    const int fits = model_fits(b) && stride >= 0 && size >= 0 && penalty >= 0 && penalty < 1 << 24;
    char *block = fits ? PyMem_Malloc(counted + 2 * room + 2 * ((size_t)features + 1)) : NULL;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "score(): the parts of the model do not fit one another");
    } else if (!block) {
        PyErr_NoMemory();
    } else {
        int32_t *totals = (int32_t *)(block + counted), *order = (int32_t *)(block + counted + room);
        uint16_t *touched = (uint16_t *)(block + counted + 2 * room);
        charlens_model model = {b[1].buf, b[2].buf, b[3].buf, b[3].len, features, classes};
        charlens_evidence evidence;
        memset(block, 0, counted + room);
        memcpy(totals, b[6].buf, (size_t)(4 * classes));
        UNLOCKED(b[0].len, charlens_score_pairs(b[0].buf, b[0].len, stride, size, &model, (uint8_t *)block,
                                                touched, totals, &evidence));
        if (penalty) charlens_doubt_classes(totals, b[4].buf, b[5].buf, classes, penalty);
        Py_ssize_t count = charlens_best_classes(totals, b[4].buf, b[5].buf, classes, most, reach, order);
        PyObject *best = classes_as_tuple(totals, order, count);
        if (best) result = Py_BuildValue("(nnN)", (Py_ssize_t)evidence.pairs, (Py_ssize_t)evidence.distinct, best);
    }
    PyMem_Free(block);
    for (int i = 0; i < 7; i++) PyBuffer_Release(&b[i]);
    return result;
}

static PyObject *tongue(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    Py_buffer view, table;
    charlens_tongue_model model;
    PyObject *result = NULL;
    (void)module;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "tongue() takes 3 arguments; got %zd", count);
    Py_ssize_t most = PyNumber_AsSsize_t(arguments[2], PyExc_OverflowError);
    if (most == -1 && PyErr_Occurred()) return NULL;
    if (PyObject_GetBuffer(arguments[0], &view, PyBUF_SIMPLE) < 0) return NULL;
    if (PyObject_GetBuffer(arguments[1], &table, PyBUF_SIMPLE) < 0) {
        PyBuffer_Release(&view);
        return NULL;
    }
    if (most < 0 || !charlens_tongue_fits(table.buf, table.len, &model)) {
        PyErr_SetString(PyExc_ValueError, "tongue(): the parts of the model do not fit one another");
    } else {
        charlens_tongue out;
        uint32_t classes = 0;
        memset(out.letters, 0, model.script_count * sizeof *out.letters);
        memset(out.found, 0, model.script_count * sizeof *out.found);
        for (unsigned i = 0; i < model.script_count; classes += model.scripts[i++].classes) out.offsets[i] = classes;
        out.totals = PyMem_Calloc(classes + 1, sizeof *out.totals);
        if (!out.totals) {
            PyErr_NoMemory();
        } else {
            UNLOCKED(view.len, charlens_read_tongue(view.buf, view.len, &model, &out));
            ptrdiff_t numbers[CHARLENS_MOST_NUMBERS];
            result = numbers_as_tuple(numbers, charlens_tongue_best(&out, &model, most, numbers));
            PyMem_Free(out.totals);
        }
    }
    PyBuffer_Release(&view);
    PyBuffer_Release(&table);
    return result;
}

static PyObject *excerpt(PyObject *module, PyObject *arguments) {
    Py_buffer view;
    Py_ssize_t windows, size, ahead, back;
    PyObject *result;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*nnnn", &view, &windows, &size, &ahead, &back)) return NULL;
    if (windows < 1 || windows > 64 || size < 1 || size > 4096 || ahead < 0 || back < 0) {
        PyBuffer_Release(&view);
        PyErr_SetString(PyExc_ValueError, "excerpt(): a number is out of range");
        return NULL;
    }
    result = PyBytes_FromStringAndSize(NULL, windows * (size + 1));
    if (result) {
        uint8_t *out = (uint8_t *)PyBytes_AS_STRING(result);
        Py_ssize_t written = charlens_excerpt(view.buf, view.len, windows, size, ahead, back, out);
        _PyBytes_Resize(&result, written);
    }
    PyBuffer_Release(&view);
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
    {"walk_together", walk_together, METH_VARARGS, "Walk several at once; see charlens.kernel.pure.walk_together."},
    {"disjoint", disjoint, METH_VARARGS, "Which sets have nothing of another; see charlens.kernel.pure.disjoint."},
    {"score", score, METH_VARARGS, "Score a linear model; see charlens.kernel.pure.score."},
    {"excerpt", excerpt, METH_VARARGS, "Take pieces from all over; see charlens.kernel.pure_tongue.excerpt."},
    {"tongue", (PyCFunction)(void (*)(void))tongue, METH_FASTCALL, "Score languages; see charlens.kernel.pure_tongue.tongue."},
    {"strip_markup", strip_markup, METH_VARARGS, "The text of a page; see charlens.kernel.pure.strip_markup."},
    {"make_lane", charlens_make_lane, METH_O, "The straight way through all stages; see charlens.lane."},
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
