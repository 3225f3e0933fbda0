"""Boundary value problems, against exact solutions."""

import numpy as np
import pytest

import keel


def oscillator(**more):
    return keel.ODE(lambda t, y: [y[1], -y[0]], size=2, **more)


def test_picture():
    pytest.importorskip("matplotlib")
    problem = keel.ODE(lambda t, y: [y[1], -y[0]], size=2, names=["y", "v"])
    s = keel.solve_bvp(problem, (0, np.pi / 2), lambda ya, yb: [ya[0], yb[0] - 1], lambda t: [t, 1])
    line = s.plot("y").axes[0].get_lines()[0]
    assert np.abs(line.get_ydata() - np.sin(line.get_xdata())).max() < 1e-5


def test_linear():
    s = keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: [ya[0], yb[0] - 1], rtol=1e-9)
    t = np.linspace(0, 1, 33)
    assert np.abs(s.sol(t)[0] - np.sin(t) / np.sin(1)).max() < 1e-8
    assert s.success and s.t[0] == 0 and s.t[-1] == 1 and s.stats["error_x"] <= 1


@pytest.mark.parametrize("guess", [[0.5, 0.5], lambda t: [t, 1.0]])
def test_jacobian_names_and_guesses(guess):
    s = keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: [ya[0], yb[0] - 1], guess,
                       condition_jacobian=lambda ya, yb: ([[1, 0], [0, 0]], [[0, 0], [1, 0]]),
                       condition_names=["left", "right"])
    assert abs(s.sol(0.5)[0] - np.sin(0.5) / np.sin(1)) < 1e-6


def test_bratu():
    """y'' = -exp(y), y(0) = y(1) = 0: y = -2 ln(cosh((t - 1/2) c / 2) / cosh(c / 4)) with
    c = sqrt(2) cosh(c / 4), lower branch [Ascher, Mattheij & Russell 1995]."""
    c = 1.5
    for _ in range(200):
        c = np.sqrt(2) * np.cosh(c / 4)
    p = keel.ODE(lambda t, y: [y[1], -np.exp(y[0])], size=2)
    s = keel.solve_bvp(p, (0, 1), lambda ya, yb: [ya[0], yb[0]], rtol=1e-10)
    t = np.linspace(0, 1, 11)
    exact = -2 * np.log(np.cosh((t - 0.5) * c / 2) / np.cosh(c / 4))
    assert np.abs(s.sol(t)[0] - exact).max() < 1e-9


def test_eigenvalue():
    """y'' = -l y, y(0) = y(1) = 0, y'(0) = 1: l = pi^2."""
    p = keel.ODE(lambda t, y, p: [y[1], -p[0] * y[0]], size=2, parameters={"l": 8.0})
    s = keel.solve_bvp(p, (0, 1), lambda ya, yb, p: [ya[0], yb[0], ya[1] - 1],
                       lambda t: ([np.sin(3 * t), np.cos(3 * t)], [8.0]), unknown="l", rtol=1e-9)
    assert abs(s.p[0] - np.pi**2) < 1e-7


def test_differential_algebraic():
    """y1' = y2, y2' = z, 0 = z + y1: the oscillator again, index 1."""
    p = keel.SemiExplicit(lambda t, y, z: [y[1], z[0]], lambda t, y, z: z + y[0], differential=2,
                          algebraic=1)
    s = keel.solve_bvp(p, (0, 1), lambda ya, yb: [ya[0], yb[0] - 1], rtol=1e-8)
    assert np.allclose(s.sol(0.5)[[0, 2]], np.array([1, -1]) * np.sin(0.5) / np.sin(1), atol=1e-6)


def test_solved_again_with_other_parameters():
    p = keel.ODE(lambda t, y, p: [y[1], -p[0]**2 * y[0]], size=2, parameters={"w": 1.0})
    b = keel.Boundary(p, (0, 1), lambda ya, yb: [ya[0], yb[0] - 1], rtol=1e-9)
    first, second = b.solve(), b.solve(w=2.0)
    assert abs(first.sol(0.5)[0] - np.sin(0.5) / np.sin(1)) < 1e-7      # not overwritten
    assert abs(second.sol(0.5)[0] - np.sin(1) / np.sin(2)) < 1e-7
    with pytest.raises(keel.ProblemError, match="no parameter 'q'"):
        b.solve(q=1)


