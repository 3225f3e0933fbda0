"""solve_ivp: SciPy's interface.

Everything is `solve_dae`; here is what SciPy's users are used to beyond it: names and classes of
methods, complex unknowns, its defaults, messages, warnings and shapes.
"""

import warnings

import numpy as np

from . import _compiled
from ._events import Event, TimeEvent, as_event
from ._forms import ODE
from ._problems import _is_matrix
from ._solution import Solution
from ._solve import _times, columnwise, solve_dae
from ._solver import ALIASES

_END = "The solver successfully reached the end of the integration interval."
_EVENT = "A termination event occurred."
_LEAST = 100 * np.finfo(float).eps                       # rtol, as in SciPy
# What is asked for, of the user's tolerances.  The errors of SciPy's Radau fall faster than rtol: on six
# problems they are 2 to 8 times smaller than those of `radau-iia-3` with 1e-5, 14 to 45 times with 1e-7.
# Those of `bdf` are mostly smaller than SciPy's with all of the tolerance, but not where a component
# passes 0 and is measured relative to itself.  The explicit methods need nothing of the kind.
_SHARE = {"Radau": 0.25, "BDF": 0.25}


def solve_ivp(fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None,
              vectorized=False, args=None, **options):
    """`scipy.integrate.solve_ivp`, solved by Keel: the same arguments, defaults and names.

    RK45 and RK23 are `dopri5`, DOP853 `dop853`, Radau `radau-iia-3`, BDF `bdf`, and LSODA `auto`;
    names of Keel's own methods are accepted as well.  Radau and BDF work with a quarter of the
    tolerances given, so that errors are nearer to those of SciPy's; with all of them where
    ``first_step`` is given, which might be refused otherwise.  Options: ``first_step, max_step, rtol, atol,
    jac, jac_sparsity, lband, uband, min_step`` and those of `solve_dae`.

    >>> import keel
    >>> s = keel.solve_ivp(lambda t, y: -0.5 * y, [0, 10], [2, 4, 8])
    >>> s.status, s.y.shape[0]
    (0, 3)
    >>> keel.solve_ivp(lambda t, y: 1j * y, [0, 1], [1 + 0j], rtol=1e-8).y[0, -1].round(4)
    (0.5403+0.8415j)
    """
    y = np.asarray(y0)
    if args is not None:
        try:
            args = tuple(args)
        except TypeError:
            raise TypeError(f"Supplied 'args' cannot be unpacked. Please supply `args` as a tuple "
                            f"(e.g. `args=({args},)`)") from None
    if y.size == 0:
        return _nothing(t_span, t_eval, dense_output, events)
    rtol, atol = options.pop("rtol", 1e-3), options.pop("atol", 1e-6)
    jac, sparsity = options.pop("jac", None), options.pop("jac_sparsity", None)
    lower, upper = options.pop("lband", None), options.pop("uband", None)
    options.pop("min_step", None)
    band = None if lower is None and upper is None else (lower or 0, upper or 0)
    if vectorized:
        fun = columnwise(fun)
    whole = None
    if y.dtype.kind == "c":
        whole = Complex(y)
        fun, jac, sparsity, events = whole.real_parts(fun, jac, sparsity, band, events)
        y = whole.pack(y)
        rtol, atol = whole.twice(rtol), whole.twice(atol)
    first = options.get("first_step")
    if first is not None and first > abs(float(t_span[1]) - float(t_span[0])):
        raise ValueError("`first_step` exceeds bounds.")
    problem = ODE(fun, jac, args=args or (), jac_sparsity=sparsity, band=None if whole else band)
    method = _method(method)
    rtol, atol = _tolerances(rtol, atol, _share(method, first))
    s = solve_dae(problem, t_span, y, method=method, t_eval=t_eval, dense_output=dense_output,
                  events=events, rtol=rtol, atol=atol, **options)
    if s.t_events is not None:
        _round_times(s, events, args or ())
    return _as_scipy(s if whole is None else whole.put_together(s), jac)


def _as_scipy(s, jac):
    """Messages, counts and shapes."""
    if s.success:
        s.message = _EVENT if s.status == 1 else _END
    if _is_matrix(jac):
        s.njev = 0                                       # there was nothing to evaluate
    if s.y_events is not None:
        s.y_events = [y if len(y) else np.array([]) for y in s.y_events]
    return s


def _method(given):
    """A name, a keel.Method, or one of SciPy's classes of solvers."""
    if isinstance(given, type) and given.__name__ in ALIASES:
        return given.__name__
    if not isinstance(given, str) and not hasattr(given, "_method"):
        raise ValueError("`method` must be a name, one of SciPy's solver classes or a keel.Method")
    return given


def _share(method, first_step):
    return _SHARE.get(method, 1.0) if isinstance(method, str) and first_step is None else 1.0


def _tolerances(rtol, atol, share):
    """Those that the library gets."""
    if np.any(np.asarray(rtol) < _LEAST):
        warnings.warn(f"At least one element of `rtol` is too small. Setting `rtol = "
                      f"np.maximum(rtol, {_LEAST})`.", stacklevel=3)
    elif share == 1:
        return rtol, atol
    if np.ndim(rtol):
        rtol = np.maximum(share * np.asarray(rtol), _LEAST)
    else:
        rtol = max(share * rtol, _LEAST)
    return rtol, share * (np.asarray(atol) if np.ndim(atol) else atol)


