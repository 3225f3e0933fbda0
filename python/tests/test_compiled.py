"""Callbacks that are machine code."""

import ctypes
import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import keel
from conftest import force, pendulum_exact, rod, rod_q, rod_vv, sanitized

CODE = r"""
#include <math.h>
#include <time.h>
int force(double t, const double *q, const double *v, double *f, void *c)
{ (void)t; (void)q; (void)v; f[0] = 0; f[1] = c ? -((double *)c)[0] : -9.81; return 0; }
int rod(double t, const double *q, double *g, void *c)
{ (void)t; (void)c; g[0] = q[0] * q[0] + q[1] * q[1] - 1; return 0; }
int rod_q(double t, const double *q, double *G, void *c)
{ (void)t; (void)c; G[0] = 2 * q[0]; G[1] = 2 * q[1]; return 0; }
int rod_vv(double t, const double *q, const double *v, double *g, void *c)
{ (void)t; (void)q; (void)c; g[0] = 2 * (v[0] * v[0] + v[1] * v[1]); return 0; }
typedef struct parts { double *mass, *force, *constraint, *jacobian, *time, *curvature; } parts;
int evaluate(double t, const double *q, const double *v, unsigned wanted, const parts *p, void *c)
{
    double m = ((double *)c)[0];
    (void)t;
    if (wanted & 1) p->mass[0] = p->mass[3] = m, p->mass[1] = p->mass[2] = 0;
    if (wanted & 2) p->force[0] = 0, p->force[1] = -9.81 * m;
    if (wanted & 4) p->constraint[0] = q[0] * q[0] + q[1] * q[1] - 1;
    if (wanted & 8) p->jacobian[0] = 2 * q[0], p->jacobian[1] = 2 * q[1];
    if (wanted & 16) p->time[0] = 0;
    if (wanted & 32) p->curvature[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}
int oscillate(double t, const double *y, double *f, void *c)
{ (void)t; (void)c; f[0] = y[1]; f[1] = -y[0]; return 0; }
int fails(double t, const double *y, double *f, void *c)
{ (void)c; f[0] = y[1]; f[1] = -y[0]; return t > 0.5 ? -7 : 0; }
int sleepy(double t, const double *y, double *f, void *c)
{ struct timespec ms20 = {0, 20000000}; nanosleep(&ms20, NULL); ++*(long *)c; (void)t;
  f[0] = y[1]; f[1] = -y[0]; return 0; }
int slow(double t, const double *y, double *f, void *c)
{ volatile double x = 0; for (int i = 0; i < 100000; i++) x += sin(i); (void)t; (void)c;
  f[0] = y[1]; f[1] = -y[0]; return 0; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("code")
    (folder / "code.c").write_text(CODE)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", str(folder / "code.c"), "-o",
                    str(folder / "code.so"), "-lm"], check=True, env={**os.environ, "LD_PRELOAD": ""})
    return ctypes.CDLL(str(folder / "code.so"))


def compiled(library, wrap=lambda f, name: f):
    return keel.Mechanical(wrap(library.force, "force"), None, wrap(library.rod, "rod"),
                           constraint_jacobian=wrap(library.rod_q, "rod_q"),
                           curvature=wrap(library.rod_vv, "rod_vv"), positions=2, constraints=1)


def python_run(rtol=1e-8):
    p = keel.Mechanical(force, None, rod, constraint_jacobian=rod_q, curvature=rod_vv)
    return keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=rtol)


@pytest.mark.parametrize("wrap", [
    lambda f, name: f,
    lambda f, name: keel.Compiled(f),
    lambda f, name: keel.Compiled(ctypes.cast(f, ctypes.c_void_p).value),
])
def test_ctypes_and_addresses(library, wrap):
    s = keel.solve_dae(compiled(library, wrap), (0, 10), ([1, 0], [0, 0]), rtol=1e-8)
    assert np.array_equal(s.y, python_run().y)


def test_low_level_callable(library):
    scipy = pytest.importorskip("scipy")
    p = ctypes.POINTER(ctypes.c_double)
    two = [ctypes.c_double, p, p, p, ctypes.c_void_p]
    for f in (library.force, library.rod_vv):
        f.argtypes, f.restype = two, ctypes.c_int
    for f in (library.rod, library.rod_q):
        f.argtypes, f.restype = two[1:2] and [ctypes.c_double, p, p, ctypes.c_void_p], ctypes.c_int
    s = keel.solve_dae(compiled(library, lambda f, name: scipy.LowLevelCallable(f)), (0, 10),
                       ([1, 0], [0, 0]), rtol=1e-8)
    assert np.array_equal(s.y, python_run().y)
    with pytest.raises(TypeError) as caught:                     # one argument too few
        keel.solve_dae(keel.Mechanical(scipy.LowLevelCallable(library.rod), positions=2), (0, 1),
                       ([1, 0], [0, 0]))
    assert "`force`" in str(caught.value) and str(caught.value).count("double") > 5


def test_data(library):
    g = np.array([1.62])
    p = keel.Mechanical(keel.Compiled(library.force, data=g), None, library.rod,
                        constraint_jacobian=library.rod_q, curvature=library.rod_vv, positions=2,
                        constraints=1)
    q = keel.Mechanical(lambda t, q, v: [0, -1.62], None, rod, constraint_jacobian=rod_q,
                        curvature=rod_vv)
    start = ([1, 0], [0, 0])
    assert np.array_equal(keel.solve_dae(p, (0, 2), start).y, keel.solve_dae(q, (0, 2), start).y)


def test_one_callback_for_all_parts(library):
    """`evaluate` shares work between mass, forces and constraint; its data are parameters."""
    data = np.array([2.0])
    p = keel.Mechanical(evaluate=keel.Compiled(library.evaluate, data=data), positions=2,
                        constraints=1)
    s = keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-10)
    assert np.allclose(s.y_end[:2], pendulum_exact(10), atol=1e-8) and max(s.residual) < 1e-13
    first = s.y_end[4]
    data[0] = 4.0                                                # no need to make it anew
    s = keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-10)
    assert np.isclose(s.y_end[4], 2 * first, rtol=1e-7)
    with pytest.raises(TypeError, match="compiled"):
        keel.Mechanical(evaluate=lambda *all: None)


def test_sizes_are_needed(library):
    with pytest.raises(keel.ProblemError, match="constraints"):
        keel.solve_dae(keel.Mechanical(library.force, None, library.rod), (0, 1), ([1, 0], [0, 0]))


def test_mixed(library):
    p = keel.Mechanical(library.force, None, rod, constraint_jacobian=library.rod_q,
                        curvature=rod_vv)
    assert np.array_equal(keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-8).y, python_run().y)


def test_failure_is_named(library):
    s = keel.solve_dae(keel.ODE(library.fails), (0, 1), [1.0, 0.0])
    assert not s.success and "`rhs`" in s.message and "-7" in s.message
    with pytest.raises(keel.CallbackError):
        s.check()


def test_no_pickle(library):
    import pickle
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(keel.ODE(library.oscillate))
    s = keel.solve_dae(keel.ODE(library.oscillate), (0, 1), [1.0, 0.0], dense_output=True)
    assert pickle.loads(pickle.dumps(s)).problem is None


def test_lock_is_free(library):
    """Another thread counts while a run goes on."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    solver = keel.Solver(keel.ODE(library.oscillate), rtol=1e-10)
    solver.start(0, [1.0, 0.0])
    assert solver._core.lock_free
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        thread.start()
        before = counted[0]
        solver.advance_to(20000.0)
        after = counted[0]
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
    # with the lock held the other thread would have its turns of 0.1 ms before and after the call
    # only, some thousand counts
    assert after - before > 20000


