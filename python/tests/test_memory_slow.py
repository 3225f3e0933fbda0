"""Resident memory stays flat over 10^5 solves: with success, exceptions, events, reference cycles."""

import gc
import os

import pytest

import keel
from conftest import sanitized


def resident():
    """Kilobytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def oscillator(t, y):
    return [y[1], -y[0]]


def fails(t, y):
    if t > 0.01:
        raise KeyError("mine")
    return [y[1], -y[0]]


def fails_at_once(t, y):
    raise KeyError("mine")


class Owner:
    """Knows a problem whose callbacks know it."""

    def __init__(self):
        self.problem = keel.ODE(lambda t, y: [y[1], -y[0] * (self is not None)])
        self.solver = keel.Solver(self.problem, events=keel.Event(lambda t, y: y[0] - 9))
        self.solver.start(0, [1.0, 0.0])
        self.solver.step()


def five_solves():
    keel.solve_dae(keel.ODE(oscillator), (0, 0.1), [1.0, 0.0], dense_output=True)
    with pytest.raises(KeyError):
        keel.solve_dae(keel.ODE(fails), (0, 0.1), [1.0, 0.0])
    keel.solve_dae(keel.ODE(fails_at_once), (0, 0.1), [1.0, 0.0], on_error="return")
    Owner()
    keel.solve_dae(keel.Mechanical(lambda t, q, v: [0, -9.81], constraint=lambda t, q: q @ q - 1),
                   (0, 0.01), ([1, 0], [0, 0]))


@sanitized
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_is_flat():
    def thousands(count):
        for _ in range(count):
            for _ in range(1000):
                five_solves()
            gc.collect()                     # cycles are garbage until then, and would be counted

    thousands(3)
    before = resident()
    thousands(20)
    # one leaked array of 2 numbers per solve would be 100 000 * 112 bytes = 11 MB
    assert resident() - before < 1500


DECAY = """
model Decay
  parameter Real k = 2;
  Real x(start = 1, fixed = true);
  discrete Real ticks(start = 0, fixed = true);
equation
  der(x) = -k * x;
  when sample(0, 0.02) then
    ticks = pre(ticks) + 1;
  end when;
end Decay;
"""


def other_solves():
    """Models, fits, complex unknowns: with success and without."""
    keel.Model(text=DECAY).solve((0, 0.1), dense_output=True).sol(0.05)
    with pytest.raises(keel.Error):
        keel.Model(text="model M Real x; equation y = 1; end M;")
    line = keel.ODE(lambda t, y, p: [p[0]], size=1, parameters={"slope": 1.0}, names=["y"])
    keel.Fit(line, (0, 1), lambda ya, yb, p: [ya[0]], {"y": ([0.5, 1], [1, 2.1])}, "slope").run()
    with pytest.raises(keel.Error):
        keel.Fit(line, (0, 1), lambda ya, yb, p: [ya[0]], {"y": ([0, 0], [0, 1])}, "slope").run()
    keel.solve_ivp(lambda t, z: 1j * z, (0, 0.1), [1j])


@sanitized
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_of_models_and_fits_is_flat():
    def hundreds(count):
        for _ in range(count):
            for _ in range(100):
                other_solves()
            gc.collect()

    hundreds(5)
    before = resident()
    hundreds(15)
    # a model that stays would be 1500 * 40 kB
    assert resident() - before < 1500
