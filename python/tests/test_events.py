"""Events: SciPy's, and those with actions."""

import numpy as np
import pytest

import keel
from conftest import pendulum_exact


def fall(t, y):
    return [y[1], -9.81]


def height(t, y):
    return y[0]


def test_terminal_event_as_in_scipy():
    def hit(t, y):
        return y[0]
    hit.terminal, hit.direction = True, -1
    s = keel.solve_dae(keel.ODE(fall), (0, 10), [1.0, 0.0], events=hit, rtol=1e-9)
    te = np.sqrt(2 / 9.81)
    assert s.status == 1 and s.success and abs(s.t_end - te) < 1e-8 and abs(s.y_end[0]) < 1e-12
    assert s.t[-1] == s.t_end and np.allclose(s.t_events[0], te, atol=1e-8)
    assert s.y_events[0].shape == (1, 2)


def test_events_that_only_watch():
    zero = keel.Event(lambda t, y: y[0], name="zero")
    up = keel.Event(lambda t, y: y[0], direction=1)
    down = keel.Event(lambda t, y: y[0], direction=-1)
    problem = keel.ODE(lambda t, y: [y[1], -y[0]])
    s = keel.solve_dae(problem, (0, 10), [1.0, 0.0], events=[zero, up, down], rtol=1e-9)
    exact = np.pi * np.array([0.5, 1.5, 2.5])
    assert np.allclose(s.t_events[0], exact, atol=1e-7)
    assert np.allclose(s.t_events[1], exact[1:2], atol=1e-7)
    assert np.allclose(s.t_events[2], exact[::2], atol=1e-7)
    plain = keel.solve_dae(problem, (0, 10), [1.0, 0.0], rtol=1e-9)
    assert np.array_equal(plain.y_end, s.y_end)                  # watching changes nothing
    assert [e["name"] for e in s.events if "zero" in e["name"]]


def test_events_backwards():
    """Directions are along the run, as in SciPy."""
    s = keel.solve_dae(keel.ODE(lambda t, y: [y[1], -y[0]]), (0, -10), [1.0, 0.0], rtol=1e-9,
                       events=[keel.Event(height, direction=-1), keel.Event(height, direction=1)])
    assert np.allclose(s.t_events[0], [-0.5 * np.pi, -2.5 * np.pi], atol=1e-7)
    assert np.allclose(s.t_events[1], [-1.5 * np.pi], atol=1e-7)


def test_terminal_after_a_count():
    event = keel.Event(lambda t, y: y[0], terminal=3)
    s = keel.solve_dae(keel.ODE(lambda t, y: [y[1], -y[0]]), (0, 100), [1.0, 0.0], events=event)
    assert len(s.t_events[0]) == 3 and abs(s.t_end - 2.5 * np.pi) < 1e-4


@pytest.mark.parametrize("attributes", [{"terminal": "no"}, {"direction": None},
                                        {"terminal": None}, {"terminal": -1},
                                        {"direction": "up"}, {"direction": np.nan}])
def test_wrong_attributes_are_refused(attributes):
    with pytest.raises(keel.ProblemError, match="expected"):
        keel.Event(height, **attributes)


def test_bouncing_ball():
    """Impacts at t_1, t_1 + 2 v_1 / g, ... with v_k = 0.8^k sqrt(2 g)."""
    def bounce(state):
        assert state.names == ("floor",) and state.pre[1] < 0
        state.y[1] *= -0.8

    floor = keel.Event(height, direction=-1, action=bounce, name="floor")
    s = keel.solve_dae(keel.ODE(fall), (0, 2), [1.0, 0.0], events=floor, rtol=1e-10,
                       dense_output=True)
    first, speed = np.sqrt(2 / 9.81), np.sqrt(2 * 9.81)
    exact = [first, first + 2 * 0.8 * speed / 9.81, first + 2 * (0.8 + 0.64) * speed / 9.81]
    assert np.allclose(s.t_events[0], exact, atol=1e-8)
    at = np.flatnonzero(s.t == s.t_events[0][0])
    assert len(at) == 2 and np.allclose(s.y[1, at], [-speed, 0.8 * speed], atol=1e-7)
    assert abs(s.sol(exact[0] + 0.1)[0] - (0.8 * speed * 0.1 - 9.81 * 0.005)) < 1e-6
    assert s.events[0]["name"] == "floor" and s.events[0]["restarted"]
    assert np.allclose([s.events[0]["before"], s.events[0]["after"]], [-speed, 0.8 * speed])


