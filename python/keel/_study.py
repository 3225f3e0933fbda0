"""Experiments: orders of convergence, and work against precision.

As `keel converge` and `keel compare` do it: constant steps that are halved, errors in the maximum
norm over all mesh points against the exact solution or a run at rtol 1e-13 that hits every point of
the finest mesh; and several methods at several tolerances.
"""

import time

import numpy as np

from ._errors import Error, ProblemError
from ._method import Method, method as find_method
from ._solve import _span
from ._solver import Solver

_REFERENCE = 1e-13
_PATIENCE, _REPETITIONS = 0.05, 10               # seconds for all repetitions of a run


class Table(list):
    """Rows (dicts) of an experiment, with ``columns``, ``to_dataframe()`` and ``plot()``."""

    def __init__(self, rows, columns, draw, **more):
        super().__init__(rows)
        self.columns, self._draw = columns, draw
        self.__dict__.update(more)

    def column(self, name):
        """The values of one column."""
        return [row[name] for row in self]

    def to_dataframe(self):
        """A pandas DataFrame."""
        from pandas import DataFrame
        return DataFrame(list(self), columns=self.columns)

    def plot(self, ax=None, **how):
        """Errors over step sizes, work over correct digits, or results over parameters (matplotlib).

        Of a sweep `variables` are the columns to be drawn.
        """
        from . import _plot
        return getattr(_plot, self._draw)(self, ax, **how)

    def __str__(self):
        cells = [list(self.columns)] + [[_text(row[c]) for c in self.columns] for row in self]
        widths = [max(len(line[k]) for line in cells) for k in range(len(self.columns))]
        return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(line, widths))
                         for line in cells)


def _text(value):
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _groups(info, names, each):
    """(name, slice) of what errors are measured of."""
    if each or not info["groups"]:
        return [(name, slice(k, k + 1)) for k, name in enumerate(names)]
    first, groups = 0, []
    for name, size in info["groups"]:
        groups.append((name, slice(first, first + size)))
        first += size
    return groups


def _mesh(problem, t0, t_end, y0, count, **options):
    """y at count + 1 equidistant times, every one of which ends a step: [size, count + 1]."""
    solver = Solver(problem, method="radau-iia", rtol=_REFERENCE, **options)
    solver.start(t0, y0)
    solver.set_stop_time(t_end)
    rows = [_values(solver)]
    for k in range(1, count + 1):
        solver.advance_to(t_end if k == count else t0 + k * ((t_end - t0) / count))
        rows.append(_values(solver))
    return np.array(rows).T


def _values(solver):
    """What is compared: the unknowns or, of a model, its variables."""
    return np.array(list(solver.var.values())) if solver.problem._is_model else solver.y


