"""solve_dae, solutions, the solver object."""

import pickle
import warnings

import numpy as np
import pytest

import keel
from conftest import force, pendulum_exact, rod, rod_q


def oscillator(t, y):
    return [y[1], -y[0]]


def test_bytes_of_sparse_factors():
    sparse = pytest.importorskip("scipy.sparse")
    n = 1000
    A = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n), format="csc")
    solver = keel.Solver(keel.ODE(lambda t, y: A @ y, jacobian=lambda t, y: A), method="bdf", linear="sparse")
    solver.start(0, np.ones(n))
    entries = 3 * n - 2                      # of A, and of its factors, which do not fill in
    assert 8 * entries <= solver.factor_bytes <= 3 * 12 * entries


def test_what_the_library_knows(pendulum, swing, tmp_path):
    problem = keel.Mechanical(force=lambda t, q, v: [0, -9.81], names=["x", "y", "u", "v", "l"],
                              constraint=lambda t, q: q @ q - 1, constraint_names=["rod"])
    solver = keel.Solver(problem)
    solver.start(0, swing)
    info = solver.info
    assert info["index"] == 3 and info["freedom"] == 2 and info["variable_index"] == [1, 1, 2, 2, 3]
    assert info["row_names"][0] == ["rod"] and len(info["row_names"]) == len(info["levels"])
    solver.advance_to(0.5)
    assert solver.t_previous < solver.t == 0.5
    assert solver.factor_bytes == 0
    solver.clear_stop_time()
    solver.save(tmp_path / "run", note=b"half\0way")
    other = keel.Solver(problem)
    other.load(tmp_path / "run", 0, swing)
    assert other.note == b"half\0way" and np.array_equal(other.y, solver.y)
    solver.save(tmp_path / "bare")
    other.load(tmp_path / "bare", 0, swing)
    assert other.note is None


def test_entries_of_a_solution(pendulum, swing):
    """In SciPy's order first; names are kept with the problem, but are those of each solver."""
    s = keel.solve_dae(pendulum, (0, 1), swing)
    assert list(s)[:11] == ["t", "y", "sol", "t_events", "y_events", "nfev", "njev", "nlu", "status",
                            "message", "success"]
    assert s.problem is pendulum and s.nfev == s.stats["rhs"] and s.njev == s.stats["jacobian"]
    assert s.y_end.tolist() == s.y[:, -1].tolist() and s.t_end == s.t[-1] == s.t_steps[-1]
    assert s.residual.tolist() == s.stats["residual"] and s.residuals.shape == (3, len(s.t_steps))
    again = keel.solve_dae(pendulum, (0, 1), swing, formulation="ggl")
    assert again.names == s.names and again.groups == s.groups and again.y.shape[0] == 5
    assert again.y is not s.y and again.stats is not s.stats


def test_going_on_where_a_run_ended(pendulum, swing):
    """y_end has all unknowns in a row; how they are divided an earlier run knows."""
    problem = keel.Mechanical(force, constraint=lambda t, q: q[0]**2 + q[1]**2 - 1,
                              constraint_jacobian=lambda t, q: [[2 * q[0], 2 * q[1]]])
    half = keel.solve_dae(problem, (0, 5), ([1, 0], [0, 0]), rtol=1e-10)
    s = keel.solve_dae(problem, (5, 10), half.y_end, rtol=1e-10)
    assert np.allclose(s.y_end[:2], pendulum_exact(10), atol=1e-8) and len(s.group["q"]) == 2
    back = keel.solve_dae(problem, (10, 0), s.y_end, rtol=1e-10)
    assert np.allclose(back.y_end[:2], [1, 0], atol=1e-8)
    fresh = keel.Mechanical(force, constraint=lambda t, q: q @ q - 1)
    with pytest.raises(keel.ProblemError, match="how many positions"):
        keel.solve_dae(fresh, (5, 10), half.y_end)