def test_action_on_a_constrained_system(pendulum, swing):
    """At the bottom the velocity is halved: the energy is a quarter, all stays on the rod."""
    def brake(state):
        state.y[2:4] *= 0.5

    bottom = keel.Event(lambda t, y: y[0], action=brake)
    s = keel.solve_dae(pendulum, (0, 1), swing, events=bottom, rtol=1e-9)
    assert len(s.t_events[0]) == 1
    q, v = s.y_end[:2], s.y_end[2:4]
    assert abs(v @ v / 2 + 9.81 * (q[1] + 1) - 9.81 / 4) < 1e-6
    assert max(s.residual) < 1e-13


def test_modes_and_values():
    """A thermostat: the heater is a mode, switched at 19 and 21 degrees."""
    def off(state):
        state.modes[0] = 0

    def on(state):
        state.modes[0] = 1
        state.values[0] += 1

    room = keel.ODE(lambda t, y, modes, values: [10.0 * modes[0] - 0.5 * (y[0] - 15)],
                    modes={"heating": 1}, values={"count": 0.0})
    cold = keel.Event(lambda t, y, m, w: y[0] - 19, direction=-1, action=on)
    hot = keel.Event(lambda t, y, m, w: y[0] - 21, direction=1, action=off)
    s = keel.solve_dae(room, (0, 10), [18.0], events=[cold, hot], rtol=1e-8)
    assert 4 < len(s.t_events[0]) <= len(s.t_events[1]) and s.success
    later = s.t > s.t_events[1][0]
    assert s.y[0, later].min() > 19 - 1e-9 and s.y[0, later].max() < 21 + 1e-9
    # from 21 down to 19 around 15: ln(6 / 4) / 0.5
    assert abs(s.t_events[0][0] - s.t_events[1][0] - 2 * np.log(1.5)) < 1e-6


def test_time_events():
    """A dose at t = 1, 2.5, and every 4 beginning with 4."""
    def dose(state):
        state.y[0] += 1

    s = keel.solve_dae(keel.ODE(lambda t, y: -y), (0, 10), [0.0], rtol=1e-10,
                       events=[keel.TimeEvent([2.5, 1], action=dose),
                               keel.TimeEvent(start=4, period=4, action=dose)])
    exact = sum(np.exp(-(10 - t)) for t in (1, 2.5, 4, 8))
    assert abs(s.y_end[0] - exact) < 1e-8
    assert list(s.t_events[0]) == [1, 2.5] and list(s.t_events[1]) == [4, 8]


def test_time_events_backwards():
    s = keel.solve_dae(keel.ODE(lambda t, y: 0 * y), (3, 0), [0.0],
                       events=keel.TimeEvent([1, 2], action=lambda s: s.y.__setitem__(0, s.y[0] + s.t)))
    assert list(s.t_events[0]) == [2, 1] and s.y_end[0] == 3
    s = keel.solve_dae(keel.ODE(lambda t, y: 0 * y), (10, 1), [0.0],
                       events=keel.TimeEvent(period=4))
    assert list(s.t_events[0]) == [8, 4]


def test_stop_and_fix():
    def stop(state):
        state.stop("enough")

    s = keel.solve_dae(keel.ODE(fall), (0, 10), [1.0, 0.0], events=keel.Event(height, action=stop))
    assert s.status == 1 and "enough" in s.events[-1]["name"]

    def move(state):                                   # x = -0.6 is to hold, y gives way
        state.y[0], state.y[1] = -0.6, -0.7
        state.y[2:4] = 0
        state.fix(0)

    p = keel.Mechanical(lambda t, q, v: [0, -9.81], None, lambda t, q: q @ q - 1,
                        constraint_jacobian=lambda t, q: 2 * q)
    s = keel.solve_dae(p, (0, 1), ([1, 0], [0, 0]),
                       events=keel.Event(lambda t, y: y[0], action=move, terminal=True))
    assert s.y_end[0] == -0.6 and abs(s.y_end[1] + 0.8) < 1e-14


def test_exception_in_an_action():
    def bad(state):
        raise LookupError("action")

    with pytest.raises(LookupError) as caught:
        keel.solve_dae(keel.ODE(fall), (0, 10), [1.0, 0.0],
                       events=keel.Event(height, action=bad, direction=-1))
    assert "`action` at t = 0.45" in caught.value.__notes__[0]
    assert len(caught.value.keel_result.t) > 1


