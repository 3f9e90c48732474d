/* The lane: what was found, as the named tuples of charlens.types. */
#include "lane_state.h"

/* An instance of a named tuple; the items are taken over, also where this fails. */
PyObject *lane_build(PyObject *type, PyObject **items, Py_ssize_t count) {
    PyTypeObject *kind = (PyTypeObject *)type;
    int whole = 1;
    for (Py_ssize_t i = 0; i < count; i++) whole = whole && items[i];
    PyObject *made = whole ? kind->tp_alloc(kind, count) : NULL;
#if PY_VERSION_HEX >= 0x030E0000
    if (made) ((PyTupleObject *)made)->ob_hash = -1; /* not worked out yet; the allocation leaves 0 */
#endif
    for (Py_ssize_t i = 0; i < count; i++) {
        if (made) PyTuple_SET_ITEM(made, i, items[i]);
        else Py_XDECREF(items[i]);
    }
    return made;
}

/* A set of *size* bytes as an int; the sets are in the order of this machine. */
PyObject *lane_set_as_number(const uint64_t *set, int words) {
    uint8_t bytes[32];
    for (int i = 0; i < 8 * words; i++) bytes[i] = (uint8_t)(set[i >> 3] >> (8 * (i & 7)));
    return bytes_as_number(bytes, 8 * (size_t)words);
}

PyObject *lane_set_as_bytes(const uint64_t *set, int words) {
    uint8_t bytes[32];
    for (int i = 0; i < 8 * words; i++) bytes[i] = (uint8_t)(set[i >> 3] >> (8 * (i & 7)));
    return PyBytes_FromStringAndSize((const char *)bytes, 8 * words);
}

/* The findings that are there, in their order; they are taken over. */
PyObject *lane_list_findings(PyObject **found, Py_ssize_t count) {
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

/* The finding of the language stage, and the language itself as a new reference. */
PyObject *lane_tongue_finding(lane_state *lane, const charlens_case *it, PyObject *language, int both) {
    return BUILD(lane->tongue, with_ref(language), numbers_as_tuple(it->tongue, it->tongue_count),
                 with_ref(lane->language_model), with_ref(both ? Py_True : Py_False));
}

PyObject *lane_markup_finding(lane_state *lane, const charlens_case *it) {
    if (it->flavour == CHARLENS_NO_MARKUP) return with_ref(Py_None);
    return BUILD(lane->markup, with_ref(PyTuple_GetItem(lane->flavours, it->flavour == CHARLENS_XML)),
                 PyBytes_FromStringAndSize(NULL, 0), PyLong_FromSsize_t(it->stripped_length),
                 PyLong_FromSsize_t(it->stripped_beyond), PyLong_FromSsize_t(it->stripped_size),
                 with_ref(it->enough ? Py_True : Py_False));
}

PyObject *lane_candidates_finding(lane_state *lane, const charlens_case *it) {
    return BUILD(lane->candidates, lane_set_as_number(it->sets, 2), lane_set_as_number(it->sets + 2, 2),
                 numbers_as_tuple(it->walked, 2 * lane->judge.table_count), lane_set_as_bytes(it->scan.seen, 4),
                 PyBytes_FromStringAndSize((const char *)it->scan.first, sizeof it->scan.first), with_ref(lane->rules),
                 PyTuple_New(0));
}

PyObject *lane_surroundings_finding(lane_state *lane, const charlens_case *it) {
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

PyObject *lane_scores_finding(lane_state *lane, const charlens_case *it, PyObject *bias) {
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
                 numbers_as_tuple(it->windows, 2), lane_set_as_bytes(it->sets, 4), PyLong_FromLong(it->penalty));
}

/* The readings but for the first, at most seven. */
PyObject *lane_list_alternatives(lane_state *lane, const charlens_case *it) {
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
