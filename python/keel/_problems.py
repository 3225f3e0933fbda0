"""Problems: callbacks with their sizes, names and patterns; what all forms have in common."""

import numpy as np

from . import _compiled, _core
from ._convert import Pattern, called, coerce, rows_of
from ._errors import ProblemError

_float64 = np.dtype(float)


class Attached:
    """Rows that the solution is known to keep: hidden constraints, conserved quantities.

    ``Attached(fun, jacobian=None, kept=False, names=None)`` with ``fun(t, y)`` of all unknowns.
    The rows vanish or, with `kept` (for all, or one for each row), stay as they are at the start.

    >>> import keel
    >>> circle = keel.Attached(lambda t, y: y[0]**2 + y[1]**2 - 1, lambda t, y: [[2 * y[0], 2 * y[1]]],
    ...                        names=["circle"])
    >>> s = keel.solve_dae(keel.ODE(lambda t, y: [y[1], -y[0]], attached=circle), (0, 100), [0.0, 1.0])
    >>> bool(abs(s.y_end @ s.y_end - 1) < 1e-14)
    True
    """

    def __init__(self, fun, jacobian=None, *, kept=False, names=None):
        self.fun, self.jacobian, self.kept = fun, jacobian, kept
        self.names = None if names is None else tuple(names)
        self.rows = len(self.names) if self.names else None


def _is_matrix(fun):
    return isinstance(fun, (np.ndarray, list)) or hasattr(fun, "tocsc")


def _texts(names):
    return None if names is None else tuple(str(name) for name in names)


def _frame_part(given, kind):
    """Names and start values of parameters, modes or values."""
    if given is None:
        return None, None
    if isinstance(given, dict):
        return tuple(given), [kind(x) for x in given.values()]
    return None, [kind(x) for x in given]


