"""Problems from a Lagrangian."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import keel
from conftest import pendulum_exact, sanitized

sympy = pytest.importorskip("sympy")
from sympy import Eq, cos, sin                                                      # noqa: E402
from sympy.physics.mechanics import dynamicsymbols                                  # noqa: E402

from keel import _generated                                                         # noqa: E402

t, m, g = sympy.symbols("t m g")
x, y, theta, phi = dynamicsymbols("x y theta phi")
BOTH = pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.skipif(
    _generated.compiler() is None, reason="no C compiler")), False])


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("LD_PRELOAD", raising=False)      # of the sanitizers: not for the compiler
    return tmp_path / "keel"


def kinetic(mass, *point):
    return mass * sum(c.diff(t)**2 for c in point) / 2


def pendulum(**options):
    options.setdefault("parameters", {m: 1, g: 9.81})
    return keel.lagrange(kinetic(m, x, y) - m * g * y, [x, y], [Eq(x**2 + y**2, 1)], **options)


@BOTH
def test_pendulum(compiled):
    p = pendulum(compiled=compiled)
    s = keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-10)
    assert np.abs(s.y_end[:2] - pendulum_exact(10)).max() < 1e-8 and max(s.residual) < 1e-13
    assert s.names == ("x", "y", "x'", "y'", "lambda1")
    assert p._more["constant_mass"] and bool(keel.check(p, 0, ([0.6, 0.8], [0.8, -0.6])))
    assert (s.calls == {}) == compiled
    solver = keel.Solver(p)
    solver.start(0, ([1, 0], [0, 0]))
    assert solver._core.lock_free == compiled            # threads run in parallel


@BOTH
def test_minimal_coordinates(compiled):
    """M = m l^2 (sin^2 + cos^2) is recognised to be constant; no constraint at all."""
    point = sin(theta), -cos(theta)
    p = keel.lagrange(kinetic(m, *point) - m * g * point[1], theta, parameters={"m": 2, "g": 9.81},
                      compiled=compiled)
    assert p.symbolic["M"] == sympy.Matrix([p.symbolic["parameters"]["m"]])
    s = keel.solve_dae(p, (0, 10), ([np.pi / 2], [0]), rtol=1e-10)
    assert np.abs([sin(s.y_end[0]), -cos(s.y_end[0])] - pendulum_exact(10)).max() < 1e-8


def test_unit_mass_is_left_out():
    p = keel.lagrange(kinetic(1, x, y) - 9.81 * y, [x, y], [x**2 + y**2 - 1])
    assert p._more["provides"] & 1 == 0 and "part->mass" not in p.source.split("solve(int")[1]
    s = keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-10)
    assert np.abs(s.y_end[:2] - pendulum_exact(10)).max() < 1e-8


@BOTH
def test_double_pendulum_in_two_ways(compiled):
    X, Y = dynamicsymbols("X Y")
    gravity = 9.81
    cartesian = keel.lagrange(kinetic(1, x, y) + kinetic(2, X, Y) - gravity * (y + 2 * Y), [x, y, X, Y],
                              [x**2 + y**2 - 1, (X - x)**2 + (Y - y)**2 - 1], compiled=compiled)
    first = sin(theta), -cos(theta)
    second = first[0] + sin(theta + phi), first[1] - cos(theta + phi)
    angles = keel.lagrange(kinetic(1, *first) + kinetic(2, *second)
                           - gravity * (first[1] + 2 * second[1]), [theta, phi], compiled=compiled)
    a = keel.solve_dae(cartesian, (0, 2), ([1, 0, 2, 0], [0] * 4), rtol=1e-11).y_end
    b = keel.solve_dae(angles, (0, 2), ([np.pi / 2, 0], [0, 0]), rtol=1e-11).y_end
    expected = [np.sin(b[0]), -np.cos(b[0]), np.sin(b[0]) + np.sin(b[0] + b[1]),
                -np.cos(b[0]) - np.cos(b[0] + b[1])]
    assert np.abs(a[:4] - expected).max() < 1e-8


@BOTH
def test_time_in_constraints_and_lagrangian(compiled):
    """A pendulum whose pivot is shaken: as a constraint, and in the coordinates."""
    pivot = sympy.Rational(1, 5) * sin(5 * t)
    one = keel.lagrange(kinetic(1, x, y) - 9.81 * y, [x, y], [(x - pivot)**2 + y**2 - 1],
                        compiled=compiled)
    point = pivot + sin(theta), -cos(theta)
    other = keel.lagrange(kinetic(1, *point) - 9.81 * point[1], [theta], compiled=compiled)
    a = keel.solve_dae(one, (0, 5), ([0, -1], [1, 0]), rtol=1e-11).y_end
    b = keel.solve_dae(other, (0, 5), ([0], [0]), rtol=1e-11).y_end
    assert np.abs(a[:2] - [0.2 * np.sin(25) + np.sin(b[0]), -np.cos(b[0])]).max() < 1e-8
    assert bool(keel.check(one, 0.3, ([0.2 * np.sin(1.5) + 0.6, 0.8], [0.1, -0.2])))


@BOTH
def test_forces(compiled):
    """q'' = -q - 2 d q' has a closed solution."""
    d = 0.1
    p = keel.lagrange(x.diff(t)**2 / 2 - x**2 / 2, [x], forces={x: -2 * d * x.diff(t)},
                      compiled=compiled)
    s = keel.solve_dae(p, (0, 5), ([1], [0]), rtol=1e-11)
    w = np.sqrt(1 - d * d)
    exact = np.exp(-5 * d) * (np.cos(5 * w) + d / w * np.sin(5 * w))
    assert abs(s.y_end[0] - exact) < 1e-9
    stiff = keel.solve_dae(p, (0, 5), ([1], [0]), rtol=1e-9, method="radau-iia-3")
    assert abs(stiff.y_end[0] - exact) < 1e-7