def test_function_of_three_arguments():
    s = keel.solve_dae(lambda t, y, yp: [yp[0] + y[1], y[1] - y[0]], (0, 1), [1.0, 1.0],
                       [-1.0, -1.0], rtol=1e-9)
    assert np.allclose(s.y_end, np.exp(-1), atol=1e-7)


def test_mass():
    """SciPy has no mass matrix."""
    s = keel.solve_dae(lambda t, y: [-y[1], y[1] - y[0]], (0, 1), [1.0, 1.0],
                       mass=[[1, 0], [0, 0]], jac=lambda t, y: [[0, -1], [-1, 1]], rtol=1e-9)
    assert np.allclose(s.y_end, np.exp(-1), atol=1e-7)


def test_same_doubles_as_in_c(tmp_path):
    """The pendulum of examples/01_pendulum.c, printed with all digits."""
    import os
    import shutil
    import subprocess
    build, source = os.environ.get("KEEL_BINARY_DIR"), os.environ.get("KEEL_SOURCE_DIR")
    compiler = shutil.which("cc")
    if not build or not compiler or "KEEL_SANITIZED" in os.environ:
        pytest.skip("needs the build and a compiler")
    with open(f"{build}/libkeel.links") as file:
        links = [name if "/" in name else "-l" + name for name in file.read().split()
                 if name[:2] != "-D"]
    text = open(f"{source}/examples/01_pendulum.c").read()
    begin, end = text.index('printf("q(10)'), text.index("} else printf")
    steps = 'for (int i = 0; i < 5; i++) printf("%a\\n", q[i]); (void)largest;\n'
    program = tmp_path / "pendulum.c"
    program.write_text(text[:begin] + steps + text[end:])
    subprocess.run([compiler, str(program), f"-I{source}/include", f"{build}/libkeel.a", *links, "-lm",
                    "-o", str(tmp_path / "pendulum")], check=True)
    lines = subprocess.run([str(tmp_path / "pendulum")], check=True, capture_output=True,
                           text=True).stdout.split()
    p = keel.Mechanical(force, constraint=lambda t, q: q[0] * q[0] + q[1] * q[1] - 1)
    s = keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-8)
    assert [x.hex() for x in s.y_end] == [float.fromhex(x).hex() for x in lines]


def test_residuals_and_digits(pendulum, swing):
    s = keel.solve_dae(pendulum, (0, 10), swing, rtol=1e-10)
    assert np.allclose(s.y_end[:2], pendulum_exact(10), atol=1e-8)
    assert s.residual.shape == (3,) and s.residual.max() < 1e-13
    q, v = s.group["q"], s.group["v"]
    assert np.abs((q * q).sum(0) - 1).max() < 1e-14 and np.abs((q * v).sum(0)).max() < 1e-13


def test_t_eval_is_on_the_constraints(pendulum, swing):
    t = np.linspace(0, 10, 57)
    s = keel.solve_dae(pendulum, (0, 10), swing, t_eval=t)
    assert np.array_equal(s.t, t) and s.y.shape == (5, 57)
    q = s.group["q"]
    assert np.abs((q * q).sum(0) - 1).max() < 1e-13
    assert s.t_end == 10


def test_dense_output(pendulum, swing):
    s = keel.solve_dae(pendulum, (0, 10), swing, rtol=1e-9, dense_output=True)
    assert s.sol(3.3).shape == (5,) and s.sol([1, 2, 3]).shape == (5, 3)
    assert np.allclose(s.sol(3.3)[:2], pendulum_exact(3.3), atol=1e-6)
    on = s.sol.projected([3.3, 7.7])
    assert np.abs((on[:2]**2).sum(0) - 1).max() < 1e-14
    assert np.array_equal(s.sol.ts, s.t) and s.sol.t_max == 10
    assert np.array_equal(s.sol(s.t[5]), s.y[:, 5])