def converge(problem, t_span, y0, method="radau-iia-3", *, steps=5, halvings=5, exact=None,
             each=False, formulation=None, **options):
    """Orders of convergence with `steps`, 2 `steps`, 4 `steps`, ... constant steps.

    Returns a `Table` with a row for each run: ``N``, ``h``, and for each group of unknowns (each
    unknown with `each`) its error and the observed order.  ``theory`` has the orders that theory
    predicts, ``names`` the groups.  `exact` is a function of t; without it a run at rtol 1e-13 is
    the truth.  Options are those of `Solver`: ``projection="none"``, ``multipliers="recursion"``.

    >>> import keel, numpy as np
    >>> table = keel.converge(keel.ODE(lambda t, y: -y), (0, 1), [1.0], "gauss-2",
    ...                       exact=lambda t: np.exp(-t), halvings=3)
    >>> round(table[-1]["y order"], 1), table.theory
    (4.0, (4,))
    """
    t0, t_end = _span(t_span)
    if problem._is_model and problem.events:
        raise ProblemError("orders of convergence are those of smooth problems; this model has events", -1)
    finest = steps * 2**halvings
    truth = None if exact else _mesh(problem, t0, t_end, y0, finest)
    rows, groups, theory = [], None, None
    for k in range(halvings + 1):
        count = steps * 2**k
        h = abs(t_end - t0) / count
        solver = Solver(problem, method=method, step=h, formulation=formulation, **options)
        solver.start(t0, y0)
        if groups is None:
            info = solver.info
            groups = _groups(info, list(solver.var), each or problem._is_model)
            theory = _theory(problem, solver, method, info, t0, options, each)
        reference = truth[:, ::finest // count] if exact is None else None
        errors, word = _errors(solver, t0, t_end, count, reference, exact, groups)
        row = {"N": count, "h": h, "status": word}
        for (name, _), e in zip(groups, errors):
            before = rows[-1][name] if rows else None
            row[name] = e
            row[name + " order"] = _order(before, e)
        rows.append(row)
    columns = ["N", "h"] + [c for name, _ in groups for c in (name, name + " order")] + ["status"]
    return Table(rows, columns, "plot_convergence", names=[name for name, _ in groups],
                 theory=theory, method=getattr(method, "name", method))


def _order(before, now):
    """log2 of the ratio; None unless both errors are finite and positive."""
    if before is None or not (np.isfinite(before) and np.isfinite(now) and before > 0 and now > 0):
        return None
    return float(np.log(before / now) / np.log(2))


def _errors(solver, t0, t_end, count, reference, exact, groups):
    """Largest error of each group over all mesh points."""
    found = solver._core.run(t_end)
    t, y = found["t"], found["y"]
    if found["error"] is not None:
        raise found["error"]
    if found["code"] != 0 or len(t) < count + 1:
        return [float("nan")] * len(groups), found["message"] or "failed"
    if solver.problem._is_model:
        y = y[solver.problem._shown]
    if exact is not None:
        reference = np.array([np.atleast_1d(exact(time)) for time in t[:count + 1]]).T
    e = np.abs(y[:, :count + 1] - reference)
    return [float(e[part].max()) for _, part in groups], "ok"


def _theory(problem, solver, method, info, t0, options, each):
    """The orders that theory predicts for each group; None: not known."""
    count = len(info["groups"]) or 1
    nothing = (None,) * count
    if options.get("projection", "oblique") not in ("oblique", "none") or each or \
            problem._form in (5, 6, 7, 8) or solver._formulation is not None:
        return nothing
    try:
        m = method if isinstance(method, Method) else find_method(method)
    except Error:
        return nothing
    nonlinear = bool(solver._core.nonlinear(t0, solver.y))
    found = m.orders(info["index"], nonlinear=nonlinear,
                     projected=options.get("projection", "oblique") != "none",
                     multipliers=options.get("multipliers", "auto"))
    return found if len(found) == count else nothing


def compare(problem, t_span, y0, methods=("auto",), rtol=(1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9),
            *, exact=None, **options):
    """Work and precision of several methods at several tolerances.

    Returns a `Table` with a row for each run: ``method, rtol, status, digits`` (least number of
    significant correct digits of all unknowns at the end), ``drift`` (largest residual of the
    position and velocity constraints), ``accepted, rejected, rhs, factorizations, seconds``.
    `exact` is y at the end, or a function of t; without it a run at rtol 1e-13 is the truth.

    >>> import keel
    >>> table = keel.compare(keel.ODE(lambda t, y: -y), (0, 1), [1.0], ["dopri5", "radau-iia-3"],
    ...                      rtol=[1e-4, 1e-8])
    >>> len(table), table[1]["digits"] > table[0]["digits"]
    (4, True)
    """
    t0, t_end = _span(t_span)
    truth = exact(t_end) if callable(exact) else exact
    if truth is None:
        truth = _mesh(problem, t0, t_end, y0, 1)[:, -1]
    truth = np.atleast_1d(np.asarray(truth, dtype=float))
    rows = [_trial(problem, t0, t_end, y0, one, tolerance, truth, options)
            for one in ([methods] if isinstance(methods, str) else methods)
            for tolerance in np.atleast_1d(rtol)]
    return Table(rows, list(rows[0]), "plot_comparison")


def _trial(problem, t0, t_end, y0, method, rtol, truth, options):
    row = {"method": getattr(method, "name", method), "rtol": float(rtol), "status": "ok",
           "digits": None, "drift": None, "accepted": None, "rejected": None, "rhs": None,
           "factorizations": None, "seconds": None}
    least, spent = float("inf"), 0.0
    for k in range(_REPETITIONS):
        begin = time.process_time()
        try:
            solver = Solver(problem, method=method, rtol=rtol, **options)
            solver.start(t0, y0)
            solver.advance_to(t_end)
        except Error as error:
            row["status"] = error.name
            return row
        used = time.process_time() - begin
        least, spent = min(least, used), spent + used
        if spent > _PATIENCE:
            break
    stats = solver.stats
    drift = max([r for r in stats["residual"][:2] if r >= 0], default=None)
    row.update(digits=_digits(_values(solver), truth), drift=drift, accepted=stats["accepted"],
               rejected=stats["rejected_error"] + stats["rejected_newton"], rhs=stats["rhs"],
               factorizations=stats["factorizations"], seconds=least)
    return row


def _digits(y, truth):
    known = np.isfinite(truth) & (truth != 0)
    if not known.any():
        return None
    worst = np.max(np.abs(y[known] - truth[known]) / np.abs(truth[known]))
    return float(-np.log10(max(worst, np.finfo(float).eps / 2)))
