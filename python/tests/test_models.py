"""Models in Modelica."""

import os
import pickle
import subprocess

import numpy as np
import pytest

import keel
from conftest import pendulum_exact

SOURCE = os.environ.get("KEEL_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
MODELS = os.path.join(SOURCE, "models")

BALL = """
model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true), energy;
  discrete Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -10;
  energy = v^2 / 2 + 10 * h;
  when h < 0 then
    reinit(v, -e * pre(v));
    bounces = pre(bounces) + 1;
  end when;
end Ball;
"""


def model(name, **changes):
    return keel.Model(os.path.join(MODELS, name + ".mo"), **changes)


def test_pendulum():
    m = model("pendulum")
    assert m.names == ("x", "y", "vx", "vy", "lambda") and m.structure["index"] == 3
    assert m.parameters == {"L": 1, "g": 9.81, "m": 1} and m.experiment["stop"] == 10
    s = m.solve(rtol=1e-11)
    assert abs(s.var["x"][-1] - pendulum_exact(10)[0]) < 1e-8 and max(s.residual) < 1e-12
    assert np.array_equal(s.y_end, s.y[:, -1])
    assert [v["comment"] for v in m.variables if v["name"] == "x"] == ["position"]


def test_same_doubles_as_the_command(tmp_path):
    command = os.path.join(os.environ.get("KEEL_BINARY_DIR", ""), "keel")
    if not os.path.exists(command):
        pytest.skip("needs the command")
    subprocess.run([command, "run", os.path.join(MODELS, "double_pendulum.mo"), "--output", "rows.csv"],
                   check=True, capture_output=True, cwd=tmp_path, env={**os.environ, "LD_PRELOAD": ""})
    rows = [line.split(",") for line in (tmp_path / "rows.csv").read_text().splitlines()
            if line and not line.startswith("#")]
    names, last = rows[0], [float(x) for x in rows[-1]]
    s = model("double_pendulum").solve()
    assert s.t[-1] == last[0]
    for name in s.names:
        assert s.var[name][-1] == last[names.index(name)], name


def test_parameters_and_start():
    m = model("pendulum", parameters={"L": 2, "g": "2 * 9.81"}, start={"x": 2})
    assert m.parameters["g"] == 2 * 9.81
    s = keel.solve_dae(m, (0, 10), rtol=1e-11)           # the same in units of L
    assert abs(s.var["x"][-1] / 2 - pendulum_exact(10)[0]) < 1e-8
    again = m.with_parameters(L=1, g=9.81)
    assert again.parameters["g"] == 9.81 and m.parameters["L"] == 2


def test_events_and_discrete_variables():
    m = keel.Model(text=BALL)
    assert m.events and m.names == ("h", "v", "energy", "bounces")
    s = keel.solve_dae(m, (0, 1.2), rtol=1e-10, dense_output=True)
    first = np.sqrt(0.2)
    assert abs(s.events[0]["t"] - first) < 1e-9 and s.var["bounces"][-1] == len(s.events)
    at = np.flatnonzero(s.t == s.events[0]["t"])
    assert len(at) == 2 and s.var["bounces"][at].tolist() == [0, 1]
    assert np.allclose(s.var["v"][at], [-10 * first, 5 * first], atol=1e-8)
    assert np.allclose(s.sol(s.events[0]["t"]), s.y[:, at[0]])           # before, and behind it
    assert np.allclose(s.sol.after(s.events[0]["t"]), s.y[:, at[1]])
    middle = s.sol([0.2, first + 0.1])
    assert np.allclose(middle[3], [0, 1]) and abs(middle[0, 0] - 0.8) < 1e-8
    t = np.linspace(0, 1.2, 31)
    asked = keel.solve_dae(m, (0, 1.2), rtol=1e-10, t_eval=t)
    assert np.allclose(asked.y, s.sol(t), atol=1e-7)


def test_step_by_step():
    solver = keel.Solver(keel.Model(text=BALL), rtol=1e-10)
    solver.start(0)
    other = keel.Solver(solver.problem, rtol=1e-10)      # two solvers of one model
    other.start(0)
    for t in (0.1, 0.6, 0.7):
        solver.advance_to(t)
        other.advance_to(t / 2)
    assert solver.var["bounces"] == 1 and other.var["bounces"] == 0
    assert abs(other.var["h"] - (1 - 5 * 0.35**2)) < 1e-9
    assert abs(solver.var["energy"] - 2.5) < 1e-8


def test_pickle_and_pandas():
    m = pickle.loads(pickle.dumps(keel.Model(text=BALL, parameters={"e": 0.9})))
    assert m.parameters == {"e": 0.9}
    s = pickle.loads(pickle.dumps(m.solve((0, 1))))
    assert s.problem.names == m.names and s.var["h"].shape == s.t.shape
    pytest.importorskip("pandas")
    assert list(s.to_dataframe().columns) == list(m.names)


@pytest.mark.parametrize("make, words", [
    (lambda: keel.Model(text="model M Real x; equation der(x) = y; end M;"), "y"),
    (lambda: keel.Model(text="model M Real x equation"), "line|1:"),
    (lambda: keel.Model("no-such-file.mo"), "no-such-file"),
    (lambda: keel.Model(text=BALL, parameters={"nothing": 1}).solve(), "nothing"),
    (lambda: keel.solve_dae(keel.Model(text=BALL), (0, 1), [1, 0]), "start values"),
    (lambda: keel.solve_dae(keel.Model(text=BALL), (0, 1), events=lambda t, y: y[0]), "equations"),
])
def test_refused(make, words):
    with pytest.raises(keel.Error, match=words):
        make()


def test_what_is_missing():
    with pytest.raises(TypeError, match="file or a text"):
        keel.Model()
    with pytest.raises(TypeError, match="initial values are missing"):
        keel.solve_dae(keel.ODE(lambda t, y: -y), (0, 1))


@pytest.mark.parametrize("name", sorted(f[:-3] for f in os.listdir(MODELS) if f.endswith(".mo")))
def test_all_models(name):
    """Each runs to its end, its residuals at rounding."""
    m = model(name)
    s = m.solve()
    assert s.success and s.y.shape == (len(m.names), len(s.t)) and np.all(np.isfinite(s.y))


SMOOTH = "model M Real x(start = 1, fixed = true), z; equation der(x) = -x; z = x^2; end M;"


def test_experiments_with_models():
    """Errors are those of the variables, not of whatever the unknowns are."""
    m = keel.Model(text=SMOOTH)
    table = keel.converge(m, (0, 1), None, "radau-iia-3", halvings=3)
    assert table.names == ["x", "z"] and table[0]["z"] < 1e-5
    assert abs(table[2]["x order"] - 5) < 0.3 and abs(table[2]["z order"] - 5) < 0.3
    rows = keel.compare(m, (0, 1), None, ["radau-iia-3"], rtol=[1e-4, 1e-9], exact=np.exp([-1, -2]))
    assert rows[0]["digits"] > 4 and rows[1]["digits"] > 8
    with pytest.raises(keel.ProblemError, match="smooth"):
        keel.converge(keel.Model(text=BALL), (0, 1), None)


@pytest.mark.parametrize("use", [
    lambda m: keel.check(m, 0, None), lambda m: keel.Curve(m),
    lambda m: keel.solve_bvp(m, (0, 1), lambda ya, yb: [ya[0]])])
def test_where_models_do_not_go(use):
    with pytest.raises(keel.ProblemError, match="not models"):
        use(keel.Model(text=SMOOTH))


def test_other_threads_and_interrupts():
    """A run of machine code lets others run, and ends soon after Ctrl-C."""
    import signal
    import threading
    import time
    m = keel.Model(text=SMOOTH)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt) as caught:
        keel.solve_dae(m, (0, 1e9), max_step=1e-3, max_seconds=60)
    assert time.process_time() - begin < 5 and 0 < caught.value.keel_result.t_end < 1e9