def _round_times(s, events, args):
    """Times at which an event is exactly 0, where they are doubles (t - 7: 7).

    The library stops where the sign has changed beyond doubt, some units in the last place later.
    """
    single = callable(events) or isinstance(events, (Event, TimeEvent))
    for event, times, states in zip([events] if single else events, s.t_events, s.y_events):
        event = as_event(event)
        if isinstance(event, TimeEvent) or _compiled.is_compiled(event.fun):
            continue
        for k, (t, y) in enumerate(zip(times, states)):
            root = _exact_root(event.fun, float(t), y, args)
            if root != t:
                s.t[s.t == t] = root
                s.t_end = root if s.t_end == t else s.t_end
                times[k] = root


def _exact_root(fun, t, y, args):
    """The root of fun(., y) if it is a few units away from t, and a double; else t."""
    def at(t):
        return np.asarray(fun(t, y, *args)).item()
    few, value = 32 * np.spacing(abs(t)), at(t)
    change = at(t + few) - value
    if value == 0 or change == 0:
        return t
    root = t - few * value / change
    return root if abs(root - t) <= few and at(root) == 0 else t


class Complex:
    """Complex unknowns z as real ones, (Re z, Im z)."""

    def __init__(self, z):
        if z.ndim != 1:
            raise ValueError("`y0` must be 1-dimensional.")
        self.n = len(z)

    def pack(self, z):
        z = np.ravel(np.asarray(z, dtype=complex))
        return np.concatenate([z.real, z.imag])

    def unpack(self, y):
        return y[:self.n] + 1j * y[self.n:]

    @staticmethod
    def twice(tolerance):
        return np.concatenate([tolerance, tolerance]) if np.ndim(tolerance) else tolerance

    def _blocks(self, J):
        """d(Re f, Im f)/d(Re z, Im z) of a derivative f'(z)."""
        if hasattr(J, "tocsc"):
            from scipy.sparse import bmat
            return bmat([[J.real, -J.imag], [J.imag, J.real]], format="csc")
        J = np.asarray(J)
        return np.block([[J.real, -J.imag], [J.imag, J.real]])

    def real_parts(self, fun, jac, sparsity, band, events):
        """Function, Jacobian, pattern and events of the real unknowns."""
        def rate(t, y, *args):
            return self.pack(fun(t, self.unpack(y), *args))
        if band is not None:
            raise ValueError("`lband` and `uband` do not go with complex unknowns: give jac_sparsity")
        blocks = jac
        if jac is not None:
            blocks = self._blocks(jac) if _is_matrix(jac) else \
                lambda t, y, *args: self._blocks(jac(t, self.unpack(y), *args))
        if sparsity is not None:
            from scipy.sparse import csc_matrix, kron
            sparsity = kron(np.ones((2, 2)), csc_matrix(sparsity), format="csc")
        if events is not None:
            single = callable(events) or isinstance(events, (Event, TimeEvent))
            events = [self._event(as_event(e)) for e in ([events] if single else events)]
        return rate, blocks, sparsity, events

    def _event(self, event):
        if isinstance(event, TimeEvent):
            return event
        if event.action is not None:
            raise ValueError("actions of events need real unknowns")
        return Event(lambda t, y, *args: event.fun(t, self.unpack(y), *args), terminal=event.terminal,
                     direction=event.direction, name=event.name)

    def put_together(self, s):
        s.y, s.y_end = self.unpack(s.y), self.unpack(s.y_end)
        if s.y_events is not None:
            s.y_events = [self.unpack(y.T).T if len(y) else y for y in s.y_events]
        if s.sol is not None:
            s.sol = _ComplexDense(self, s.sol)
        s.names, s.groups = s.names[:self.n], ()
        return s


class _ComplexDense:
    def __init__(self, whole, dense):
        self._whole, self._dense = whole, dense

    ts = property(lambda self: self._dense.ts)
    t_min = property(lambda self: self._dense.t_min)
    t_max = property(lambda self: self._dense.t_max)

    def __call__(self, t):
        return self._whole.unpack(self._dense(t))


class _Nothing:
    """The solution of no equations."""

    def __init__(self, ts):
        self.ts = ts

    def __call__(self, t):
        return np.zeros((0,) + np.shape(t))


def _nothing(t_span, t_eval, dense_output, events):
    t0, t_end = (float(t) for t in t_span)               # may be infinite
    times = _times(t_eval, t0, t_end)
    t = np.array([t0, t_end]) if times is None else times
    none = None if events is None else []
    return Solution(t=t, y=np.zeros((0, len(t))), sol=_Nothing(t) if dense_output else None,
                    t_events=none, y_events=none, nfev=0, njev=0, nlu=0, status=0,
                    message=_END, success=True, residual=np.zeros(0), t_steps=t,
                    residuals=np.zeros((0, len(t))), stats={}, choice="", problem=None,
                    error=None, t_end=t_end, y_end=np.zeros(0), events=[], names=(),
                    groups=(), code=0, moved=[], calls={})
