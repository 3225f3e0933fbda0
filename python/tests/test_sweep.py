"""Many runs as a table: the rows, their order, failures, threads."""

import csv
import io
import os
import subprocess

import numpy as np
import pytest

import keel


def decay(**more):
    return keel.ODE(lambda t, y, p: [-p[0] * y[0], p[1]], names=["a", "b"],
                    parameters={"rate": 1.0, "slope": 2.0}, **more)


def test_grid_and_values():
    table = keel.sweep(decay(), (0, 1), [1.0, 0.0], {"rate": [1, 2, 3], "slope": [0, 5]}, rtol=1e-10)
    assert [(r["row"], r["rate"], r["slope"]) for r in table] == \
        [(0, 1, 0), (1, 1, 5), (2, 2, 0), (3, 2, 5), (4, 3, 0), (5, 3, 5)]
    assert np.allclose(table.column("a"), np.exp(-np.repeat([1.0, 2, 3], 2)), rtol=1e-9)
    assert np.allclose(table.column("b"), [0, 5, 0, 5, 0, 5])
    assert set(table.column("status")) == {"ok"} and set(table.column("t")) == {1.0}
    assert table.columns[:7] == ["row", "rate", "slope", "status", "message", "t", "a"]


def test_a_row_is_the_run():
    table = keel.sweep(decay(), (0, 1), [1.0, 0.0], {"rate": [0.3]})
    s = keel.solve_dae(decay().with_parameters(rate=0.3), (0, 1), [1.0, 0.0])
    assert table[0]["a"] == s.y_end[0] and table[0]["rhs"] == s.stats["rhs"]


def test_initial_values():
    table = keel.sweep(decay(), (0, 1), [1.0, 0.0], start={"b": [1, 2]}, rtol=1e-10)
    assert table.columns[1] == "start b" and table.column("start b") == [1, 2]
    assert np.allclose(table.column("b"), [3, 4]) and np.allclose(table.column("a"), np.exp(-1))
    with pytest.raises(keel.ProblemError, match="no unknown 'c'; there are a, b"):
        keel.sweep(decay(), (0, 1), [1.0, 0.0], start={"c": [1, 2]})


@pytest.mark.skipif("KEEL_BINARY_DIR" not in os.environ, reason="needs the command")
def test_rows_are_those_of_the_command():
    command = os.path.join(os.environ["KEEL_BINARY_DIR"], "keel")
    if not os.path.exists(command):
        pytest.skip("the command was not built")
    text = subprocess.run([command, "sweep", "pendulum", "--param", "gravity=1:2", "--samples", "6",
                           "--seed", "7", "--t-end", "0.1"], capture_output=True, text=True,
                          check=True).stdout
    drawn = [float(row["gravity"]) for row in csv.DictReader(io.StringIO(text))]
    table = keel.sweep(decay(), (0, 0.1), [1.0, 0.0], {"rate": (1, 2)}, samples=6, seed=7)
    assert table.column("rate") == drawn and len(set(drawn)) == 6


def test_failures_are_rows():
    def rhs(t, y, p):
        if p[0] == 3:
            raise OverflowError("too steep")
        return [y[0]**2 if p[0] == 2 else 0.0]           # 1 / (1 - t): no solution beyond 1
    problem = keel.ODE(rhs, parameters={"case": 1.0}, names=["y"])
    table = keel.sweep(problem, (0, 2), [1.0], {"case": [1, 2, 3, 1]})
    assert [row["status"] == "ok" for row in table] == [True, False, False, True]
    assert table[1]["message"] and 0.9 < table[1]["t"] < 1.1
    assert "too steep" in table[2]["message"] and table[3]["y"] == 1.0
    assert table[2]["y"] is None and table[2]["t"] == 0
    last = keel.sweep(problem, (0, 2), [1.0], {"case": [1, 3]}, output=lambda s: s.y[0, -1])
    assert last[0]["output"] == 1.0 and last[1]["output"] is None


def test_wrong_arguments_are_no_rows():
    with pytest.raises(keel.ProblemError, match="no parameter 'speed'; there are rate, slope"):
        keel.sweep(decay(), (0, 1), [1.0, 0.0], {"speed": [1, 2]})
    with pytest.raises(TypeError, match="there is no option 'rtoll'; did you mean 'rtol'"):
        keel.sweep(decay(), (0, 1), [1.0, 0.0], {"rate": [1, 2]}, rtoll=1)
    with pytest.raises(keel.ProblemError, match="nothing varies"):
        keel.sweep(decay(), (0, 1), [1.0, 0.0])
    with pytest.raises(keel.ProblemError, match="between two numbers"):
        keel.sweep(decay(), (0, 1), [1.0, 0.0], {"rate": [1, 2, 3]}, samples=4)
    with pytest.raises(TypeError, match="returned int; expected a problem"):
        keel.sweep(lambda rate: 1, (0, 1), [1.0, 0.0], {"rate": [1, 2, 3]})


def test_a_function_makes_problems_and_output_is_kept():
    def make(rate):
        return keel.ODE(lambda t, y: -rate * y)
    table = keel.sweep(make, (0, 1), [1.0], {"rate": [1, 2]}, rtol=1e-10, output=lambda s: s.y_end[0]**2)
    assert np.allclose(table.column("output"), np.exp([-2.0, -4.0]), rtol=1e-9)
    assert table.columns == ["row", "rate", "status", "message", "t", "output"]


def test_models():
    model = keel.Model(text="""
        model Decay
          parameter Real k = 2;
          Real x(start = 1, fixed = true);
        equation
          der(x) = -k * x;
        end Decay;""")
    table = keel.sweep(model, (0, 1), None, {"k": [1, 2]}, start={"x": [1, 3]}, rtol=1e-10)
    assert np.allclose(table.column("x"), [np.exp(-1), 3 * np.exp(-1), np.exp(-2), 3 * np.exp(-2)], rtol=1e-8)


def test_threads_give_the_same_doubles(tmp_path, monkeypatch):
    pytest.importorskip("sympy")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    from sympy import symbols
    from sympy.physics.mechanics import dynamicsymbols
    t, g = symbols("t g")
    x, y = dynamicsymbols("x y")
    problem = keel.lagrange((x.diff(t)**2 + y.diff(t)**2) / 2 - g * y, [x, y], [x**2 + y**2 - 1],
                            parameters={g: 9.81})
    runs = [keel.sweep(problem, (0, 1), ([1, 0], [0, 0]), {"g": np.linspace(1, 10, 25)}, jobs=jobs)
            for jobs in (1, 4)]
    assert runs[0] == runs[1] and max(runs[0].column("residual_position")) < 1e-13


def test_frame_and_picture():
    table = keel.sweep(decay(), (0, 1), [1.0, 0.0], {"slope": [1, 2], "rate": [0, 1, 2]})
    pandas = pytest.importorskip("pandas")
    frame = table.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and list(frame["rate"]) == [0, 1, 2, 0, 1, 2]
    pytest.importorskip("matplotlib")
    ax = table.plot(variables="a")
    assert [line.get_label() for line in ax.get_lines()] == ["a, slope = 1", "a, slope = 2"]
    assert np.array_equal(ax.get_lines()[0].get_xdata(), [0, 1, 2]) and ax.get_xlabel() == "rate"
    assert len(table.plot().get_lines()) == 4
