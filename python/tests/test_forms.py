"""Every form of problem, against exact solutions."""

import numpy as np
import pytest

import keel
from conftest import pendulum_exact

E1 = np.exp(-1.0)


def end(problem, y0, t=1.0, **options):
    s = keel.solve_dae(problem, (0, t), y0, rtol=1e-10, **options)
    assert s.success and s.t_end == t
    return s.y_end


def test_ode():
    y = end(keel.ODE(lambda t, y: [y[1], -y[0]], lambda t, y: [[0, 1], [-1, 0]]), [1, 0])
    assert np.allclose(y, [np.cos(1), -np.sin(1)], atol=1e-8)


def test_ode_one_number():
    assert abs(end(keel.ODE(lambda t, y: -y[0]), 1.0)[0] - E1) < 1e-8


def test_semi_explicit():
    p = keel.SemiExplicit(lambda t, y, z: -z, lambda t, y, z: z - y,
                          lambda t, y, z: [[0, -1], [-1, 1]])
    assert np.allclose(end(p, ([1.0], [0.0])), [E1, E1], atol=1e-8)


def test_semi_explicit_with_sizes():
    p = keel.SemiExplicit(lambda t, y, z: -z, lambda t, y, z: z - y, differential=1)
    assert np.allclose(end(p, [1.0, 1.0]), [E1, E1], atol=1e-8)


def test_hessenberg2():
    """Circle, tangential speed 1: y' = (-y2, y1) + z y, 0 = |y|^2 - 1, so z = 0."""
    p = keel.Hessenberg2(lambda t, y, z: [-y[1] + z[0] * y[0], y[0] + z[0] * y[1]],
                         lambda t, y: y[0]**2 + y[1]**2 - 1,
                         constraint_jacobian=lambda t, y: [2 * y[0], 2 * y[1]],
                         constraint_time=lambda t, y: 0.0)
    assert np.allclose(end(p, ([1.0, 0.0],)), [np.cos(1), np.sin(1), 0], atol=1e-8)


def test_hessenberg3():
    """The pendulum: u' = v, v' = (0, -g) - 2 u l, 0 = |u|^2 - 1."""
    p = keel.Hessenberg3(lambda t, u, v: v, lambda t, u, v, l: [-2 * u[0] * l[0],
                                                               -9.81 - 2 * u[1] * l[0]],
                         lambda t, u: u[0]**2 + u[1]**2 - 1,
                         constraint_jacobian=lambda t, u: [2 * u[0], 2 * u[1]])
    assert np.allclose(end(p, ([1, 0], [0, 0]), 2.0)[:2], pendulum_exact(2.0), atol=1e-7)


def test_mechanical(pendulum, swing):
    assert np.allclose(end(pendulum, swing, 10.0)[:2], pendulum_exact(10.0), atol=1e-8)


@pytest.mark.parametrize("mass", [np.diag([2.0, 2.0]), lambda t, q: [[2, 0], [0, 2.0]]])
def test_mechanical_with_mass(mass, swing):
    p = keel.Mechanical(lambda t, q, v: [0, -2 * 9.81], mass, lambda t, q: q @ q - 1,
                        constraint_jacobian=lambda t, q: 2 * q)
    assert np.allclose(end(p, swing, 2.0)[:2], pendulum_exact(2.0), atol=1e-8)


def test_mechanical_without_constraint():
    p = keel.Mechanical(lambda t, q, v: -q)
    assert np.allclose(end(p, [1.0, 0.0]), [np.cos(1), -np.sin(1)], atol=1e-8)


def test_mechanical_force_jacobian():
    """Stiff: q'' = -1000 q' - 1000 q + 1000 (1 + t), whose slow solution tends to t."""
    p = keel.Mechanical(lambda t, q, v: -1000 * v - 1000 * q + 1000 * (1 + t),
                        force_jacobian=lambda t, q, v: ([[-1000]], [[-1000]]))
    s = keel.solve_dae(p, (0, 5), ([0.0], [1.0]), method="radau-iia-3", iteration="full")
    assert abs(s.y_end[0] - 5) < 1e-4 and s.calls["force_jacobian"] > 0


def test_quasilinear():
    """y1' = -y2, 0 = y2 - y1."""
    M = np.diag([1.0, 0.0])
    f = lambda t, y: [-y[1], y[1] - y[0]]
    for mass in (M, lambda t, y: M):
        p = keel.Quasilinear(mass, f, lambda t, y: [[0, -1], [-1, 1]],
                             mass_jacobian=lambda t, y, w: np.zeros((2, 2)))
        assert np.allclose(end(p, [1.0, 1.0]), [E1, E1], atol=1e-8)


def test_quasilinear_mass_of_state():
    """(1 + y) y' = -y (1 + y): y = exp(-t); the derivative of M w is subtracted."""
    p = keel.Quasilinear(lambda t, y: [[1 + y[0]]], lambda t, y: -y * (1 + y),
                         lambda t, y: [[-1 - 2 * y[0]]], mass_jacobian=lambda t, y, w: [[w[0]]])
    assert bool(keel.check(p, 0, [1.0], [-1.0]))
    assert abs(end(p, [1.0])[0] - E1) < 1e-8


