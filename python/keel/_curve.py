"""Solutions as curves, beyond impasse points."""

import numpy as np

from . import _core
from ._errors import ProblemError
from ._problems import Problem, refuse_model
from ._solver import check_options


class Curve:
    """The solution of a semi-explicit or quasilinear problem of index 1 as a curve (y(s), t(s)).

    At a simple impasse point a run ends, but the curve goes on smoothly and time turns round.
    ``Curve(problem, rtol=, atol=, max_step=)``, then `start`, and iteration over (s, t, y):

    >>> import keel
    >>> p = keel.SemiExplicit(lambda t, y, z: [1.0], lambda t, y, z: z[0]**2 + y[0])
    >>> curve = keel.Curve(p, rtol=1e-8)
    >>> curve.start(0, ([-1.0], [1.0]), span=(0, 2))              # z = sqrt(1 - t)
    >>> points = list(curve)                                      # ... and back, z = -sqrt(1 - t)
    >>> round(curve.impasses[0]["t"], 6), curve.impasses[0]["kind"]
    (1.0, 'accessible')
    >>> bool(points[-1][1] == 0 and abs(points[-1][2][1] + 1) < 1e-6)
    True
    """

    def __init__(self, problem, *, rtol=1e-6, atol=None, **options):
        if not isinstance(problem, Problem):
            raise TypeError("a curve is of a problem")
        refuse_model(problem, "a curve")
        self.problem, self._core = problem, None
        self._options = check_options(options)
        options["rtol"] = float(rtol)
        if atol is not None:
            options["atol"] = float(atol)

    def start(self, t, y0, *, direction=1, span=None, length=np.inf):
        """At y0, moved to the algebraic equations, with time forwards or backwards at first.

        The curve ends where t leaves `span` or after that `length`.
        """
        sizes, y = self.problem._resolve(float(t), y0)
        self._core = _core.Curve(self.problem._core_problem(float(t), y, sizes), self._options)
        self._core.start(float(t), y, float(direction))
        low, high = (-np.inf, np.inf) if span is None else sorted(float(x) for x in span)
        if span is not None or length != np.inf:
            self._core.bounds(low, high, float(length))

    def _started(self):
        if self._core is None:
            raise ProblemError("the curve has not been started: call start(t, y0)", -1)
        return self._core

    def __iter__(self):
        """(s, t, y) after each step."""
        core = self._started()
        while core.step() == 0:
            s, t, _, y = core.point()
            yield s, t, y

    @property
    def rate(self):
        """dt/ds: negative where time runs backwards."""
        return self._started().point()[2]

    @property
    def impasses(self):
        """Impasse points that were met: t, y, kind, alpha, length."""
        return self._started().impasses()