@BOTH
def test_upright_rolling_disc(compiled):
    """It rolls on a circle: x = (w R / W) sin(W t), y = (w R / W)(1 - cos(W t))."""
    R, w, W = 0.5, 3.0, 2.0
    turn, roll = phi, theta
    T = kinetic(2, x, y) + roll.diff(t)**2 / 4 + turn.diff(t)**2 / 8
    disc = keel.lagrange(T, [x, y, roll, turn], nonholonomic=[x.diff(t) - R * roll.diff(t) * cos(turn),
                                                             y.diff(t) - R * roll.diff(t) * sin(turn)],
                         invariants=["energy"], compiled=compiled)
    s = keel.solve_dae(disc, (0, 10), ([0, 0, 0, 0, w * R, 0, w, W]), rtol=1e-10)
    exact = [w * R / W * np.sin(10 * W), w * R / W * (1 - np.cos(10 * W)), 10 * w, 10 * W]
    assert np.abs(s.y_end[:4] - exact).max() < 1e-7
    q, v = s.y_end[:4], s.y_end[4:]
    assert abs(v[0] - R * v[2] * np.cos(q[3])) < 1e-13
    assert isinstance(disc, keel.ODE) and bool(keel.check(disc, 0.0, s.y_end))


@BOTH
def test_falling_rolling_disc(compiled):
    """A coin that wobbles: energy and rolling kept, angular momenta not given."""
    R, mass, gravity = 0.4, 1.0, 9.81
    lean, turn, roll = theta, phi, dynamicsymbols("psi")
    height = R * cos(lean)
    # spins about the axle, the diameter along the path, and the diameter across
    spins = (roll.diff(t) + turn.diff(t) * sin(lean), lean.diff(t), turn.diff(t) * cos(lean))
    along, across = sympy.Matrix([cos(turn), sin(turn)]), sympy.Matrix([-sin(turn), cos(turn)])
    centre = sympy.Matrix([x, y]) + R * sin(lean) * across
    velocity = centre.diff(t)
    T = mass * (velocity.dot(velocity) + height.diff(t)**2) / 2 \
        + mass * R**2 / 8 * (2 * spins[0]**2 + spins[1]**2 + spins[2]**2)
    contact = sympy.Matrix([x, y]).diff(t) + R * roll.diff(t) * along
    disc = keel.lagrange(T - mass * gravity * height, [x, y, lean, turn, roll],
                         nonholonomic=list(contact), invariants=["energy"], compiled=compiled)
    q0 = [0, 0, 0.2, 0, 0]
    s = keel.solve_dae(disc, (0, 5), [*q0, -R * -8.0, 0, 0, 0.1, -8.0], rtol=1e-9)
    assert s.success and max(s.residual) < 1e-12
    free = keel.lagrange(T - mass * gravity * height, [x, y, lean, turn, roll],
                         nonholonomic=list(contact), compiled=compiled)
    again = keel.solve_dae(free, (0, 5), [*q0, -R * -8.0, 0, 0, 0.1, -8.0], rtol=1e-11)
    assert np.abs(s.y_end - again.y_end).max() < 1e-5 * np.abs(s.y_end).max()


