"""A method of your own, from its coefficients.

The L-stable SDIRK method with two stages and gamma = 1 - 1/sqrt(2).  Keel finds its order, its region
of stability and what to expect of it on constrained systems; then it is used like any other.
"""

import sys

import numpy as np

import keel

gamma = 1 - 1 / np.sqrt(2)
mine = keel.Method(name="mine", A=[[gamma, 0], [1 - gamma, gamma]], b=[1 - gamma, gamma])

print(f"order {mine.order}, stage order {mine.stage_order}, A-stable: {mine.a_stable}, "
      f"R(infinity) = {mine.r_infinity:.0e}")

pendulum = keel.Mechanical(lambda t, q, v: [0, -9.81], None, lambda t, q: q[0]**2 + q[1]**2 - 1,
                           constraint_jacobian=lambda t, q: [[2 * q[0], 2 * q[1]]],
                           curvature=lambda t, q, v: 2 * (v[0]**2 + v[1]**2))
table = keel.converge(pendulum, (0, 1), ([1, 0], [0, 0]), mine, steps=10, halvings=5)
print(table)
print("theory for positions, velocities, multipliers:", table.theory)

import matplotlib.pyplot as plt                                                     # noqa: E402

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
mine.plot_stability(extent=(-6, 12, -9, 9), ax=left)
table.plot(ax=right)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "own_method.png", dpi=120)
