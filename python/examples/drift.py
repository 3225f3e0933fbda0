"""Drift: a constrained system by SciPy's solve_ivp, and by Keel.

SciPy solves ordinary differential equations.  To use it, the tension of the pendulum's rod is found by
hand from the second derivative of its length; then nothing holds the length itself any more, and errors
add up.  Keel gets the length as an equation and keeps it.
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp

import keel

g, end = 9.81, 100.0


def eliminated(t, y):
    """(x, y, x', y') with lambda from x x'' + y y'' + x'^2 + y'^2 = 0."""
    tension = (y[2]**2 + y[3]**2 - g * y[1]) / (y[0]**2 + y[1]**2)
    return [y[2], y[3], -tension * y[0], -tension * y[1] - g]


pendulum = keel.Mechanical(lambda t, q, v: [0, -g], None, lambda t, q: q[0]**2 + q[1]**2 - 1,
                           constraint_jacobian=lambda t, q: [[2 * q[0], 2 * q[1]]],
                           curvature=lambda t, q, v: 2 * (v[0]**2 + v[1]**2))

runs = {}
for method in ("RK45", "DOP853", "Radau"):
    s = solve_ivp(eliminated, (0, end), [1, 0, 0, 0], method=method, rtol=1e-6, atol=1e-6)
    runs["SciPy " + method] = s.t, s.y
s = keel.solve_dae(pendulum, (0, end), ([1, 0], [0, 0]), rtol=1e-6)
runs["Keel"] = s.t, s.y

drift = {label: np.abs(np.hypot(y[0], y[1]) - 1) for label, (t, y) in runs.items()}
for label, (t, y) in runs.items():
    print(f"{label:13} {len(t) - 1:6} steps, the rod is off by up to {drift[label].max():.0e}")

import matplotlib.pyplot as plt                                                     # noqa: E402

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for label, (t, y) in runs.items():
    left.semilogy(t, np.maximum(drift[label], 1e-17), linewidth=0.8, label=label)
left.set(xlabel="t in s", ylabel="error in m", title="error of the rod's length, rtol = 1e-6")
left.legend(fontsize="small", loc="center right")
for label, colour in (("SciPy RK45", "0.7"), ("Keel", "C3")):
    right.plot(*runs[label][1][:2], ".", color=colour, markersize=2, label=label)
right.set(aspect="equal", title=f"all steps until t = {end:g} s", xlabel="x in m", ylabel="y in m")
right.legend(fontsize="small", loc="upper center")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "drift.png", dpi=120)
