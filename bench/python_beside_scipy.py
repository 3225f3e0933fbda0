#!/usr/bin/env python3
"""Keel from Python beside SciPy's solve_ivp and SUNDIALS IDA: time for so many digits.

    PYTHONPATH=build/python OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/python_beside_scipy.py \\
        [-b build] [-s seconds] [-p problem,...] [--csv FILE] [--plot FILE.png] [--made FILE.csv ...]

Keel and SciPy have the same callbacks in Python; IDA has its own C interface and callbacks in C
(-DBUILD_BENCH=ON builds bench/run_sundials and bench/heat_ida). Processor times, the least of several; all runs
of a problem take turns, so that ratios are of one machine in one state. Digits: -log10 of the largest
relative error at the end, of the reference values of the bundled problems (heat: of a run of SciPy's Radau
at 1e-11).

SciPy solves ordinary differential equations, so it gets what users make of these problems: multipliers
eliminated by hand, with the same G and gamma (pendulum, Andrews), Robertson without its conservation law,
small capacitors to the ground from every node of the amplifier.
"""

import argparse
import csv
import math
import os
import subprocess
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import keel

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SOURCE, "python", "examples"))
PATIENCE = 4.0                                           # seconds
TOLERANCES = [10.0**-k for k in range(3, 12)]


class Case:
    """A problem: runs {label: function of rtol -> y at the end}, and the true end values."""

    def __init__(self, name, exact, runs, ida=None):
        self.name, self.exact, self.runs, self.ida = name, np.asarray(exact), runs, ida

    def digits(self, y):
        error = np.abs(y[:len(self.exact)] - self.exact) / np.abs(self.exact)
        worst = float(np.max(error))
        return -math.log10(max(worst, 1e-16)) if math.isfinite(worst) else 0.0


def scipy_run(fun, span, y0, method, **options):
    """None: it failed, or takes longer than PATIENCE (which is looked at every 1000 steps or so)."""
    def run(rtol):
        end, calls = time.process_time() + PATIENCE, [0]

        def patient(t, y):
            calls[0] += 1
            if calls[0] % 4096 == 0 and time.process_time() > end:
                raise TimeoutError
            return fun(t, y)
        try:
            with np.errstate(all="ignore"):              # infinite currents, far from the solution
                s = solve_ivp(patient if patience else fun, span, y0, method=method, rtol=rtol,
                              **{"atol": rtol, **options})
        except (TimeoutError, ValueError):               # NaN in a factorisation
            return None
        return s.y[:, -1] if s.success else None
    patience = options.pop("patience", False)
    return run


def scaled(run, factor):
    """atol = factor rtol"""
    return lambda rtol: run(rtol, factor * rtol)


def keel_run(problem, span, y0, **options):
    def run(rtol, atol=None):
        s = keel.solve_dae(problem, span, y0, rtol=rtol, atol=rtol if atol is None else atol, **options)
        return s.y_end if s.success else None
    return run


# ---- the problems -------------------------------------------------------------------------------

def pendulum():
    from scipy.special import ellipj, ellipk
    g, end = 9.81, 10.0
    sn = ellipj(ellipk(0.5) - math.sqrt(g) * end, 0.5)[0] * math.sqrt(0.5)
    exact = [2 * sn * math.sqrt(1 - sn * sn), 2 * sn * sn - 1]

    def force(t, q, v):
        return [0.0, -g]

    def rod(t, q):
        x, y = q.tolist()
        return x * x + y * y - 1

    def rod_q(t, q):
        x, y = q.tolist()
        return [2 * x, 2 * y]

    def rod_vv(t, q, v):
        x, y = v.tolist()
        return 2 * (x * x + y * y)

    def eliminated(t, s):
        x, y, u, v = s.tolist()
        tension = (u * u + v * v - g * y) / (x * x + y * y)
        return [u, v, -tension * x, -tension * y - g]

    problem = keel.Mechanical(force, None, rod, constraint_jacobian=rod_q, curvature=rod_vv)
    runs = {"Keel": keel_run(problem, (0, end), ([1, 0], [0, 0]))}
    for method in ("DOP853", "Radau", "BDF"):
        runs["SciPy " + method] = scipy_run(eliminated, (0, end), [1, 0, 0, 0], method)
    return Case("pendulum", exact, runs, ida="pendulum")


