"""Keel: differential-algebraic equations without drift.

    solve_dae(problem, t_span, y0)     integrates; solve_ivp as SciPy's
    Mechanical, SemiExplicit, ...      problems, one class for each form
    Solver                             a run step by step
    sweep                              many runs, as a table
    Event, TimeEvent                   what happens on the way
    method(name), methods()            methods as data, and what is known about them
    solve_bvp                          boundary value problems
    Model                              models in Modelica
    lagrange                           mechanical problems from a Lagrangian (sympy)

Manual: docs/python.md.
"""

import numpy as _np

from . import _core
from ._errors import (CallbackError, ConvergenceError, Error, InconsistentError, KeelWarning,
                      ProblemError, RedundantError, Retry, UnsupportedError)
from ._errors import make_error as _make_error
from . import _convert

_core.register(_np.empty, _np.intc, _np.ndarray, _np.dtype("=f8"), _convert.coerce,
               _convert.sparse_values, _convert.triplets, _make_error, Retry, KeelWarning)

from ._compiled import Compiled                                                    # noqa: E402
from ._events import Event, State, TimeEvent                                       # noqa: E402
from ._problems import Attached, Problem                                           # noqa: E402
from ._forms import (Hessenberg2, Hessenberg3, Implicit, Levelled, Mechanical, ODE, Proper,
                     Quasilinear, SemiExplicit, Switching)                         # noqa: E402
from ._krylov import Krylov                                                        # noqa: E402
from ._solution import Dense, Solution                                             # noqa: E402
from ._solver import Solver                                                        # noqa: E402
from ._solve import solve_dae                                                      # noqa: E402
from ._ivp import solve_ivp                                                        # noqa: E402
from ._method import Method, method, methods                                       # noqa: E402
from ._study import Table, compare, converge                                       # noqa: E402
from ._sweep import sweep                                                          # noqa: E402
from ._boundary import Boundary, Branch, Fit, solve_bvp                            # noqa: E402
from ._curve import Curve                                                          # noqa: E402
from ._model import Model                                                          # noqa: E402
from ._lagrange import lagrange                                                    # noqa: E402
from ._tables import check, formulations, options                                  # noqa: E402

__version__ = _core.version

__all__ = [name for name in dir() if not name.startswith("_")]
