/* The straight way through all stages, for Python: see lane.c. */
#ifndef CHARLENS_LANE_H
#define CHARLENS_LANE_H

#include <Python.h>

/* make_lane(settings) -> a function that takes bytes and gives a verdict, or None where the stages have to look closer. */
PyObject *charlens_make_lane(PyObject *module, PyObject *settings);

#endif
