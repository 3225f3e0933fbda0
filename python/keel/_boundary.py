"""Boundary value problems."""

import numpy as np

from . import _core
from ._errors import Error, ProblemError
from ._problems import Problem, refuse_model
from ._solution import Dense, Solution

_POINTS, _INDEX2 = ("gauss", "radau-iia", "given"), ("hidden", "projected", "plain")


class Boundary:
    """A problem with conditions at both ends, 0 = b(y(a), y(b), p).

    Parameters
    ----------
    problem : Problem with sizes (``size=``, or those of its groups)
    t_span : (a, b)
    condition : function of (ya, yb) or, with unknown parameters, (ya, yb, p); all unknowns at
        both ends.  There are as many rows as the problem leaves free: differential unknowns less
        the rows of all constraint levels, plus unknown parameters.
    guess : array of y, function of t (with unknown parameters of the form (y, p)), or a solution
    unknown : names or numbers of the parameters (of the problem's ``parameters``) that are sought
    condition_jacobian : (b_a, b_b, b_p), of the same arguments as `condition`
    inner, inner_condition : times inside, and a function (i, t, y, p) for each of them
    breaks : times where the right-hand side is not smooth; `break_unknown` has, for each of them, the
        number of the unknown parameter that says where it is, or -1
    condition_names : sequence of str
    rtol, atol : of the estimated error, everywhere; atol is rtol if not given
    options : ``stages`` (1 to 8), ``points`` ("gauss", "radau-iia"), ``mesh`` (intervals to begin
        with), ``uniform``, ``most`` (intervals), ``index2`` ("hidden", "projected", "plain"),
        ``no_projection``, ``right``, ``unenriched``, ``dense``, ``nodes`` (points of the stages), ``easy``
        (name and value of a parameter from which it is followed if nothing else helps), ``memory``,
        ``unchecked``; docs/boundary.md says what they do

    Then `solve`, any number of times, each beginning with the last solution.

    >>> import keel, numpy as np                        # y'' = -k^2 y, y(0) = 0, y(1) = 1
    >>> p = keel.ODE(lambda t, y, k: [y[1], -k[0]**2 * y[0]], size=2, parameters={"k": 1.0})
    >>> b = keel.Boundary(p, (0, 1), lambda ya, yb: [ya[0], yb[0] - 1], rtol=1e-8)
    >>> [bool(abs(b.solve(k=k).sol(0.5)[0] - np.sin(k / 2) / np.sin(k)) < 1e-7) for k in (1, 2)]
    [True, True]
    """

    def __init__(self, problem, t_span, condition, *, guess=None, unknown=(), rows=None,
                 condition_jacobian=None, inner=None, inner_condition=None, breaks=None,
                 break_unknown=None, condition_names=None, rtol=1e-6, atol=None, **options):
        if not isinstance(problem, Problem):
            raise TypeError(f"a boundary value problem takes a problem (keel.ODE, ...), not "
                            f"{type(problem).__name__}")
        refuse_model(problem, "a boundary value problem")
        self.problem, (self.a, self.b) = problem, (float(t) for t in t_span)
        self._unknown = self._numbers(unknown) + self._followed
        sizes, y = self._resolve(guess)
        self.size, self._y = len(y), y
        if rows is None:
            rows = len(condition_names) if condition_names is not None else self._rows(condition, y)
        callbacks = {"condition": self._without_p(condition, 2),
                     "condition_jacobian": self._jacobian(condition_jacobian, rows)}
        if inner_condition is not None:
            callbacks["inner_condition"] = inner_condition
        self._recording, callbacks["guess"] = self._guess(guess)
        core = problem._core_problem(
            self.a, y, sizes, {"callbacks": callbacks,
                               "sizes": {"conditions": int(rows), "free": len(self._unknown)}})
        sought = [k for k in self._unknown if k not in self._followed]
        if break_unknown is not None:
            options["break_parameter"] = [int(k) for k in break_unknown]
        self._core = _core.Boundary(
            core, self.a, self.b, self._options(rtol, atol, options), sought or None,
            None if inner is None else np.atleast_1d(np.asarray(inner, float)),
            None if breaks is None else np.atleast_1d(np.asarray(breaks, float)),
            None if condition_names is None else tuple(str(x) for x in condition_names), self._how,
            self._measured)

    # ---- what was given ----

    _followed, _how, _measured = (), None, None          # of a branch, of a fit

    def _numbers(self, unknown):
        unknown = [unknown] if isinstance(unknown, (str, int)) else list(unknown)
        names, values = self.problem._frame[0]
        known = {name: k for k, name in enumerate(names or ())}
        for which in unknown:
            if which not in known and not (isinstance(which, (int, np.integer))
                                           and 0 <= which < len(values or ())):
                raise ProblemError(f"there is no parameter {which!r}; the problem has "
                                   f"{', '.join(map(str, self.problem.parameters)) or 'none'}", -1)
        return tuple(known.get(which, which) for which in unknown)

    def _start(self):
        values = self.problem._frame[0][1] or []
        return np.array([values[k] for k in self._unknown])

    def _resolve(self, guess):
        if isinstance(guess, (Dense, Solution)):
            guess = (guess.sol if isinstance(guess, Solution) else guess)(self.a)
        elif callable(guess):
            guess = guess(self.a)
            if self._unknown and isinstance(guess, tuple):
                guess = guess[0]
        elif guess is None:
            given = self.problem._given_sizes
            if None in given:
                raise ProblemError("without a guess the sizes of the problem are needed", -1)
            guess = np.zeros(sum(given[which] for which in self.problem._groups))
        return self.problem._resolve(self.a, np.array(guess, float)
                                     if not isinstance(guess, tuple) else guess)

    def _rows(self, condition, y):
        arguments = [y.copy(), y.copy()] + ([self._start()] if self._unknown else [])
        return int(np.size(condition(*arguments, *self.problem.args)))

    def _without_p(self, fun, at):
        """The library hands p to all; functions of problems without unknown ones do not get it."""
        if fun is None or self._unknown:
            return fun
        return lambda *arguments: fun(*arguments[:at], *arguments[at + 1:])

    def _jacobian(self, fun, rows):
        if fun is None or self._unknown:
            return fun
        empty = np.zeros((rows, 0))
        return lambda ya, yb, p, *args: (*fun(ya, yb, *args), empty)

    def _guess(self, guess):
        """A recording, and the callback of the library."""
        if isinstance(guess, Solution):
            guess = guess.sol
        if isinstance(guess, Dense):
            return guess._recording, None
        start = self._start()
        if callable(guess):
            if self._unknown:
                def both(t, *args):
                    found = guess(t)
                    return found if isinstance(found, tuple) else (found, start)
                return None, both
            return None, lambda t, *args: (guess(t), start)
        y = self._y
        return None, lambda t, *args: (y, start)

    @staticmethod
    def _options(rtol, atol, options):
        known = {"stages", "points", "mesh", "uniform", "most", "index2", "no_projection", "right",
                 "unenriched", "dense", "nodes", "easy", "memory", "unchecked"}
        for name in options:
            if name not in known and name != "break_parameter":
                raise TypeError(f"there is no option '{name}'; there are "
                                f"{', '.join(sorted(known))}")
        found = dict(options)
        atol = rtol if atol is None else atol
        if "easy" in found:
            found["easy_name"], found["easy_value"] = found.pop("easy")
        if found.get("nodes") is not None:
            found["nodes"] = np.asarray(found["nodes"], float)
            found.update(points="given", stages=len(found["nodes"]))
        if "points" in found:
            found["points"] = _POINTS.index(found["points"])
        if "index2" in found:
            found["index2"] = _INDEX2.index(found["index2"])
        for name, value in (("rtol", rtol), ("atol", atol)):
            if value is not None:
                found[name + "_each" if np.ndim(value) else name] = \
                    np.asarray(value, float) if np.ndim(value) else float(value)
        return found

    # ---- solving ----

    def solve(self, **parameters):
        """From the guess, or the last solution; parameters by name get other values before."""
        if parameters:
            known = dict(self.problem.parameters)
            for name, value in parameters.items():
                if name not in known:
                    raise ProblemError(f"there is no parameter '{name}'", -1)
                known[name] = float(value)
            self._core.set_frame(list(known.values()))
        recording, self._recording = self._recording, None
        self._core.solve(recording)
        return self._result()

    def change(self, t_span=None, rtol=None, atol=None):
        """Before it is solved again: another interval, over which the solution that is there is stretched
        as a guess, or other tolerances."""
        nan = float("nan")
        if t_span is not None:
            self.a, self.b = (float(t) for t in t_span)
        self._core.change(*((nan, nan) if t_span is None else (self.a, self.b)),
                          nan if rtol is None else float(rtol),
                          float(rtol or 0) if atol is None else float(atol))

    def save(self, path):
        """The solution (of a `Branch`: all points) into a file."""
        self._core.save(path)

    def load(self, path):
        """What was saved is the solution, and the guess of the next `solve`; a branch goes on from it."""
        self._core.load(path)
        self._recording = None

    def diagnose(self):
        """Along the solution: conditioning and modes that grow or decay; a dict (docs/boundary.md)."""
        return self._core.diagnose()

    def multipliers(self):
        """Floquet multipliers of a periodic solution, the largest first; a complex array."""
        re, im = self._core.multipliers()
        return re + 1j * im

    def _result(self):
        sol = Dense(self._core.solution())
        p = self._core.parameters() if self._unknown else np.zeros(0)
        stats, names = self._core.stats(), self._core.names()
        t = sol.ts
        return Solution(t=t, y=sol(t), sol=sol, p=p, success=True, status=0,
                        message=self._core.message or "The boundary value problem was solved.",
                        stats=stats, names=names, groups=(), problem=self.problem, error=None,
                        niter=stats["newton"], mesh=stats["mesh"], residual=stats["residual"],
                        t_events=None, t_end=self.b, y_end=sol(self.b), code=0, t_steps=t,
                        residuals=np.zeros((0, len(t))))