def test_dense_output_extrapolates():
    s = keel.solve_dae(keel.ODE(oscillator), (0, 1), [1.0, 0.0], rtol=1e-9, dense_output=True)
    assert np.allclose(s.sol(1.01), [np.cos(1.01), -np.sin(1.01)], atol=1e-5)
    assert np.allclose(s.sol(-0.001), [np.cos(0.001), np.sin(0.001)], atol=1e-5)


def test_backwards():
    s = keel.solve_dae(keel.ODE(oscillator), (1, -1), [1.0, 0.0], rtol=1e-9, dense_output=True)
    assert s.t[0] == 1 and s.t[-1] == -1 and np.all(np.diff(s.t) < 0)
    assert np.allclose(s.y_end, [np.cos(2), np.sin(2)], atol=1e-7)
    assert np.allclose(s.sol(0.0), [np.cos(1), np.sin(1)], atol=1e-6)


def test_empty_interval():
    s = keel.solve_dae(keel.ODE(oscillator), (1, 1), [1.0, 0.0], dense_output=True)
    assert s.success and s.y.shape == (2, 1) and np.array_equal(s.sol(1), [1, 0])


def test_nothing_is_stored_or_watched():
    s = keel.solve_dae(keel.ODE(oscillator), (0, 1), [1.0, 0.0], t_eval=[], events=[])
    assert s.success and s.t.shape == (0,) and s.y.shape == (2, 0) and s.t_events == []
    assert np.allclose(s.y_end, [np.cos(1), -np.sin(1)], atol=1e-4)


def test_limits():
    s = keel.solve_dae(keel.ODE(oscillator), (0, 1000), [1.0, 0.0], max_steps=10)
    assert not s.success and s.code == 2 and "max_steps" in s.message and s.stats["steps"] == 10
    s = keel.solve_dae(keel.ODE(oscillator), (0, 1e9), [1.0, 0.0], max_seconds=0.05)
    assert not s.success and "max_seconds" in s.message and s.t_end > 0


def test_callback():
    seen = []

    def callback(t, y):
        seen.append((t, y))
        return len(seen) == 5

    s = keel.solve_dae(keel.ODE(oscillator), (0, 1000), [1.0, 0.0], callback=callback)
    assert len(s.t) == 6 and [t for t, _ in seen] == list(s.t[1:])
    assert np.array_equal(np.array([y for _, y in seen]).T, s.y[:, 1:])
    with pytest.raises(KeyError):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1.0, 0.0], callback=lambda t, y: {}[1])


def test_progress(capfd):
    keel.solve_dae(keel.ODE(oscillator), (0, 1), [1.0, 0.0], progress=True)
    assert "100.0 %" in capfd.readouterr().err


def test_options():
    with pytest.raises(TypeError, match="did you mean 'max_step'"):
        keel.Solver(keel.ODE(oscillator), maxstep=1)
    with pytest.raises(keel.ProblemError, match="dens"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], linear="dens")
    with pytest.raises(keel.ProblemError, match="no method"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], method="dopri6")
    with pytest.raises(keel.ProblemError, match="rtol"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], rtol=-1)
    with pytest.raises(ValueError, match="max_step"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], max_step=-1)
    s = keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], max_step=0.01)
    assert np.diff(s.t).max() <= 0.01 * (1 + 1e-12)
    s = keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], first_step=1e-4, atol=[1e-8, 1e-3])
    assert s.t[1] <= 1e-4 * (1 + 1e-12)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="complex"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1j, 0])
    with pytest.raises(ValueError, match="finite"):
        keel.solve_dae(keel.ODE(oscillator), (0, np.nan), [1, 0])
    with pytest.raises(ValueError, match="not within"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], t_eval=[2])
    with pytest.raises(TypeError, match="belong to the problem"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], mass=np.eye(2))
    with pytest.raises(TypeError, match="function"):
        keel.solve_dae(3, (0, 1), [1, 0])
    with pytest.raises(ValueError, match="on_error"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], on_error="ignore")
    with pytest.raises(keel.Error):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [np.nan, 0])
    with pytest.raises(ValueError, match=r"`yp0` has the shape \(3,\); expected \(2,\)"):
        keel.solve_dae(keel.ODE(oscillator), (0, 1), [1, 0], [0, 0, 0])


