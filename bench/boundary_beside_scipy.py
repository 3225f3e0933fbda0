#!/usr/bin/python3
"""boundary_beside_scipy.py -- right-hand sides of `keel bvp` and of SciPy's solve_bvp at equal true error.

   bench/boundary_beside_scipy.py [-b BUILD] [-M]        -M: the table as Markdown

SciPy solves the problems as ordinary differential equations, with Jacobians given, from the guess that Keel
has, 0, on 7 equal mesh points as Keel begins with 6 intervals.  Counted are points at which the right-hand
side is evaluated.  Errors are max |u - exact|/(1 + |exact|) of the first unknown over eleven points of each
interval; for Keel, of all differential unknowns.  Each line of SciPy stands beside the cheapest run of Keel
(standard settings, tolerances 1e-2, 10^-2.5, ... 1e-13) whose error is not larger.  The last line
says how many of them have ten times fewer.
"""
import json
import math
import subprocess
import sys

import numpy as np
import scipy
from scipy.integrate import solve_bvp

PI = math.pi


def bratu(lam):
    low, high = 0.0, 1.1996786402577337          # cosh(a) = 4 a / sqrt(2 lambda), the lower solution
    for _ in range(60):
        a = 0.5 * (low + high)
        low, high = (a, high) if 4 * a < math.sqrt(2 * lam) * math.cosh(a) else (low, a)
    return dict(
        name=f"bratu --param lambda={lam:g}",
        fun=lambda t, y: np.vstack((y[1], -lam * np.exp(y[0]))),
        jac=lambda t, y: matrix(t, 0 * t, 1 + 0 * t, -lam * np.exp(y[0]), 0 * t),
        bc=lambda ya, yb: np.array([ya[0], yb[0]]),
        exact=lambda t: 2 * np.log(np.cosh(a) / np.cosh(a * (1 - 2 * t))))


def layers(eps):
    r = math.sqrt(eps)
    return dict(
        name=f"layers --param eps={eps:g}",
        fun=lambda t, y: np.vstack((y[1], (y[0] + np.cos(PI * t) ** 2) / eps
                                    + 2 * PI ** 2 * np.cos(2 * PI * t))),
        jac=lambda t, y: matrix(t, 0 * t, 1 + 0 * t, 1 / eps + 0 * t, 0 * t),
        bc=lambda ya, yb: np.array([ya[0], yb[0]]),
        exact=lambda t: (np.exp((t - 1) / r) + np.exp(-t / r)) / (1 + math.exp(-1 / r))
        - np.cos(PI * t) ** 2)


def control():
    return dict(                                 # x1'' = x1, of which x2 = x1', p1 = -x1'
        name="singular-control",
        fun=lambda t, y: np.vstack((y[1], y[0])),
        jac=lambda t, y: matrix(t, 0 * t, 1 + 0 * t, 1 + 0 * t, 0 * t),
        bc=lambda ya, yb: np.array([ya[0] - 1, yb[1]]),
        exact=lambda t: np.cosh(1 - t) / math.cosh(1))


def matrix(t, a, b, c, d):
    return np.array([[a, b], [c, d]])


def scipy_run(p, tol):
    points = 0

    def counted(t, y):
        nonlocal points
        points += t.size
        return p["fun"](t, y)

    t = np.linspace(0, 1, 7)
    s = solve_bvp(counted, p["bc"], t, np.zeros((2, t.size)), fun_jac=p["jac"], tol=tol,
                  max_nodes=100000)
    if not s.success:
        return None
    at = np.unique(np.concatenate([np.linspace(a, b, 11) for a, b in zip(s.x[:-1], s.x[1:])]))
    exact = p["exact"](at)
    return dict(nodes=s.x.size, rhs=points, error=np.max(np.abs(s.sol(at)[0] - exact) / (1 + np.abs(exact))))


def keel_runs(build, p):
    runs = []
    for half in range(4, 27):
        command = [f"{build}/keel", "bvp", *p["name"].split(), "--tol", f"{10 ** (-half / 2):.3g}", "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            continue
        r = json.loads(done.stdout)
        runs.append(dict(tol=-half / 2, mesh=r["stats"]["mesh"], error=r["error"]["x"],
                         rhs=r["stats"]["rhs"] + r["stats"]["rhs_for_jacobian"]))
    return runs


def main():
    build = sys.argv[sys.argv.index("-b") + 1] if "-b" in sys.argv else "build"
    bar = "|" if "-M" in sys.argv else ""
    heads = ["problem", "tol", "nodes", "points", "error", "intervals", "points", "error", "ratio"]
    print(f"Keel beside SciPy {scipy.__version__}: points of right-hand sides at equal true error")
    print(bar + f" {bar} ".join(heads) + bar)
    if bar:
        print("|---|" + "--:|" * (len(heads) - 1))
    lines = tenfold = 0
    for p in (bratu(1), bratu(3.5), control(), layers(1e-4), layers(1e-6), layers(1e-8)):
        own = keel_runs(build, p)
        for tol in (1e-4, 1e-6, 1e-8) if "layers" in p["name"] else (1e-6, 1e-8, 1e-10):
            other = scipy_run(p, tol)
            if other is None:
                print(f"{bar}{p['name']}{bar or ' '}{tol:g}{bar or ' '}gives up" + bar * 7)
                continue
            best = min((r for r in own if r["error"] <= other["error"]), key=lambda r: r["rhs"],
                       default=None)
            ratio = other["rhs"] / best["rhs"] if best else 0
            lines += 1
            tenfold += ratio >= 10
            cells = [p["name"], f"{tol:g}", str(other["nodes"]), str(other["rhs"]), f"{other['error']:.0e}",
                     str(best["mesh"]) if best else "-", str(best["rhs"]) if best else "-",
                     f"{best['error']:.0e}" if best else "-", f"{ratio:.1f}"]
            print(bar + f"{bar or '  '}".join(cells) + bar, flush=True)
    print(f"{tenfold} of {lines} with ten times fewer")


main()
