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


class Owner:
    """Knows a problem whose callbacks know it."""

    def __init__(self):
        self.problem = keel.ODE(lambda t, y: [y[1], -y[0] * (self is not None)])
        self.solver = keel.Solver(self.problem, events=keel.Event(lambda t, y: y[0] - 9))
        self.solver.start(0, [1.0, 0.0])
        self.solver.step()


def four_solves():
    keel.solve_dae(keel.ODE(oscillator), (0, 0.1), [1.0, 0.0], dense_output=True)
    with pytest.raises(KeyError):
        keel.solve_dae(keel.ODE(fails), (0, 0.1), [1.0, 0.0])
    Owner()
    keel.solve_dae(keel.Mechanical(lambda t, q, v: [0, -9.81], constraint=lambda t, q: q @ q - 1),
                   (0, 0.01), ([1, 0], [0, 0]))


@sanitized
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_is_flat():
    def thousands(count):
        for _ in range(count):
            for _ in range(1000):
                four_solves()
            gc.collect()                     # cycles are garbage until then, and would be counted

    thousands(3)
    before = resident()
    thousands(22)
    # one leaked array of 2 numbers per solve would be 88 000 * 112 bytes = 10 MB
    assert resident() - before < 1500
