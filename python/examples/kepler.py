"""Kepler's problem with its invariants.

An ordinary differential equation, whose energy and angular momentum are constant.  Any method loses
them little by little; with `invariants` every step is projected onto them, and a hundred orbits later
the planet is still on its ellipse.
"""

import sys

import numpy as np

import keel

eccentricity, orbits = 0.6, 100


def kepler(t, y):
    r3 = np.hypot(y[0], y[1])**3
    return [y[2], y[3], -y[0] / r3, -y[1] / r3]


def invariants(t, y):
    return [(y[2]**2 + y[3]**2) / 2 - 1 / np.hypot(y[0], y[1]), y[0] * y[3] - y[1] * y[2]]


perihelion = np.array([1 - eccentricity, 0, 0, np.sqrt((1 + eccentricity) / (1 - eccentricity))])
returns = 2 * np.pi * np.arange(orbits + 1)              # when it should be back there
runs = {}
for label, problem in (("as it is", keel.ODE(kepler)),
                       ("with invariants", keel.ODE(kepler, invariants=invariants))):
    s = runs[label] = keel.solve_dae(problem, (0, returns[-1]), perihelion, method="dopri5", rtol=1e-6,
                                     dense_output=True)
    kept = np.array([invariants(t, y) for t, y in zip(s.t, s.y.T)])
    s.deviation = np.abs(kept - kept[0]).T
    s.distance = np.hypot(*(s.sol(returns).T - perihelion)[:, :2].T)
    print(f"{label:16} energy {s.deviation[0].max():.0e}, angular momentum {s.deviation[1].max():.0e}, "
          f"after {orbits} orbits {s.distance[-1]:.3f} away, {s.nfev} evaluations")

import matplotlib.pyplot as plt                                                     # noqa: E402

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
fine = np.linspace(returns[-2], returns[-1], 300)
for label, s in runs.items():
    axes[0].plot(*s.sol(fine)[:2], linewidth=1)
    axes[0].plot(*s.y_end[:2], "o", color=axes[0].lines[-1].get_color())
    axes[1].semilogy(s.t / (2 * np.pi), np.maximum(s.deviation[0], 1e-17), linewidth=0.8, label=label)
    axes[2].semilogy(returns[1:] / (2 * np.pi), s.distance[1:], label=label)
axes[0].plot(*perihelion[:2], "k+", markersize=12)
axes[0].set(aspect="equal", title="the last orbit; +: where it should end", xlabel="x",
            ylabel="y")
axes[1].set(title="deviation of the energy from its start", xlabel="orbits", ylabel="|E - E(0)|")
axes[2].set(title="error after whole orbits", xlabel="orbits", ylabel="distance")
for ax in axes[1:]:
    ax.legend(fontsize="small", loc="center right")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "kepler.png", dpi=120)
