"""Results: what SciPy's have, and what only Keel knows."""

import numpy as np

from . import _core
from ._errors import make_error


class Dense:
    """The solution at any time: ``sol(t)`` for a number or an array, of shape (n,) or (n, points).

    Outside the interval it extrapolates.  At events it is the value before; ``after(t)`` is the one
    behind it.  ``projected(t)`` moves the points onto the constraints, to rounding.
    """

    def __init__(self, recording):
        self._recording = recording

    @property
    def ts(self):
        """Times of the accepted steps."""
        return self._recording.times()

    t_min = property(lambda self: float(np.min(self.ts)))
    t_max = property(lambda self: float(np.max(self.ts)))

    def _at(self, t, how):
        times = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise ValueError("`t` must be a number or a 1-dimensional array")
        rows = self._recording.at(np.atleast_1d(times), how)
        return rows[0] if times.ndim == 0 else np.ascontiguousarray(rows.T)

    def __call__(self, t):
        return self._at(t, 0)

    def after(self, t):
        """As a call, but the values behind events."""
        return self._at(t, 1)

    def projected(self, t):
        """On the constraints of then, all levels to rounding."""
        return self._at(t, 2)

    def __reduce__(self):
        start = self.ts[0]
        return _restore, (float(start), self(start), self._recording.pieces())

    def __repr__(self):
        ts = self.ts
        return f"<keel solution from t = {ts[0]:g} to {ts[-1]:g}, {len(ts) - 1} steps>"


def _restore(t, y, pieces):
    return Dense(_core.Recording(t, y, pieces))


class _Names:
    """Rows of y by the names of unknowns, or of groups."""

    def __init__(self, rows, y):
        self._rows, self._y = rows, y

    def __getitem__(self, name):
        try:
            return self._y[self._rows[name]]
        except KeyError:
            raise KeyError(f"there is no '{name}'; there are {', '.join(self._rows)}") from None

    def __iter__(self):
        return iter(self._rows)

    def __len__(self):
        return len(self._rows)

    def keys(self):
        return self._rows.keys()

    def __repr__(self):
        return f"<by name: {', '.join(self._rows)}>"


class Solution(dict):
    """A dict whose entries are attributes too, as SciPy's results.

    As in SciPy: ``t, y, sol, t_events, y_events, nfev, njev, nlu, status, message, success``.
    Of Keel: ``residual`` (largest of each constraint level over all steps), ``residuals`` (levels x
    steps, at the times ``t_steps``), ``stats``, ``choice``
    (what `auto` chose and what missing derivatives cost), ``problem``, ``error`` (exception that
    ended the run, or None), ``t_end``, ``y_end``, ``events`` (log), ``names``, ``var["theta"]``
    and ``group["q"]`` (rows of y by name), ``code`` (status of the library), ``moved`` (values
    given at the start that had to move), ``calls`` (of each Python callback).
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self))

    def __repr__(self):
        width = max(map(len, self))
        lines = []
        with np.printoptions(threshold=10, linewidth=90):
            for name, value in self.items():
                text = repr(value).replace("\n", "\n" + " " * (width + 2))
                lines.append(f"{name.rjust(width)}: {text}")
        return "\n".join(lines)

    @property
    def var(self):
        """Rows of y by the name of the unknown."""
        return _Names({name: k for k, name in enumerate(self["names"])}, self["y"])

    @property
    def group(self):
        """Rows of y by the name of a group of unknowns: q, v, lambda."""
        rows, first = {}, 0
        for name, size in self["groups"]:
            rows[name] = slice(first, first + size)
            first += size
        return _Names(rows, self["y"])

    def check(self):
        """The solution itself, or the exception of the failure that ended it."""
        if self["success"]:
            return self
        if self["error"] is not None:
            raise self["error"]
        error = make_error(self["code"], self["message"], self["t_end"])
        if hasattr(error, "result"):
            error.result = self
        raise error

    def to_dataframe(self):
        """A pandas DataFrame with the time as index and a column for each unknown."""
        from pandas import DataFrame, Index
        return DataFrame(self["y"].T, index=Index(self["t"], name="t"), columns=list(self["names"]))

    def plot(self, variables=None, figure=None):
        """Trajectories over residuals of the constraints, as `keel run --plot` draws them."""
        from ._plot import plot_solution
        return plot_solution(self, variables, figure)

    def __reduce__(self):
        state = dict(self)
        import pickle
        try:
            pickle.dumps(state.get("problem"))
        except Exception:
            state["problem"] = None                  # callbacks that do not pickle
        return _solution, (state,)


def _solution(state):
    return Solution(state)
