"""solve_ivp as a replacement of SciPy's: the problems that SciPy's own tests integrate, written
anew, with the same demands on results, events, dense output, t_eval and errors.

The problems: a rational solution y = (t / (t + 10), 10 t / (t + 10)^2); a linear system; the
Medical Akzo Nobel problem (sparse differences); Robertson's reaction; events of the rational one.
Errors are measured in units of atol + rtol |y| and must be below 5, as SciPy's tests demand.
"""

import numpy as np
import pytest

import keel
from keel import solve_ivp

METHODS = ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"]
IMPLICIT = ["Radau", "BDF", "LSODA"]


def rational(t, y):
    return np.array([y[1] / t, y[1] * (y[0] + 2 * y[1] - 1) / (t * (y[0] - 1))])


def rational_columns(t, y):
    return np.vstack((y[1] / t, y[1] * (y[0] + 2 * y[1] - 1) / (t * (y[0] - 1))))


def rational_jac(t, y):
    return np.array([[0, 1 / t], [-2 * y[1]**2 / (t * (y[0] - 1)**2),
                                  (y[0] + 4 * y[1] - 1) / (t * (y[0] - 1))]])


def rational_exact(t):
    t = np.asarray(t)
    return np.array([t / (t + 10), 10 * t / (t + 10)**2])


def linear(t, y):
    return np.array([-y[0] - 5 * y[1], y[0] + y[1]])


LINEAR_JAC = np.array([[-1.0, -5.0], [1.0, 1.0]])


def linear_exact(t):
    return np.vstack((-5 * np.sin(2 * t), 2 * np.cos(2 * t) + np.sin(2 * t)))