class Problem:
    """What all forms have in common.

    Parameters
    ----------
    args : tuple
        appended to the arguments of every callback.
    names : sequence of str
        of the unknowns, in order; ``constraint_names`` of the rows of the constraint.
    attached : Attached, or a function of (t, y)
        rows that vanish along the solution and that the equations do not show; every step is
        projected onto them.
    jac_sparsity : matrix
        where the Jacobian may be nonzero (``scipy.sparse`` or dense); without it the pattern is
        that of the first Jacobian, if that is sparse.  ``band=(lower, upper)`` says that it is
        a band; the Jacobian may then be given by diagonals, as SciPy's ``lband`` and ``uband``.
    parameters, modes, values : dict, or sequence
        what belongs to a run beside the unknowns: real parameters, whole numbers and real numbers
        that events change.  Callbacks get those that there are as further arguments, in this
        order, before `args`.
    """

    _is_model = False      # no callbacks: all of it is in a model
    _form = None
    _slots = ()
    _sizes = ()            # what the sizes are called
    _groups = (0,)         # the size of each group of unknowns
    _sparse = {}           # callbacks with sparse results -> pattern of the library
    _shape = None          # of all unknowns in a row; None: some size is not given

    def __init__(self, callbacks, sizes, *, args=(), names=None, constraint_names=None,
                 attached=None, jac_sparsity=None, band=None, parameters=None, modes=None,
                 values=None, variable_index=None, next=None, chain=None, provides=0,
                 constant_mass=False, kept=False):
        self._callbacks = {}
        for name, fun in callbacks.items():
            if fun is not None:
                self._callbacks[name] = self._checked(name, fun)
        if attached is not None and not isinstance(attached, Attached):
            attached = Attached(attached, kept=kept)
        self._attached = attached
        self._given_sizes = tuple(None if n is None else int(n) for n in sizes)
        if None not in self._given_sizes:
            self._shape = (sum(self._given_sizes[which] for which in self._groups),)
        self.args = args if isinstance(args, tuple) else (args,)
        self.names, self.constraint_names = _texts(names), _texts(constraint_names)
        self._band = None if band is None else (int(band[0]), int(band[1]))
        self._pattern = None if jac_sparsity is None else Pattern(jac_sparsity)
        self._patterns = None            # of each sparse result, once they are known
        self._frame = tuple(_frame_part(x, kind) for x, kind in
                            ((parameters, float), (modes, int), (values, float)))
        self._more = {"variable_index": variable_index, "next": next, "chain": chain,
                      "provides": int(provides), "constant_mass": bool(constant_mass)}
        self._built = {}

    @staticmethod
    def _checked(name, fun):
        if _compiled.is_compiled(fun) or callable(fun):
            return fun
        if _is_matrix(fun):
            return fun if hasattr(fun, "tocsc") else np.asarray(fun, dtype=float)
        hint = ": an address is given as keel.Compiled(address)" if isinstance(fun, int) else ""
        raise TypeError(f"`{name}` is {type(fun).__name__}; expected a function, a matrix or "
                        f"compiled code{hint}")

    @property
    def form(self):
        """The name of the form: "mechanical", ..."""
        return type(self).__name__

    @property
    def parameters(self):
        """Parameters that runs begin with, by name or number."""
        names, values = self._frame[0]
        return dict(zip(names or range(len(values or ())), values or ()))

    def with_parameters(self, values=None, **named):
        """The same problem with other values of its parameters; callbacks are shared.

        >>> import keel
        >>> p = keel.ODE(lambda t, y, p: -p[0] * y, parameters={"rate": 1.0})
        >>> p.with_parameters(rate=2).parameters
        {'rate': 2.0}
        """
        now = self.parameters
        for name, value in {**(values or {}), **named}.items():
            name = name if name in now else str(name)
            if name not in now:
                raise ProblemError(f"there is no parameter '{name}'; there are "
                                   f"{', '.join(map(str, now)) or 'none'}", -1)
            now[name] = float(value)
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _built={})
        other._frame = ((self._frame[0][0], list(now.values()) if now else None), *self._frame[1:])
        return other

    def __repr__(self):
        return f"keel.{type(self).__name__}({', '.join(self._callbacks)})"

    def __getstate__(self):
        state = dict(self.__dict__, _built={})
        for name, fun in self._callbacks.items():
            if _compiled.is_compiled(fun) and not _compiled.is_portable(fun):
                raise TypeError(f"a {type(self).__name__} whose `{name}` is machine code cannot be "
                                "pickled: make it anew in the other process")
        return state

    # ---- calling callbacks before there is a solver, to see sizes and patterns ----

    def _call(self, name, *arguments):
        fun = self._callbacks[name]
        if _is_matrix(fun):
            return fun
        if _compiled.is_compiled(fun):
            return None
        return called(fun, name, *arguments, *self._frame_now(), *self.args)

    def _frame_now(self):
        """Parameters, modes and values as a run begins with them."""
        return [np.array(values) for _, values in self._frame if values is not None]

    def _rows(self, name, *arguments):
        """How many numbers a callback gives; None: it cannot be asked."""
        fun = self._callbacks.get(name)
        if fun is None or _compiled.is_compiled(fun) or _compiled.takes_out(fun):
            return None
        return rows_of(self._call(name, *arguments), name)

    # ---- sizes and the start ----

    def _grouped(self, y0):
        """Is y0 a tuple of groups, (q, v), rather than all unknowns in a row?"""
        return isinstance(y0, (tuple, list)) and len(y0) > 0 and \
            any(part is None or hasattr(part, "__len__") for part in y0)

    def _resolve(self, t0, y0):
        """Sizes of the groups, and all unknowns in a row."""
        if type(y0) is np.ndarray and y0.shape == self._shape and y0.dtype is _float64:
            return self._given_sizes, y0.copy()          # as it should be
        sizes = list(self._given_sizes)
        if y0 is None:
            raise TypeError("initial values are missing: y0 (only a model has its own)")
        if isinstance(y0, dict):
            y0 = self._by_name(y0)
        parts = [np.asarray(part, dtype=float).reshape(-1) for part in y0 if part is not None] \
            if self._grouped(y0) else None
        if parts is not None and len(parts) > len(self._groups):
            raise ProblemError(f"y0 has {len(parts)} groups of unknowns, a {self.form} problem at "
                               f"most {len(self._groups)}", -1)
        if parts is not None:
            for part, which in zip(parts, self._groups):
                if sizes[which] is None:
                    sizes[which] = len(part)
            if None in sizes:
                self._probe(sizes, t0, parts)
                self._require(sizes)
            return tuple(sizes), self._joined(sizes, parts)
        flat = _real(y0, "y0")
        if None in sizes:
            self._from_length(sizes, t0, flat)
            self._require(sizes)
        lengths = [sizes[which] for which in self._groups]
        if len(flat) < sum(lengths):
            flat = self._joined(sizes, self._split(flat, sizes))
        return tuple(sizes), flat

    def _by_name(self, y0):
        if self.names is None:
            raise ProblemError("y0 by name needs the names of the unknowns: names=(...)", -1)
        unknown = [name for name in y0 if name not in self.names]
        if unknown:
            raise ProblemError(f"there is no unknown '{unknown[0]}'; there are "
                               f"{', '.join(self.names)}", -1)
        return np.array([float(y0.get(name, 0)) for name in self.names])

    def _from_length(self, sizes, t0, flat):
        earlier = {run for run, _ in self._built
                   if sum(run[which] for which in self._groups) == len(flat)}
        if len(earlier) == 1:                            # y_end of a run of this problem: it goes on
            sizes[:] = earlier.pop()
            return
        missing = [k for k, n in enumerate(sizes) if n is None]
        if len(missing) == 1 and missing[0] == len(sizes) - 1 and len(sizes) > 1:
            given = [flat[:sizes[0]]]
            self._probe(sizes, t0, given)
        missing = [k for k, n in enumerate(sizes) if n is None]
        if len(missing) == 1:
            k = missing[0]
            known = sum(sizes[which] for which in self._groups if which != k)
            times = sum(which == k for which in self._groups)
            if len(flat) >= known and (len(flat) - known) % times == 0:
                sizes[k] = (len(flat) - known) // times

    def _require(self, sizes):
        for name, n in zip(self._sizes, sizes):
            if n is None:
                groups = "(" + ", ".join(self._letters[:2]) + ")" if len(self._groups) > 1 else ""
                raise ProblemError(f"how many {name} there are is not known: give "
                                   f"keel.{type(self).__name__}(..., {name}=...)"
                                   + (f", or y0 as a tuple of its groups, {groups}" if groups
                                      else ""), -1)

    def _joined(self, sizes, parts):
        flat, first = np.zeros(sum([sizes[which] for which in self._groups])), 0
        for part, letter, which in zip(parts, self._letters, self._groups):
            n = sizes[which]
            if len(part) == n:
                flat[first:first + n] = part
            elif len(part) > 0:
                raise ProblemError(f"y0: {len(part)} values of {letter}; expected {n} "
                                   f"({self._sizes[which]})", -1)
            first += n
        return flat

    def _probe(self, sizes, t0, parts):
        """Finds sizes that only a callback knows."""

    # ---- what the extension is given ----

    def _find_patterns(self, t0, y, sizes):
        """{callback: Pattern} of sparse results; empty where all is dense."""
        if self._patterns is None:
            self._patterns = self._seen_patterns(t0, y, sizes)
        return self._patterns

    def _seen_patterns(self, t0, y, sizes):
        import sys
        found = {}
        for name in self._sparse if self._band is None and "scipy.sparse" in sys.modules else ():
            fun = self._callbacks.get(name)
            joins = self._pattern is not None and self._sparse[name] == "jacobian"
            if fun is None or _compiled.is_compiled(fun) or _compiled.takes_out(fun) or \
                    (joins and name == "jacobian"):
                continue
            result = self._call(name, *self._arguments(name, t0, y, sizes))
            if isinstance(result, tuple):
                result = result[0] + result[1] if hasattr(result[0], "tocsc") else None
            if hasattr(result, "tocsc"):
                found[name] = Pattern(result)
            elif joins:                                  # M, beside the pattern that is given for f
                found[name] = Pattern(coerce(result, name, (len(y), len(y))))
        return self._united(found)

    def _united(self, found):
        """One pattern of the library may serve several callbacks.

        It is known if it is given or if all of them are sparse: one that is dense, or left to
        differences, may have entries anywhere.
        """
        whole = {} if self._pattern is None else {"jacobian": self._pattern}
        for name, pattern in found.items():
            key = self._sparse[name]
            whole[key] = whole[key] | pattern if key in whole else pattern
        for name, key in self._sparse.items():
            if name not in found and self._pattern is None:
                whole.pop(key, None)
        return {name: whole[key] for name, key in self._sparse.items() if key in whole}

    def _split(self, y, sizes):
        """The groups of unknowns."""
        return np.split(y, np.cumsum([sizes[which] for which in self._groups])[:-1])

    def _arguments(self, name, t0, y, sizes):
        """Of a first call of `name`."""
        return (t0, *self._split(y, sizes))

    def _core_problem(self, t0, y, sizes, conditions=None):
        """The extension's problem for these sizes, made once."""
        rows = self._attached_rows(t0, y)
        key = sizes, rows
        if conditions is None and key in self._built:
            return self._built[key]
        patterns = self._find_patterns(t0, y, sizes)
        given, out, dims = {}, [], self._dims(sizes, rows)
        callbacks = dict(self._callbacks)
        if self._attached is not None:
            callbacks["attached"] = self._attached.fun
            callbacks["attached_jacobian"] = self._attached.jacobian
        callbacks.update((conditions or {}).get("callbacks", {}))
        for name, fun in callbacks.items():
            if fun is None:
                continue
            if _compiled.is_compiled(fun):
                start = t0, y, self._split(y, sizes)
                given[name] = _compiled.machine_code(fun, self._form, name, self.args, dims, start)
            else:
                given[name] = fun
                if callable(fun) and _compiled.takes_out(fun):
                    out.append(name)
        core = _core.Problem(self._form, sizes, given, args=self.args, out=tuple(out),
                             results=patterns, patterns=self._core_patterns(patterns),
                             **self._core_rest(rows), **(conditions or {}).get("sizes", {}))
        if conditions is None:
            self._built[key] = core
        return core

    def _others(self, t0, y):
        """Further structures, for events to choose."""
        return ()

    def _dims(self, sizes, rows=0):
        """Sizes by the names that the extension has for them; None: there is a frame."""
        if any(values is not None for _, values in self._frame):
            return None
        dims = {str(k + 1): n for k, n in enumerate(sizes)}
        dims.update(all=sum(sizes[which] for which in self._groups), rows=rows, one=1)
        return dims

    def _core_patterns(self, patterns):
        core = {self._sparse[name]: pattern.core() for name, pattern in patterns.items()}
        if self._band is not None:
            core["jacobian"] = self._band
        elif self._pattern is not None:
            core.setdefault("jacobian", self._pattern.core())
        return core

    def _core_rest(self, rows):
        rest = {name: x for name, x in self._more.items() if x is not None}
        for name, (names, values) in zip(("parameter", "mode", "value"), self._frame):
            if values is not None:
                rest[name + "s"] = values
                rest[name + "_names"] = names
        if self.names is not None:
            rest["names"] = self.names
        if self.constraint_names is not None:
            rest["constraint_names"] = self.constraint_names
        if rows:
            kept = self._attached.kept
            rest["rows"] = rows
            rest["kept"] = [int(bool(k)) for k in kept] if np.ndim(kept) \
                else [int(bool(kept))] * rows
            if self._attached.names is not None:
                rest["attached_names"] = self._attached.names
        return rest

    def _attached_rows(self, t0, y):
        a = self._attached
        if a is None:
            return 0
        if a.rows is None:
            if _compiled.is_compiled(a.fun):
                raise ProblemError("compiled attached rows need names: Attached(fun, names=(...))",
                                   -1)
            a.rows = rows_of(called(a.fun, "attached", t0, y.copy(), *self._frame_now(), *self.args),
                             "attached")
        return a.rows


def refuse_model(problem, what):
    if isinstance(problem, Problem) and problem._is_model:
        raise ProblemError(f"{what} takes problems with callbacks in Python, not models", -1)


def _real(y0, name):
    if type(y0) is np.ndarray and y0.dtype is _float64 and y0.ndim == 1:
        return y0.copy()
    array = np.asarray(y0)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} is complex: keep the real and the imaginary part as separate "
                        "unknowns")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} is no array of numbers")
    if array.ndim > 1:
        raise ValueError(f"`{name}` must be 1-dimensional, not of shape {array.shape}")
    return np.array(array, dtype=float, ndmin=1)