def test_position_constraints_beside_rolling():
    """A skate on a rail along y = 0, by both: they agree, x' = constant."""
    p = keel.lagrange(kinetic(1, x, y) + phi.diff(t)**2 / 2, [x, y, phi], [phi],
                      nonholonomic=[x.diff(t) * sin(phi) - y.diff(t) * cos(phi)])
    s = keel.solve_dae(p, (0, 3), [0, 0, 0, 2, 0, 0], rtol=1e-9)
    assert np.abs(s.y_end - [6, 0, 0, 2, 0, 0]).max() < 1e-12


def test_andrews():
    """Reference values: Test Set for IVP Solvers."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "examples"))
    try:
        import andrews
    finally:
        sys.path.pop(0)
    p = andrews.andrews()
    s = keel.solve_dae(p, (0, 0.03), (andrews.START, [0] * 7), rtol=1e-10)
    reference = [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                 0.5244099658805304, 0.5347301163226948, 1.048080741042263]
    assert np.abs(s.y_end[:7] / reference - 1).max() < 1e-7 and max(s.residual) < 1e-11
    with open(andrews.__file__) as file:
        lines = file.read().split("\ndef andrews")[1].split("\nif __name__")[0].split("\n")
    assert len([line for line in lines if line.strip()]) <= 25


# ---- parameters, the cache ----------------------------------------------------------------------

needs_compiler = pytest.mark.skipif(_generated.compiler() is None, reason="no C compiler")


@needs_compiler
def test_parameters_change_without_compiler(monkeypatch):
    p = pendulum()
    monkeypatch.setattr(_generated, "_compile", None)
    moon = p.with_parameters(g=1.62)
    assert p.parameters == {"m": 1, "g": 9.81} and moon.parameters == {"m": 1, "g": 1.62}
    slow = keel.solve_dae(moon, (0, 10 * np.sqrt(9.81 / 1.62)), ([1, 0], [0, 0]), rtol=1e-10)
    assert np.abs(slow.y_end[:2] - pendulum_exact(10)).max() < 1e-8      # the same in scaled time
    solver = keel.Solver(p, rtol=1e-10)
    solver.start(0, ([1, 0], [0, 0]))
    solver.parameters = [1, 1.62]
    solver.restart()
    solver.advance_to(10 * np.sqrt(9.81 / 1.62))
    assert np.abs(solver.y[:2] - pendulum_exact(10)).max() < 1e-8
    with pytest.raises(keel.ProblemError, match="'G'; there are m, g"):
        p.with_parameters(G=1)


@needs_compiler
def test_cache_is_used_and_private(own_cache, monkeypatch):
    text = pendulum().source + "/* another */\n"
    made = list(own_cache.iterdir())
    assert len(made) == 1 and made[0].suffix == ".so" and made[0].stat().st_mode & 0o77 == 0
    compiled = []
    real = _generated._compile
    monkeypatch.setattr(_generated, "_compile", lambda *a: (compiled.append(a), real(*a)))
    pendulum()
    assert not compiled
    spoilt = own_cache / f"lagrange-{_generated._key(text, _generated.compiler())}.so"
    spoilt.write_bytes(b"cut short")
    spoilt.chmod(0o700)
    _generated.load(text)
    assert len(compiled) == 1
    own_cache.chmod(0o777)                               # others might put something there
    before = len(list(own_cache.iterdir()))
    keel.lagrange(kinetic(3, x), [x])
    assert len(compiled) == 2 and len(list(own_cache.iterdir())) == before


@sanitized                                               # another process, where they would be preloaded
@needs_compiler
def test_text_does_not_depend_on_the_process():
    code = ("import sys; sys.path.insert(0, %r); import andrews, hashlib; "
            "print(hashlib.sha256(andrews.andrews().source.encode()).hexdigest())"
            % os.path.join(os.path.dirname(__file__), "..", "examples"))
    texts = {subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                            env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")}
    assert len(texts) == 1


@BOTH
def test_pickle(compiled):
    p = pickle.loads(pickle.dumps(pendulum(compiled=compiled, invariants=["energy"])))
    s = keel.solve_dae(p, (0, 10), ([1, 0], [0, 0]), rtol=1e-10)
    assert np.abs(s.y_end[:2] - pendulum_exact(10)).max() < 1e-8


def test_without_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    p = pendulum()
    assert p.source is None
    assert keel.solve_dae(p, (0, 1), ([1, 0], [0, 0])).calls["force"] > 0
    with pytest.raises(keel.ProblemError, match="no C compiler"):
        pendulum(compiled=True)


@needs_compiler
def test_functions_of_c():
    """Piecewise, powers, roots, and the like."""
    k = sympy.Piecewise((x**2, x > 0), (2 * x**2, True))
    V = k / 2 + sympy.exp(-x) / 7 + sympy.sqrt(1 + x**2)**3 / 9 + abs(x)**5 / 3 + 1 / (3 + x**2)**2 \
        + sympy.Max(x, 0)**2
    machine, python = (keel.lagrange(kinetic(1, x) - V, [x], compiled=c) for c in (True, False))
    for x0 in (1, -1):                                   # on either side of the corner
        a, b = (keel.solve_dae(p, (0, 0.3), ([x0], [0]), rtol=1e-11).y_end for p in (machine, python))
        assert a[0] * x0 > 0 and np.abs(a - b).max() < 1e-10


# ---- what is refused ----------------------------------------------------------------------------

@pytest.mark.parametrize("arguments, words", [
    ((kinetic(m, x), [x]), "m, which is neither time, coordinate, velocity nor parameter"),
    ((x.diff(t)**4, [x]), "not quadratic"),
    ((kinetic(1, x), [x], [x.diff(t)]), "give it as nonholonomic"),
    ((kinetic(1, x), [x], [t]), "has no coordinate"),
    ((kinetic(1, x) + y, [x]), r"y\(t\)"),
    ((kinetic(1, x), [x, y]), "does not have the velocity of y"),
    ((m * m, [m]), "dynamicsymbols"),
    ((kinetic(1, x) + x.diff(t, 2), [x]), "beyond velocities"),
])
def test_refused(arguments, words):
    with pytest.raises(keel.ProblemError, match=words):
        keel.lagrange(*arguments)


def test_more_is_refused():
    with pytest.raises(keel.ProblemError, match="no coordinate"):
        keel.lagrange(kinetic(1, x), [x], forces={y: 1})
    with pytest.raises(keel.ProblemError, match="linear in the velocities"):
        keel.lagrange(kinetic(1, x, y), [x, y], nonholonomic=[x.diff(t)**2 - y.diff(t)])
    with pytest.raises(keel.ProblemError, match="same name"):
        keel.lagrange(kinetic(1, x), [x], parameters={"m": 1, m: 2})
    with pytest.raises(keel.ProblemError, match="2 names of 1"):
        keel.lagrange(kinetic(1, x), [x], names=["a", "b"])


def test_plain_symbols():
    q, v = sympy.symbols("q v")
    p = keel.lagrange(v**2 / 2 - q**2 / 2, [q], velocities=[v])
    assert abs(keel.solve_dae(p, (0, 1), ([1], [0]), rtol=1e-10).y_end[0] - np.cos(1)) < 1e-8


@needs_compiler
def test_sines_of_sums_follow_from_those_of_their_terms():
    """Four pairs are computed, two of them by calls, and they are right."""
    V = sin(theta) + 2 * cos(phi) + 3 * cos(theta + phi) + 5 * sin(theta - phi)
    machine, python = (keel.lagrange(theta.diff(t)**2 / 2 + phi.diff(t)**2 / 2 - V, [theta, phi],
                                     compiled=c) for c in (True, False))
    evaluate = machine.source.split("int evaluate")[1].split("int force_jacobian")[0]
    assert evaluate.count("cos(") == evaluate.count("sin(") == 2
    a, b = (keel.solve_dae(p, (0, 1), ([0.3, 0.4], [0, 0]), rtol=1e-11).y_end
            for p in (machine, python))
    assert np.abs(a - b).max() < 1e-9
