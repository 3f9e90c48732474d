/* What the two faces to Python share: module.c and the lane. */
#ifndef CHARLENS_SHARED_H
#define CHARLENS_SHARED_H

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

static inline PyObject *numbers_as_tuple(const ptrdiff_t *numbers, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *item = PyLong_FromSsize_t(numbers[i]);
        if (!item) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

/* Bytes, the lowest first, as an int. */
static inline PyObject *bytes_as_number(const uint8_t *bytes, size_t size) {
#if PY_VERSION_HEX >= 0x030D0000
    return PyLong_FromUnsignedNativeBytes(bytes, size, Py_ASNATIVEBYTES_LITTLE_ENDIAN);
#else
    return _PyLong_FromByteArray(bytes, size, 1, 0);
#endif
}

#endif