class Branch(Boundary):
    """Solutions of a boundary value problem as one of its parameters changes, through folds.

    ``Branch(problem, t_span, condition, parameter="l", ...)``: as `Boundary`, but conditions are
    functions of (ya, yb, p) where p has the unknown parameters and, last, the one that is followed.
    With ``arclength=True`` (the default) folds, where the parameter turns, are passed and located.
    `step`, `step_least`, `step_most` and `points` (most of one `follow`) are those of
    docs/boundary-branches.md; 0: the default.

    >>> import keel, numpy as np
    >>> bratu = keel.ODE(lambda t, y, l: [y[1], -l[0] * np.exp(y[0])], size=2,
    ...                  parameters={"l": 1.0})
    >>> branch = keel.Branch(bratu, (0, 1), lambda ya, yb, p: [ya[0], yb[0]], parameter="l")
    >>> table = branch.follow(1.0, 1.5)
    >>> branch.solution().sol(0.5)[0].round(4)
    0.2265
    """

    def __init__(self, problem, t_span, condition, *, parameter, arclength=True, step=0.0,
                 step_least=0.0, step_most=0.0, points=0, **more):
        if not isinstance(problem, Problem):
            raise TypeError("a branch takes a problem with parameters")
        self.problem = problem
        self._followed = self._numbers(parameter)
        self._how = (self._followed[0], bool(arclength), float(step), float(step_least),
                     float(step_most), int(points))
        super().__init__(problem, t_span, condition, **more)
        self._count = 0

    def follow(self, *values):
        """From the first value (unless it has begun) to each of the others; the `Table` of the new
        points: parameter, arc, fold, branch_point, mesh, p, start, end, largest."""
        from ._study import Table
        self.message = ""
        for value in values:
            self.message = self._core.follow(float(value), self._count == 0 and value is values[0])
        rows = self._core.points(self._count)
        self._count += len(rows)
        return Table(rows, ["parameter", "arc", "fold", "branch_point", "mesh"], "plot_branch")

    def load(self, path):
        """Goes on with a branch of the same problem that was saved; it must not have begun."""
        self._count = self._core.load(path)
        self._recording = None

    def solution(self):
        """The solution at the last point."""
        return self._result()


