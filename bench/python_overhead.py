#!/usr/bin/env python3
"""What a Python callback costs beyond the Python function itself, n = 2.

    PYTHONPATH=build/python OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/python_overhead.py

Two C loops call f(t, q, v): one through the package, as a solver does (arrays copied, result read,
inputs compared), one by PyObject_Vectorcall with ready arguments.  The difference is the overhead;
CPU times, the least of several.  The third column is what a whole run costs more with f in Python
than with f in C, per call and beyond the function itself: NumPy is slower where its code is not the
only one in the processor's caches.
"""

import ctypes
import os
import subprocess
import sys
import sysconfig
import tempfile
import time

import numpy as np

import keel
from keel import _core

CODE = r"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>
int force(double t, const double *q, const double *v, double *f, void *c)
{ (void)t; (void)v; (void)c; f[0] = -q[0]; f[1] = -q[1]; return 0; }
long spin(PyObject *f, PyObject *a, PyObject *b, PyObject *c, long count)
{
    PyObject *v[4] = {NULL, a, b, c};
    for (long i = 0; i < count; i++) {
        PyObject *r = PyObject_Vectorcall(f, v + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        if (!r) return -1;
        Py_DECREF(r);
    }
    return 0;
}
"""

COUNT = 100000
HARMONIC = np.array([-1.0, 0.0])


def array(t, q, v):
    return -q


def list_(t, q, v):
    return [-q[0], -q[1]]


def list_of_floats(t, q, v):
    x, y = q.tolist()
    return [-x, -y]


def constant_array(t, q, v):
    return HARMONIC


def constant_list(t, q, v):
    return [-1.0, 0.0]


def build(folder):
    source, target = os.path.join(folder, "c.c"), os.path.join(folder, "c.so")
    with open(source, "w") as file:
        file.write(CODE)
    subprocess.check_call(["cc", "-O2", "-shared", "-fPIC", source, "-o", target,
                           "-I" + sysconfig.get_paths()["include"]])
    library = ctypes.PyDLL(target)
    library.spin.argtypes = [ctypes.py_object] * 4 + [ctypes.c_long]
    library.spin.restype = ctypes.c_long
    return library, ctypes.CDLL(target).force


def best(action, repeat=9):
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def run(fun, steps=20000):
    problem = keel.Mechanical(fun, positions=2, constraints=0)
    result = []

    def action():
        solver = keel.Solver(problem, method="dopri5", step=1e-3)
        solver.start(0, ([1, 0], [0, 1]))
        solver.advance_to(steps * 1e-3)
        result[:] = [solver.stats["rhs"], solver.y]
    return best(action), result[0], result[1]


def measure():
    """[(name, itself, beyond, beyond in a run)] in nanoseconds."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        library, code = build(folder)
        compiled, calls, y = run(code)
        for fun in (array, list_, list_of_floats, constant_array, constant_list):
            total, count, mine = run(fun)
            if fun in (array, list_, list_of_floats):
                assert count == calls and np.array_equal(mine, y)
            given = 0.5, np.ones(2), np.ones(2)
            core = _core.Problem(4, (2, 0), {"force": fun})
            itself = best(lambda: library.spin(fun, *given, COUNT)) / COUNT
            through = best(lambda: _core.repeat(core, COUNT)) / COUNT
            inside = (total - compiled * count / calls) / count
            rows.append((fun.__name__, 1e9 * itself, 1e9 * (through - itself),
                         1e9 * (inside - itself)))
    return rows


if __name__ == "__main__":
    print("ns per call         the function itself   beyond it   beyond it in a run")
    for name, itself, beyond, inside in measure():
        print(f"{name:20s}{itself:19.0f}{beyond:12.0f}{inside:21.0f}")
    sys.exit(0)
