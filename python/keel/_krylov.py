"""Systems that are solved by iteration, with functions of the user's own."""


class Krylov:
    """GMRES instead of factorizations: ``solve_dae(..., linear=Krylov(...))``.

    The systems are A x = b with A = shift M - J, J the Jacobian of the right-hand side (and of the
    algebraic equations, where M has no rows).

    Parameters
    ----------
    times : function of (t, y, yp, v, shift) -> A v
        without it products are those with the sparse Jacobian or, where there is no pattern,
        differences of the equations, and no matrix is ever formed.
    precondition : function of (t, y, yp, r, shift, tolerance) -> z, about A^-1 r and linear in r
        without it the incomplete factors ILU(0) of a sparse Jacobian.
    precondition_setup : function of (t, y, yp, shift), called once for each matrix
    restart : vectors before GMRES begins anew; 0: 30 to 100, by size
    limit : iterations of one solve; 0: ten times as many

    ``linear="krylov"`` is ``linear=Krylov()``.  ODEs, semi-explicit problems, Hessenberg problems of
    index 2 and M y' = f with a constant M; no events.  `stats["krylov"]` of the solution counts.

    >>> import keel, numpy as np
    >>> n = 100; h = 1 / (n + 1); x = h * np.arange(1, n + 1)
    >>> def heat(t, u):
    ...     e = np.pad(u, 1)
    ...     return (e[2:] - 2 * u + e[:-2]) / h**2
    >>> diagonal = keel.Krylov(precondition=lambda t, u, up, r, shift, tolerance: r / (shift + 2 / h**2))
    >>> s = keel.solve_dae(keel.ODE(heat), (0, 0.1), np.sin(np.pi * x), linear=diagonal)
    >>> rate = 4 / h**2 * np.sin(np.pi * h / 2)**2
    >>> bool(np.abs(s.y_end - np.exp(-0.1 * rate) * np.sin(np.pi * x)).max() < 1e-5)
    True
    >>> s.stats["krylov"]["failures"]
    0
    """

    def __init__(self, times=None, precondition=None, precondition_setup=None, *, restart=0, limit=0):
        self.times, self.precondition, self.precondition_setup = times, precondition, precondition_setup
        self.restart, self.limit = int(restart), int(limit)
        for name, fun in self._callbacks().items():
            if not callable(fun):
                from ._compiled import is_compiled
                if not is_compiled(fun):
                    raise TypeError(f"`{name}` is {type(fun).__name__}; expected a function or compiled code")
        if precondition_setup is not None and precondition is None:
            raise TypeError("`precondition_setup` prepares `precondition`, which is missing")

    def _callbacks(self):
        return {name: fun for name, fun in (("times", self.times), ("precondition", self.precondition),
                                            ("precondition_setup", self.precondition_setup))
                if fun is not None}

    def __repr__(self):
        return f"keel.Krylov({', '.join(self._callbacks())})"