PRESSURE = """
    model Pressure
      Real p(start = 1e6, fixed = true{nominal});
    equation
      der(p) = 1e6 * cos(time) - p;
    end Pressure;"""


def test_nominal_scales_absolute_tolerances():
    scaled = keel.Model(text=PRESSURE.format(nominal=", nominal = 1e6"))
    plain = keel.Model(text=PRESSURE.format(nominal=""))
    s = keel.solve_dae(scaled, (0, 5), rtol=1e-6)
    assert np.array_equal(s.y_end, keel.solve_dae(plain, (0, 5), rtol=1e-6, atol=[1.0]).y_end)
    given = keel.solve_dae(scaled, (0, 5), rtol=1e-6, atol=1e-6)
    assert np.array_equal(given.y_end, keel.solve_dae(plain, (0, 5), rtol=1e-6, atol=1e-6).y_end)
    assert not np.array_equal(given.y_end, s.y_end)


def test_min_and_max_warn():
    model = keel.Model(text="""
        model Tank
          Real h(start = 1, fixed = true, min = 0);
        equation
          der(h) = -1;
        end Tank;""")
    with pytest.warns(keel.KeelWarning, match="h"):
        s = keel.solve_dae(model, (0, 2))
    assert s.success and "h" in s.message
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keel.solve_dae(model, (0, 0.5))


def test_levelled():
    text = """
        model Pendulum
          Real x(start = 1, fixed = true), y(start = 0), u, v(start = 0, fixed = true), l;
        equation
          der(x) = u; der(y) = v; der(u) = -l * x; der(v) = -l * y - 9.81; x^2 + y^2 = 1;
        end Pendulum;"""
    models = [keel.Model(text=text, levelled=on) for on in (False, True)]
    assert [m.structure["form"] for m in models][0] != [m.structure["form"] for m in models][1]
    ends = [keel.solve_dae(m, (0, 1), rtol=1e-9).var["x"][-1] for m in models]
    assert abs(ends[0] - ends[1]) < 1e-7


def test_no_consistent_start():
    """Without a point, but with the variables of the model."""
    model = keel.Model(text="""model M Real x(start = 1, fixed = true); Real z(start = 1); Real w;
                               equation der(x) = -x; z * z + 1 = 0 * x; w = x + z; end M;""")
    s = keel.solve_dae(model, (2, 3), on_error="return", dense_output=True)
    assert isinstance(s.error, keel.InconsistentError) and not s.success and s.t_end == 2
    assert s.names == model.names and s.y.shape == (len(model.names), 0) and s.sol is None
    with pytest.raises(keel.InconsistentError) as caught:
        keel.solve_dae(model, (2, 3))
    assert caught.value.keel_result.names == model.names
