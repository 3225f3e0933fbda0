"""Systems solved by GMRES with functions of the user's own."""

import ctypes

import numpy as np
import pytest

import keel

N = 40
H = 1 / (N + 1)
X = H * np.arange(1, N + 1)
RATE = 4 / H**2 * np.sin(np.pi * H / 2)**2               # the mode sin(pi x) decays by it


def laplacian(u):
    e = np.pad(u, 1)
    return (e[2:] - 2 * u + e[:-2]) / H**2


def heat(t, u):
    return laplacian(u)


def times(t, u, up, v, shift):
    return shift * v - laplacian(v)


def precondition(t, u, up, r, shift, tolerance):
    return r / (shift + 2 / H**2)


def solve(linear, **more):
    return keel.solve_dae(keel.ODE(heat, **more), (0, 0.1), np.sin(np.pi * X), linear=linear, rtol=1e-6)


EXACT = np.exp(-0.1 * RATE) * np.sin(np.pi * X)


@pytest.mark.parametrize("linear", ["krylov", keel.Krylov(), keel.Krylov(times),
                                    keel.Krylov(times, precondition),
                                    keel.Krylov(precondition=precondition, restart=20, limit=500)])
def test_solution(linear):
    s = solve(linear)
    assert s.success and np.abs(s.y_end - EXACT).max() < 1e-5
    done = s.stats["krylov"]
    assert done["systems"] > 0 and done["iterations"] >= done["systems"] and done["failures"] == 0


def test_functions_are_called():
    s = solve(keel.Krylov(times, precondition))
    assert s.calls["times"] >= s.stats["krylov"]["iterations"] > 0
    assert s.calls["precondition"] > 0
    without = solve(keel.Krylov(times))
    assert "precondition" not in without.calls


def test_setup_comes_before_its_matrix():
    seen = []

    def setup(t, u, up, shift):
        seen.append(shift)

    def prepared(t, u, up, r, shift, tolerance):
        assert shift == seen[-1] and tolerance > 0
        return r / (shift + 2 / H**2)
    s = solve(keel.Krylov(times, prepared, setup))
    assert len(seen) == s.stats["krylov"]["setups"] > 0 and np.abs(s.y_end - EXACT).max() < 1e-5


def test_wrong_functions_are_named():
    with pytest.raises(ValueError, match=r"`times` returned .*\(3,\).*expected.*\(40,\)"):
        solve(keel.Krylov(lambda t, u, up, v, shift: np.zeros(3)))
    with pytest.raises(TypeError, match="`precondition` returned None"):
        solve(keel.Krylov(times, lambda *a: None))

    def raising(t, u, up, r, shift, tolerance):
        raise LookupError("no factors")
    with pytest.raises(LookupError, match="no factors") as caught:
        solve(keel.Krylov(times, raising))
    if hasattr(caught.value, "__notes__"):
        assert "in callback `precondition`" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="`times` is int"):
        keel.Krylov(3)
    with pytest.raises(TypeError, match="`precondition` *, which is missing|which is missing"):
        keel.Krylov(precondition_setup=lambda *a: None)


def test_what_cannot_be_is_said():
    with pytest.raises(keel.UnsupportedError, match="events"):
        keel.solve_dae(keel.ODE(heat), (0, 0.1), np.sin(np.pi * X), linear="krylov",
                       events=lambda t, y: t - 0.05)


def test_no_matrix_is_formed():
    n = 20_000                                           # a dense one would take 3.2 GB

    def rhs(t, y):
        return -y * np.arange(1, n + 1) / n
    s = keel.solve_dae(keel.ODE(rhs), (0, 1), np.ones(n), linear="krylov", rtol=1e-5)
    assert np.abs(s.y_end - np.exp(-np.arange(1, n + 1) / n)).max() < 1e-4


def test_algebraic_equations_and_sparse_jacobian():
    sparse = pytest.importorskip("scipy.sparse")
    L = sparse.diags([1, -2, 1], [-1, 0, 1], shape=(N, N)) / H**2
    one = sparse.identity(N)
    jacobian = sparse.bmat([[L, one], [one, L - one]]).tocsc()
    problem = keel.SemiExplicit(lambda t, u, w: L @ u + w, lambda t, u, w: L @ w - w + u,
                                lambda t, u, w: jacobian, differential=N, algebraic=N)
    s = keel.solve_dae(problem, (0, 0.1), (np.sin(np.pi * X), np.zeros(N)), linear="krylov", rtol=1e-7)
    exact = np.exp((1 / (1 + RATE) - RATE) * 0.1) * np.sin(np.pi * X)
    assert np.abs(s.y_end[:N] - exact).max() < 1e-6 and s.stats["krylov"]["iterations"] > 0


def test_njit_is_the_same():
    numba = pytest.importorskip("numba")

    @numba.njit
    def rhs(t, u, out):
        for i in range(N):
            left = u[i - 1] if i > 0 else 0.0
            right = u[i + 1] if i < N - 1 else 0.0
            out[i] = (right - 2 * u[i] + left) / H**2

    @numba.njit
    def product(t, u, up, v, shift, out):
        for i in range(N):
            left = v[i - 1] if i > 0 else 0.0
            right = v[i + 1] if i < N - 1 else 0.0
            out[i] = shift * v[i] - (right - 2 * v[i] + left) / H**2

    @numba.njit
    def diagonal(t, u, up, r, shift, tolerance, out):
        for i in range(N):
            out[i] = r[i] / (shift + 2 / H**2)

    @numba.njit
    def setup(t, u, up, shift):
        pass
    problem = keel.ODE(rhs, size=N)
    s = keel.solve_dae(problem, (0, 0.1), np.sin(np.pi * X), rtol=1e-6,
                       linear=keel.Krylov(product, diagonal, setup))
    python = solve(keel.Krylov(times, precondition))
    assert s.calls == {} and np.abs(s.y_end - python.y_end).max() < 1e-9
    assert s.stats["krylov"] | {"setups": 0} == python.stats["krylov"] | {"setups": 0}


def test_compiled_signature():
    scipy = pytest.importorskip("scipy")
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_double)
    code = scipy.LowLevelCallable(kind(lambda t, x: 0), signature="int (double, double)")
    with pytest.raises(TypeError, match=r"`times` has the signature 'int \(double, double\)'; expected"):
        solve(keel.Krylov(code))