def test_failure_keeps_the_solution():
    s = keel.solve_dae(keel.ODE(lambda t, y: y * y), (0, 2), [1.0])
    assert not s.success and s.status == -1 and abs(s.t_end - 1) < 1e-5 and s.y[0, -1] > 1e3
    with pytest.raises(keel.ConvergenceError) as caught:
        s.check()
    assert caught.value.result is s and caught.value.t == s.t_end


def test_solution_is_like_scipy(pendulum, swing):
    s = keel.solve_dae(pendulum, (0, 1), swing)
    assert s["t"] is s.t and "nfev" in s and s.nfev > 0 and isinstance(s, dict)
    assert "success: True" in repr(s) and s.check() is s
    with pytest.raises(AttributeError):
        s.nothing


def test_choice_says_what_derivatives_save(swing):
    p = keel.Mechanical(force, constraint=rod, constraint_jacobian=rod_q)
    s = keel.solve_dae(p, (0, 10), swing, rtol=1e-8)
    full = keel.solve_dae(keel.Mechanical(force, constraint=rod, constraint_jacobian=rod_q,
                                          curvature=lambda t, q, v: 2 * (v @ v)),
                          (0, 10), swing, rtol=1e-8)
    assert f"{s.calls['constraint_jacobian']} calls of `constraint_jacobian`" in s.choice
    assert "`curvature`" in s.choice and "calls of" not in full.choice
    left = int(s.choice.split("leave some ")[1].split()[0])
    assert 0.5 < left / full.calls["constraint_jacobian"] < 2


def test_pickle(pendulum, swing):
    s = keel.solve_dae(pendulum, (0, 3), swing, dense_output=True)
    t = np.linspace(0, 3, 50)
    r = pickle.loads(pickle.dumps(s))
    assert np.array_equal(r.y, s.y) and np.array_equal(r.sol(t), s.sol(t)) and r.success
    assert r.stats == s.stats and r.problem is not None
    with pytest.raises(ValueError, match="pickled"):
        r.sol.projected(1.0)
    p = pickle.loads(pickle.dumps(pendulum))
    assert np.array_equal(keel.solve_dae(p, (0, 3), swing).y, s.y)
    s = keel.solve_dae(keel.ODE(lambda t, y: -y), (0, 1), [1.0])
    assert pickle.loads(pickle.dumps(s)).problem is None
    with pytest.raises(TypeError, match="checkpoint"):
        pickle.dumps(keel.Solver(pendulum))
    error = pickle.loads(pickle.dumps(keel.ProblemError("no", -1)))
    assert error.status == -1 and error.name == "KEEL_BAD_ARGUMENT"


def test_pickle_of_a_recording_with_events():
    def bounce(state):
        state.y[1] *= -0.8

    ball = keel.Event(lambda t, y: y[0], direction=-1, action=bounce)
    s = keel.solve_dae(keel.ODE(lambda t, y: [y[1], -9.81]), (0, 2), [1.0, 0.0], events=ball,
                       dense_output=True)
    r = pickle.loads(pickle.dumps(s.sol))
    te = s.t_events[0][0]
    assert np.array_equal(r(te), s.sol(te)) and np.array_equal(r.after(te), s.sol.after(te))
    assert r.after(te)[1] > 0 > r(te)[1]


