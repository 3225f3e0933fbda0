"""The scripts of python/examples run, say what is true, and draw their pictures."""

import os
import sys

import numpy as np
import pytest

import keel

FOLDER = os.path.join(os.path.dirname(__file__), "..", "examples")
NAMES = sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith(".py"))


def run(name, picture, monkeypatch):
    """The names that a script leaves behind.  Without matplotlib it ends before its picture."""
    path = os.path.join(FOLDER, name + ".py")
    monkeypatch.setattr(sys, "argv", [path, str(picture)])
    monkeypatch.chdir(picture.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(picture.parent))
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    space = {"__name__": "__main__", "__file__": path}
    with open(path) as file:
        code = compile(file.read(), path, "exec")
    try:
        exec(code, space)
    except ModuleNotFoundError as missing:
        if missing.name not in ("matplotlib", "sympy", "scipy"):
            raise
        if missing.name != "matplotlib":
            pytest.skip(f"{name} needs {missing.name}")
        return space
    if "matplotlib" in sys.modules and name != "andrews":
        assert picture.read_bytes()[:4] == b"\x89PNG" and picture.stat().st_size > 10000
        sys.modules["matplotlib.pyplot"].close("all")
    return space


def first_pendulum(x):
    assert np.allclose(x["s"].y_end[:2], [0.27508746, -0.96141921], atol=1e-6)
    assert max(x["s"].residual) < 1e-12


def four_bar(x):
    s = x["s"]
    assert s.y[:2, 0].tolist() == [0, 1] and {name for name, _, _ in s.moved} >= {"Bx", "By"}
    assert s.residual[0] < 1e-12 and np.abs(x["bars"](0, s.y_end[:4])).max() < 1e-12
    energy = [0.5 * (y[4]**2 + y[5]**2) + 0.25 * (y[6]**2 + y[7]**2) + 9.81 * (y[1] + 0.5 * y[3])
              for y in s.y.T]
    assert np.ptp(energy) < 1e-5 * abs(energy[0])


def circuit(x):
    fine = keel.solve_dae(x["currents"], (0, 0.1), [0, 0], mass=x["mass"], jac=x["currents_u"],
                          method="bdf", rtol=1e-9, atol=1e-9, max_step=1e-3)
    assert abs(x["s"].y_end[1] - fine.y_end[1]) < 1e-4
    assert 8 < x["second"][x["last"]].mean() < 10 and 0.5 < x["ripple"] < 2


def reactor(x):
    s = x["s"]
    assert abs(s.var["C"][0] - 1.5) < 1e-12                  # c = 2 (2 - c)(3 - c)
    assert abs(s.y_events[0][0][3] - 360) < 1e-6 and s.var["T"].max() < 360.001
    assert np.abs(s.var["A + C"] + s.var["D"] - 2).max() < 1e-12


def kepler(x):
    loose, kept = x["runs"].values()
    assert kept.deviation.max() < 1e-12 < 1e-5 < loose.deviation.max()
    assert kept.distance[-1] < 0.1 * loose.distance[-1]


def own_method(x):
    assert x["mine"].order == 2 and x["table"].theory == (1, 1, 1)
    assert abs(x["table"][-1]["q order"] - 1) < 0.05


def stiff_or_not(x):
    assert "explicit" in x["curves"][1000].choice and "accuracy limits" in x["curves"][1].choice
    assert x["table"][1000, "auto"] < x["table"][1000, "dopri5"] / 100


def drift(x):
    assert x["drift"]["Keel"].max() < 1e-13 and x["drift"]["SciPy RK45"].max() > 1e-3


def andrews(x):
    assert abs(x["s"].var["beta"][-1] - 15.81077119629904) < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_example(name, tmp_path, monkeypatch, capsys):
    space = run(name, tmp_path / "picture.png", monkeypatch)
    assert capsys.readouterr().out
    globals()[name](space)
