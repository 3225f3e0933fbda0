"""Methods as data, experiments with them."""

import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import keel
from conftest import force, pendulum_exact, rod, rod_q, rod_vv


def test_analysis():
    m = keel.method("gauss-3")
    assert (m.order, m.stage_order, m.stages) == (6, 3, 3)
    assert m.a_stable and not m.l_stable and m.symplectic and m.symmetric
    assert abs(m.r_infinity + 1) < 1e-12 and m.alpha == 90 and m.kind == "fully implicit"
    assert m.A.shape == (3, 3) and np.allclose(m.A.sum(1), m.c) and np.isclose(m.b.sum(), 1)
    assert m.analysis["general"]["values"] == 1 and len(m.eigenvalues) == 3
    z = np.array([[-1, 1j], [0, -2 + 0.5j]])
    assert m.stability(z).shape == (2, 2) and abs(abs(m.stability(3j)) - 1) < 1e-12
    assert abs(m.stability(-0.1) - np.exp(-0.1)) < 1e-11
    with pytest.raises(AttributeError, match="order"):
        m.nothing


def test_multistep():
    m = keel.method("bdf-3")
    assert m.order == 3 and m.steps == 3 and 85 < m.alpha < 90 and m.zero_stable
    with pytest.raises(keel.Error, match="zero-stable"):
        keel.method("bdf-7")
    with pytest.raises(keel.ProblemError, match="gauss"):
        keel.method("gaus-3")


def test_orders():
    m = keel.method("radau-iia-3")
    assert m.orders(0) == (5,)
    assert m.orders(3, projected=False, multipliers="recursion") == (5, 3, 2)
    assert m.orders(3, multipliers="hidden") == (5, 5, 5)


def test_list():
    names = [m["name"] for m in keel.methods()]
    assert {"auto", "radau-iia-3", "dopri5", "bdf"} <= set(names) and len(names) > 70


def test_own_tableau():
    heun = keel.Method(A=[[0, 0], [1, 0]], b=[0.5, 0.5], b_hat=[1, 0], name="heun")
    assert heun.order == 2 and heun.order_hat == 1 and heun.name == "heun"
    s = keel.solve_dae(keel.ODE(lambda t, y: -y), (0, 1), [1.0], method=heun, rtol=1e-6)
    assert s.success and s.stats["method"] == "heun" and abs(s.y_end[0] - np.exp(-1)) < 1e-5
    with pytest.raises(keel.ProblemError, match="order"):
        keel.Method(A=[[0, 0], [1, 0]], b=[0.5, 0.5], order=3)
    with pytest.raises(ValueError, match=r"`b` has the shape \(3,\); expected \(2,\)"):
        keel.Method(A=[[0, 0], [1, 0]], b=[0.5, 0.5, 0])
    with pytest.raises(keel.ProblemError):
        keel.Method(b=[1])


def test_own_multistep_and_general_linear():
    bdf2 = keel.Method(alpha=[0.5, -2, 1.5], beta=[0, 0, 1], name="mine")
    assert bdf2.order == 2 and bdf2.a_stable
    euler = keel.Method(A=[[1]], U=[[1]], B=[[1]], V=[[1]], c=[1], W=[[1, 0]], order=1)
    assert euler.order == 1 and euler.l_stable
    s = keel.solve_dae(keel.ODE(lambda t, y: -y), (0, 1), [1.0], method=bdf2, step=0.01)
    assert s.success and abs(s.y_end[0] - np.exp(-1)) < 1e-4


def test_pickle():
    for m in (keel.method("radau-iia-3"), keel.Method(A=[[0.5]], b=[1], name="mid")):
        r = pickle.loads(pickle.dumps(m))
        assert r.name == m.name and np.array_equal(r.A, m.A)


def test_from_file(tmp_path):
    path = tmp_path / "kutta.txt"
    path.write_text("name: kutta-38\nA:\n 0 0 0 0\n 1/3 0 0 0\n -1/3 1 0 0\n 1 -1 1 0\n"
                    "b: 1/8 3/8 3/8 1/8\n")
    m = keel.Method.read(path)
    assert m.order == 4 and m.name == "kutta-38" and m.kind == "explicit"
    path.write_text("name: wrong\nA:\n 0 0\n 1/x 0\nb: 1 0\n")
    with pytest.raises(keel.ProblemError, match="kutta.txt.*4|line 4"):
        keel.Method.read(path)
    with pytest.raises(keel.Error, match="nothing.txt"):
        keel.Method.read(tmp_path / "nothing.txt")


