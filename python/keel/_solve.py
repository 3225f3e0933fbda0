"""solve_dae and solve_ivp."""

import math
import time
import warnings

import numpy as np

from . import _compiled
from ._errors import Error, KeelWarning, ProblemError
from ._forms import Implicit, Quasilinear
from ._model import ModelDense
from ._problems import Problem, _real
from ._solution import Dense, Solution
from ._solver import Solver, marks_of

_MESSAGES = {0: "The end of the interval was reached.", 3: "An event ended the run."}


def solve_dae(problem, t_span, y0=None, yp0=None, *, mass=None, method="auto", t_eval=None,
              dense_output=False, events=None, args=(), rtol=1e-6, atol=None, first_step=None,
              max_step=np.inf, max_steps=None, max_seconds=None, jac=None, jac_sparsity=None,
              fixed=None, free=None, callback=None, progress=False, on_error="raise",
              formulation=None, equation=None, **options):
    """Solves an initial value problem of differential-algebraic equations.

    `t_eval` and `max_step` do not control accuracy: `rtol` and `atol` do.

    Parameters
    ----------
    problem : Problem, or function
        a function is F(t, y, yp) of F(t, y, y') = 0 or, with `mass`, f(t, y) of M y' = f(t, y).
    t_span : (t0, t_end), forwards or backwards
    y0, yp0 : arrays
        the initial values, or a tuple of the groups of unknowns, (q, v); they are moved to the
        nearest consistent point.  yp0 may be left out, and y0 of a `Model`.
    mass : matrix, or function of (t, y)
    method : name (``keel.methods()``), `Method`, or one of SciPy's names
    t_eval : times at which the solution is stored, on the constraints; else all steps
    dense_output : bool
        then ``sol(t)`` of the result is the solution anywhere.
    events : function of (t, y), `Event`, `TimeEvent`, or a list of them
    args : tuple, appended to the arguments of callbacks (of a function; a Problem has its own)
    rtol, atol : numbers, or one for each unknown; atol is rtol if not given
    first_step, max_step : step sizes
    max_steps, max_seconds : limits
        where the run ends with ``success=False`` and what was reached.
    jac : Jacobian of a function: of F (t, y, yp, shift) -> F_y + shift F_y', of f (t, y) -> f_y
    fixed, free : names or numbers of unknowns that keep their initial values, or give way first
    callback : function of (t, y), called after each step; True ends the run
    progress : bool, writes a line to standard error while it runs
    on_error : "raise", or "return": what becomes of an exception in a callback
        raised, it has the solution so far as ``keel_result``; returned, it is ``error``.
    equation : function of (t, y, yp)
        initial conditions beside those of the problem, which vanish at the start.
    formulation : name, or dict(name=, alpha=, beta=, C=); see ``keel.formulations()``
    options : those of the library (``keel.options()``), underscores for dashes; of a function also
        SciPy's ``vectorized``, ``lband`` and ``uband``

    Returns
    -------
    Solution

    >>> import keel
    >>> s = keel.solve_dae(lambda t, y, yp: yp + y, (0, 1), [1.0], rtol=1e-9, t_eval=[0.5, 1])
    >>> print(s.success, s.y.round(6))
    True [[0.606531 0.367879]]
    """
    shape = {}
    if options:
        options.pop("min_step", None)                    # SciPy's: there is no least step to set
        shape = {name: options.pop(name) for name in ("vectorized", "lband", "uband")
                 if name in options}
    if not isinstance(problem, Problem):
        problem = _problem_of(problem, mass, jac, jac_sparsity, args, **shape)
    elif shape:
        raise TypeError(f"{', '.join(shape)} belong to a function; a problem was given")
    elif mass is not None or jac is not None or jac_sparsity is not None or args not in ((), None):
        raise TypeError("mass, jac, jac_sparsity and args belong to the problem, which was given")
    if on_error not in ("raise", "return"):
        raise ValueError(f"on_error is {on_error!r}; expected 'raise' or 'return'")
    t0, t_end = _span(t_span)
    if first_step is not None:
        options["first_step"] = _positive(first_step, "first_step")
    if max_step != np.inf:
        options["max_step"] = _positive(max_step, "max_step")
    times = _times(t_eval, t0, t_end)
    solver = Solver(problem, method=method, rtol=rtol, atol=atol, events=events,
                    formulation=formulation, equation=equation, **options)
    plan = (t_end, times, bool(dense_output),
            0 if max_steps is None else _count(max_steps, "max_steps"),
            0.0 if max_seconds is None else _positive(max_seconds, "max_seconds"),
            _progress(t0, t_end, callback) if progress else callback)
    return _run(solver, t0, y0, yp0, fixed, free, plan, on_error, events is not None)


def _problem_of(fun, mass, jac, jac_sparsity, args, vectorized=False, lband=None, uband=None):
    if not callable(fun) and not _compiled.is_compiled(fun):
        raise TypeError(f"solve_dae takes a problem or a function, not {type(fun).__name__}")
    common = {"args": args if isinstance(args, tuple) else (args,), "jac_sparsity": jac_sparsity}
    if lband is not None or uband is not None:
        common["band"] = lband or 0, uband or 0
    if vectorized:
        fun = columnwise(fun, 2 if mass is None else 1)
    if mass is not None:
        return Quasilinear(mass, fun, jac, **common)
    return Implicit(fun, jac, **common)