def andrews():
    from andrews import START, andrews as mechanism
    exact = [15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796,
             0.524409965879954, 0.5347301163420796, 1.048080741041938]
    machine, python = mechanism(), mechanism(compiled=False)
    part = python._callbacks
    M, f, G, gamma = (part[name] for name in ("mass", "force", "constraint_jacobian", "curvature"))
    A, b = np.zeros((13, 13)), np.zeros(13)

    def eliminated(t, y):
        q, v = y[:7], y[7:]
        A[:7, :7], A[7:, :7] = M(t, q), G(t, q)
        A[:7, 7:] = A[7:, :7].T
        b[:7], b[7:] = f(t, q, v), gamma(t, q, v)
        b[7:] *= -1
        return np.concatenate([v, np.linalg.solve(A, b)[:7]])

    start = (START, [0] * 7)
    runs = {"Keel": keel_run(python, (0, 0.03), start),
            "Keel, generated C": keel_run(machine, (0, 0.03), start)}
    for method in ("DOP853", "Radau", "BDF"):
        runs["SciPy " + method] = scipy_run(eliminated, (0, 0.03), [*START, *[0] * 7], method)
    return Case("andrews", exact, runs, ida="andrews")


def robertson():
    exact = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050]
    a, b, c, end = 0.04, 3e7, 1e4, 1e11

    def rates(t, y):
        x, y_, z = y.tolist()
        slow, fast, back = a * x, b * y_ * y_, c * y_ * z
        return [-slow + back, slow - back - fast, fast]

    def rates_y(t, y):
        x, y_, z = y.tolist()
        return [[-a, c * z, c * y_], [a, -c * z - 2 * b * y_, -c * y_], [0.0, 2 * b * y_, 0.0]]

    def residual(t, y, yp):
        x, y_, z = y.tolist()
        u, v, _ = yp.tolist()
        slow, fast, back = a * x, b * y_ * y_, c * y_ * z
        return [u + slow - back, v - slow + back + fast, x + y_ + z - 1]

    def residual_y(t, y, yp, shift):
        x, y_, z = y.tolist()
        return [[shift + a, -c * z, -c * y_], [-a, shift + c * z + 2 * b * y_, c * y_], [1.0, 1.0, 1.0]]

    problem = keel.Implicit(residual, residual_y)
    runs = {"Keel": scaled(keel_run(problem, (0, end), [1, 0, 0]), 1e-9),
            "Keel bdf": scaled(keel_run(problem, (0, end), [1, 0, 0], method="bdf"), 1e-9)}
    for method in ("Radau", "BDF"):
        runs["SciPy " + method] = lambda rtol, method=method: scipy_run(
            rates, (0, end), [1, 0, 0], method, jac=rates_y, atol=1e-9 * rtol)(rtol)
    return Case("robertson", exact, runs, ida="robertson")


def amplifier():
    exact = [-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
             0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1]
    Ub, UF, alpha, beta, R0, R = 6.0, 0.026, 0.99, 1e-6, 1000.0, 9000.0
    M = np.zeros((8, 8))
    for i, C in ((0, 1e-6), (3, 3e-6), (6, 5e-6)):
        M[i:i + 2, i:i + 2] = [[C, -C], [-C, C]]
    M[2, 2], M[5, 5] = 2e-6, 4e-6
    start, exp = [0, 3, 3, 6, 3, 3, 6, 0], math.exp

    def expm1(x):
        return math.expm1(x) if x < 700 else math.inf    # as in C

    def currents(t, u):
        u1, u2, u3, u4, u5, u6, u7, u8 = u.tolist()
        h1, h2 = beta * expm1((u2 - u3) / UF), beta * expm1((u5 - u6) / UF)
        return [(0.1 * math.sin(200 * math.pi * t) - u1) / R0, (Ub - 2 * u2) / R - (1 - alpha) * h1,
                h1 - u3 / R, (Ub - u4) / R - alpha * h1, (Ub - 2 * u5) / R - (1 - alpha) * h2,
                h2 - u6 / R, (Ub - u7) / R - alpha * h2, -u8 / R]

    def currents_u(t, u):
        J = np.diag([-1 / R0, -2 / R, -1 / R, -1 / R, -2 / R, -1 / R, -1 / R, -1 / R])
        for k in (1, 4):
            slope = beta / UF * exp((u[k] - u[k + 1]) / UF)
            J[k:k + 3, k:k + 2] += [[-(1 - alpha) * slope, (1 - alpha) * slope], [slope, -slope],
                                    [-alpha * slope, alpha * slope]]
        return J

    def keel_run_here(rtol):
        s = keel.solve_dae(currents, (0, 0.2), start, mass=M, jac=currents_u, rtol=rtol, atol=rtol)
        return s.y_end if s.success else None

    inverse = np.linalg.inv(M + 1e-11 * np.eye(8))
    runs = {"Keel": keel_run_here}
    for method in ("Radau", "BDF"):
        runs["SciPy " + method] = scipy_run(lambda t, u: inverse @ currents(t, u), (0, 0.2), start, method,
                                            jac=lambda t, u: inverse @ currents_u(t, u),
                                            patience=True)
    return Case("transistor-amplifier", exact, runs, ida="transistor-amplifier")