def error(y, exact, rtol, atol):
    e = (y - exact) / (atol + rtol * np.abs(exact))
    return np.linalg.norm(e, axis=0) / np.sqrt(e.shape[0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("span", [(5, 9), (5, 1)])
@pytest.mark.parametrize("jac", [None, rational_jac, "sparse"])
def test_integration(method, vectorized, span, jac):
    if jac is not None and method not in IMPLICIT:
        pytest.skip("explicit")
    if jac == "sparse":
        sparse = pytest.importorskip("scipy.sparse")
        jac = lambda t, y: sparse.csc_matrix(rational_jac(t, y))
    rtol, atol = 1e-3, 1e-6
    fun = rational_columns if vectorized else rational
    res = solve_ivp(fun, span, [1 / 3, 2 / 9], rtol=rtol, atol=atol, method=method,
                    dense_output=True, jac=jac, vectorized=vectorized)
    assert res.t[0] == span[0] and res.t[-1] == span[1] and res.t_events is None
    assert res.y_events is None and res.success and res.status == 0
    assert np.all(error(res.y, rational_exact(res.t), rtol, atol) < 5)
    tc = np.linspace(*span)
    assert np.all(error(res.sol(tc), rational_exact(tc), rtol, atol) < 5)
    middle = (span[0] + span[-1]) / 2
    assert res.sol(middle).shape == (2,)
    assert np.all(error(res.sol(middle), rational_exact(middle), rtol, atol) < 5)
    assert np.allclose(res.sol(res.t), res.y, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("jac", [LINEAR_JAC, lambda t, y: LINEAR_JAC, "sparse"])
def test_constant_jacobian(method, jac):
    if isinstance(jac, str):
        jac = pytest.importorskip("scipy.sparse").csc_matrix(LINEAR_JAC)
    rtol, atol = 1e-3, 1e-6
    res = solve_ivp(linear, [0, 2], [0, 2], rtol=rtol, atol=atol, method=method, jac=jac,
                    dense_output=True)
    assert res.success and res.status == 0
    tc = np.linspace(0, 2)
    # relative errors where a component passes 0: they say how close a step came to it
    assert np.all(error(res.y, linear_exact(res.t), rtol, atol) < 10)
    assert np.all(error(res.sol(tc), linear_exact(tc), rtol, atol) < 15)
    assert np.allclose(res.sol(res.t), res.y, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("method", IMPLICIT)
def test_stiff(method):
    """Robertson, t = 0..1e8: the work does not explode, and the sum stays 1."""
    def fun(t, y):
        return [-0.04 * y[0] + 1e4 * y[1] * y[2],
                0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1], 3e7 * y[1] * y[1]]

    res = solve_ivp(fun, [0, 1e8], [1e4, 0, 0], method=method, rtol=1e-6, atol=1e-6)
    assert res.success and res.nfev < 5000 and res.njev < 200
    assert abs(res.y[:, -1].sum() - 1e4) < 1e-2


def medazko(n=20):
    """Medical Akzo Nobel, Mazzia & Magherini, Test set for IVP solvers (2008), II-10."""
    def fun(t, y):
        k, c = 100.0, 4.0
        phi = 2 if t <= 5 else 0
        z = np.r_[phi, 0, y, y[-2]]
        d = 1 / n
        j = np.arange(1, n + 1)
        alpha = 2 * (j * d - 1)**3 / c**2
        beta = (j * d - 1)**4 / c**2
        e, o = 2 * j, 2 * j + 1
        f = np.empty(2 * n)
        f[::2] = (alpha * (z[np.minimum(o + 1, 2 * n + 2)] - z[e - 2]) / (2 * d)
                  + beta * (z[e - 2] - 2 * z[e] + z[np.minimum(e + 2, 2 * n + 2)]) / d**2
                  - k * z[o] * z[e])
        f[1::2] = -k * z[o] * z[e]
        return f
    return fun, np.r_[0, np.ones(2 * n)][1:] * np.tile([0.0, 1.0], n)


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_sparse_differences(method):
    sparse = pytest.importorskip("scipy.sparse")
    n = 20
    fun, y0 = medazko(n)
    pattern = sparse.lil_matrix((2 * n, 2 * n))
    for i in range(2 * n):
        for j in (i - 3, i - 2, i - 1, i, i + 1, i + 2, i + 3):
            if 0 <= j < 2 * n:
                pattern[i, j] = 1
    res = solve_ivp(fun, [0, 20], y0, method=method, jac_sparsity=pattern, rtol=1e-6, atol=1e-8,
                    first_step=1e-6)
    dense = solve_ivp(fun, [0, 20], y0, method="Radau", rtol=1e-9, atol=1e-11)
    assert res.success and np.allclose(res.y[:, -1], dense.y[:, -1], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_medical_akzo_nobel(method):
    """The same problem with 400 unknowns beside the reference solution of its collection."""
    sparse = pytest.importorskip("scipy.sparse")
    n, k, c = 200, 100.0, 4.0
    x = np.arange(1, n + 1) / n - 1
    alpha, beta = 2 * x**3 / c**2, x**4 / c**2

    def fun(t, y):
        u, v = y[::2], y[1::2]
        left, right = np.r_[2.0 if t <= 5 else 0.0, u[:-1]], np.r_[u[1:], u[-1]]
        reaction = k * u * v
        f = np.empty(2 * n)
        f[::2] = alpha * (right - left) * n / 2 + beta * (left - 2 * u + right) * n**2 - reaction
        f[1::2] = -reaction
        return f
    pattern = sparse.diags([1] * 5, [-2, -1, 0, 1, 2], shape=(2 * n, 2 * n))
    res = solve_ivp(fun, [0, 20], np.tile([0.0, 1.0], n), method=method, jac_sparsity=pattern)
    assert res.t[0] == 0 and res.t_events is None and res.y_events is None
    assert res.success and res.status == 0
    for i, value in ((78, 0.233994e-3), (148, 0.359561e-3), (198, 0.117374129e-3), (239, 0.9999997)):
        assert np.isclose(res.y[i, -1], value, rtol=1e-2, atol=0)
    for i, value in ((79, 0), (149, 0), (199, 0.6190807e-5), (238, 0)):
        assert abs(res.y[i, -1] - value) < 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_events(method):
    def first(t, y):
        return y[0] - y[1]**0.7

    def second(t, y):
        return y[1]**0.6 - y[0]

    def third(t, y):
        return t - 7.4

    third.terminal = True
    for direction, counts in ((0, (1, 1)), (1, (1, 0)), (-1, (0, 1))):
        first.direction = second.direction = direction
        res = solve_ivp(rational, [5, 8], [1 / 3, 2 / 9], method=method, events=(first, second))
        assert res.status == 0
        # the exact solution crosses y0 = y1^0.7 and y1^0.6 = y0 once each between 5 and 8
        assert (len(res.t_events[0]), len(res.t_events[1])) == counts
        assert [y.shape for y in res.y_events] == [(1, 2) if k else (0,) for k in counts]
        for k, (low, high) in enumerate(((5.3, 5.7), (7.3, 7.7))):
            if counts[k]:
                assert low < res.t_events[k][0] < high
    for k, fun in enumerate((first, second)):
        fun.direction = 0
        res = solve_ivp(rational, [5, 8], [1 / 3, 2 / 9], method=method, events=fun)
        te, ye = res.t_events[0], res.y_events[0]
        assert te.shape == (1,) and ye.shape == (1, 2) and abs(fun(te[0], ye[0])) < 1e-9
    res = solve_ivp(rational, [5, 8], [1 / 3, 2 / 9], method=method,
                    events=(first, second, third), dense_output=True)
    assert res.status == 1 and [len(te) for te in res.t_events] == [1, 0, 1]
    assert [y.shape for y in res.y_events] == [(1, 2), (0,), (1, 2)]
    assert 5.3 < res.t_events[0][0] < 5.7 and abs(res.t_events[2][0] - 7.4) < 1e-9
    assert np.isclose(first(res.t_events[0][0], res.y_events[0][0]), 0)
    assert np.allclose(rational_exact(res.t_events[0][0]), res.y_events[0][0], rtol=1e-3, atol=1e-6)
    assert res.t[-1] == res.t_events[2][0]
    tc = np.linspace(res.t[0], res.t[-1])
    assert np.all(error(res.sol(tc), rational_exact(tc), 1e-3, 1e-6) < 5)


@pytest.mark.parametrize("method", METHODS)
def test_events_backwards(method):
    def first(t, y):
        return y[0] - y[1]**0.7

    def second(t, y):
        return y[1]**0.6 - y[0]

    def third(t, y):
        return t - 7.4

    third.terminal = True
    for direction, counts in ((0, (1, 1)), (-1, (1, 0)), (1, (0, 1))):
        first.direction = second.direction = direction
        res = solve_ivp(rational, [8, 5], [4 / 9, 20 / 81], method=method, events=(first, second))
        assert res.status == 0 and tuple(map(len, res.t_events)) == counts
        assert [y.shape for y in res.y_events] == [(1, 2) if k else (0,) for k in counts]
        for k, (fun, low, high) in enumerate(((first, 5.3, 5.7), (second, 7.3, 7.7))):
            if counts[k]:
                assert low < res.t_events[k][0] < high
                assert np.isclose(fun(res.t_events[k][0], res.y_events[k][0]), 0)
    first.direction = second.direction = 0
    res = solve_ivp(rational, [8, 5], [4 / 9, 20 / 81], method=method, events=(first, second, third),
                    dense_output=True)
    assert res.status == 1 and [len(te) for te in res.t_events] == [0, 1, 1]
    assert [y.shape for y in res.y_events] == [(0,), (1, 2), (1, 2)]
    assert 7.3 < res.t_events[1][0] < 7.7 and 7.3 < res.t_events[2][0] < 7.5
    assert np.isclose(second(res.t_events[1][0], res.y_events[1][0]), 0)
    tc = np.linspace(res.t[-1], res.t[0])
    assert np.all(error(res.sol(tc), rational_exact(tc), 1e-3, 1e-6) < 5)
    assert np.allclose(rational_exact(res.t_events[1][0]), res.y_events[1][0], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("span", [(5, 9), (5, 1)])
def test_max_step(method, span):
    rtol, atol = 1e-3, 1e-6
    res = solve_ivp(rational, span, [1 / 3, 2 / 9], rtol=rtol, max_step=0.5, atol=atol,
                    method=method, dense_output=True)
    assert res.t[0] == span[0] and res.t[-1] == span[-1]
    assert np.all(np.abs(np.diff(res.t)) <= 0.5 + 1e-15)
    assert res.t_events is None and res.success and res.status == 0
    assert np.all(error(res.y, rational_exact(res.t), rtol, atol) < 5)
    tc = np.linspace(*span)
    assert np.all(error(res.sol(tc), rational_exact(tc), rtol, atol) < 5)
    assert np.allclose(res.sol(res.t), res.y, rtol=1e-15, atol=1e-15)
    with pytest.raises(ValueError):
        solve_ivp(rational, span, [1 / 3, 2 / 9], method=method, max_step=-1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("span", [(5, 9), (5, 1)])
def test_first_step(method, span):
    res = solve_ivp(rational, span, [1 / 3, 2 / 9], method=method, first_step=0.1)
    assert abs(abs(res.t[1] - 5) - 0.1) < 1e-12
    assert np.all(error(res.y, rational_exact(res.t), 1e-3, 1e-6) < 5)
    res = solve_ivp(rational, span, [1 / 3, 2 / 9], method=method, first_step=0.1, max_step=0.5,
                    rtol=1e-3, atol=1e-6, dense_output=True)
    assert res.t[0] == span[0] and res.t[-1] == span[-1] and np.isclose(abs(res.t[1] - 5), 0.1)
    assert res.t_events is None and res.success and res.status == 0
    tc = np.linspace(*span)
    assert np.all(error(res.y, rational_exact(res.t), 1e-3, 1e-6) < 5)
    assert np.all(error(res.sol(tc), rational_exact(tc), 1e-3, 1e-6) < 5)
    assert np.allclose(res.sol(res.t), res.y, rtol=1e-15, atol=1e-15)
    for wrong in (-1, 0, 5):                             # 5 is beyond the end
        with pytest.raises(ValueError):
            solve_ivp(rational, span, [1 / 3, 2 / 9], method=method, first_step=wrong)


def test_t_eval():
    rtol, atol, y0 = 1e-3, 1e-6, [1 / 3, 2 / 9]
    for span in ((5, 9), (5, 1)):
        t_eval = np.linspace(*span, 10)
        res = solve_ivp(rational, span, y0, rtol=rtol, atol=atol, t_eval=t_eval)
        assert np.array_equal(res.t, t_eval) and res.success and res.t_events is None
        assert np.all(error(res.y, rational_exact(res.t), rtol, atol) < 5)
    for span, t_eval in (((5, 9), [5, 5.01, 7, 8, 8.01, 9]), ((5, 1), [5, 4.99, 3, 1.5, 1.1, 1.01, 1]),
                         ((5, 9), [5.01, 7, 8, 8.01]), ((5, 1), [4.99, 3, 1.5, 1.1, 1.01])):
        res = solve_ivp(rational, span, y0, rtol=rtol, atol=atol, t_eval=t_eval)
        assert np.array_equal(res.t, t_eval)
        assert np.all(error(res.y, rational_exact(res.t), rtol, atol) < 5)
    for t_eval in ([4, 6], [5, 7, 6], [[5, 6]]):
        with pytest.raises(ValueError):
            solve_ivp(rational, (5, 9), y0, t_eval=t_eval)


def test_t_eval_with_dense_output():
    t_eval = np.linspace(5, 9, 10)
    dense = solve_ivp(rational, [5, 9], [1 / 3, 2 / 9], t_eval=t_eval, dense_output=True)
    plain = solve_ivp(rational, [5, 9], [1 / 3, 2 / 9], t_eval=t_eval)
    assert np.array_equal(dense.t, plain.t) and np.array_equal(dense.y, plain.y)


@pytest.mark.parametrize("method", METHODS)
def test_t_eval_beyond_an_early_event(method):
    def early(t, y):
        return t - 7
    early.terminal = True
    res = solve_ivp(rational, [5, 9], [1 / 3, 2 / 9], method=method, events=early,
                    t_eval=np.linspace(7.5, 9, 16), jac=rational_jac if method in IMPLICIT else None)
    assert res.success and res.status == 1 and not res.t.size and not res.y.size
    assert res.message == "A termination event occurred."
    assert len(res.t_events[0]) == 1 and res.t_events[0][0] == 7


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("span", [(5, 9), (9, 5)])
def test_events_at_times_are_at_these(method, span):
    """Where an event is exactly 0 at a double that is the time; the run ends there, too."""
    def late(t, y, first, last):
        return np.array([t - last])                      # of one entry is a number as well
    late.terminal = True
    first, last = (5.5, 7.4) if span[0] < span[1] else (8.25, 7.4)
    res = solve_ivp(lambda t, y, *args: rational(t, y), span, rational_exact(span[0]), method=method,
                    args=(first, last), dense_output=True,
                    events=[lambda t, y, first, last: t - first, late])
    assert res.t_events[0].tolist() == [first] and res.t_events[1].tolist() == [last]
    assert res.t[-1] == res.t_end == last and res.status == 1
    assert np.allclose(res.sol(res.t[-1]), res.y[:, -1], rtol=1e-13)
    assert np.allclose(res.y_events[0][0], rational_exact(first), rtol=5e-3)


@pytest.mark.parametrize("method", METHODS)
def test_no_integration(method):
    res = solve_ivp(lambda t, y: -y, [4, 4], [2, 3], method=method, dense_output=True)
    assert np.array_equal(res.sol(4), [2, 3])
    assert np.array_equal(res.sol([4, 5, 6]), [[2, 2, 2], [3, 3, 3]])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("error")
def test_empty(method):
    res = solve_ivp(lambda t, y: np.zeros(0), [0, 10], np.zeros(0), method=method,
                    dense_output=True)
    assert res.sol(10).shape == (0,) and res.sol([1, 2, 3]).shape == (0, 3)
    assert solve_ivp(lambda t, y: np.zeros(0), [0, np.inf], np.zeros(0), method=method).success


@pytest.mark.parametrize("method", METHODS)
def test_zero_rhs(method):
    res = solve_ivp(lambda t, y: np.zeros_like(y), [0, 10], np.ones(3), method=method)
    assert res.success and res.status == 0 and np.allclose(res.y, 1.0, rtol=1e-15)


def test_args():
    """A plane oscillation with args; events get them, too."""
    def fun(t, w, omega):
        x, y = w
        return [omega * y, -omega * x]

    def crossing(t, w, omega):
        return w[0]
    crossing.terminal, crossing.direction = True, -1

    def jac(t, w, omega):
        return [[0, omega], [-omega, 0]]

    for method in METHODS:
        given = {"jac": jac} if method in IMPLICIT else {}
        res = solve_ivp(fun, (0, 10), [1.0, 0.0], method=method, args=(2.0,), events=[crossing],
                        dense_output=True, rtol=1e-8, atol=1e-10, **given)
        assert abs(res.t_events[0][0] - np.pi / 4) < 1e-6
        assert np.allclose(res.sol(0.3), [np.cos(0.6), -np.sin(0.6)], atol=1e-5)
    with pytest.raises(TypeError, match="cannot be unpacked"):
        solve_ivp(lambda t, y, a: -a * y, (0, 1), [1], args=1)
    res = solve_ivp(lambda t, y, a: -a * y, (0, 0.1), [1], args=(-1,))
    assert abs(res.y[0, -1] - np.exp(0.1)) < 1e-4


@pytest.mark.parametrize("method", METHODS)
def test_array_rtol(method):
    """A tolerance for each unknown is not that of the loosest."""
    f = lambda t, y: (y[0], y[1])
    one = solve_ivp(f, (0, 1), [1.0, 1.0], rtol=[1e-1, 1e-1], method=method)
    two = solve_ivp(f, (0, 1), [1.0, 1.0], rtol=[1e-1, 1e-8], method=method)
    exact = np.exp(1)
    assert abs(two.y[1, -1] - exact) < 1e-6
    if method in ("RK23", "RK45"):                       # others are that accurate anyway
        assert abs(two.y[1, -1] - exact) < abs(one.y[1, -1] - exact)


def test_small_rtol_is_raised_with_a_warning():
    with pytest.warns(UserWarning, match="too small"):
        solve_ivp(lambda t, y: -y, (0, 1), [1.0], rtol=1e-20)


def test_zero_atol():
    res = solve_ivp(lambda t, y: -y, (0, 1), [1.0, 2.0], atol=0, rtol=1e-6)
    assert res.success and np.allclose(res.y[:, -1], np.exp(-1) * np.array([1, 2]), rtol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_state_must_be_finite(method):
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError):
            solve_ivp(lambda t, y: -y, (0, 10), [0, wrong], method=method)


@pytest.mark.parametrize("method", METHODS)
def test_extrapolation_and_tiny_span(method):
    """The dense output covers the whole interval and is defined beyond."""
    res = solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=method, dense_output=True)
    assert np.all(np.isfinite(res.sol([-0.1, 0, 1, 1.1])))
    res = solve_ivp(lambda t, y: -y, (0, 1e-12), [1.0], method=method)
    assert res.success and res.t[-1] == 1e-12


def test_banded_jacobian():
    """SciPy's lband and uband: jac[i - j + uband, j]."""
    n = 10
    A = np.diag(-2 * np.ones(n)) + np.diag(np.ones(n - 1), 1)
    packed = np.zeros((2, n))
    packed[0, 1:], packed[1] = 1, -2
    y0 = np.linspace(1, 2, n)
    full = solve_ivp(lambda t, y: A @ y, (0, 1), y0, method="LSODA", rtol=1e-8, atol=1e-10)
    for jac in (None, lambda t, y: packed):
        res = solve_ivp(lambda t, y: A @ y, (0, 1), y0, method="Radau", rtol=1e-8, atol=1e-10,
                        lband=0, uband=1, jac=jac)
        assert np.allclose(res.y[:, -1], full.y[:, -1], atol=1e-6)


def test_unknown_method():
    with pytest.raises(ValueError):
        solve_ivp(lambda t, y: -y, (0, 1), [1.0], method="no_such_method")
    with pytest.raises(ValueError):
        solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=object())


# ---- complex unknowns ---------------------------------------------------------------------------

@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("jac", [None, lambda t, z: [[-1j * t]], "sparse", "constant"])
def test_complex(method, jac):
    """z' = -i t z: z = z0 exp(-i t^2 / 2); forwards and backwards."""
    if jac is not None and method not in IMPLICIT:
        pytest.skip("explicit")
    rate, rtol, atol = (lambda t, z: -1j * t * z), 1e-3, 1e-6
    exact = lambda t: (0.5 + 1j) * np.exp(-1j * (np.asarray(t)**2 - 1) / 2)[None]
    if jac == "constant":
        rate, jac = (lambda t, z: (-1 + 2j) * z), np.array([[-1 + 2j]])
        exact = lambda t: (0.5 + 1j) * np.exp((-1 + 2j) * (np.asarray(t) - 1))[None]
    elif jac == "sparse":
        sparse = pytest.importorskip("scipy.sparse")
        jac = lambda t, z: sparse.csc_matrix([[-1j * t]])
    for span in ((1, 3), (1, 0.2)):
        res = solve_ivp(rate, span, [0.5 + 1j], method=method, rtol=rtol, atol=atol, dense_output=True,
                        **({} if jac is None else {"jac": jac}))
        assert res.y.dtype == complex and res.y.shape == (1, len(res.t)) and res.success
        assert np.all(error(res.y, exact(res.t), rtol, atol) < 5)
        tc = np.linspace(*span)
        assert np.all(error(res.sol(tc), exact(tc), rtol, atol) < 5)
        assert np.allclose(res.sol(res.t), res.y, rtol=1e-15, atol=1e-15)


def test_complex_events():
    """z = exp(i t) crosses the imaginary axis at pi / 2."""
    def real(t, z):
        assert z.dtype == complex
        return z[0].real
    real.terminal = True
    res = solve_ivp(lambda t, z: 1j * z, (0, 10), [1 + 0j], events=real, rtol=1e-8, atol=1e-10)
    assert res.status == 1 and abs(res.t_events[0][0] - np.pi / 2) < 1e-6
    assert abs(res.y_events[0][0, 0] - 1j) < 1e-6 and res.y_end.dtype == complex
    with pytest.raises(ValueError, match="jac_sparsity"):
        solve_ivp(lambda t, z: 1j * z, (0, 1), [1j], lband=0, uband=0)


# ---- classes, counts, messages ------------------------------------------------------------------

def test_classes_of_solvers():
    integrate = pytest.importorskip("scipy.integrate")
    for name in METHODS:
        a = solve_ivp(rational, (5, 9), [1 / 3, 2 / 9], method=getattr(integrate, name))
        b = solve_ivp(rational, (5, 9), [1 / 3, 2 / 9], method=name)
        assert np.array_equal(a.y, b.y)
    assert b.message == "The solver successfully reached the end of the integration interval."


def test_constant_jacobian_is_not_evaluated():
    for method in ("Radau", "BDF"):
        res = solve_ivp(linear, (0, 2), [0, 2], method=method, jac=LINEAR_JAC)
        assert res.njev == 0 and 0 < res.nlu
    res = solve_ivp(linear, (0, 2), [0, 2])
    assert res.njev == res.nlu == 0


def test_steep_growth_until_an_event():
    """An oscillator beside logistic growth from 2e-7, whose end is the event; args go everywhere."""
    omega, k, last, at = 2.0, 4.0, 0.99, 5.0
    z0 = np.exp(-k * at) / ((1 - last) / last + np.exp(-k * at))
    down = lambda t, w, *args: w[0]
    up = lambda t, w, *args: w[1]
    done = lambda t, w, omega, k, last: w[2] - last
    down.direction, up.direction, done.terminal = -1, 1, True
    res = solve_ivp(lambda t, w, omega, k, last: [-omega * w[1], omega * w[0], k * w[2] * (1 - w[2])],
                    (0, 10), [0, -1, z0], events=[down, up, done], dense_output=True, method="Radau",
                    jac=lambda t, w, omega, k, last: [[0, -omega, 0], [omega, 0, 0],
                                                      [0, 0, k * (1 - 2 * w[2])]],
                    args=(omega, k, last), rtol=1e-10, atol=1e-13)
    assert np.allclose(res.t_events[0], [np.pi / 2, 3 * np.pi / 2], rtol=1e-7)
    assert np.allclose(res.t_events[1], [np.pi / 4, 5 * np.pi / 4], rtol=1e-7)
    assert np.allclose(res.t_events[2], [at], rtol=1e-7)
    t = np.linspace(0, res.t_events[2][0], 250)
    w = res.sol(t)
    assert np.allclose(w[0], np.sin(omega * t), rtol=1e-9, atol=1e-12)
    assert np.allclose(w[1], -np.cos(omega * t), rtol=1e-9, atol=1e-12)
    logistic = 1 / ((1 - z0) / z0 * np.exp(-k * t) + 1)
    assert np.allclose(w[2], logistic, rtol=1e-9, atol=1e-12)
    assert np.abs(res.sol(res.t_events[0])[0]).max() < 5e-14
    assert abs(res.sol(res.t_events[2])[2, 0] - last) < 1e-12
