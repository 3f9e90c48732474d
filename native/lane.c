/* The straight way: one call that goes through all stages, for inputs without anything out of the ordinary.
 *
 * It gives the verdict that the stages in Python give, field by field (tests/test_lane.py), or None where one of them
 * has to look closer.  Tables, limits, types and functions come from charlens.lane, by name; what is worked out from
 * them is in judge.c.
 */
#include "lane.h"

#include <float.h>
#include <stdlib.h>

#include "lane_state.h"

static const char *CAPSULE = "charlens.lane";

/* ---- ASCII and UTF-8 */

/* See whether anything is declared, and read it where that is plain. */
static void read_declared(const lane_state *lane, charlens_case *it, PyObject *header) {
    const charlens_limits *limits = &lane->judge.limits;
    it->declares = !lane->ignores && charlens_has(&it->scan, '<') && charlens_may_declare(it->data, it->length, 1, limits);
    if (header != Py_None) it->declares = -1; /* what a header says is for the stage */
    else if (it->declares && !charlens_read_declared(it->data, it->length, limits, &it->declared)) it->declares = -1;
}

static PyObject *unicode_verdict(lane_state *lane, charlens_case *it, asked_of asked) {
    static const int nothing_more[3] = {-1, 0, 0};
    const charlens_scan *scan = &it->scan;
    const int is_ascii = scan->non_ascii == 0;
    const ptrdiff_t whole = scan->leads - (scan->cut ? 1 : 0);
    if (is_ascii) {
        const uint64_t allowed = ~(uint64_t)0xFFFFFFFF | 1 << 9 | 1 << 10 | 1 << 13;
        if (charlens_may_be_escaped(it->data, it->length, scan) || !((scan->seen[0] & allowed) | scan->seen[1])) Py_RETURN_NONE;
    } else if (whole <= 0 || (whole <= lane->judge.limits.few_sequences && scan->seen[3] >> 28 & 0xF)) {
        Py_RETURN_NONE; /* a cut and nothing else, or the rarest of leads, 0xDC to 0xDF; below 0 if the bytes change under us */
    }
    PyObject *encoding = is_ascii ? lane->ascii : lane->utf8, *web = is_ascii ? lane->web_ascii : lane->web_utf8;
    read_declared(lane, it, asked.header);
    PyObject *declarations = it->declares ? lane_ask_declared(lane, it, lane->declared, asked, nothing_more) : with_ref(Py_None);
    PyObject *same = is_ascii ? lane_same_as_ascii(lane, it) : PyTuple_New(0);
    int otherwise = declarations && same ? same == Py_None : -1;
    if (!otherwise) otherwise = lane_contradicts(lane, declarations, encoding, same);
    if (otherwise) {
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
    PyObject *tongue = lane_tongue_finding(lane, it, language, 0);
    PyObject *found[] = {form, with_ref(lane->content), declarations, tongue};
    const int failed = !form || !tongue;
    PyObject *findings = lane_list_findings(found, 4);
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
    const int more[3] = {(int)it->row, line_ends(&it->scan), it->flavour == CHARLENS_HTML};
    read_declared(lane, it, asked.header);
    PyObject *answer = lane_ask_declared(lane, it, lane->evidence, asked, more);
    if (answer && (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 4 || !PyBytes_Check(PyTuple_GET_ITEM(answer, 3)) ||
                   PyBytes_GET_SIZE(PyTuple_GET_ITEM(answer, 3)) != 4 * lane->judge.model.classes)) {
        PyErr_SetString(PyExc_ValueError, "the lane's evidence is not what it should be");
        Py_CLEAR(answer);
    }
    return answer;
}

/* The length of the character cut off at the end, read as encoding *number*. */
static ptrdiff_t cut_off(const charlens_judge *judge, const charlens_case *it, int number) {
    for (int t = 0; t < judge->table_count; t++)
        if (judge->walked[t] == number) return it->walked[2 * t + 1];
    return 0;
}

/* Put together what was found for the likeliest reading. */
static PyObject *legacy_verdict(lane_state *lane, charlens_case *it, PyObject *evidence, PyObject *bias) {
    const charlens_judge *judge = &lane->judge;
    const charlens_reading *reading = &it->readings[0];
    const int number = charlens_lowest(reading->same);
    PyObject *declarations = PyTuple_GET_ITEM(evidence, 0), *hints = PyTuple_GET_ITEM(evidence, 2);
    PyObject *name = PyTuple_GetItem(lane->names, number), *web = PyTuple_GetItem(lane->webs, number);
    if (lane_is_contradicted(PyTuple_GET_ITEM(evidence, 1), reading->same)) Py_RETURN_NONE;
    PyObject *same = name && web ? lane_name_others(lane, reading, number) : NULL;
    if (!same) return NULL;
    PyObject *language = PyTuple_GET_ITEM(lane->languages, reading->best), *tongue = Py_None;
    if (judge->single[number]) {
        const int spoken = charlens_judge_beside(judge, it, number);
        language = spoken < 0 ? Py_None : PyTuple_GET_ITEM(lane->languages, spoken);
        tongue = lane_tongue_finding(lane, it, language, 1);
    } else {
        Py_INCREF(tongue);
    }
    PyObject *found[] = {with_ref(lane->content),
                         with_ref(declarations),
                         lane_markup_finding(lane, it),
                         lane_candidates_finding(lane, it),
                         with_ref(hints),
                         lane_surroundings_finding(lane, it),
                         lane_scores_finding(lane, it, bias),
                         tongue};
    int failed = 0;
    for (int i = 0; i < 8; i++) failed |= !found[i];
    PyObject *findings = lane_list_findings(found, 8);
    if (failed) Py_CLEAR(findings);
    PyObject *sure = reading->share < judge->limits.most_sure ? PyFloat_FromDouble(reading->share) : with_ref(lane->most_sure);
    return BUILD(lane->verdict, with_ref(lane->text), with_ref(name), sure, with_ref(language),
                 PyBytes_FromStringAndSize(NULL, 0), same, lane_list_alternatives(lane, it), PyTuple_New(0),
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
    else if (!charlens_join_readings(judge, it, lane_find_same, lane)) verdict = NULL;
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
    there = lane->has_legacy;
    if (!there && (settings = PyObject_CallNoArgs(lane->load_legacy)) != NULL)
        there = lane->has_legacy = lane->has_legacy || lane_take_legacy(lane, settings);
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

static void free_lane(PyObject *capsule) {
    lane_state *lane = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!lane) return;
    lane_release(lane);
    PyMem_Free(lane);
}

PyObject *charlens_make_lane(PyObject *module, PyObject *settings) {
    (void)module;
    if (!PyDict_Check(settings)) return PyErr_Format(PyExc_TypeError, "make_lane() takes a dict");
#if FLT_EVAL_METHOD != 0
    Py_RETURN_NONE; /* sums that keep more digits than Python's are others */
#endif
    lane_state *lane = PyMem_Calloc(1, sizeof *lane);
    PyObject *capsule = lane ? PyCapsule_New(lane, CAPSULE, free_lane) : PyErr_NoMemory();
    if (!capsule) {
        PyMem_Free(lane);
        return NULL;
    }
    PyObject *function = lane_take_settings(lane, settings) ? PyCFunction_New(&judge_method, capsule) : NULL;
#ifdef CHARLENS_HAVE_AVX2
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt")) lane->portable = 1;
#endif
    Py_DECREF(capsule);
    return function;
}
