"""A four-bar linkage from an inconsistent guess.

Two ground joints, a crank, a coupler and a rocker; masses sit at the two moving joints A and B.  The
values to begin with are read off a sketch: no bar has its length.  Keel moves them to the nearest
position that closes the linkage, and says what it moved; the crank is told to stay where it is.
"""

import sys

import numpy as np

import keel

crank, coupler, rocker, ground = 1.0, 3.0, 2.5, 3.0


def bars(t, q):
    """Squares of the lengths."""
    ax, ay, bx, by = q
    return [ax**2 + ay**2 - crank**2, (bx - ax)**2 + (by - ay)**2 - coupler**2,
            (bx - ground)**2 + by**2 - rocker**2]


def bars_q(t, q):
    ax, ay, bx, by = q
    return [[2 * ax, 2 * ay, 0, 0], [2 * (ax - bx), 2 * (ay - by), 2 * (bx - ax), 2 * (by - ay)],
            [0, 0, 2 * (bx - ground), 2 * by]]


def bars_vv(t, q, v):
    ax, ay, bx, by = v
    return [2 * (ax**2 + ay**2), 2 * ((bx - ax)**2 + (by - ay)**2), 2 * (bx**2 + by**2)]


linkage = keel.Mechanical(
    force=lambda t, q, v: [0, -9.81 * 1.0, 0, -9.81 * 0.5],
    mass=np.diag([1.0, 1.0, 0.5, 0.5]), constraint=bars, constraint_jacobian=bars_q, curvature=bars_vv,
    names=["Ax", "Ay", "Bx", "By", "Ax'", "Ay'", "Bx'", "By'", "crank", "coupler", "rocker"],
    constraint_names=["crank", "coupler", "rocker"])

guess = [0, 1, 2.8, 2.2]                                     # from the sketch
s = keel.solve_dae(linkage, (0, 6), (guess, [-7, 0, 0, 0]), fixed=["Ax", "Ay", "Ax'"], rtol=1e-8,
                   dense_output=True)

print("bars of the guess are off by", np.round(np.abs(bars(0, guess)), 2))
for name, before, after in s.moved:
    if not name.startswith(("crank", "coupler", "rocker")):
        print(f"    {name:4} {before:8.4f} -> {after:8.4f}")
print(f"afterwards, and at the end, by {s.residual[0]:.0e}")

import matplotlib.pyplot as plt                                                     # noqa: E402

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for t, shade in zip(np.linspace(0, 1, 7), np.linspace(0.75, 0, 7)):
    ax, ay, bx, by = s.sol.projected(t)[:4]
    left.plot([0, ax, bx, ground], [0, ay, by, 0], "o-", color=str(shade), markersize=4)
path = s.sol(np.linspace(0, 6, 2000))
middle = (path[0:2] + path[2:4]) / 2
left.plot(*middle, linewidth=0.8, label="middle of the coupler")
ax, ay, bx, by = guess
left.plot([0, ax, bx, ground], [0, ay, by, 0], "r--", linewidth=1, label="the guess")
left.set(aspect="equal", title="The linkage during one second, light to dark", ylim=(-1.2, 3.3),
         xlabel="x in m", ylabel="y in m")
left.legend(fontsize="small", loc="upper left")
right.semilogy(s.t_steps, np.maximum(s.residuals[:2].T, 1e-17), linewidth=0.8,
               label=["lengths", "their rates"])
right.set(title="What is left of the constraints", xlabel="t in s", ylabel="largest residual",
          ylim=(1e-17, 1e-12))
right.legend(fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "four_bar.png", dpi=120)
