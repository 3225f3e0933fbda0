"""Stiff or not: what `auto` chooses.

Van der Pol's equation is smooth for small mu and has layers that decay ever faster for large mu.  Nobody
has to know: `method="auto"` (the default) looks at the problem and at what it costs, and its `choice`
says what it found.
"""

import sys

import numpy as np

import keel


def oscillator(t, y, mu):
    return [y[1], mu * (1 - y[0]**2) * y[1] - y[0]]


def jacobian(t, y, mu):
    return [[0, 1], [-2 * mu * y[0] * y[1] - 1, mu * (1 - y[0]**2)]]


table, curves = {}, {}
for mu in (1, 10, 100, 1000):
    problem = keel.ODE(oscillator, jacobian, args=(mu,))
    for method in ("auto", "dopri5", "radau-iia-3"):
        s = keel.solve_dae(problem, (0, 2 * max(mu, 5)), [2, 0], method=method, rtol=1e-5,
                           max_steps=300000, dense_output=method == "auto")
        table[mu, method] = s.nfev
        if method == "auto":
            curves[mu] = s
            print(f"mu = {mu:5}: {s.choice}")
    print("            evaluations:", {name: n for (k, name), n in table.items() if k == mu})

import matplotlib.pyplot as plt                                                     # noqa: E402

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for mu, s in curves.items():
    fine = np.union1d(np.linspace(0, s.t_end, 500), s.t)
    line, = left.plot(fine / s.t_end, s.sol(fine)[0], linewidth=0.8, label=f"mu = {mu}")
    left.plot(s.t / s.t_end, s.y[0], ".", markersize=3, color=line.get_color())
left.set(xlabel="t / end", ylabel="y", title="van der Pol's oscillator; dots: steps of auto")
left.legend(fontsize="small")
for method, style in (("dopri5", "s--"), ("radau-iia-3", "^--"), ("auto", "o-")):
    right.loglog(list(curves), [table[mu, method] for mu in curves], style, label=method)
right.set(xlabel="mu", ylabel="evaluations of the right-hand side", title="what they cost")
right.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "stiff_or_not.png", dpi=120)
