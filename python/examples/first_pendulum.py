"""A first pendulum: a mass on a rod, in Cartesian coordinates.

    q'' = (0, -9.81) - G^T lambda,   0 = x^2 + y^2 - 1

The rod is an equation, not a coordinate: Keel keeps its length, and that of the velocity along it, to
rounding, however long the run.
"""

import sys

import keel

pendulum = keel.Mechanical(
    force=lambda t, q, v: [0, -9.81],
    constraint=lambda t, q: q[0]**2 + q[1]**2 - 1,
    constraint_jacobian=lambda t, q: [[2 * q[0], 2 * q[1]]],
    curvature=lambda t, q, v: 2 * (v[0]**2 + v[1]**2),
    names=["x", "y", "x'", "y'", "tension"])

s = keel.solve_dae(pendulum, (0, 10), ([1, 0], [0, 0]), rtol=1e-8,      # released at three o'clock
                   dense_output=True)                                   # for smooth curves

print(s.message)
print(f"after 10 s at ({s.var['x'][-1]:.6f}, {s.var['y'][-1]:.6f}) in {s.stats['accepted']} steps")
print(f"length and velocity of the rod are kept to {max(s.residual[:2]):.0e}")
print(f"the method: {s.choice}")

figure = s.plot(["x", "y", "tension"])
figure.suptitle("A pendulum, and how well its rod is kept")
figure.axes[0].set_ylabel("m; N per kg")
figure.axes[1].set_xlabel("t in s")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "first_pendulum.png", dpi=120)
