"""A chemical reactor: a fast equilibrium as an algebraic equation, and a safety valve as an event.

    A + B <=> C   at once, c = K a b
    C -> D        slowly, and it heats

The totals a + c and b + c and the temperature are differential, c is algebraic (index 1).  When the
temperature passes 360 K on its way up, cooling is opened; it stays open.
"""

import sys

import numpy as np

import keel

K, H = 2.0, 60.0                                         # equilibrium; K per mol/l of D that forms


def rate(T):
    """Arrhenius: it doubles every 8 K or so."""
    return 0.02 * np.exp(6000 * (1 / 320 - 1 / T))


def rates(t, y, z, cooling):
    total_a, total_b, d, T = y
    r = rate(T) * z[0]
    return [-r, -r, r, H * r - cooling[0] * (T - 300)]


def equilibrium(t, y, z, cooling):
    return z[0] - K * (y[0] - z[0]) * (y[1] - z[0])


def open_valve(state):
    state.values[0] = 0.2


reactor = keel.SemiExplicit(rates, equilibrium, values={"cooling": 0.002},
                            names=["A + C", "B + C", "D", "T", "C"],
                            attached=lambda t, y, cooling: y[0] + y[2] - 2)        # A is not lost
valve = keel.Event(lambda t, y, cooling: y[3] - 360, direction=1, action=open_valve, name="valve")
s = keel.solve_dae(reactor, (0, 120), ([2, 3, 0, 320], [1]), events=valve, rtol=1e-8,
                   dense_output=True)

print(f"C begins at {s.var['C'][0]:.4f} mol/l, where 1 was the guess")
print(f"the valve opens after {s.t_events[0][0]:.3f} s")
print(f"hottest {s.var['T'].max():.1f} K, in the end {s.var['D'][-1]:.4f} mol/l of D")
print(f"A is kept to {np.abs(s.var['A + C'] + s.var['D'] - 2).max():.0e}")

import matplotlib.pyplot as plt                                                     # noqa: E402

figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
t = np.union1d(np.linspace(0, 120, 500), s.t)
ac, bc, d, temperature, c = s.sol(t)
for values, name in ((ac - c, "A"), (bc - c, "B"), (c, "C"), (d, "D")):
    axes[0].plot(t, values, label=name)
axes[0].set(ylabel="concentration in mol/l", title="A reactor with a fast equilibrium and a valve")
axes[0].legend(fontsize="small", loc="center right")
axes[1].plot(t, temperature, color="C3")
axes[1].axvline(s.t_events[0][0], color="0.6", linewidth=0.8)
axes[1].annotate("the valve opens", (s.t_events[0][0], 358), (25, 350), color="0.4",
                 arrowprops={"arrowstyle": "->", "color": "0.6"})
axes[1].set(xlabel="t in s", ylabel="T in K")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "reactor.png", dpi=120)