def test_solver_step_by_step(pendulum, swing):
    solver = keel.Solver(pendulum, rtol=1e-8)
    with pytest.raises(keel.ProblemError, match="start"):
        solver.step()
    solver.start(0, swing)
    solver.set_stop_time(1)
    steps = list(solver)
    whole = keel.solve_dae(pendulum, (0, 1), swing, rtol=1e-8)
    assert np.array_equal([t for t, _ in steps], whole.t[1:])
    assert np.array_equal(np.array([y for _, y in steps]).T, whole.y[:, 1:])
    assert solver.residuals().max() < 1e-13 and solver.stats["accepted"] == len(steps)
    assert solver.info["index"] == 3 and solver.info["freedom"] == 2
    y = solver.interpolate(0.999, projected=True)
    assert abs(y[0]**2 + y[1]**2 - 1) < 1e-14
    moved = solver.project(1.0, solver.y * 1.01)
    assert abs(moved[0]**2 + moved[1]**2 - 1) < 1e-14


def test_checkpoint(tmp_path, pendulum, swing):
    a, b = keel.Solver(pendulum), keel.Solver(pendulum)
    a.start(0, swing)
    a.advance_to(1)
    a.save(tmp_path / "run.keel")
    b.load(tmp_path / "run.keel", 0, swing)
    a.advance_to(2)
    b.advance_to(2)
    assert np.array_equal(a.y, b.y)
    with pytest.raises(keel.ProblemError):
        b.load(tmp_path / "nothing", 0, swing)


def test_parameters_of_a_run():
    solver = keel.Solver(keel.ODE(lambda t, y, p: -p[0] * y, parameters=[1.0]), rtol=1e-9)
    solver.start(0, [1.0])
    solver.advance_to(1)
    solver.parameters = [2.0]
    solver.restart()
    solver.advance_to(2)
    assert abs(solver.y[0] - np.exp(-3)) < 1e-7


def test_sparse_jacobian():
    sparse = pytest.importorskip("scipy.sparse")
    n = 200
    A = sparse.diags([1, -2, 1], [-1, 0, 1], shape=(n, n), format="csr") * n * 0.1
    y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    rate = 2 * n * 0.1 * (1 - np.cos(np.pi / (n + 1)))
    for given in ({"jacobian": lambda t, y: A}, {"jacobian": A},
                  {"jac_sparsity": A}, {"jacobian": lambda t, y: A, "jac_sparsity": A}):
        p = keel.ODE(lambda t, y: A @ y, **given)
        s = keel.solve_dae(p, (0, 1), y0, method="radau-iia-3", rtol=1e-8, linear="sparse")
        assert s.success and np.allclose(s.y_end, np.exp(-rate) * y0, atol=1e-6)


def test_sparse_entry_outside_the_pattern():
    sparse = pytest.importorskip("scipy.sparse")
    n = 30

    def jac(t, y):
        J = sparse.lil_matrix(np.diag(-300 * y**2))
        if t > 0:
            J[3, 4] = 1e-3
        return J

    p = keel.ODE(lambda t, y: -100 * y**3, jac)
    with pytest.raises(ValueError, match=r"`jacobian` has an entry at \(3, 4\)"):
        keel.solve_dae(p, (0, 5), np.ones(n), method="radau-iia-3", check="none")


def test_sparse_mass_and_implicit():
    sparse = pytest.importorskip("scipy.sparse")
    n = 40
    M = sparse.diags(np.r_[np.ones(n - 1), 0])
    J = sparse.lil_matrix(-sparse.identity(n))
    J[n - 1, 0] = 1
    J = J.tocsr()
    p = keel.Quasilinear(M, lambda t, y: J @ y, lambda t, y: J)
    s = keel.solve_dae(p, (0, 1), np.ones(n), rtol=1e-9)
    assert np.allclose(s.y_end, np.exp(-1), atol=1e-7)
    q = keel.Implicit(lambda t, y, yp: M @ yp - J @ y, lambda t, y, yp, c: c * M - J)
    assert np.allclose(keel.solve_dae(q, (0, 1), np.ones(n), rtol=1e-9).y_end, np.exp(-1), atol=1e-7)


