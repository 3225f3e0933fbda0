"""The solver object: a run step by step."""

import warnings

import numpy as np

from . import _core
from ._convert import called, rows_of
from ._errors import KeelWarning, ProblemError
from ._events import Dispatcher
from ._forms import Switching
from ._krylov import Krylov
from ._model import Model
from ._problems import Problem, _real

_OPTIONS = {row[0].replace("-", "_"): row for row in _core.options()}

# SciPy's names of methods
ALIASES = {"RK45": "dopri5", "RK23": "dopri5", "DOP853": "dop853", "Radau": "radau-iia-3",
           "BDF": "bdf", "LSODA": "auto"}


def check_options(options):
    """Unknown ones are refused, with the nearest name."""
    for name in options:
        if name not in _OPTIONS:
            import difflib
            near = difflib.get_close_matches(name, _OPTIONS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"there is no option '{name}'{hint}")
    return options


def _tolerance(value):
    """A number for all unknowns, or an array; 0 is allowed."""
    if value is None:
        return None, None
    if not isinstance(value, (int, float)) and np.ndim(value):
        each = np.asarray(value, dtype=float)
        return None, np.where(each == 0, np.finfo(float).tiny, each)
    value = float(value)
    return (-1e300 if value == 0 else value), None


def marks_of(names, fixed, free, size):
    """0 guess, 1 fixed, 2 free for each unknown; None: as the library has them."""
    if fixed is None and free is None:
        return None

    def numbers(given):
        if given is None:
            return []
        if isinstance(given, (str, int, np.integer)):
            given = [given]
        given = list(given)
        if len(given) == size and all(isinstance(x, (bool, np.bool_)) for x in given):
            return [i for i, x in enumerate(given) if x]
        return [_number(x, names, size) for x in given]

    marks = [0] * size
    for i in numbers(free):
        marks[i] = 2
    for i in numbers(fixed):
        marks[i] = 1
    return marks


def _number(which, names, size):
    if isinstance(which, str):
        if which not in names:
            raise ProblemError(f"there is no unknown '{which}'; there are {', '.join(names)}", -1)
        return names.index(which)
    if not -size <= which < size:
        raise ProblemError(f"there is no unknown {which}; there are {size}", -1)
    return int(which) % size