def test_exception_in_an_event_function():
    def bad(t, y):
        if t > 0.1:
            raise LookupError
        return 1.0

    with pytest.raises(LookupError) as caught:
        keel.solve_dae(keel.ODE(fall), (0, 10), [1.0, 0.0], events=keel.Event(bad, name="mine"))
    assert "`mine`" in caught.value.__notes__[0]


def test_wrong_event_results():
    with pytest.raises(ValueError, match=r"`two` returned shape \(2,\); expected \(1,\)"):
        keel.solve_dae(keel.ODE(fall), (0, 1), [1.0, 0.0],
                       events=keel.Event(lambda t, y: [1.0, 2.0], name="two"))
    with pytest.raises(TypeError, match="event"):
        keel.solve_dae(keel.ODE(fall), (0, 1), [1.0, 0.0], events=[3])


def test_accumulation_is_named():
    bounce = keel.Event(height, direction=-1, name="floor",
                        action=lambda s: s.y.__setitem__(1, -0.8 * s.y[1]))
    s = keel.solve_dae(keel.ODE(fall), (0, 10), [1.0, 0.0], events=bounce)
    assert not s.success and "floor" in s.message and s.code == -17
    s = keel.solve_dae(keel.ODE(fall), (0, 10), [1.0, 0.0], events=bounce, accumulation="end")
    first, speed = np.sqrt(2 / 9.81), np.sqrt(2 * 9.81)
    assert s.status == 1 and abs(s.t_end - (first + 2 * 4 * speed / 9.81)) < 1e-3


def test_solver_with_events():
    solver = keel.Solver(keel.ODE(fall), events=keel.Event(height, terminal=True))
    solver.start(0, [1.0, 0.0])
    steps = list(solver)
    assert abs(steps[-1][0] - np.sqrt(2 / 9.81)) < 1e-5 and abs(steps[-1][1][0]) < 1e-12
    assert solver.t == steps[-1][0]
    assert len(solver.events) >= 1


def string_pendulum():
    names = ["x", "y", "vx", "vy"]
    gravity = lambda t, q, v: [0, -9.81]
    slack = keel.Mechanical(gravity, positions=2, names=names)
    tight = keel.Mechanical(gravity, None, lambda t, q: q @ q - 1,
                            constraint_jacobian=lambda t, q: 2 * q, names=names + ["pull"],
                            positions=2, constraints=1)
    return slack, tight


def test_structures():
    """A mass falls until its string is tight: the velocity along the string is lost, then it swings."""
    slack, tight = string_pendulum()

    def catch(state):
        state.structure = 1

    def length(t, y):                                    # without rounding errors while it is tight
        return y[0]**2 + y[1]**2 - 1 if np.isnan(y[4]) else -1.0

    caught = keel.Event(length, direction=1, action=catch, name="caught")
    x0 = 0.6
    s = keel.solve_dae(keel.Switching(slack, tight), (0, 1), [x0, 0.0, 0.0, 0.0], events=caught,
                       rtol=1e-9, dense_output=True)
    te = np.sqrt(2 * 0.8 / 9.81)                         # it has fallen to y = -0.8
    assert np.allclose(s.t_events[0], [te], atol=1e-8) and s.y_events[0].shape == (1, 5)
    at = np.flatnonzero(s.t == s.t_events[0][0])
    before, after = s.y[:, at[0]], s.y[:, at[1]]
    assert np.isnan(before[4]) and np.isfinite(after[4])
    speed = -9.81 * te
    along = np.array([0.6, -0.8])                        # v - (v . n) n
    expected = np.array([0, speed]) - speed * along[1] * along
    assert np.allclose(after[2:4], expected, atol=1e-7)
    assert abs(s.y_end[0]**2 + s.y_end[1]**2 - 1) < 1e-13 and np.isnan(s.sol(te / 2)[4])
    assert s.names == ("x", "y", "vx", "vy", "pull")


def test_structures_that_do_not_go():
    slack, tight = string_pendulum()
    with pytest.raises(keel.ProblemError, match="needs events"):
        keel.solve_dae(keel.Switching(slack, tight), (0, 1), [0.6, 0, 0, 0])
    with pytest.raises(keel.ProblemError, match="names"):
        keel.Switching(slack, keel.ODE(lambda t, y: y))
    with pytest.raises(TypeError, match="two problems"):
        keel.Switching(slack)

    def wrong(state):
        state.structure = 7

    s = keel.solve_dae(keel.Switching(slack, tight), (0, 1), [0.6, 0, 0, 0],
                       events=keel.TimeEvent([0.1], action=wrong))
    assert not s.success and "structure 7" in s.message