def test_implicit():
    p = keel.Implicit(lambda t, y, yp: yp + y, lambda t, y, yp, c: [[1 + c]])
    assert abs(end(p, [1.0])[0] - E1) < 1e-8


def test_proper():
    """x1' + x2 = 0, x2 - x1 = 0 with d = x1."""
    p = keel.Proper(lambda t, x: [[1], [0]], lambda t, x: x[0], lambda t, x: [x[1], x[1] - x[0]])
    y = end(p, [1.0, 1.0])
    assert np.allclose(y, [E1, E1, E1], atol=1e-8)


def test_levelled():
    """The pendulum with all its constraints written down: index 3."""
    def level(t, y, z, k):
        q, v = y[:2], y[2:]
        if k == 2:
            return q @ q - 1
        if k == 1:
            return 2 * (q @ v)
        return 2 * (v @ v) + 2 * (q[0] * (-2 * q[0] * z[0]) + q[1] * (-9.81 - 2 * q[1] * z[0]))

    p = keel.Levelled(lambda t, y, z: [y[2], y[3], -2 * y[0] * z[0], -9.81 - 2 * y[1] * z[0]],
                      level, next=[2, 3, -1, -1], chain=[2])
    s = keel.solve_dae(p, (0, 2), ([1, 0, 0, 0],), rtol=1e-10)
    assert np.allclose(s.y_end[:2], pendulum_exact(2.0), atol=1e-7)
    assert s.problem is p and len(s.residual) == 3 and max(s.residual) < 1e-13


def test_levelled_jacobian_of_levels():
    calls = []

    def below(t, y, k):
        calls.append(k)
        return [[2 * y[0], 2 * y[1], 0, 0]] if k == 2 else \
            [[2 * y[2], 2 * y[3], 2 * y[0], 2 * y[1]]]

    def level(t, y, z, k):
        if k == 2:
            return [y[0]**2 + y[1]**2 - 1]
        if k == 1:
            return [2 * (y[0] * y[2] + y[1] * y[3])]
        return [2 * (y[2]**2 + y[3]**2) - 4 * z[0] * (y[0]**2 + y[1]**2) - 2 * y[1] * 9.81]

    p = keel.Levelled(lambda t, y, z: [y[2], y[3], -2 * y[0] * z[0], -9.81 - 2 * y[1] * z[0]],
                      level, level_jacobian=below, next=[2, 3, -1, -1], chain=[2])
    assert bool(keel.check(p, 0, ([0.6, -0.8, 0.4, 0.3], [2.0])))
    end(p, ([1, 0, 0, 0],))
    assert set(calls) == {1, 2}


def test_invariants_are_kept():
    """Kepler: energy and angular momentum, whatever they are at the start."""
    def rhs(t, y):
        r3 = (y[0]**2 + y[1]**2)**1.5
        return [y[2], y[3], -y[0] / r3, -y[1] / r3]

    def kept(t, y):
        return [(y[2]**2 + y[3]**2) / 2 - 1 / np.hypot(y[0], y[1]), y[0] * y[3] - y[1] * y[2]]

    s = keel.solve_dae(keel.ODE(rhs, invariants=kept), (0, 50), [0.5, 0, 0, np.sqrt(3)])
    assert np.allclose(kept(0, s.y_end), [-0.5, np.sqrt(3) / 2], atol=1e-13, rtol=0)


def test_attached_with_names_and_jacobian():
    a = keel.Attached(lambda t, y: y[0]**2 + y[1]**2 - 1, lambda t, y: [[2 * y[0], 2 * y[1]]],
                      names=["circle"])
    solver = keel.Solver(keel.ODE(lambda t, y: [y[1], -y[0]], attached=a))
    solver.start(0, [1.1, 0])                        # is moved onto the circle
    assert abs(np.hypot(*solver.y) - 1) < 1e-14
    solver.advance_to(3)
    assert solver.invariants[0]["name"] == "circle" and solver.invariants[0]["largest"] < 1e-14


@pytest.mark.parametrize("formulation", ["ggl", "index1", {"name": "baumgarte", "alpha": 5, "beta": 5}])
def test_formulations(formulation, pendulum, swing):
    s = keel.solve_dae(pendulum, (0, 1), swing, formulation=formulation, method="radau-iia-3",
                       rtol=1e-8, dense_output=True)
    assert s.y.shape[0] == 5 and s.names[0] == "q[0]"
    assert np.allclose(s.y_end[:2], pendulum_exact(1.0), atol=1e-5)
    assert np.allclose(s.sol(0.5)[:2], pendulum_exact(0.5), atol=1e-4)


def test_parameters_reach_callbacks():
    p = keel.ODE(lambda t, y, p: -p[0] * y, parameters={"rate": 1.0})
    assert abs(end(p, [1.0])[0] - E1) < 1e-8
    assert p.parameters == {"rate": 1.0}


