#!/usr/bin/env python3
"""Compiled callbacks through solve_dae beside the same runs by a C program.

    PYTHONPATH=build/python OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/python_compiled.py [-b build]

The C program makes problem and solver, steps to the end, stores t and y of all steps and frees all of
it, which is what solve_dae does; solve_dae also keeps the residuals of all steps and counters.
Processor times of one solve in microseconds, the least of many runs that take turns, so that both see
the same machine; their ratio, and the median of the ratios of all turns, which tells what a busy machine
does to it.  Several solves of a turn are one call of the C program: the way from Python into it is not
counted.  numba and sympy are optional.
"""

import argparse
import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import keel

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SOURCE, "python", "examples"))

CODE = r"""
#include <stdlib.h>
#include <string.h>
#include "problems/andrews.h"

static int force(double t, const double *q, const double *v, double *f, void *c)
{ (void)t; (void)q; (void)v; (void)c; f[0] = 0; f[1] = -9.81; return 0; }
static int rod(double t, const double *q, double *g, void *c)
{ (void)t; (void)c; g[0] = q[0] * q[0] + q[1] * q[1] - 1; return 0; }
static int rod_q(double t, const double *q, double *G, void *c)
{ (void)t; (void)c; G[0] = 2 * q[0]; G[1] = 2 * q[1]; return 0; }
static int rod_vv(double t, const double *q, const double *v, double *g, void *c)
{ (void)t; (void)q; (void)c; g[0] = 2 * (v[0] * v[0] + v[1] * v[1]); return 0; }

static int create(int andrews, keel_problem **p)
{
    return andrews ? keel_mechanical(p, &(keel_mechanical_spec){
                         .positions = 7, .constraints = 6, .evaluate = andrews_evaluate,
                         .force_jacobian = andrews_force_jacobian})
                   : keel_mechanical(p, &(keel_mechanical_spec){
                         .positions = 2, .constraints = 1, .force = force, .constraint = rod,
                         .constraint_jacobian = rod_q, .curvature = rod_vv});
}

/* Steps, or a status; *last are the unknowns at the end. */
int run(int andrews, double rtol, double t_end, const double *y, double *last)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    int status = create(andrews, &p), room = 64, count = 0;
    const size_t n = (size_t)keel_problem_size(p);
    double *kept = malloc(sizeof(double) * room * (n + 1));
    if (!status) status = keel_solver_create(&s, p, &(keel_options){.rtol = rtol});
    if (!status) status = keel_start(s, 0, y);
    if (!status) status = keel_set_stop_time(s, t_end);
    while (!status && keel_time(s) != t_end) {
        if ((status = keel_step(s)) != 0) break;
        if (count == room) kept = realloc(kept, sizeof(double) * (room *= 2) * (n + 1));
        kept[count * (n + 1)] = keel_time(s);
        memcpy(kept + count++ * (n + 1) + 1, keel_state(s), n * sizeof *kept);
    }
    memcpy(last, keel_state(s), n * sizeof *last);
    free(kept);
    keel_solver_free(s);
    keel_problem_free(p);
    return status ? status : count;
}

int runs(int times, int andrews, double rtol, double t_end, const double *y, double *last)
{
    int count = 1;
    while (times-- > 0 && count > 0) count = run(andrews, rtol, t_end, y, last);
    return count;
}
"""

SOLVES = 8      # of one turn


def program(build, folder):
    """The C program as a library."""
    code, made = os.path.join(folder, "program.c"), os.path.join(folder, "program.so")
    with open(code, "w") as file:
        file.write(CODE)
    with open(os.path.join(build, "libkeel.links")) as file:
        links = [name if "/" in name else "-l" + name for name in file.read().split()
                 if name[:2] != "-D"]
    subprocess.run(["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-I", SOURCE, "-I",
                    os.path.join(SOURCE, "include"), code, os.path.join(SOURCE, "problems/andrews.c"),
                    os.path.join(build, "libkeel.a"), *links, "-o", made,
                    "-Wl,-Bsymbolic,--exclude-libs,ALL"], check=True)
    library = ctypes.CDLL(made)
    numbers = ctypes.POINTER(ctypes.c_double)
    library.runs.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_double, ctypes.c_double, numbers,
                             numbers]
    return library


def take_turns(first, second, seconds):
    """Least processor times of two runs that take turns, and the median of their ratios."""
    times, end = [], time.process_time() + seconds
    while not times or time.process_time() < end:
        begin = time.process_time()
        first()
        middle = time.process_time()
        second()
        times.append((middle - begin, time.process_time() - middle))
    times = np.array(times)
    return (*times.min(axis=0), np.median(times[:, 1] / times[:, 0]))


def njit_pendulum():
    from numba import njit

    @njit
    def force(t, q, v, out):
        out[0], out[1] = 0.0, -9.81

    @njit
    def rod(t, q, out):
        out[0] = q[0] * q[0] + q[1] * q[1] - 1

    @njit
    def rod_q(t, q, out):
        out[0, 0], out[0, 1] = 2 * q[0], 2 * q[1]

    @njit
    def rod_vv(t, q, v, out):
        out[0] = 2 * (v[0] * v[0] + v[1] * v[1])

    return keel.Mechanical(force, None, rod, constraint_jacobian=rod_q, curvature=rod_vv, positions=2,
                           constraints=1)


def cases(library):
    """(label, which C program, problem)"""
    if importlib.util.find_spec("numba"):
        yield "pendulum, @njit with out=", 0, njit_pendulum()
    code = library.andrews_evaluate
    yield "Andrews, evaluate in C", 1, keel.Mechanical(
        evaluate=keel.Compiled(code), force_jacobian=keel.Compiled(library.andrews_force_jacobian),
        positions=7, constraints=6)
    if importlib.util.find_spec("sympy"):
        from andrews import andrews
        yield "Andrews from its Lagrangian", 1, andrews()


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("-b", "--build", default=os.path.join(SOURCE, "build"))
    options.add_argument("-s", "--seconds", type=float, default=2.0, help="for each line")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = program(chosen.build, folder)
    print(f"{'problem':32} {'C':>8} {'Python':>8} {'ratio':>6} {'median':>6} {'apart':>8}")
    for label, andrews, problem in cases(library):
        n, t_end, rtol = (20, 0.03, 1e-8) if andrews else (5, 10.0, 1e-8)
        y = np.zeros(n)
        if andrews:
            start = (ctypes.c_double * n).from_buffer(y)
            library.andrews_start(None, start)
        else:
            y[0] = 1
        last = np.zeros(n)
        first = y.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        end = last.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

        def in_c():
            assert library.runs(SOLVES, andrews, rtol, t_end, first, end) > 0

        def in_python():
            for _ in range(SOLVES):
                solution = keel.solve_dae(problem, (0, t_end), y, rtol=rtol)
            return solution
        c, python, median = take_turns(in_c, in_python, chosen.seconds)
        apart = np.max(np.abs(in_python().y_end[:2] - last[:2]))
        print(f"{label:32} {1e6 * c / SOLVES:8.1f} {1e6 * python / SOLVES:8.1f} {python / c:6.2f} "
              f"{median:6.2f} {apart:8.1e}")


if __name__ == "__main__":
    main()