def test_solution_as_a_guess():
    one = keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: [ya[0], yb[0] - 1])
    two = keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: [ya[0], yb[0] - 2], one, rtol=1e-9)
    assert abs(two.sol(0.5)[0] - 2 * np.sin(0.5) / np.sin(1)) < 1e-7


def test_refusals():
    with pytest.raises(keel.ProblemError, match="sizes"):
        keel.solve_bvp(keel.ODE(lambda t, y: -y), (0, 1), lambda ya, yb: ya)
    with pytest.raises(keel.ProblemError, match="condition"):
        keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: [ya[0]])
    with pytest.raises(keel.ProblemError, match="no parameter 'x'"):
        keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: ya, unknown="x")
    with pytest.raises(TypeError, match="no option"):
        keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: ya, meshes=3)
    with pytest.raises(ZeroDivisionError) as caught:
        keel.solve_bvp(oscillator(), (0, 1), lambda ya, yb: [1 / 0, 0], condition_names="ab")
    assert "`condition`" in caught.value.__notes__[0]
    with pytest.raises(keel.Error):                      # y'' = -y, y(0) = 0, y(pi) = 1: none
        keel.solve_bvp(oscillator(), (0, np.pi), lambda ya, yb: [ya[0], yb[0] - 1])


def test_branch_through_a_fold():
    """Bratu: y'' = -l exp(y); the parameter turns at l = 3.513830719, where y(1/2) = 1.18684
    [Ascher, Mattheij & Russell 1995]."""
    p = keel.ODE(lambda t, y, l: [y[1], -l[0] * np.exp(y[0])],
                 lambda t, y, l: [[0, 1], [-l[0] * np.exp(y[0]), 0]], size=2, parameters={"l": 1.0})
    branch = keel.Branch(p, (0, 1), lambda ya, yb, p: [ya[0], yb[0]], parameter="l", rtol=1e-8)
    table = branch.follow(1.0, 2.0)
    assert table[0]["parameter"] == 1 and table[-1]["parameter"] == 2 and len(table) > 1
    s = branch.solution()
    assert abs(s.sol(0.5)[0] - 0.3289524213) < 1e-7                  # 2 ln cosh(c / 4)
    more = branch.follow(1.0)                                        # through the fold, and back
    folds = [row for row in more if row["fold"]]
    assert len(folds) == 1 and abs(folds[0]["parameter"] - 3.513830719) < 1e-5
    assert abs(folds[0]["largest"][0] - 1.1868) < 1e-2
    assert branch.solution().sol(0.5)[0] > 2                         # the upper branch
    with pytest.raises(keel.ProblemError, match="no parameter 'm'"):
        keel.Branch(p, (0, 1), lambda ya, yb, p: ya, parameter="m")


# ---- files, other intervals, multipliers, fits --------------------------------------------------

def sine(**options):
    """y'' = -y, y(0) = 0, y(1) = 1."""
    return keel.Boundary(keel.ODE(lambda t, y: [y[1], -y[0]], size=2), (0, 1),
                         lambda ya, yb: [ya[0], yb[0] - 1], **options)


def test_save_load_change(tmp_path):
    b = sine(rtol=1e-8)
    s = b.solve()
    b.save(tmp_path / "solution")
    other = sine(rtol=1e-8)
    other.load(tmp_path / "solution")
    assert np.abs(other.solve().sol(0.3) - s.sol(0.3)).max() < 1e-8
    b.change((0, 1.5), rtol=1e-10)
    s = b.solve()
    assert s.t_end == 1.5 and abs(s.sol(0.5)[0] - np.sin(0.5) / np.sin(1.5)) < 1e-9
    found = b.diagnose()
    assert len(found["t"]) == len(found["green"]) and found["rate"].shape == (2,)
    with pytest.raises(keel.Error, match="no-such-file"):
        other.load(tmp_path / "no-such-file")