def test_args():
    p = keel.ODE(lambda t, y, a, b: -a * b * y, args=(0.5, 2.0))
    assert abs(end(p, [1.0])[0] - E1) < 1e-8


def test_names():
    p = keel.ODE(lambda t, y: [y[1], -y[0]], names=["theta", "omega"])
    s = keel.solve_dae(p, (0, 1), {"theta": 1.0})
    assert s.names == ("theta", "omega") and s.var["theta"][0] == 1
    with pytest.raises(KeyError, match="theta"):
        s.var["phi"]


def test_groups(pendulum, swing):
    s = keel.solve_dae(pendulum, (0, 1), swing)
    assert s.group["q"].shape == (2, len(s.t)) and s.group["lambda"].shape == (1, len(s.t))


def test_sizes_that_are_not_known():
    p = keel.SemiExplicit(lambda t, y, z: -z, lambda t, y, z: z - y)
    with pytest.raises(keel.ProblemError, match=r"differential.*\(y, z\)"):
        keel.solve_dae(p, (0, 1), [1.0, 1.0])


def test_wrong_group(pendulum):
    with pytest.raises(keel.ProblemError, match="values of v"):
        keel.solve_dae(pendulum, (0, 1), ([1, 0], [0, 0, 0]))


def test_wrong_derivative_is_named():
    p = keel.ODE(lambda t, y: [y[0]**2], lambda t, y: [[y[0]]])
    with pytest.raises(keel.ProblemError, match="jacobian"):
        keel.solve_dae(p, (0, 0.1), [1.0], method="radau-iia-3")
    assert "jacobian" in str(keel.check(p, 0, [1.0]))


def test_inconsistent_start(swing):
    p = keel.Mechanical(lambda t, q, v: [0, -9.81], None, lambda t, q: q @ q + 1,
                        constraint_jacobian=lambda t, q: 2 * q)
    with pytest.raises(keel.Error) as caught:
        keel.solve_dae(p, (0, 1), swing)
    assert caught.value.status in (-8, -9) and caught.value.name.startswith("KEEL_")


def test_initial_equations(pendulum):
    """Where the pendulum starts is a condition: on the line y = -0.8, with a speed of 1."""
    s = keel.solve_dae(pendulum, (0, 0.1), ([0.5, -0.7], [1, 1]),
                       equation=lambda t, y, yp: [y[1] + 0.8, y[2]**2 + y[3]**2 - 1])
    x, y, vx, vy = s.y[:4, 0]
    assert abs(y + 0.8) < 1e-13 and abs(x - 0.6) < 1e-13 and abs(np.hypot(vx, vy) - 1) < 1e-13
    assert abs(x * vx + y * vy) < 1e-13
    with pytest.raises(KeyError) as caught:
        keel.solve_dae(pendulum, (0, 0.1), ([1, 0], [0, 0]),
                       equation=lambda t, y, yp: {}[0] if yp.any() else [0.0])
    assert "`equation`" in caught.value.__notes__[0]


def test_start_is_moved(pendulum):
    s = keel.solve_dae(pendulum, (0, 0.1), ([1.1, 0], [0, 0]))
    assert s.moved[0][0] == "q[0]" and s.moved[0][1] == 1.1 and abs(s.y[0, 0] - 1) < 1e-14
    s = keel.solve_dae(pendulum, (0, 0.1), ([0.6, -0.7], [0, 0]), fixed="q[0]")
    assert s.y[0, 0] == 0.6 and abs(s.y[1, 0] + 0.8) < 1e-14


@pytest.mark.parametrize("mass", ["dense", "sparse", "function", "sparse function"])
@pytest.mark.parametrize("jac", [None, "dense", "sparse"])
@pytest.mark.parametrize("pattern", [None, "jac_sparsity", "band"])
def test_mass_and_jacobian_in_all_storages(mass, jac, pattern):
    """The pattern of M alone is not that of f_y - shift M: here f_y has entries where M has none."""
    sparse = pytest.importorskip("scipy.sparse")
    M, J = np.array([[1.0, 0], [0, 0]]), np.array([[0, -1.0], [-1, 1]])
    given = {"dense": M, "sparse": sparse.csr_matrix(M), "function": lambda t, y: M,
             "sparse function": lambda t, y: sparse.csr_matrix(M)}[mass]
    derivative = {None: None, "dense": lambda t, y: J, "sparse": lambda t, y: sparse.coo_matrix(J)}[jac]
    more = {None: {}, "jac_sparsity": {"jac_sparsity": [[0, 1], [1, 1]]},
            "band": {"lband": 1, "uband": 1}}[pattern]
    s = keel.solve_dae(lambda t, y: [-y[1], y[1] - y[0]], (0, 1), [1.0, 1.0], mass=given, jac=derivative,
                       rtol=1e-8, **more)
    assert s.success and np.allclose(s.y_end, np.exp(-1), atol=1e-6)
