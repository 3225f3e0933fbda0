"""A circuit: a rectifier with a smoothing capacitor.

Kirchhoff's law at two nodes, M u' = f(t, u), where M is singular: no capacitor is connected to the
first node, so that its equation has no derivative.

    source --R-- u1 --diode-- u2 --(C parallel to the load)-- ground
"""

import sys

import numpy as np

import keel

R, C, load = 10.0, 100e-6, 1000.0
saturation, thermal = 1e-9, 0.0353                       # of the diode: I = Is (exp(U / Ut) - 1)


def source(t):
    return 10 * np.sin(2 * np.pi * 50 * t)


def diode(u):
    return saturation * np.expm1(min(u / thermal, 100))  # iterations may look far


def currents(t, u):
    i = diode(u[0] - u[1])
    return [(source(t) - u[0]) / R - i, i - u[1] / load]


def currents_u(t, u):
    g = saturation / thermal * np.exp(min((u[0] - u[1]) / thermal, 100))
    return [[-1 / R - g, g], [g, -g - 1 / load]]


mass = [[0, 0], [0, C]]
s = keel.solve_dae(currents, (0, 0.1), [0, 0], mass=mass, jac=currents_u, rtol=1e-6, atol=1e-6,
                   max_step=1e-3)                        # nothing announces the next pulse: look often

first, second = s.y
last = s.t > 0.08
ripple = np.ptp(second[last])
print(f"{s.stats['method']}: {s.stats['accepted']} steps, {s.nfev} evaluations, {s.nlu} factorizations")
print(f"after five periods {second[last].mean():.3f} V with a ripple of {ripple:.3f} V")

import matplotlib.pyplot as plt                                                     # noqa: E402

dense = np.linspace(0, 0.1, 1000)
figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
axes[0].plot(dense, source(dense), color="0.7", label="source")
axes[0].plot(s.t, second, label="capacitor")
axes[0].set(ylabel="voltage in V", title="A rectifier", ylim=(-11, 16))
axes[0].legend(loc="upper right", fontsize="small", ncol=2)
axes[1].plot(s.t, [1e3 * diode(a - b) for a, b in s.y.T], ".-", markersize=3, linewidth=0.8)
axes[1].set(xlabel="t in s", ylabel="current of the diode in mA")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "circuit.png", dpi=120)