def heat(n=40):
    from scipy.sparse import csc_matrix, diags, identity, kron
    line = diags([1, -2, 1], [-1, 0, 1], shape=(n, n)) * (n + 1)**2
    L = csc_matrix(kron(line, identity(n)) + kron(identity(n), line))
    L.sort_indices()
    x = np.arange(1, n + 1) / (n + 1)
    u0 = np.outer(4 * x * (1 - x), 4 * x * (1 - x)).ravel()
    on_diagonal = np.flatnonzero(L.indices == np.repeat(np.arange(n * n), np.diff(L.indptr)))

    def rate(t, u):
        return L @ u - u**3

    def rate_u(t, u):
        data = L.data.copy()
        data[on_diagonal] -= 3 * u * u
        return csc_matrix((data, L.indices, L.indptr), shape=L.shape)

    span = (0, 0.1)
    exact = solve_ivp(rate, span, u0, method="Radau", jac=rate_u, rtol=1e-11, atol=1e-13).y[:, -1]
    problem = keel.ODE(rate, rate_u)
    runs = {"Keel": keel_run(problem, span, u0), "Keel bdf": keel_run(problem, span, u0, method="bdf")}
    for method in ("Radau", "BDF"):
        runs["SciPy " + method] = scipy_run(rate, span, u0, method, jac=rate_u)
    case = Case("heat", exact, runs, ida="heat")
    case.points = n
    return case


CASES = {"pendulum": pendulum, "andrews": andrews, "robertson": robertson, "amplifier": amplifier,
         "heat": heat}


# ---- measuring ----------------------------------------------------------------------------------

def measure(case, seconds, build):
    """[(label, rtol, digits, least seconds)]; runs take turns."""
    rows = {}
    for label, run in case.runs.items():
        for rtol in TOLERANCES:
            begin = time.process_time()
            y = run(rtol)
            used = time.process_time() - begin
            if y is not None:
                rows[label, rtol] = [case.digits(np.asarray(y)), used]
            if used > PATIENCE:
                break
    for _ in range(6):                                   # again, the cheap ones
        for (label, rtol), row in rows.items():
            if row[1] < seconds / 6:
                begin = time.process_time()
                case.runs[label](rtol)
                row[1] = min(row[1], time.process_time() - begin)
    found = [(label, rtol, *row) for (label, rtol), row in rows.items()]
    return found + list(ida(case, build))


def ida(case, build):
    """IDA in the form that is fastest for its digits, C callbacks."""
    name = "heat_ida" if case.ida == "heat" else "run_sundials"
    program = os.path.join(build, "bench", name)
    if not os.path.exists(program):
        return
    for rtol in TOLERANCES:
        if case.ida == "heat":
            out = subprocess.run([program, str(case.points), str(rtol), "3"], capture_output=True,
                                 text=True).stdout.split()
            if out:
                yield "IDA, C", rtol, case.digits(np.array(out[4:], float)), float(out[3])
            continue
        best = {}
        for _ in range(3):
            out = subprocess.run([program, "IDA", case.ida, str(rtol)], capture_output=True,
                                 text=True).stdout
            for row in csv.reader(out.splitlines()):
                if row[4] == "ok" and row[5]:
                    old = best.get(row[1], (0, math.inf))[1]
                    best[row[1]] = float(row[5]), min(old, float(row[10]))
        for digits, used in best.values():
            yield "IDA, C", rtol, digits, used


def seconds_for(rows, label, digits):
    """Least time of a run with at least these digits; None: there is none."""
    times = [row[3] for row in rows if row[0] == label and row[2] >= digits]
    return min(times) if times else None