class Fit(Boundary):
    """Parameters from measurements of the solution of a boundary value problem: least squares.

    ``Fit(problem, t_span, condition, measurements, parameters, ...)``: as `Boundary`; `measurements` is
    a dict {unknown: (times, values)} or {unknown: (times, values, weights)}, unknowns by name or number
    and weights the deviations of single measurements beside others; `parameters` names those of the
    problem that are looked for, the last in p of conditions and guesses.  Then `run`.

    >>> import keel, numpy as np
    >>> decay = keel.ODE(lambda t, y, p: [-p[0] * y[0]], size=1, parameters={"rate": 1.0}, names=["c"])
    >>> t = np.linspace(0, 2, 9)
    >>> fit = keel.Fit(decay, (0, 2), lambda ya, yb, p: [ya[0] - 1], {"c": (t, np.exp(-0.7 * t))}, "rate")
    >>> found = fit.run()
    >>> round(found.parameters["rate"], 4), bool(found.half_width[0] < 1e-4)
    (0.7, True)
    """

    def __init__(self, problem, t_span, condition, measurements, parameters, *, confidence=0.95,
                 most=0, **more):
        if not isinstance(problem, Problem):
            raise TypeError("a fit takes a problem with parameters")
        self.problem = problem
        self._followed = self._numbers(parameters)
        if not self._followed:
            raise ProblemError("a fit looks for at least one parameter", -1)
        self._measured = (self._followed, *self._rows_of(measurements), float(confidence), int(most))
        super().__init__(problem, t_span, condition, **more)

    def _rows_of(self, measurements):
        t, unknown, value, weight = [], [], [], []
        for name, given in measurements.items():
            if isinstance(name, str) and name not in (self.problem.names or ()):
                raise ProblemError(f"there is no unknown '{name}'; there are "
                                   f"{', '.join(self.problem.names or ()) or 'no names'}", -1)
            number = self.problem.names.index(name) if isinstance(name, str) else int(name)
            times, values, *weights = (np.atleast_1d(np.asarray(x, float)) for x in given)
            if times.shape != values.shape or times.ndim != 1:
                raise ValueError(f"measurements of {name}: {times.shape} times, {values.shape} values")
            t.append(times)
            value.append(values)
            unknown += [number] * len(times)
            weight.append(np.broadcast_to(weights[0] if weights else 1.0, times.shape))
        return np.concatenate(t), unknown, np.concatenate(value), np.concatenate(weight)

    def run(self, start=None):
        """From these values of the parameters, or those of the problem.

        A `Solution` with ``parameters`` (dict), ``value``, ``deviation`` (standard errors),
        ``half_width`` (of the intervals of confidence), ``covariance``, ``predicted``, ``sensitivity``,
        ``noise`` (deviation of a measurement of weight 1) and ``freedom``.
        """
        found = self._core.run_fit(None if start is None else np.atleast_1d(np.asarray(start, float)))
        names = list(self.problem.parameters)
        result = self._result()
        result.update(found, parameters={names[k]: float(x) for k, x in zip(self._followed, found["value"])})
        return result

    def solve(self, **parameters):
        raise TypeError("a fit is run: run()")


def solve_bvp(problem, t_span, condition, guess=None, **options):
    """Solves a boundary value problem of differential-algebraic equations; see `Boundary`.

    The result has ``sol(t)``, ``t`` (mesh), ``y``, ``p`` (unknown parameters) and ``stats`` with
    estimated errors and condition numbers.  What cannot be solved is raised.

    >>> import keel, numpy as np
    >>> p = keel.ODE(lambda t, y: [y[1], -y[0]], size=2)          # y'' = -y, y(0) = 0, y(1) = 1
    >>> s = keel.solve_bvp(p, (0, 1), lambda ya, yb: [ya[0], yb[0] - 1])
    >>> bool(abs(s.sol(0.5)[0] - np.sin(0.5) / np.sin(1)) < 1e-6)
    True
    """
    return Boundary(problem, t_span, condition, guess=guess, **options).solve()
