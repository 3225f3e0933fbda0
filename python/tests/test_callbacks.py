"""What callbacks may and may not do; every mistake is named."""

import gc
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import keel
from conftest import force, rod, rod_q


def decay(result):
    return keel.ODE(result, size=2)


def solve(fun, **options):
    return keel.solve_dae(keel.ODE(fun), (0, 1), [1.0, 2.0], **options)


@pytest.mark.parametrize("result, words", [
    (lambda t, y: None, "`rhs` returned None; expected an array of shape (2,)"),
    (lambda t, y: [1.0], "`rhs` returned shape (1,); expected (2,)"),
    (lambda t, y: np.zeros((2, 2)), "`rhs` returned shape (2, 2); expected (2,)"),
    (lambda t, y: np.zeros(2) * 1j, "`rhs` returned an array of dtype complex128"),
    (lambda t, y: ["a", "b"], "`rhs` returned an array of dtype <U1"),
    (lambda t, y: "ab", "`rhs` returned a str"),
    (lambda t, y: [None, 1.0], "`rhs` returned an array of dtype object"),
    (lambda t, y: [[1.0], [1.0, 2.0]], "`rhs` returned"),
])
def test_wrong_results_are_named(result, words):
    with pytest.raises((TypeError, ValueError)) as caught:
        solve(result)
    assert words in str(caught.value)
    assert any("rhs" in note and "t = 0" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("result", [
    lambda t, y: -y, lambda t, y: [-y[0], -y[1]], lambda t, y: (-y[0], -y[1]),
    lambda t, y: [-float(y[0]), -y[1]], lambda t, y: np.float32([0, 0]) - y,
    lambda t, y: (-np.array([y[0], 9.0, y[1]]))[::2], lambda t, y: memoryview(-y),
])
def test_right_results(result):
    y = solve(result, rtol=1e-9).y_end
    assert np.allclose(y, np.exp(-1) * np.array([1, 2]), atol=1e-7)


def test_whole_numbers_are_fine():
    s = keel.solve_dae(keel.ODE(lambda t, y: [1, 2]), (0, 1), [0, 0])
    assert np.allclose(s.y_end, [1, 2], atol=1e-12)


def test_wrong_matrix():
    p = keel.Mechanical(force, None, rod, constraint_jacobian=lambda t, q: [[1.0], [2.0]])
    with pytest.raises(ValueError, match=r"`constraint_jacobian` returned shape \(2, 1\); expected "
                                         r"\(1, 2\)"):
        keel.solve_dae(p, (0, 1), ([1, 0], [0, 0]))


def test_nan_is_named():
    with pytest.raises(keel.CallbackError, match="rhs"):
        solve(lambda t, y: [np.nan, 0])
    s = solve(lambda t, y: [np.nan if t > 0.5 else 0, 0])
    assert not s.success and "rhs" in s.message and 0.4 < s.t_end <= 0.51
    with pytest.raises(keel.Error):
        s.check()


def test_exception_comes_with_traceback_note_and_solution():
    def rhs(t, y):
        if t > 0.5:
            raise KeyError("mine")
        return -y

    with pytest.raises(KeyError, match="mine") as caught:
        solve(rhs)
    error = caught.value
    assert any("`rhs` at t = 0." in note for note in error.__notes__)
    assert [f.name for f in caught.traceback][-1] == "rhs"
    result = error.keel_result
    assert not result.success and len(result.t) > 1 and result.t_end <= 0.5
    assert np.allclose(result.y[0], np.exp(-result.t), atol=1e-5)


def test_exception_returned():
    def rhs(t, y):
        if t > 0.5:
            raise KeyError("mine")
        return -y

    s = solve(rhs, on_error="return")
    assert isinstance(s.error, KeyError) and not s.success and s.status == -1
    with pytest.raises(KeyError):
        s.check()


def test_exception_at_the_start():
    """There is no point yet, but a solution all the same; wrong arguments are never returned."""
    def rhs(t, y):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        solve(rhs)
    assert any("`rhs` at t = 0, after 0 steps" in note for note in caught.value.__notes__)
    for s in caught.value.keel_result, solve(rhs, on_error="return"):
        assert isinstance(s.error, KeyError) and not s.success and s.status == -1 and s.code == -3
        assert s.t.shape == (0,) and s.y.shape[1] == 0 and len(s.var["y[0]"]) == 0 and "mine" in repr(s)
        with pytest.raises(KeyError):
            s.check()
    assert keel.solve_dae(keel.ODE(rhs), (3, 4), [1.0], on_error="return").t_end == 3
    apart = keel.Mechanical(lambda t, q, v: [0, 0], constraint=lambda t, q: q @ q + 1)
    s = keel.solve_dae(apart, (0, 1), ([1, 0], [0, 0]), on_error="return")
    assert isinstance(s.error, keel.Error) and s.code == s.error.status < 0 and not s.success
    with pytest.raises(ValueError, match="y0"):
        keel.solve_dae(keel.ODE(rhs, size=2), (0, 1), [1.0, 2, 3], on_error="return")


@pytest.mark.parametrize("result, says", [
    ([], r"`constraint` returned shape \(0,\); expected a vector"),
    ([[1, 2, 3]], r"`constraint` returned shape \(1, 3\); expected a vector"),
    ([[1, 2], [3]], r"`constraint` returned no array of shape \(n,\)"),
    (None, r"`constraint` returned None"), ("abc", "`constraint` returned a str")])
def test_rows_that_only_a_callback_knows(result, says):
    """An empty constraint is none, and the pendulum would fall."""
    p = keel.Mechanical(lambda t, q, v: [0, -9.81], constraint=lambda t, q: result)
    with pytest.raises((TypeError, ValueError), match=says):
        keel.solve_dae(p, (0, 1), ([1, 0], [0, 0]))


def test_exception_where_rows_are_counted():
    def constraint(t, q):
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        keel.solve_dae(keel.Mechanical(lambda t, q, v: q, constraint=constraint), (0, 1), ([1, 0], [0, 0]))
    assert "in callback `constraint` at t = 0, before the first step" in caught.value.__notes__


def test_interrupts_are_never_returned():
    def rhs(t, y):
        if t > 0.5:
            raise KeyboardInterrupt
        return -y

    with pytest.raises(KeyboardInterrupt) as caught:
        solve(rhs, on_error="return")
    assert len(caught.value.keel_result.t) > 1


def test_solver_is_usable_after_an_exception():
    bad = [True]

    def rhs(t, y):
        if bad[0] and t > 0.5:
            raise KeyError
        return -y

    solver = keel.Solver(keel.ODE(rhs), rtol=1e-9)
    solver.start(0, [1.0])
    with pytest.raises(KeyError):
        solver.advance_to(1)
    bad[0] = False
    solver.start(0, [1.0])
    solver.advance_to(1)
    assert abs(solver.y[0] - np.exp(-1)) < 1e-7


def test_arithmetic_error_is_an_error():
    with pytest.raises(ZeroDivisionError):
        solve(lambda t, y: [1 / 0, 0])


def test_retry_asks_for_a_smaller_step():
    """y' = -sqrt(y) is not defined below 0, where large steps look."""
    asked = []

    def rhs(t, y):
        if y[0] < 0:
            asked.append(t)
            raise keel.Retry
        return -np.sqrt(y)

    s = keel.solve_dae(keel.ODE(rhs), (0, 1.9), [1.0], first_step=1.9, method="dopri5")
    assert s.success and asked and abs(s.y_end[0] - (1 - 0.95)**2) < 1e-6


def test_input_changed_in_place_is_harmless_and_said_once():
    def rhs(t, y):
        f = -y
        y[:] = 0
        return f

    with pytest.warns(keel.KeelWarning, match="`rhs` changes its argument 2") as caught:
        s = solve(rhs, rtol=1e-9)
    assert len(caught) == 1
    assert np.allclose(s.y_end, np.exp(-1) * np.array([1, 2]), atol=1e-7)


def test_kept_arrays_keep_their_values():
    kept = []

    def rhs(t, y):
        kept.append((y[:1], y[1], y))
        return [y[1], -y[0]]

    solve(rhs)
    assert len(kept) > 20
    assert all(a[0] == y[0] and b == y[1] for a, b, y in kept)
    assert len({y[0] for _, _, y in kept}) > 20                  # not all the same array


def test_out():
    def rhs(t, y, out):
        out[:] = -y

    assert np.allclose(solve(rhs, rtol=1e-9).y_end, np.exp(-1) * np.array([1, 2]), atol=1e-7)


def test_out_that_is_not_filled_is_seen():
    def rhs(t, y, out):
        out[0] = -y[0]

    with pytest.raises(keel.CallbackError, match="rhs"):
        solve(rhs)


def test_out_with_args_and_two_results():
    def both(t, q, v, scale, out):
        out[0][0, 0], out[1][0, 0] = -1000 * scale, -1000 * scale

    p = keel.Mechanical(lambda t, q, v, s: -1000 * (v + q - 1 - t) * s, force_jacobian=both,
                        args=(1.0,), positions=1)
    s = keel.solve_dae(p, (0, 5), [0.0, 1.0], method="radau-iia-3", iteration="full")
    assert abs(s.y_end[0] - 5) < 1e-4


def test_methods_partials_and_callable_objects():
    import functools

    class Model:
        rate = 1.0

        def rhs(self, t, y):
            return -self.rate * y

        def __call__(self, t, y, out):
            out[:] = -self.rate * y

    for fun in (Model().rhs, Model(), functools.partial(lambda a, t, y: -a * y, 1.0)):
        assert np.allclose(solve(fun, rtol=1e-9).y_end, np.exp(-1) * np.array([1, 2]), atol=1e-7)


def test_not_a_function():
    with pytest.raises(TypeError, match="`rhs` is int"):
        keel.ODE(3)


def test_never_called_beyond_the_end():
    times = []

    def rhs(t, y):
        times.append(t)
        return -y

    for method in ("auto", "radau-iia-3", "bdf", "dopri5"):
        solve(rhs, method=method)
    assert 0 <= min(times) and max(times) <= 1


def test_solver_refuses_its_own_callbacks():
    solver = []

    def rhs(t, y):
        if t > 0.5:
            solver[0].step()
        return -y

    solver.append(keel.Solver(keel.ODE(rhs)))
    solver[0].start(0, [1.0])
    with pytest.raises(RuntimeError, match="in use"):
        solver[0].advance_to(1)


def test_two_threads_on_one_problem():
    """Python may switch threads inside a callback: arrays belong to solvers."""
    wrong = []

    def rhs(t, y, p):
        before = y.copy()
        time.sleep(0)
        if not np.array_equal(before, y):
            wrong.append(t)
        return [y[1], -y[0]]

    problem = keel.ODE(lambda t, y: rhs(t, y, 0))
    alone = keel.solve_dae(problem, (0, 20), [1.0, 0.0]).y_end
    found = {}

    def work(k):
        found[k] = keel.solve_dae(problem, (0, 20), [1.0, 0.0]).y_end

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    assert not wrong and all(np.array_equal(y, alone) for y in found.values()) and len(found) == 4


def test_interrupt():
    code = ("import keel\n"
            "def f(t, y):\n"
            "    if t == 0: print('go', flush=True)\n"
            "    return [y[1], -y[0]]\n"
            "keel.solve_dae(keel.ODE(f), (0, 1e9), [1, 0])\n")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    # The signal is seen by the interpreter in f or by the package between its calls.
    assert "KeyboardInterrupt" in errors
    assert re.search(r"(in callback `rhs` at t = \S+|between callbacks), after \d+ steps", errors), errors


def test_cycles_are_collected():
    class Owner:
        pass

    owner = Owner()
    owner.problem = keel.ODE(lambda t, y: -y * (owner is not None))
    owner.solver = keel.Solver(owner.problem)
    owner.solver.start(0, [1.0])
    ghost = weakref.ref(owner)
    del owner
    gc.collect()
    assert ghost() is None


def test_scipy_like_zeroing_of_the_argument():
    """SciPy 1.10 returns the wrong answer [0, 0] with success for this function."""
    def rhs(t, y):
        f = [y[1], -y[0]]
        y *= 0
        return f

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("RK45", "DOP853", "Radau", "BDF", "LSODA"):
            s = keel.solve_ivp(rhs, (0, 1), [1.0, 0.0], method=method, rtol=1e-8, atol=1e-8)
            assert np.allclose(s.y[:, -1], [np.cos(1), -np.sin(1)], atol=1e-5)


@pytest.mark.parametrize("shape_of", [
    lambda a: a, lambda a: np.asfortranarray(a), lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1], lambda a: a.astype(">f8"),
    lambda a: np.ma.asarray(a), lambda a: a.astype(np.longdouble),
    lambda a: np.lib.stride_tricks.as_strided(np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(
        np.uint8), (a.nbytes,)).view(np.float64).reshape(a.shape)])
def test_arrays_however_they_are_laid_out(shape_of):
    """Strides, byte orders, subclasses, unaligned numbers: the same doubles."""
    A = np.array([[-1.0, 2.0, 0.5], [0.25, -3.0, 1.0], [0.0, 0.125, -2.0]])
    runs = [keel.solve_dae(keel.ODE(lambda t, y: f(A @ y), lambda t, y: f(A)), (0, 1), [1, 2, 3],
                           method="radau-iia-3", rtol=1e-8).y for f in (lambda a: a, shape_of)]
    assert np.array_equal(*runs)