def test_branch_goes_on_from_a_file(tmp_path):
    bratu = keel.ODE(lambda t, y, l: [y[1], -l[0] * np.exp(y[0])], size=2, parameters={"l": 1.0})

    def branch():
        return keel.Branch(bratu, (0, 1), lambda ya, yb, p: [ya[0], yb[0]], parameter="l")
    one = branch()
    one.follow(1.0, 2.0)
    one.save(tmp_path / "branch")
    there = one.follow(3.0)
    other = branch()
    other.load(tmp_path / "branch")
    again = other.follow(3.0)
    assert again.column("parameter") == there.column("parameter")
    assert not any(again.column("branch_point"))


def test_multipliers():
    """y' = -k y + cos t has one periodic solution, and its multiplier is exp(-2 pi k)."""
    k = 0.2
    b = keel.Boundary(keel.ODE(lambda t, y: [-k * y[0] + np.cos(t)], size=1), (0, 2 * np.pi),
                      lambda ya, yb: [ya[0] - yb[0]], rtol=1e-9)
    b.solve()
    assert abs(b.multipliers()[0] - np.exp(-2 * np.pi * k)) < 1e-6


def test_fit_of_a_line():
    """y' = p: y = p t, for which p and its interval are known in closed form."""
    stats = pytest.importorskip("scipy.stats")
    noise = np.random.default_rng(1).normal(size=20)
    t = np.linspace(0.1, 2, 20)
    y = 1.5 * t + 0.01 * noise
    line = keel.ODE(lambda t, y, p: [p[0]], size=1, parameters={"slope": 1.0}, names=["y"])
    fit = keel.Fit(line, (0, 2), lambda ya, yb, p: [ya[0]], {"y": (t, y)}, "slope", rtol=1e-10)
    s = fit.run()
    slope = t @ y / (t @ t)
    sigma = np.sqrt(((y - slope * t)**2).sum() / 19)
    assert abs(s.parameters["slope"] - slope) < 1e-9 and abs(s.noise - sigma) < 1e-9
    assert abs(s.half_width[0] - stats.t.ppf(0.975, 19) * sigma / np.sqrt(t @ t)) < 1e-8
    assert s.freedom == 19 and np.abs(s.predicted - slope * t).max() < 1e-8
    assert np.abs(s.sensitivity[:, 0] - t).max() < 1e-6 and abs(s.sol(1.0)[0] - slope) < 1e-8
    halved = keel.Fit(line, (0, 2), lambda ya, yb, p: [ya[0]], {0: (t, y, 0.5)}, "slope",
                      confidence=0.99, rtol=1e-10).run([1.4])
    assert abs(halved.noise - 2 * sigma) < 1e-8 and halved.half_width[0] > s.half_width[0]


def test_fit_refuses():
    line = keel.ODE(lambda t, y, p: [p[0]], size=1, parameters={"slope": 1.0}, names=["y"])
    with pytest.raises(keel.ProblemError, match="no unknown 'z'"):
        keel.Fit(line, (0, 1), lambda ya, yb, p: [ya[0]], {"z": ([1], [1])}, "slope")
    with pytest.raises(ValueError, match="2,"):
        keel.Fit(line, (0, 1), lambda ya, yb, p: [ya[0]], {"y": ([1, 2], [1])}, "slope")
    with pytest.raises(keel.Error):                       # measurements at y = 0 say nothing
        keel.Fit(line, (0, 1), lambda ya, yb, p: [ya[0]], {"y": ([0, 0], [0, 0.1])}, "slope").run()


def test_interrupt_while_solving():
    """Ctrl-C in a callback, or between factorisations, ends it."""
    def rhs(t, y):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        keel.solve_bvp(keel.ODE(rhs, size=1), (0, 1), lambda ya, yb: [ya[0]])
