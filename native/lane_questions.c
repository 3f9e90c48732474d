/* The lane: what it asks Python, most of it only once. */
#include "lane_state.h"

enum { MOST_KEPT = 4096 };

/* What is kept under *key*, as a new reference; NULL where there is nothing, or for an error. */
static PyObject *find_kept(PyObject *kept, PyObject *key) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *answer = NULL;
    return PyDict_GetItemRef(kept, key, &answer) < 0 ? NULL : answer;
#else
    return with_ref(PyDict_GetItemWithError(kept, key));
#endif
}

/* What *function* gives for *key*, asked once. */
static PyObject *ask_once(PyObject *kept, PyObject *function, PyObject *key, PyObject *argument) {
    PyObject *answer = find_kept(kept, key);
    if (answer || PyErr_Occurred()) return answer;
    answer = PyObject_CallOneArg(function, argument);
    if (answer && PyDict_SetItem(kept, key, answer) < 0) Py_CLEAR(answer);
    return answer;
}

/* The encodings that read ASCII alike; None where a stage has to look. */
PyObject *lane_same_as_ascii(lane_state *lane, const charlens_case *it) {
    const uint64_t *seen = it->scan.seen;
    if (!((seen[0] & lane->odd_in_ebcdic[0]) | (seen[1] & lane->odd_in_ebcdic[1]))) return with_ref(Py_None);
    const uint64_t odd[2] = {seen[0] & lane->odd_somewhere[0], seen[1] & lane->odd_somewhere[1]};
    PyObject *key = lane_set_as_number(odd, 2), *whole = key ? lane_set_as_number(seen, 4) : NULL;
    PyObject *same = whole ? ask_once(lane->ascii_sets, lane->same_as_ascii, key, whole) : NULL;
    Py_XDECREF(key);
    Py_XDECREF(whole);
    return same;
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

/* A name for what is plainly declared and *more*, so that it is asked only once. */
static PyObject *name_declared(const charlens_case *it, const int more[3]) {
    char key[32 + (CHARLENS_MOST_LANGUAGES + 1) * (CHARLENS_MOST_LABEL + 1)];
    const charlens_declared *declared = &it->declared;
    const int16_t offset = (int16_t)declared->offset; /* within the head */
    Py_ssize_t used = 3 * (Py_ssize_t)sizeof(int);
    memcpy(key, more, (size_t)used);
    if (!it->declares) return PyBytes_FromStringAndSize(key, used);
    key[used++] = (char)declared->source;
    memcpy(key + used, &offset, 2);
    key[used + 2] = (char)declared->length;
    memcpy(key + used + 3, declared->label, (size_t)declared->length);
    used += 3 + declared->length;
    for (int i = 0; i < declared->language_count; i++) {
        key[used++] = (char)declared->language_lengths[i];
        memcpy(key + used, declared->languages[i], (size_t)declared->language_lengths[i]);
        used += declared->language_lengths[i];
    }
    return PyBytes_FromStringAndSize(key, used);
}

static PyObject *call_with(PyObject *function, PyObject *given, const int more[3], PyObject *header) {
    return PyObject_CallFunction(function, "OiiiO", given, more[0], more[1], more[2], header);
}

PyObject *lane_ask_declared(lane_state *lane, const charlens_case *it, PyObject *function, asked_of asked, const int more[3]) {
    if (it->declares < 0) return call_with(function, asked.data, more, asked.header);
    PyObject *name = name_declared(it, more), *answer = name ? find_kept(lane->begins, name) : NULL;
    if (!answer && name && !PyErr_Occurred()) {
        PyObject *given = it->declares ? declared_as_tuple(&it->declared) : with_ref(Py_None);
        answer = given ? call_with(function, given, more, Py_None) : NULL;
        if (PyDict_Size(lane->begins) >= MOST_KEPT) PyDict_Clear(lane->begins);
        if (answer && PyDict_SetItem(lane->begins, name, answer) < 0) Py_CLEAR(answer);
        Py_XDECREF(given);
    }
    Py_XDECREF(name);
    if (answer != Py_NotImplemented) return answer;
    Py_DECREF(answer);
    return call_with(function, asked.data, more, Py_None);
}

/* Whether what is declared is not what was found; -1 for an error. */
int lane_contradicts(lane_state *lane, PyObject *declarations, PyObject *encoding, PyObject *same) {
    if (declarations == Py_None) return 0;
    PyObject *answer = PyObject_CallFunctionObjArgs(lane->contradicts, declarations, encoding, same, NULL);
    const int is_true = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return is_true;
}

/* Whether the first declaration covers none of the encodings that read the answer. */
int lane_is_contradicted(PyObject *covered, const uint64_t same[2]) {
    uint64_t set[2];
    if (!PyBytes_Check(covered) || PyBytes_GET_SIZE(covered) != 16) return 0;
    memcpy(set, PyBytes_AS_STRING(covered), 16);
    return !((set[0] & same[0]) | (set[1] & same[1]));
}

/* The encodings that read the bytes like *number* does: a set, or a set of byte values for each encoding. */
int lane_find_same(void *who, const charlens_case *it, int number, uint64_t same[2]) {
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

PyObject *lane_name_others(lane_state *lane, const charlens_reading *reading, int number) {
    uint64_t others[2] = {reading->same[0], reading->same[1]};
    others[number >> 6] &= ~((uint64_t)1 << (number & 63));
    PyObject *set = lane_set_as_number(others, 2), *names = set ? PyObject_CallOneArg(lane->others, set) : NULL;
    Py_XDECREF(set);
    return names;
}