def test_sparse_mechanical():
    """A chain of 30 masses on rods, with sparse M and G, against the dense one."""
    sparse = pytest.importorskip("scipy.sparse")
    n = 30

    def constraint(t, q):
        x, y = np.r_[0, q[::2]], np.r_[0, q[1::2]]
        return np.diff(x)**2 + np.diff(y)**2 - 1

    def G(t, q):
        x, y = np.diff(np.r_[0, q[::2]]), np.diff(np.r_[0, q[1::2]])
        k = np.arange(n)
        row = np.r_[k, k, k[1:], k[1:]]
        column = np.r_[2 * k, 2 * k + 1, 2 * k[1:] - 2, 2 * k[1:] - 1]
        value = np.r_[2 * x, 2 * y, -2 * x[1:], -2 * y[1:]]
        return sparse.csr_matrix((value, (row, column)), shape=(n, 2 * n))

    force = lambda t, q, v: np.tile([0, -9.81], n)
    q0, v0 = np.c_[np.arange(1, n + 1), np.zeros(n)].ravel(), np.zeros(2 * n)
    one = keel.Mechanical(force, sparse.identity(2 * n), constraint, constraint_jacobian=G)
    two = keel.Mechanical(force, None, constraint, constraint_jacobian=lambda t, q: G(t, q).toarray())
    a = keel.solve_dae(one, (0, 0.3), (q0, v0), rtol=1e-8)
    b = keel.solve_dae(two, (0, 0.3), (q0, v0), rtol=1e-8)
    assert np.allclose(a.y_end, b.y_end, atol=1e-5) and a.residual.max() < 1e-10