def table(name, rows):
    labels = list(dict.fromkeys(row[0] for row in rows))
    print(f"\n{name}: milliseconds for so many digits")
    print(f"{'digits':20}" + "".join(f"{d:9}" for d in range(3, 10)))
    for label in labels:
        cells = [seconds_for(rows, label, d) for d in range(3, 10)]
        print(f"{label:20}" + "".join("        -" if c is None else f"{1e3 * c:9.2f}" for c in cells))
    ratios = {"pendulum": ("SciPy DOP853", 0.5), "robertson": ("SciPy Radau", 0.2)}
    if name in ratios:
        other, limit = ratios[name]
        cells = [(seconds_for(rows, "Keel", d), seconds_for(rows, other, d)) for d in range(3, 10)]
        print(f"{'Keel / ' + other:20}" + "".join("        -" if None in c else f"{c[0] / c[1]:9.2f}"
                                                  for c in cells) + f"   (limit {limit})")


def tiny():
    """A solve that has next to nothing to do, in microseconds."""
    problem = keel.ODE(lambda t, y: [y[1], -y[0]])
    found = []
    for run in (lambda: keel.solve_dae(problem, (0, 1e-3), [1, 0]),
                lambda: keel.solve_dae(problem, (0, 1e-3), [1, 0], method="dopri5"),
                lambda: keel.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1e-3), [1, 0]),
                lambda: solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1e-3), [1, 0])):
        best = math.inf
        for _ in range(300):
            begin = time.process_time()
            run()
            best = min(best, time.process_time() - begin)
        found.append(1e6 * best)
    print("\na tiny solve, microseconds: solve_dae auto {:.0f}, dopri5 {:.0f}, keel.solve_ivp {:.0f}; "
          "scipy.integrate.solve_ivp {:.0f}".format(*found))


def plot(results, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, len(results), figsize=(3.6 * len(results), 3.8), layout="constrained",
                                squeeze=False)
    order = ["pendulum", "andrews", "robertson", "transistor-amplifier", "heat"]
    results = dict(sorted(results.items(), key=lambda item: order.index(item[0])))
    styles = {"Keel": ("C3", "o-"), "Keel, generated C": ("C1", "o-"), "Keel bdf": ("C1", "^-"),
              "SciPy DOP853": ("C0", "s--"), "SciPy Radau": ("C9", "v--"), "SciPy BDF": ("C2", "d--"),
              "IDA, C": ("0.5", "x:")}
    for ax, (name, rows) in zip(axes[0], results.items()):
        for label, (colour, style) in styles.items():
            steps = [d / 4 for d in range(8, 44)]
            front = [(d, seconds_for(rows, label, d)) for d in steps]
            front = [(d, s) for d, s in front if s is not None]
            if front:
                ax.semilogy([d for d, _ in front], [1e3 * s for _, s in front], style[1:], color=colour,
                            label=label, linewidth=1.2)
        ax.set(title=name, xlabel="digits")
        ax.grid(alpha=0.3)
        ax.legend(fontsize="x-small")
    axes[0][0].set_ylabel("ms")
    figure.savefig(path, dpi=110)


def read(paths):
    """{problem: rows} of files that --csv wrote."""
    results = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                results.setdefault(row["problem"], []).append(
                    (row["code"], float(row["rtol"]), float(row["digits"]), float(row["seconds"])))
    return results


def write(path, results):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["problem", "code", "rtol", "digits", "seconds"])
        for name, rows in results.items():
            writer.writerows([name, label, rtol, f"{d:.2f}", f"{s:.6f}"] for label, rtol, d, s in rows)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("-b", "--build", default=os.path.join(SOURCE, "build"))
    options.add_argument("-s", "--seconds", type=float, default=1.0, help="repeat runs shorter than a sixth")
    options.add_argument("-p", "--problems", default=",".join(CASES))
    options.add_argument("--csv")
    options.add_argument("--plot")
    options.add_argument("--made", nargs="+", default=[], help="tables and picture of runs made before")
    chosen = options.parse_args()
    results = read(chosen.made)
    for name, rows in results.items():
        table(name, rows)
    for name in [] if chosen.made else chosen.problems.split(","):
        case = CASES[name]()
        results[case.name] = measure(case, chosen.seconds, chosen.build)
        table(case.name, results[case.name])
        sys.stdout.flush()
        if chosen.csv:
            write(chosen.csv, results)
    if not chosen.made:
        tiny()
    if chosen.plot:
        plot(results, chosen.plot)


if __name__ == "__main__":
    main()