class Solver:
    """A problem, a method and a run under way.

    ``Solver(problem, *, method="auto", rtol=1e-6, atol=None, events=None, formulation=None,
    **options)``; then `start`, and `step`, `advance`, `advance_to` or iteration:

    >>> import keel
    >>> solver = keel.Solver(keel.ODE(lambda t, y: -y), rtol=1e-8)
    >>> solver.start(0, [1.0])
    >>> solver.advance_to(1)
    True
    >>> round(float(solver.y[0]), 6)
    0.367879

    `equation(t, y, yp)` has initial conditions beside those of the problem: it vanishes at the start.

    A solver is used by one thread at a time, and not by its own callbacks.  It cannot be pickled:
    `save` writes a checkpoint from which a run goes on bit for bit.
    """

    def __init__(self, problem, *, method="auto", rtol=1e-6, atol=None, events=None,
                 formulation=None, equation=None, **options):
        if not isinstance(problem, Problem):
            raise TypeError(f"a solver takes a problem (keel.ODE, keel.Mechanical, ...), not "
                            f"{type(problem).__name__}")
        self.problem = problem
        self._krylov = self._take_krylov(options) if "linear" in options else None
        self._options = check_options(options)
        self._method = None
        if isinstance(method, str):
            options["method"] = ALIASES.get(method, method)
        elif method is not None:
            self._method = getattr(method, "_method", None)
            if self._method is None:
                raise TypeError(f"method is a name or a keel.Method, not {type(method).__name__}")
        number, self._rtol = _tolerance(rtol)
        if number is not None:
            options["rtol"] = number
        number, self._atol = _tolerance(atol)
        if number is not None:
            options["atol"] = number
        self._dispatcher = None if events is None else Dispatcher(events)
        self._formulation, self._equation = _formulation(formulation), equation
        if equation is not None and formulation is not None:
            raise ProblemError("initial equations go with the problem itself, not with a "
                               "formulation", -1)
        self._core = None
        self._sizes = None

    def _take_krylov(self, options):
        """GMRES with functions of the user's own; a model has none."""
        linear = options["linear"]
        if isinstance(self.problem, Model):
            if isinstance(linear, Krylov):
                raise ProblemError("a model is solved with linear='krylov', without functions", -1)
            return None
        if linear == "krylov" or isinstance(linear, Krylov):
            del options["linear"]
            return Krylov() if linear == "krylov" else linear
        return None

    # ---- beginning ----

    def _make(self, t0, y0):
        problem = self.problem
        sizes, y = problem._resolve(t0, y0)
        if self._core is None or sizes != self._sizes:
            core = problem._core_problem(t0, y, sizes, self._conditions(t0, y))
            atol, events, others, model, krylov = self._atol, None, None, None, None
            if self._krylov is not None:
                krylov = self._krylov.restart, self._krylov.limit
            if self._dispatcher is not None:
                events = self._dispatcher.core(problem._form, problem.args, problem._dims(sizes))
                others = problem._others(t0, y)
            elif isinstance(problem, Switching):
                raise ProblemError("a Switching needs events, which choose the structure", -1)
            if problem._is_model:
                atol, model = self._of_nominal(), problem._model
                if events is not None:
                    raise ProblemError("the events of a model are those of its equations", -1)
            self._core = _core.Solver(core, self._options, self._rtol, atol, self._formulation,
                                      self._method, events, others, model, krylov)
            self._sizes = sizes
        return y

    def _of_nominal(self):
        """Absolute tolerances of a model count relative to `nominal` where none are given."""
        nominal = self.problem._model.nominal()
        if nominal is None or "atol" in self._options or self._atol is not None or \
                self._options.get("rtol", 0) <= 0:
            return self._atol
        return self._options["rtol"] * nominal

    def _conditions(self, t0, y):
        """Initial conditions beside those of the problem, and functions of GMRES."""
        more = {} if self._krylov is None else self._krylov._callbacks()
        if self._equation is None:
            return {"callbacks": more} if more else None
        rows = rows_of(called(self._equation, "equation", t0, y.copy(), np.zeros(len(y)),
                              *self.problem.args), "equation")
        return {"callbacks": {"equation": self._equation, **more}, "sizes": {"equations": rows}}

    def start(self, t, y0=None, yp0=None, *, fixed=None, free=None):
        """Begins at the consistent point nearest to y0; see `moved` for what had to move.

        `fixed` and `free` are names or numbers of unknowns: those that keep their values, and
        those that give way first.
        """
        t = float(t)
        y = self._make(t, y0)
        if self._dispatcher is not None:
            self._dispatcher.clear()
        marks = None
        if fixed is not None or free is not None:
            marks = marks_of(self.names, fixed, free, len(y))
        yp = None if yp0 is None else _real(yp0, "yp0")
        self._core.start(t, None if y0 is None else y, yp, marks)
        self._remark()

    def restart(self, y=None, *, fixed=None, free=None):
        """Goes on at the consistent point nearest to y, without the past."""
        core = self._started()
        marks = marks_of(self.names, fixed, free, core.state().size)
        core.restart(core.t, None if y is None else _real(y, "y"), None, marks)
        self._remark()

    def _remark(self):
        if self._core.message:
            warnings.warn(self._core.message, KeelWarning, stacklevel=3)

    def _started(self):
        if self._core is None:
            raise ProblemError("the solver has not been started: call start(t, y0)", -1)
        return self._core

    # ---- going on ----

    def step(self):
        """One accepted step; False: the stop time was reached before, or an event ended the run."""
        return self._started().step() == 0

    def advance(self, t):
        """Steps until t is inside the last one; see `interpolate`.  False: an event ended it."""
        return self._started().advance(t) == 0

    def advance_to(self, t):
        """Steps until t, which is hit exactly.  False: an event ended the run before."""
        core = self._started()
        return core.t == t or core.advance_to(t) == 0

    def set_stop_time(self, t):
        """A time never to be overstepped, neither by steps nor by callbacks."""
        self._started().set_stop_time(t)

    def clear_stop_time(self):
        """Steps may go beyond it again."""
        self._started().clear_stop_time()

    def __iter__(self):
        """(t, y) after each step, until the stop time or an event that ends the run."""
        core = self._started()
        while True:
            status = core.step()
            if status == 1:                              # the stop time was reached before
                return
            yield core.t, core.state()
            if status != 0:                              # an event ended the run
                return

    # ---- questions ----

    @property
    def t(self):
        """The time that was reached."""
        return self._started().t

    @property
    def t_previous(self):
        """Where the last step began."""
        return self._started().t_previous

    @property
    def factor_bytes(self):
        """Bytes that the sparse factors of the stages may take; 0 where there are none."""
        return self._started().factor_bytes

    @property
    def y(self):
        """The unknowns there, a copy."""
        return self._started().state()

    @property
    def names(self):
        """Of the unknowns."""
        return self._started().info()["names"]

    @property
    def var(self):
        """Values there by name: of the unknowns or, of a model, of its variables."""
        core, problem = self._started(), self.problem
        if isinstance(problem, Model):
            return dict(zip(problem.names, problem._at(core)))
        return dict(zip(core.info()["names"], core.state()))

    @property
    def info(self):
        """What the library knows of the problem, a dict.

        ``form``, ``index``, ``freedom``, ``constraints``, ``names``, ``groups``, ``levels`` (rows of
        each constraint level), ``variable_index`` (of each unknown), ``row_names`` (of each level).
        """
        core = self._started()
        index, rows = core.details()
        return {**core.info(), "variable_index": index, "row_names": rows}

    def interpolate(self, t, projected=False):
        """y at a time inside the last step, on the constraints with `projected`."""
        return self._started().interpolate(t, projected)

    def project(self, t, y):
        """y moved to the constraints at time t, all levels, multipliers recomputed."""
        return self._started().project(t, _real(y, "y"))

    def residuals(self):
        """Norms of the constraint levels at the current point."""
        return self._started().residuals()

    @property
    def stats(self):
        """Counters of the run, a dict."""
        return self._started().stats()

    @property
    def choice(self):
        """What the method `auto` chose, and why."""
        return self._started().choice

    @property
    def moved(self):
        """[(name, from, to)] of the values given to `start` that had to move."""
        return self._started().moved()

    @property
    def events(self):
        """The log: a dict for each event."""
        return self._started().event_log()

    @property
    def invariants(self):
        """Attached rows: name, at the start, now, deviation, largest deviation."""
        return self._started().invariants()

    @property
    def impasses(self):
        """Impasse points that the run has met: t, y, kind, alpha, action, y after a jump."""
        return self._started().impasses()

    @property
    def state_before(self):
        """The values just before the event that ended the last step; None: there was none."""
        return self._started().state_before()

    @property
    def impulses(self):
        """Of the constraints at the last event of a mechanical problem, or None."""
        return self._started().impulses()

    @property
    def parameters(self):
        """Of the frame; assign and call `restart` to go on with others."""
        frame = self._started().frame()
        return None if frame is None else np.array(frame[0])

    @parameters.setter
    def parameters(self, values):
        self._started().set_frame(list(values), None, None)

    # ---- checkpoints ----

    def save(self, path, note=None):
        """A checkpoint: the run in a file, and with it a note (bytes) of one's own."""
        self._started().save(path, note)

    @property
    def note(self):
        """The note of the checkpoint that was loaded; None: there is none."""
        return self._started().note()

    def load(self, path, t, y0):
        """Goes on from a checkpoint of a solver of the same problem and options.

        t and y0 are those of the start, from which sizes follow.
        """
        self._make(float(t), y0)
        self._core.load(path)

    def __reduce__(self):
        raise TypeError("a solver is a run under way and cannot be pickled: save(path) writes a "
                        "checkpoint, and solve_dae returns what can be pickled")


def _formulation(given):
    if given is None:
        return None
    if isinstance(given, str):
        given = {"name": given}
    given = dict(given)
    C = given.get("C")
    return (given["name"], float(given.get("alpha", 0)), float(given.get("beta", 0)),
            None if C is None else np.ascontiguousarray(C, dtype=float).ravel())
