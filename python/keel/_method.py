"""Methods as data: by name, from a file, or from arrays; and what is known about them."""

import numpy as np

from . import _core
from ._errors import ProblemError

MULTIPLIERS = ("auto", "hidden", "recursion", "polynomial")


class Method:
    """An integration method: coefficients, analysis, stability function.

    ``keel.method(name)`` finds one by name, ``keel.Method(A=..., b=...)`` makes one of a tableau
    (with `A_explicit` of a Rosenbrock method), ``Method(alpha=..., beta=...)`` of a multistep
    formula and ``Method(A=, U=, B=, V=, c=)`` of a general linear method; `Solver` and `solve_dae`
    take it as ``method=``.

    Every number of the analysis is an attribute: ``order``, ``stage_order``, ``error_constant``,
    ``a_stable``, ``l_stable``, ``alpha``, ``r_infinity``, ``symplectic``, ... (``dir(m)`` has all;
    ``m.analysis`` is the dict).

    >>> import keel
    >>> m = keel.method("gauss-3")
    >>> m.order, m.a_stable, m.symplectic
    (6, True, True)
    >>> midpoint = keel.Method(A=[[0, 0], [0.5, 0]], b=[0, 1], name="midpoint")
    >>> midpoint.order
    2
    >>> complex(midpoint.stability(-1.0)).real
    0.5
    """

    def __init__(self, *, name="own", A=None, b=None, c=None, alpha=None, beta=None, gamma=None,
                 blocking=0, U=None, B=None, V=None, W=None, order=0, stage_order=0, b_hat=None,
                 order_hat=0, b_second=None, half_explicit=False, A_constraint=None,
                 c_constraint=None, order_index2=0, A_explicit=None, A_extra=None, c_extra=None,
                 dense=None, dense_order=0, family=None, summary=None, citation=None):
        texts = {"name": str(name), "family": family, "summary": summary, "citation": citation}
        given = {"A": A, "b": b, "c": c, "b_hat": b_hat, "b_second": b_second, "alpha": alpha,
                 "beta": beta, "gamma": gamma, "U": U, "B": B, "V": V, "W": W, "A_extra": A_extra,
                 "c_extra": c_extra, "dense": dense, "A_constraint": A_constraint,
                 "c_constraint": c_constraint, "A_explicit": A_explicit}
        arrays = {k: np.ascontiguousarray(x, dtype=float) for k, x in given.items()
                  if x is not None}
        numbers = {"order": int(order), "stage_order": int(stage_order),
                   "order_hat": int(order_hat), "order_index2": int(order_index2),
                   "half_explicit": int(half_explicit),
                   "blocking": int(blocking), "dense_order": int(dense_order)}
        kind = self._sizes(arrays, numbers)
        self._method = _core.Method(kind, {**texts, **arrays, **numbers})
        self._describe()

    @staticmethod
    def _sizes(arrays, numbers):
        """Counts that follow from the arrays; the kind of method."""
        if "alpha" in arrays:
            numbers["steps"] = arrays["alpha"].size - 1
            return "multistep"
        if "A" not in arrays:
            raise ProblemError("a method has A and b, alpha and beta, or A, U, B, V and c", -1)
        numbers["stages"] = len(arrays["A"])
        if "V" in arrays:
            numbers["values"] = len(arrays["V"])
            return "general"
        if "A_extra" in arrays:
            numbers["extra"] = len(arrays["A_extra"])
        if "dense" in arrays:
            numbers["dense_degree"] = arrays["dense"].shape[-1]
        return "tableau"

    @classmethod
    def _from(cls, core):
        self = cls.__new__(cls)
        self._method = core
        self._describe()
        return self

    def _describe(self):
        self.__dict__.update(self._method.about())
        self._analysis = None

    @classmethod
    def read(cls, path):
        """From a text file, in the format of docs/methods.md."""
        return cls._from(_core.Method("file", str(path)))

    @property
    def analysis(self):
        """All that is known, as a dict: of Runge-Kutta methods that of the tableau; `general` is
        that of the general linear form, which every method has."""
        if self._analysis is None:
            general = self._method.analyse_general()
            try:
                whole = dict(self._method.analyse())
            except Exception as no:
                if getattr(no, "status", None) != -12:
                    raise
                whole = dict(general)
            self._analysis = {**whole, "general": general}
        return self._analysis

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        for table in (self.analysis, self._method.coefficients()):
            if name in table:
                return table[name]
        raise AttributeError(f"a method has no '{name}'; there are {', '.join(self.analysis)}")

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self.analysis) | set(self.coefficients))

    @property
    def coefficients(self):
        """A, b, c, ... or alpha, beta, gamma, or A, U, B, V, c: arrays."""
        return self._method.coefficients()

    def stability(self, z):
        """R(z), or the eigenvalue of M(z) with the largest modulus; z a number or an array."""
        z = np.asarray(z, dtype=complex)
        flat = np.atleast_1d(z).ravel()
        re, im = self._method.stability(np.ascontiguousarray(flat.real),
                                        np.ascontiguousarray(flat.imag))
        return (re + 1j * im).reshape(z.shape)[()]

    def orders(self, index, *, nonlinear=False, projected=True, multipliers="auto"):
        """Orders that theory predicts with constant steps, for each group of unknowns: a tuple;
        0: it does not converge, None: not known."""
        found = self._method.orders(int(index), bool(nonlinear), bool(projected),
                                    MULTIPLIERS.index(multipliers))
        return tuple(None if p < 0 else p for p in found)

    def plot_stability(self, extent=None, ax=None):
        """Where |R(z)| <= 1, in the complex plane (matplotlib)."""
        from ._plot import plot_stability
        return plot_stability(self, extent, ax)

    def __repr__(self):
        return f"<keel method {self.name}: {self.kind}>"

    def __reduce__(self):
        kind = self.coefficients
        keep = {key: getattr(self, key) for key in ("name", "family", "summary", "citation")}
        return _rebuild, (keep, {**kind})


def _rebuild(texts, arrays):
    try:
        found = method(texts["name"])
        if all(np.array_equal(found.coefficients[k], x) for k, x in arrays.items()):
            return found
    except ProblemError:
        pass
    return Method(**texts, **arrays)


def method(name):
    """The method of that name: "radau-iia-3", "gauss-4", "collocation-3:0.5", "bdf-3", ...

    >>> import keel
    >>> keel.method("radau-iia-3").stiffly_accurate
    True
    """
    return Method._from(_core.Method("named", str(name)))


def methods():
    """The methods by name: a list of dicts with name, family, summary, stages, order, ...

    >>> import keel
    >>> "dopri5" in [m["name"] for m in keel.methods()]
    True
    """
    return _core.methods()