def test_lock_is_held_for_python_callbacks():
    solver = keel.Solver(keel.ODE(lambda t, y: -y))
    solver.start(0, [1.0])
    assert not solver._core.lock_free


def test_second_thread_is_refused(library):
    solver = keel.Solver(keel.ODE(library.slow))
    solver.start(0, [1.0, 0.0])
    thread = threading.Thread(target=solver.advance_to, args=(3.0,))
    thread.start()
    refused = 0
    while thread.is_alive() and not refused:
        try:
            solver.step()
        except RuntimeError as error:
            assert "in use" in str(error)
            refused = 1
    thread.join()
    assert refused


def test_threads_in_parallel_give_the_same(library):
    p = keel.ODE(library.oscillate)
    alone = keel.solve_dae(p, (0, 100), [1.0, 0.0]).y
    found = {}
    threads = [threading.Thread(target=lambda k=k: found.update(
        {k: keel.solve_dae(p, (0, 100), [1.0, 0.0]).y})) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(y, alone) for y in found.values())


def test_interrupt(library, tmp_path):
    import signal
    code = (f"import keel, ctypes\nlib = ctypes.CDLL({library._name!r})\n"
            "print('go', flush=True)\n"
            "keel.solve_dae(keel.ODE(lib.oscillate), (0, 1e9), [1, 0])\n")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors


def test_interrupt_of_slow_code(library):
    """Calls that take 20 ms: some 25 are made before Ctrl-C, and few after it."""
    code = (f"import keel, ctypes, os, signal, threading\nlib = ctypes.CDLL({library._name!r})\n"
            "calls = ctypes.c_long(0)\n"
            "p = keel.ODE(keel.Compiled(lib.sleepy, data=ctypes.byref(calls)), size=2)\n"
            "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try:\n    keel.solve_dae(p, (0, 1e9), [1, 0])\n"
            "except KeyboardInterrupt:\n    print(calls.value)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert 0 < int(done.stdout) < 75, done.stderr


# ---- numba ------------------------------------------------------------------------------------

@sanitized
class TestNumba:
    @pytest.fixture(autouse=True)
    def numba(self):
        self.numba = pytest.importorskip("numba")

    def functions(self, out):
        njit = self.numba.njit
        if out:
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
        else:
            @njit
            def force(t, q, v):
                return np.array([0.0, -9.81])

            @njit
            def rod(t, q):
                return np.array([q[0] * q[0] + q[1] * q[1] - 1])

            @njit
            def rod_q(t, q):
                return np.array([[2 * q[0], 2 * q[1]]])

            @njit
            def rod_vv(t, q, v):
                return np.array([2 * (v[0] * v[0] + v[1] * v[1])])
        return force, rod, rod_q, rod_vv

    @pytest.mark.parametrize("out", [True, False])
    def test_njit(self, out):
        f, g, G, gamma = self.functions(out)
        p = keel.Mechanical(f, None, g, constraint_jacobian=G, curvature=gamma, positions=2,
                            constraints=1)
        s = keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-8)
        assert np.allclose(s.y_end, python_run().y_end, atol=1e-9) and s.calls == {}

    def test_exception_in_a_jitted_function_stops_the_run(self):
        @self.numba.njit
        def rhs(t, y, out):
            if t > 0.5:
                raise ValueError("never seen without the wrapper")
            out[:] = -y

        s = keel.solve_dae(keel.ODE(rhs), (0, 1), [1.0])
        assert not s.success and "`rhs` returned -1" in s.message and s.t_end <= 0.51

    def test_results_of_another_shape(self):
        """One number must not become all of them."""
        njit = self.numba.njit
        number, short = njit(lambda t, y: -y[0]), njit(lambda t, y: -y[:1])
        for fun, shape in ((number, r"\(\)"), (short, r"\(1,\)")):
            with pytest.raises(ValueError, match=rf"`rhs` returned shape {shape}; expected \(2,\)"):
                keel.solve_dae(keel.ODE(fun), (0, 1), [1.0, 2.0])
        jacobian = njit(lambda t, y: np.array([-1.0, -1.0]))
        with pytest.raises(ValueError, match=r"`jacobian` returned shape \(2,\); expected \(2, 2\)"):
            keel.solve_dae(keel.ODE(njit(lambda t, y: -y), jacobian), (0, 1), [1.0, 2.0])
        late = keel.solve_dae(keel.ODE(njit(lambda t, y: -y if t < 0.5 else -y[:1])), (0, 1), [1.0, 2.0])
        assert not late.success and "`rhs` returned -2" in late.message and late.t_end < 0.5
        one = keel.solve_dae(keel.ODE(number), (0, 1), [1.0])
        pair = keel.solve_dae(keel.ODE(njit(lambda t, y: (-y[0], -y[1]))), (0, 1), [1.0, 1.0])
        assert one.success and pair.success and np.allclose(pair.y_end, np.exp(-1), atol=1e-5)

    def test_out_that_is_not_written(self):
        @self.numba.njit
        def rhs(t, y, out):
            out[0] = 1.0

        with pytest.raises(ValueError, match=r"`rhs` does not write entry \[1\] of `out`"):
            keel.solve_dae(keel.ODE(rhs), (0, 1), [1.0, 2.0])
        assert abs(keel.solve_dae(keel.ODE(rhs), (0, 1), [1.0]).y_end[0] - 2) < 1e-14

    def test_exception_at_the_first_call(self):
        def rhs(t, y):
            raise ValueError("mine")

        with pytest.raises(ValueError, match="mine"):
            keel.solve_dae(keel.ODE(self.numba.njit(rhs)), (0, 1), [1.0])
        with pytest.raises(TypeError, match=r"`rhs` returned None; expected an array of shape \(1,\)"):
            keel.solve_dae(keel.ODE(self.numba.njit(lambda t, y: None)), (0, 1), [1.0])

    def test_jacobian_and_args(self):
        @self.numba.njit
        def rhs(t, y, a, out):
            out[0], out[1] = a * y[1], -a * y[0]

        @self.numba.njit
        def jac(t, y, a, out):
            out[0, 1], out[1, 0] = a, -a

        s = keel.solve_dae(keel.ODE(rhs, jac, args=(2.0,)), (0, 1), [1.0, 0.0], rtol=1e-9,
                           method="radau-iia-3")
        assert s.success and np.allclose(s.y_end, [np.cos(2), -np.sin(2)], atol=1e-6)

    def test_cfunc(self):
        types = self.numba.types
        pointer = types.CPointer(types.double)

        @self.numba.cfunc(types.intc(types.double, pointer, pointer, types.voidptr))
        def rhs(t, y, f, data):
            f[0] = -y[0]
            return 0

        s = keel.solve_dae(keel.ODE(rhs), (0, 1), [1.0], rtol=1e-9)
        assert abs(s.y_end[0] - np.exp(-1)) < 1e-7

    def test_event(self):
        @self.numba.njit
        def height(t, y, out):
            out[0] = y[0]

        s = keel.solve_dae(keel.ODE(lambda t, y: [y[1], -9.81]), (0, 1), [1.0, 0.0],
                           events=keel.Event(height, terminal=True, name="height"))
        assert s.status == 1 and abs(s.t_end - np.sqrt(2 / 9.81)) < 1e-6