def pendulum():
    return keel.Mechanical(force, None, rod, constraint_jacobian=rod_q, curvature=rod_vv)


def test_converge():
    table = keel.converge(pendulum(), (0, 1), ([1, 0], [0, 0]), "radau-iia-3", steps=5, halvings=3)
    assert table.names == ["q", "v", "lambda"] and table.theory == (5, 5, 5)
    assert all(abs(table[-1][name + " order"] - 5) < 0.3 for name in table.names)
    assert table.column("N") == [5, 10, 20, 40] and "q order" in str(table)
    e = table.column("q")
    exact = keel.converge(pendulum(), (0, 1), ([1, 0], [0, 0]), "radau-iia-3", steps=5, halvings=3,
                          exact=lambda t: np.r_[pendulum_exact(t), [np.nan] * 3])
    assert np.allclose(e, exact.column("q"), rtol=1e-3)
    drift = keel.converge(pendulum(), (0, 1), ([1, 0], [0, 0]), "radau-iia-3", halvings=3,
                          projection="none", multipliers="recursion")
    assert drift.theory == (5, 3, 2) and abs(drift[-1]["v order"] - 3) < 0.3


def test_converge_is_that_of_the_command():
    command = os.path.join(os.environ.get("KEEL_BINARY_DIR", "."), "keel")
    if not os.path.exists(command):
        pytest.skip("no command")
    text = subprocess.run([command, "converge", "pendulum", "--method", "gauss-2", "--t-end", "2",
                           "--halvings", "3", "--projection", "oblique", "--json"], check=True,
                          capture_output=True, text=True).stdout
    study = json.loads(text)["studies"][0]
    g, start = 1.0, ([1, 0], [0, 0])                             # of problems/pendulum.c
    p = keel.Mechanical(lambda t, q, v: [0, -g], None, rod, constraint_jacobian=rod_q,
                        curvature=rod_vv)
    mine = keel.converge(p, (0, 2), start, "gauss-2", steps=study["runs"][0]["steps"], halvings=3)
    errors = [run["errors"] for run in study["runs"]]
    assert np.allclose([[row[c] for c in ("q", "v", "lambda")] for row in mine], errors, rtol=1e-6)
    assert list(mine.theory) == study["predicted"]
    orders = [[row[c + " order"] for c in ("q", "v", "lambda")] for row in mine[1:]]
    assert np.allclose(orders, [run["orders"] for run in study["runs"][1:]], atol=1e-5)


def test_compare():
    table = keel.compare(pendulum(), (0, 1), ([1, 0], [0, 0]), ["auto", "radau-iia-3"],
                         rtol=[1e-4, 1e-8])
    assert [row["status"] for row in table] == ["ok"] * 4
    assert table[1]["digits"] > table[0]["digits"] > 2 and max(table.column("drift")) < 1e-13
    bad = keel.compare(keel.ODE(lambda t, y: y * y), (0, 2), [1.0], rtol=[1e-4], exact=[1.0])
    assert bad[0]["status"].startswith("KEEL_") and bad[0]["digits"] is None


def test_pictures(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    s = keel.solve_dae(pendulum(), (0, 10), ([1, 0], [0, 0]))
    figure = s.plot(["q[0]", "q[1]"])
    figure.savefig(tmp_path / "a.png")
    assert len(figure.axes) == 2 and len(figure.axes[0].lines) == 2
    assert [line.get_label() for line in figure.axes[1].lines] == ["position", "velocity", "acceleration"]
    assert np.array_equal(figure.axes[1].lines[0].get_xdata(), s.t_steps)
    ax = keel.method("dopri5").plot_stability()
    assert "dopri5" in ax.get_title()
    table = keel.converge(pendulum(), (0, 1), ([1, 0], [0, 0]), halvings=2)
    assert len(table.plot().lines) == 6
    assert keel.compare(pendulum(), (0, 1), ([1, 0], [0, 0]), rtol=[1e-4]).plot() is not None
    plt.close("all")


def test_dataframes():
    pytest.importorskip("pandas")
    s = keel.solve_dae(pendulum(), (0, 1), ([1, 0], [0, 0]))
    frame = s.to_dataframe()
    assert list(frame.columns)[:2] == ["q[0]", "q[1]"] and frame.index.name == "t"
    table = keel.converge(pendulum(), (0, 1), ([1, 0], [0, 0]), halvings=1)
    assert list(table.to_dataframe()["N"]) == [5, 10]