def test_band_jacobian():
    n = 50
    dense = np.diag(-2 * np.ones(n)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    packed = np.zeros((3, n))
    packed[0, 1:], packed[1], packed[2, :-1] = 1, -2, 1
    y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    rate = 2 * (1 - np.cos(np.pi / (n + 1)))
    for jac in (lambda t, y: dense, lambda t, y: packed, None):
        p = keel.ODE(lambda t, y: dense @ y, jac, band=(1, 1))
        s = keel.solve_dae(p, (0, 1), y0, method="radau-iia-3", rtol=1e-8)
        assert np.allclose(s.y_end, np.exp(-rate) * y0, atol=1e-7)


def test_optional_packages_are_not_imported():
    import subprocess
    import sys
    code = ("import sys\n"
            "for name in ('scipy', 'matplotlib', 'sympy', 'numba', 'pandas'):\n"
            "    sys.modules[name] = None\n"
            "import keel\n"
            "s = keel.solve_dae(lambda t, y, yp: yp + y, (0, 1), [1.0], dense_output=True)\n"
            "assert s.success and abs(s.sol(0.5)[0] - 0.60653) < 1e-4\n")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_signatures_are_frozen():
    import inspect
    assert str(inspect.signature(keel.solve_ivp)) == (
        "(fun, t_span, y0, method='RK45', t_eval=None, dense_output=False, events=None, "
        "vectorized=False, args=None, **options)")
    assert list(inspect.signature(keel.solve_dae).parameters) == [
        "problem", "t_span", "y0", "yp0", "mass", "method", "t_eval", "dense_output", "events",
        "args", "rtol", "atol", "first_step", "max_step", "max_steps", "max_seconds", "jac",
        "jac_sparsity", "fixed", "free", "callback", "progress", "on_error", "formulation",
        "equation", "options"]


def test_remarks_are_warnings():
    """Dependent constraints: the start says which."""
    p = keel.Mechanical(force, constraint=lambda t, q: [rod(t, q), 2 * rod(t, q)])
    with pytest.warns(keel.KeelWarning, match="depend"):
        keel.solve_dae(p, (0, 0.1), ([1, 0], [0, 0]))


def test_impasse_points():
    """y' = 1, 0 = z^2 + y: z = sqrt(1 - t) ends at t = 1 [Bendtsen & Thomsen 1999, 7.1]."""
    p = keel.SemiExplicit(lambda t, y, z: [1.0], lambda t, y, z: z[0]**2 + y[0])
    s = keel.solve_dae(p, (0, 2), ([-1.0], [1.0]))
    assert not s.success and s.code == -5 and "impasse" in s.message and abs(s.t_end - 1) < 1e-3
    solver = keel.Solver(p)
    solver.start(0, ([-1.0], [1.0]))
    with pytest.raises(keel.ConvergenceError, match="impasse"):
        solver.advance_to(2)
    assert solver.impasses[0]["kind"] == "accessible" and abs(solver.impasses[0]["t"] - 1) < 1e-4
    curve = keel.Curve(p, rtol=1e-9)
    with pytest.raises(keel.ProblemError, match="started"):
        list(curve)
    curve.start(0, ([-1.0], [1.0]), span=(0, 2))
    points = list(curve)
    assert all(abs(y[1]**2 - (1 - t)) < 1e-7 for _, t, y in points)
    assert points[-1][1] == 0 and points[-1][2][1] < 0 and curve.rate < 0


def test_exceptions_on_a_curve():
    def rhs(t, y, z):
        if y[0] > -0.5:
            raise KeyError
        return [1.0]

    curve = keel.Curve(keel.SemiExplicit(rhs, lambda t, y, z: z[0]**2 + y[0]))
    curve.start(0, ([-1.0], [1.0]))
    with pytest.raises(KeyError):
        list(curve)


def test_residuals_of_every_step(pendulum, swing):
    """Levels x steps, whatever is stored; their largest are `residual`."""
    s = keel.solve_dae(pendulum, (0, 5), swing, t_eval=[1, 2])
    assert len(s.t) == 2 and s.residuals.shape == (3, len(s.t_steps))
    assert s.t_steps[0] == 0 and s.t_steps[-1] == 5 and len(s.t_steps) == s.stats["accepted"] + 1
    assert np.array_equal(s.residuals.max(axis=1), s.residual)
    drifting = keel.solve_dae(pendulum, (0, 5), swing, method="radau-iia-3", formulation="index1",
                              projection="none")
    assert drifting.residuals.shape[1] == len(drifting.t_steps)
    assert keel.solve_dae(keel.ODE(lambda t, y: -y), (0, 1), [1.0]).residuals.shape[0] == 0


def test_words_of_scipy():
    """vectorized, lband, uband and min_step are understood where a function is given."""
    n = 6
    A = np.diag(-2 * np.ones(n)) + np.diag(np.ones(n - 1), 1)
    y0, mass = np.linspace(1, 2, n), np.eye(n)
    plain = keel.solve_dae(lambda t, y: A @ y, (0, 1), y0, mass=mass, rtol=1e-8)
    columns = []

    def fun(t, y):
        columns.append(y.shape)
        return A @ y
    s = keel.solve_dae(fun, (0, 1), y0, mass=mass, rtol=1e-8, vectorized=True, min_step=1e-9)
    assert np.array_equal(s.y, plain.y) and set(columns) == {(n, 1)}
    F = keel.solve_dae(lambda t, y, yp: yp - A @ y, (0, 1), y0, rtol=1e-8, vectorized=True)
    assert np.allclose(F.y_end, plain.y_end, atol=1e-6)
    band = keel.solve_dae(lambda t, y: A @ y, (0, 1), y0, mass=mass, rtol=1e-8, lband=0, uband=1,
                          method="radau-iia-3")
    assert np.allclose(band.y_end, plain.y_end, atol=1e-6)
    with pytest.raises(TypeError, match="lband belong to a function"):
        keel.solve_dae(keel.ODE(lambda t, y: -y), (0, 1), [1.0], lband=0)
