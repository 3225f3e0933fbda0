"""Boundary value problems."""

import numpy as np

from . import _core
from ._errors import Error, ProblemError
from ._problems import Problem
from ._solution import Dense, Solution

_POINTS, _INDEX2 = ("gauss", "radau-iia"), ("hidden", "projected", "plain")


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
    breaks : times where the right-hand side is not smooth
    condition_names : sequence of str
    rtol, atol : of the estimated error, everywhere; atol is rtol if not given
    options : ``stages`` (1 to 8), ``points`` ("gauss", "radau-iia"), ``mesh`` (intervals to begin
        with), ``uniform``, ``most`` (intervals), ``index2`` ("hidden", "projected", "plain"),
        ``no_projection``, ``right``; docs/boundary.md says what they do

    Then `solve`, any number of times, each beginning with the last solution.
    """

    def __init__(self, problem, t_span, condition, *, guess=None, unknown=(), rows=None,
                 condition_jacobian=None, inner=None, inner_condition=None, breaks=None,
                 condition_names=None, rtol=1e-6, atol=None, **options):
        if not isinstance(problem, Problem):
            raise TypeError(f"a boundary value problem takes a problem (keel.ODE, ...), not "
                            f"{type(problem).__name__}")
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
        self._core = _core.Boundary(
            core, self.a, self.b, self._options(rtol, atol, options), sought or None,
            None if inner is None else np.atleast_1d(np.asarray(inner, float)),
            None if breaks is None else np.atleast_1d(np.asarray(breaks, float)),
            None if condition_names is None else tuple(str(x) for x in condition_names), self._how)

    # ---- what was given ----

    _followed, _how = (), None           # of a branch

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
        known = {"stages", "points", "mesh", "uniform", "most", "index2", "no_projection", "right"}
        for name in options:
            if name not in known:
                raise TypeError(f"there is no option '{name}'; there are "
                                f"{', '.join(sorted(known))}")
        found = dict(options)
        atol = rtol if atol is None else atol
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

    def _result(self):
        sol = Dense(self._core.solution())
        p = self._core.parameters() if self._unknown else np.zeros(0)
        stats, names = self._core.stats(), self._core.names()
        t = sol.ts
        return Solution(t=t, y=sol(t), sol=sol, p=p, success=True, status=0,
                        message=self._core.message or "The boundary value problem was solved.",
                        stats=stats, names=names, groups=(), problem=self.problem, error=None,
                        niter=stats["newton"], mesh=stats["mesh"], residual=stats["residual"],
                        t_events=None, t_end=self.b, y_end=sol(self.b), code=0)


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
        points: parameter, arc, fold, mesh, p, start, end, largest."""
        from ._study import Table
        self.message = ""
        for value in values:
            self.message = self._core.follow(float(value), self._count == 0 and value is values[0])
        rows = self._core.points(self._count)
        self._count += len(rows)
        return Table(rows, ["parameter", "arc", "fold", "mesh"], "plot_branch")

    def solution(self):
        """The solution at the last point."""
        return self._result()


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