def columnwise(fun, count=1):
    """A function of t and columns y[n, k] (of the first `count` arguments), as `vectorized` promises."""
    def single(t, *arguments):
        return np.ravel(fun(t, *(x[:, None] for x in arguments[:count]), *arguments[count:]))
    return single


def _span(t_span):
    try:
        t0, t_end = t_span
        t0, t_end = float(t0), float(t_end)
    except (TypeError, ValueError):
        raise ValueError("`t_span` must be two numbers, (t0, t_end)") from None
    if not (math.isfinite(t0) and math.isfinite(t_end)):
        raise ValueError(f"`t_span` is ({t0}, {t_end}); both must be finite")
    return t0, t_end


def _positive(x, name):
    if not x > 0:
        raise ValueError(f"`{name}` must be positive, not {x!r}")
    return float(x)


def _count(x, name):
    if x != int(x) or x < 1:
        raise ValueError(f"`{name}` must be a positive whole number, not {x!r}")
    return int(x)


def _times(t_eval, t0, t_end):
    if t_eval is None:
        return None
    times = np.array(t_eval, dtype=float)
    if times.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(times < min(t0, t_end)) or np.any(times > max(t0, t_end)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    d = np.diff(times)
    if (t_end > t0 and np.any(d <= 0)) or (t_end < t0 and np.any(d >= 0)):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return times


def _progress(t0, t_end, callback):
    """Writes how far it is, at most ten times a second."""
    import sys
    shown = [0.0]

    def report(t, y):
        now = time.monotonic()
        if now - shown[0] > 0.1 or t == t_end:
            shown[0] = now
            end = "\n" if t == t_end else ""
            sys.stderr.write(f"\rkeel: t = {t:<12.6g} {100 * (t - t0) / (t_end - t0):5.1f} %{end}")
            sys.stderr.flush()
        return callback(t, y) if callback is not None else False
    return report


def _run(solver, t0, y0, yp0, fixed, free, plan, on_error, eventful):
    y = solver._make(t0, y0)
    core = solver._core
    marks = None
    if fixed is not None or free is not None:
        marks = marks_of(core.info()["names"], fixed, free, len(y))
    failed = None
    try:
        core.start(t0, None if y0 is None else y, None if yp0 is None else _real(yp0, "yp0"), marks)
        remark = core.message
        if remark:
            warnings.warn(remark, KeelWarning, stacklevel=3)
    except Exception as error:
        if not core.entered or isinstance(error, (ProblemError, KeelWarning)):
            raise                                        # the arguments are wrong
        failed = {**core.no_run(error), "t_end": t0}
    result = _result(solver, Solution(failed or core.run(*plan)), eventful)
    error = result["error"]
    if error is not None and (on_error == "raise" or not isinstance(error, Exception)):
        error.keel_result = result                       # Ctrl-C is never returned
        raise error
    return result


def _result(solver, result, eventful):
    """What the extension knows of the run, and what only Python knows."""
    problem, code, message, error = solver.problem, result["code"], result["message"], result["error"]
    success = result["success"] = error is None and code in (0, 3)
    result["status"] = 1 if code == 3 and success else 0 if success else -1
    result["problem"] = problem
    if error is not None:
        known = isinstance(error, Error)                 # there is no consistent start
        result["code"] = error.status if known else -3
        result["message"] = str(error) if known else f"{type(error).__name__}: {error}"
    elif success and message and problem._is_model:      # min, max, assertions
        warnings.warn(message, KeelWarning, stacklevel=4)
    elif success and not message:
        result["message"] = _MESSAGES[code]
    if solver._krylov is not None:
        result["stats"]["krylov"] = solver._core.krylov()
    if eventful:
        dispatcher = solver._dispatcher
        result["t_events"] = dispatcher.times()
        result["y_events"] = dispatcher.states(len(result["names"]))
    if problem._is_model:
        _show_model(problem, solver._core, result)
    elif result["sol"] is not None:
        result["sol"] = Dense(result["sol"])
    if problem._form == 4 and "curvature" not in problem._callbacks:
        result["choice"] = _choice(result["choice"], problem, result["calls"], result["stats"])
    return result


def _show_model(model, core, result):
    """Variables of a model in place of the unknowns that are solved for."""
    levels = len(result["residual"])
    discrete, result["residuals"] = np.split(result["residuals"], [levels])[::-1]
    result["y"], result["y_end"] = result["y"][model._shown], model._at(core)
    result["names"], result["groups"] = model.names, ()
    if result["sol"] is not None:
        result["sol"] = ModelDense(result["sol"], model, result["t_steps"], discrete)


def _choice(choice, problem, calls, stats):
    """What was chosen and, for a mechanical problem, what missing derivatives cost.

    With all derivatives G is evaluated once per right-hand side and g some four times per
    projection.
    """
    given = problem._callbacks
    if "constraint" not in given:
        return choice
    which = "constraint_jacobian" if "constraint_jacobian" in given else "constraint"
    count = calls.get(which, 0)
    left = stats["rhs"] if which == "constraint_jacobian" else 4 * stats["projections"]
    if count <= 2 * max(left, stats["rhs"]):
        return choice
    missing = "`curvature`" if which == "constraint_jacobian" else \
        "`constraint_jacobian` and `curvature`"
    hint = (f"{count} calls of `{which}`, most of them for differences: {missing} would leave "
            f"some {left}")
    return f"{choice}\n{hint}" if choice else hint
