"""Many runs that differ in some numbers, several of them at the same time."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import _compiled, _core
from ._errors import Error, ProblemError
from ._plot import _level_names
from ._problems import Problem, _is_matrix
from ._solve import _span, solve_dae
from ._solver import Solver
from ._study import Table

_COUNTS = ("steps", "accepted", "rejected_error", "rejected_newton", "rhs", "rhs_for_jacobian",
           "jacobian", "factorizations", "solves", "newton", "projections", "events")
_CALLBACK = -3                                           # KEEL_CALLBACK_FAILED


def sweep(problem, t_span, y0=None, parameters=None, *, start=None, samples=None, seed=0, jobs=None,
          output=None, **options):
    """Many runs that differ in parameters or initial values, as a `Table` with a row for each.

    Parameters
    ----------
    problem : Problem, Model, or a function of parameters by name that returns one
    t_span, y0, options : as of `solve_dae`
    parameters : dict {name: values}
        all combinations, the last one varying fastest; a number is the same in every run.
    start : dict {name of an unknown: values}, the same for initial values
    samples : number of draws instead, uniform between (least, most) of each
        row k depends on `seed` and k only.
    jobs : how many run at the same time
        by default as many as there are processors where all callbacks are compiled (these run
        without the interpreter's lock), else 1.
    output : function of the `Solution` -> number, or dict of numbers
        what is kept of a run; by default the unknowns (of a model, its variables) at the end.

    The rows have the columns of ``keel sweep``: ``row``, the parameters, ``status`` ("ok", "event", or
    why it failed), ``message``, ``t``, the unknowns there, counts and residuals.  A run that fails is a
    row with its message, and the others go on.  Rows come in their order and are the same doubles for
    every number of jobs.

    >>> import keel
    >>> decay = keel.ODE(lambda t, y, p: -p[0] * y, names=["amount"], parameters={"rate": 1.0})
    >>> table = keel.sweep(decay, (0, 1), [1.0], {"rate": [0, 1, 2]}, rtol=1e-9)
    >>> [round(row["amount"], 6) for row in table]
    [1.0, 0.367879, 0.135335]
    >>> table = keel.sweep(decay, (0, 1), [1.0], {"rate": (0, 2)}, samples=100,
    ...                    output=lambda s: {"steps": s.stats["steps"]})
    >>> len(table), table.columns
    (100, ['row', 'rate', 'status', 'message', 't', 'steps'])
    """
    _span(t_span)
    axes = _axes(parameters, start, samples)
    values = _core.sweep_rows([axis for _, axis in axes], -1 if samples is None else int(samples), int(seed))
    names = [name for name, _ in axes]
    if jobs is None:
        jobs = (os.cpu_count() or 1) if _is_free(problem, options) else 1

    def one(row):
        return _row(problem, t_span, y0, names, values[row].tolist(), output, options)
    if jobs > 1:
        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(one, range(len(values))))
    else:
        found = [one(row) for row in range(len(values))]
    return _table(names, values, found)


def _axes(parameters, start, samples):
    """[((kind, name), values)] of all that varies."""
    axes = [(("parameter", name), given) for name, given in (parameters or {}).items()]
    axes += [(("start", name), given) for name, given in (start or {}).items()]
    if not axes:
        raise ProblemError("nothing varies: give parameters={name: values} or start={name: values}", -1)
    made = []
    for (kind, name), given in axes:
        listed = np.atleast_1d(np.asarray(given, dtype=float))
        if listed.ndim != 1 or listed.size == 0:
            raise ProblemError(f"values of '{name}' are a list of numbers, not of shape {listed.shape}", -1)
        if samples is not None and listed.size == 1:
            listed = np.repeat(listed, 2)
        if samples is not None and listed.size != 2:
            raise ProblemError(f"samples of '{name}' are drawn between two numbers, (least, most); "
                               f"{listed.size} were given", -1)
        made.append(((kind, name), listed))
    return made


def _is_free(problem, options):
    """Do runs leave the interpreter's lock alone?"""
    return isinstance(problem, Problem) and not problem._is_model and options.get("events") is None and \
        all(_compiled.is_compiled(fun) or _is_matrix(fun) for fun in problem._callbacks.values())


def _case(problem, t_span, y0, names, values, options):
    """Problem and initial values of one row."""
    given = {name: value for (kind, name), value in zip(names, values) if kind == "parameter"}
    start = {name: value for (kind, name), value in zip(names, values) if kind == "start"}
    if not isinstance(problem, Problem):
        problem = problem(**given)
        if not isinstance(problem, Problem):
            raise TypeError(f"the function of a sweep returned {type(problem).__name__}; expected a problem")
    elif given:
        problem = problem.with_parameters(given)
    if start and problem._is_model:
        problem = problem._changed(start={**problem._given["start"], **start})
    elif start:
        solver = Solver(problem, events=options.get("events"))
        y0 = solver._make(float(t_span[0]), y0)
        for name, value in start.items():
            if name not in solver.names:
                raise ProblemError(f"there is no unknown '{name}'; there are {', '.join(solver.names)}", -1)
            y0[solver.names.index(name)] = value
    return problem, y0


def _row(problem, t_span, y0, names, values, output, options):
    """What is kept of one run: a dict; a failure is one as well, but for wrong arguments."""
    try:
        case, first = _case(problem, t_span, y0, names, values, options)
        s = solve_dae(case, t_span, first, **{**options, "on_error": "return"})
    except Error as wrong:
        if isinstance(wrong, ProblemError):
            raise
        return {"status": _word(wrong.status), "message": str(wrong), "t": wrong.t}
    except ArithmeticError as wrong:                     # of a callback, before there is a solver
        return {"status": _word(_CALLBACK), "message": f"{type(wrong).__name__}: {wrong}", "t": t_span[0]}
    kept = {} if not len(s.t_steps) else _end(s) if output is None else output(s)
    if not isinstance(kept, dict):
        kept = {"output": float(kept)}
    return {"status": _word(s.code), "message": "" if s.success else s.message, "t": s.t_end, **kept}


def _word(status):
    """As the command has it: ok, event, cannot-evaluate, ..."""
    return _core.status_name(int(status)).replace("KEEL_", "").lower().replace("_", "-")


def _end(s):
    kept = dict(zip(s.names, s.y_end.tolist()))
    kept.update((name, s.stats[name]) for name in _COUNTS)
    for name, value in zip(_level_names(s), s.residual.tolist()):
        kept[f"residual_{name}"] = value
    return kept


def _table(names, values, found):
    labels = [name if kind == "parameter" else f"start {name}" for kind, name in names]
    kept = list(dict.fromkeys(name for row in found for name in row))
    if kept[:3] != ["status", "message", "t"]:
        kept = ["status", "message", "t"] + [name for name in kept if name not in ("status", "message", "t")]
    columns = ["row", *map(str, labels), *kept]
    rows = [{"row": k, **dict(zip(map(str, labels), numbers.tolist())), **dict.fromkeys(kept), **row}
            for k, (numbers, row) in enumerate(zip(values, found))]
    return Table(rows, columns, "plot_sweep", varied=[str(label) for label in labels])
