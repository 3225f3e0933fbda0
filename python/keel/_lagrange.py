"""Problems from a Lagrangian: all derivatives by sympy, one compiled callback.

    d/dt L_v - L_q = Q - G^T lambda,   0 = g(t, q),   G = g_q

    M = L_vv,   f = Q + L_q - L_vq v - L_vt,   gamma = g_qq(v, v) + 2 g_qt v + g_tt

Constraints on velocities that no position constraint implies (rolling), A(t, q) v + b(t, q) = 0, give
an ODE: its right-hand side solves the linear equations for accelerations and multipliers

    M v' + H^T lambda = f,   H v' = -c,   H = (G, A),

and all constraints are rows onto which every step is projected.
"""

import numpy as np

from . import _generated
from ._errors import ProblemError, Retry
from ._forms import Mechanical, ODE
from ._problems import Attached

MASS, FORCE, CONSTRAINT, JACOBIAN, TIME, CURVATURE = 1, 2, 4, 8, 16, 32
EXPANDED_MOST = 3000                         # operations; longer expressions stay as they are


def lagrange(L, q, constraints=(), *, forces=None, nonholonomic=(), invariants=(), t=None,
             velocities=None, parameters=None, names=None, compiled=None, **common):
    """A problem from a Lagrangian, with all derivatives by sympy.

    Parameters
    ----------
    L : the Lagrangian, kinetic minus potential energy
    q : coordinates
        functions of time, as ``sympy.physics.mechanics.dynamicsymbols`` makes them; their
        velocities are ``q.diff(t)``.  With `velocities`, two lists of plain symbols.
    constraints : expressions in t and q that vanish, or equations
    forces : generalised forces beside those of L
        a dict {coordinate: expression}, or one expression for each coordinate.
    nonholonomic : expressions in t, q and, linearly, velocities that vanish: rolling, skates
    invariants : expressions that keep their values, "energy" among them
        every step is projected onto them.
    t : the symbol of time; found in `q`
    parameters : dict {symbol or name: value}
        what may change without a compiler: ``Problem.with_parameters``, ``Solver.parameters``,
        actions of events.  All other symbols must have been replaced by numbers.
    names : of the coordinates; else their own
    compiled : bool
        machine code by the C compiler (``CC``, else ``cc``), kept in the user's cache
        directory, or Python functions.  None: machine code where there is a compiler.
    common : further arguments of `Mechanical`

    Returns
    -------
    Mechanical, or with `nonholonomic` an `ODE` of (q, v).  Its attribute ``symbolic`` has M, f, g,
    G, ... as expressions, ``source`` the C text.

    >>> import keel, sympy
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> t, m, g = sympy.symbols("t m g")
    >>> x, y = dynamicsymbols("x y")
    >>> L = m * (x.diff(t)**2 + y.diff(t)**2) / 2 - m * g * y
    >>> pendulum = keel.lagrange(L, [x, y], [x**2 + y**2 - 1], parameters={m: 1, g: 9.81})
    >>> s = keel.solve_dae(pendulum, (0, 10), ([1, 0], [0, 0]), rtol=1e-10)
    >>> print(s.var["x"][-1].round(8))
    0.27508746
    """
    system = System(L, q, constraints, forces, nonholonomic, invariants, t, velocities, parameters)
    if compiled is None:
        compiled = _generated.compiler() is not None
    build = _compiled_callbacks if compiled else _python_callbacks
    names = _names(system, names)
    attached = _attached_names(system)
    callbacks, rows, source = build(system)
    if attached:
        common["attached"] = Attached(rows["fun"], rows["jacobian"], names=attached,
                                      kept=[name.startswith("invariant") for name in attached])
    if system.parameter_values:
        common["parameters"] = system.parameter_values
    if system.rolling:
        problem = ODE(**callbacks, size=2 * system.n, names=names[:2 * system.n], **common)
    else:
        problem = Mechanical(**callbacks, positions=system.n, constraints=system.m, names=names,
                             constant_mass=system.constant_mass, **common)
    problem.symbolic, problem.source = system.symbolic, source
    return problem


def _names(system, given):
    own = system.names if given is None else [str(name) for name in given]
    if len(own) != system.n:
        raise ProblemError(f"{len(own)} names of {system.n} coordinates", -1)
    return [*own, *(name + "'" for name in own), *(f"lambda{k + 1}" for k in range(system.m))]


def _attached_names(system):
    rolling = [f"rolling {k + 1}" for k in range(len(system.rolling))]
    if rolling:                              # the ODE shows no constraint at all
        rolling = [f"position {k + 1}" for k in range(system.m)] \
            + [f"velocity {k + 1}" for k in range(system.m)] + rolling
    return rolling + [f"invariant {k + 1}" for k in range(len(system.invariants))]


class System:
    """Expressions of a mechanical system, in symbols of our own: t, q_0, ..., v_0, ..., p_0, ..."""

    def __init__(self, L, q, constraints, forces, nonholonomic, invariants, t, velocities,
                 parameters):
        from sympy import Matrix, sympify
        q = [sympify(x) for x in (q if _is_list(q) else [q])]
        self.n = n = len(q)
        self.names = [str(x.func) if x.is_Function else str(x) for x in q]
        self._replace(q, velocities, t, parameters)
        L = self._own(L, "L")
        zeros = [0] * n
        Q = zeros if forces is None else [forces.get(x, 0) for x in q] if isinstance(forces, dict) \
            else list(forces) if _is_list(forces) else [forces]
        self._only_coordinates(forces, q)
        if len(Q) != n:
            raise ProblemError(f"{len(Q)} forces for {n} coordinates", -1)
        Q = Matrix(n, 1, [self._own(x, f"force {k + 1}") for k, x in enumerate(Q)])
        self.g = _column([self._own(x, f"constraint {k + 1}") for k, x in enumerate(_items(constraints))])
        self.rolling = [self._own(x, f"nonholonomic constraint {k + 1}")
                        for k, x in enumerate(_items(nonholonomic))]
        self.m = len(self.g)
        self._derive(L, Q)
        energy = sum(v * L.diff(v) for v in self.v) - L
        self.invariants = [energy if isinstance(x, str) and x == "energy"
                           else self._own(x, f"invariant {k + 1}")
                           for k, x in enumerate(_items(invariants))]
        self._derive_rows()

    # ---- symbols ----

    def _replace(self, q, velocities, t, parameters):
        from sympy import Symbol
        n = self.n
        if velocities is None:
            if not all(x.is_Function and len(x.args) == 1 for x in q):
                raise ProblemError("coordinates are functions of time (sympy's dynamicsymbols), or "
                                   "plain symbols beside velocities=", -1)
            times = {x.args[0] for x in q} | ({t} if t is not None else set())
            if len(times) > 1:
                raise ProblemError(f"coordinates are functions of {', '.join(map(str, times))}; "
                                   "expected one time", -1)
            t = times.pop()
            velocities = [x.diff(t) for x in q]
        elif len(velocities) != n:
            raise ProblemError(f"{len(velocities)} velocities of {n} coordinates", -1)
        self.t = Symbol("t", real=True)
        self.q = [Symbol(f"q_{i}", real=True) for i in range(n)]
        self.v = [Symbol(f"v_{i}", real=True) for i in range(n)]
        given = dict(parameters or {})
        if len({str(name) for name in given}) < len(given):
            raise ProblemError("two parameters have the same name", -1)
        self.p = [Symbol(f"p_{k}", real=True) for k in range(len(given))]
        self.parameter_values = {str(name): float(x) for name, x in given.items()}
        self._by_symbol = dict(zip(velocities, self.v))
        self._by_symbol.update(zip(q, self.q))
        if t is not None:
            self._by_symbol[t] = self.t
        self._by_name = dict(zip(self.parameter_values, self.p))

    def _own(self, expression, what):
        """The expression in our symbols; refuses what is neither known nor a number."""
        from sympy import Derivative, Eq, sympify
        from sympy.core.function import AppliedUndef
        expression = sympify(expression)
        if isinstance(expression, Eq):
            expression = expression.lhs - expression.rhs
        if expression.has(Derivative):
            expression = expression.doit()
        replaced = dict(self._by_symbol)
        for symbol in expression.free_symbols:
            if symbol.name in self._by_name:
                replaced[symbol] = self._by_name[symbol.name]
        result = expression.xreplace(replaced)
        if result.has(Derivative):
            raise ProblemError(f"{what} has derivatives beyond velocities: "
                               f"{sorted(map(str, expression.atoms(Derivative)))[-1]}", -1)
        known = {self.t, *self.q, *self.v, *self.p}
        unknown = [str(x) for x in (*result.atoms(AppliedUndef), *(result.free_symbols - known))]
        if unknown:
            raise ProblemError(f"{what} has {sorted(unknown)[0]}, which is neither time, coordinate, "
                               f"velocity nor parameter: parameters={{...}} gives it a value", -1)
        return result

    @staticmethod
    def _only_coordinates(forces, q):
        if isinstance(forces, dict):
            for x in forces:
                if x not in q:
                    raise ProblemError(f"forces has {x}, which is no coordinate", -1)

    # ---- derivatives ----

    def _derive(self, L, Q):
        from sympy import Matrix, S, eye
        q, v, t = self.q, Matrix(self.v), self.t
        p = Matrix([L.diff(x) for x in self.v])
        self.M = self._tidy(p.jacobian(self.v))
        if self.M.free_symbols & set(self.v):
            raise ProblemError("L is not quadratic in the velocities: M = L_vv depends on them", -1)
        rows = [k for k in range(self.n) if all(x == 0 for x in self.M.row(k))]
        if rows and not self.m and not self.rolling:
            raise ProblemError(f"M has an empty row: L does not have the velocity of "
                               f"{self.names[rows[0]]}", -1)
        self.constant_mass = not self.M.free_symbols & {t, *q}
        self.unit_mass = self.M == eye(self.n)
        slope = Matrix([L.diff(x) for x in q])           # at rest: as the potential was written
        rest = slope.xreplace({x: S.Zero for x in self.v})
        self.f = Q + rest + self._tidy(slope - rest - p.jacobian(q) * v - p.diff(t))
        for k, x in enumerate(self.g):
            if x.free_symbols & set(self.v):
                raise ProblemError(f"constraint {k + 1} has velocities: give it as nonholonomic", -1)
            if not x.free_symbols & set(q):
                raise ProblemError(f"constraint {k + 1} has no coordinate: {x}", -1)
        self.G = self.g.jacobian(q) if self.m else Matrix(0, self.n, [])
        self.g_t = self.g.diff(t)
        self.rate = self.G * v + self.g_t if self.m else Matrix(0, 1, [])
        self.gamma = self._total(self.rate)
        self.symbolic = {"t": t, "q": list(q), "v": list(self.v), "parameters": dict(self._by_name),
                         "M": self.M, "f": self.f, "g": self.g, "G": self.G, "g_t": self.g_t,
                         "gamma": self.gamma}

    def _derive_rows(self):
        """Rolling constraints A v + b, and everything that steps are projected onto."""
        from sympy import Matrix
        rows = _column(self.rolling)
        self.A = rows.jacobian(self.v) if self.rolling else Matrix(0, self.n, [])
        if self.A.free_symbols & set(self.v):
            raise ProblemError("nonholonomic constraints must be linear in the velocities", -1)
        self.c = self._total(rows)
        attached = [*self.g, *self.rate, *self.rolling] if self.rolling else []
        self.attached = _column([*attached, *self.invariants])
        self.symbolic.update(A=self.A, invariants=list(self.invariants))

    def _total(self, rows):
        """d/dt along q' = v, without accelerations."""
        from sympy import Matrix
        if not len(rows):
            return rows
        return rows.jacobian(self.q) * Matrix(self.v) + rows.diff(self.t)

    def _tidy(self, matrix):
        return matrix.applyfunc(_without_squares)


def _is_list(x):
    return isinstance(x, (list, tuple)) or hasattr(x, "tolist")


def _items(given):
    return list(given) if _is_list(given) else [given]


def _column(entries):
    from sympy import Matrix
    return Matrix(len(entries), 1, entries)


# ---- sines --------------------------------------------------------------------------------------

def _without_squares(expression):
    """sin^2 -> 1 - cos^2 in expanded form, where that is shorter: M becomes constant that is so."""
    from sympy import cos, sin
    if not expression.has(sin) or expression.count_ops() > EXPANDED_MOST:
        return expression
    expanded = expression.expand(trig=False).replace(
        lambda x: x.is_Pow and isinstance(x.base, sin) and x.exp.is_Integer and x.exp >= 2,
        lambda x: (1 - cos(x.base.args[0])**2)**(x.exp // 2) * x.base**(x.exp % 2)).expand(trig=False)
    return expanded if expanded.count_ops() <= expression.count_ops() else expression


def share_angles(expressions):
    """[(symbol, definition)] of all sines and cosines, and the expressions in these symbols.

    Those of sums follow from those of their terms, if these are there anyway.
    """
    from sympy import Add, Symbol, cos, sin
    arguments = sorted({x.args[0] for e in expressions for x in e.atoms(sin, cos)},
                       key=lambda a: (a.is_Add, a.sort_key()))
    defined, replaced, known = [], {}, {}

    def symbols(a, c, s):
        known[a] = pair = Symbol(f"c{len(known)}", real=True), Symbol(f"s{len(known)}", real=True)
        defined.extend(zip(pair, (c, s)))
        replaced.update(zip((cos(a), sin(a)), pair))

    for a in arguments:
        terms = [(term, 1) if term in known else (-term, -1) for term in Add.make_args(a)]
        if len(terms) < 2 or any(term not in known for term, _ in terms):
            symbols(a, cos(a), sin(a))
            continue
        c, s = known[terms[0][0]][0], terms[0][1] * known[terms[0][0]][1]
        for term, sign in terms[1:]:
            c2, s2 = known[term][0], sign * known[term][1]
            c, s = c * c2 - s * s2, s * c2 + c * s2
        symbols(a, c, s)
    return defined, [e.xreplace(replaced) for e in expressions]


# ---- callbacks ----------------------------------------------------------------------------------

HEADS = {
    "evaluate": "int evaluate(double t, const double *q, const double *v, unsigned wanted, "
                "const parts *part, const frame *frame)",
    "force_jacobian": "int force_jacobian(double t, const double *q, const double *v, double *f_q, "
                      "double *f_v, const frame *frame)",
    "rhs": "int rhs(double t, const double *q, double *y_t, const frame *frame)",
    "rows": "int rows(double t, const double *q, double *h, const frame *frame)",
    "rows_jacobian": "int rows_jacobian(double t, const double *q, double *h_y, "
                     "const frame *frame)",
}


def _entries(matrix):
    """Nonzeros of a matrix by their places, row by row."""
    return [(i, x) for i, x in enumerate(_piecewise(matrix)) if x != 0]


def _piecewise(matrix):
    """Derivatives as they are but for corners: no delta functions, steps as cases."""
    from sympy import DiracDelta, Heaviside, Piecewise
    if not matrix.has(DiracDelta, Heaviside):
        return matrix
    return matrix.replace(DiracDelta, lambda *_: 0).applyfunc(
        lambda x: x.rewrite(Piecewise) if x.has(Heaviside) else x)


def _function(system, name, parts, before="", tail="    return 0;\n"):
    """Text of a function whose parts are {mask: (where, matrix)}; v is behind q but for `evaluate`."""
    angles, flat = share_angles([x for _, matrix in parts.values() for _, x in _entries(matrix)])
    flat, given = iter(flat), {}
    for mask, (where, matrix) in parts.items():
        entries = [(i, next(flat)) for i, _ in _entries(matrix)]
        given[mask] = where, entries, len(matrix)
    behind = name in ("rhs", "rows", "rows_jacobian")
    places = {x: f"q[{i}]" for i, x in enumerate(system.q)}
    places.update((x, f"q[{system.n + i}]" if behind else f"v[{i}]")
                  for i, x in enumerate(system.v))
    places.update((x, f"p[{k}]") for k, x in enumerate(system.p))
    return _generated.function(HEADS[name], given, angles, _generated.printer(places), before, tail)


def _stacked(*blocks):
    from sympy import Matrix
    return Matrix([list(row) for block in blocks for row in block.tolist()])


def _rows_jacobian(system):
    """Of the attached rows by all unknowns."""
    from sympy import zeros
    h = system.attached
    multipliers = 0 if system.rolling else system.m
    return h.jacobian([*system.q, *system.v]).row_join(zeros(len(h), multipliers))


def _compiled_callbacks(system):
    """({callback: machine code}, {fun, jacobian} of attached rows, text)."""
    texts = [_generated.HEAD]
    if system.rolling:
        texts.append(_rolling_text(system))
    else:
        parts = {FORCE: ("part->force", system.f)}
        if not system.unit_mass:
            parts[MASS] = "part->mass", system.M
        if system.m:
            parts.update({CONSTRAINT: ("part->constraint", system.g),
                          JACOBIAN: ("part->constraint_jacobian", system.G),
                          TIME: ("part->constraint_time", system.g_t),
                          CURVATURE: ("part->curvature", system.gamma)})
        texts += [_function(system, "evaluate", parts),
                  _function(system, "force_jacobian", {1: ("f_q", system.f.jacobian(system.q)),
                                                       2: ("f_v", system.f.jacobian(system.v))},
                            before="    const unsigned wanted = 3;\n")]
    if len(system.attached):
        texts += [_function(system, "rows", {1: ("h", system.attached)}),
                  _function(system, "rows_jacobian", {1: ("h_y", _rows_jacobian(system))})]
    text = "\n".join(texts)
    library = _generated.load(text)

    def code(name):
        return _generated.Generated(text, name, library)
    rows = {"fun": code("rows"), "jacobian": code("rows_jacobian")} if len(system.attached) else None
    if system.rolling:
        return {"rhs": code("rhs")}, rows, text
    return {"evaluate": code("evaluate"), "force_jacobian": code("force_jacobian"),
            "provides": sum(parts)}, rows, text


def _equations(system):
    """Matrix and right-hand side of (v', lambda) with rolling constraints."""
    from sympy import zeros
    H = _stacked(system.G, system.A)
    return _stacked(system.M.row_join(H.T), H.row_join(zeros(len(H.col(0)), len(H.col(0))))), \
        _stacked(system.f, -system.gamma, -system.c)


def _rolling_text(system):
    K, r = _equations(system)
    n, size = system.n, len(r)
    return _function(
        system, "rhs", {1: ("K", K), 2: ("r", r)},
        before=f"    double K[{size * size}], r[{size}];\n    const unsigned wanted = 3;\n",
        tail=f"    if (solve({size}, K, r)) return 1;\n"
             f"    memcpy(y_t, q + {n}, {n} * sizeof(double));\n"
             f"    memcpy(y_t + {n}, r, {n} * sizeof(double));\n    return 0;\n")


class Expression:
    """A callback in Python: expressions of t and of groups of symbols, one group for each array."""

    def __init__(self, t, groups, matrix):
        from sympy import lambdify
        self.t, self.groups, self.matrix = t, groups, matrix
        self._columns = 0 if matrix.shape[1] == 1 else matrix.shape[1]
        self._fun = lambdify((t, *(x for group in groups for x in group)), list(_piecewise(matrix)),
                             "math", cse=True)

    def __reduce__(self):
        return Expression, (self.t, self.groups, self.matrix)

    def __call__(self, t, *arrays):
        result = self._fun(t, *(x for array in arrays for x in array.tolist()))
        if not self._columns:
            return result
        return [result[k:k + self._columns] for k in range(0, len(result), self._columns)]


class Together:
    """Several callbacks in one: the tuple of their results, or with `solved` the rate of (q, v)."""

    def __init__(self, *parts, solved=False):
        self.parts, self.solved = parts, solved

    def __call__(self, t, *arrays):
        found = [part(t, *arrays) for part in self.parts]
        if not self.solved:
            return tuple(found)
        n = len(arrays[0]) // 2
        try:
            return np.concatenate([arrays[0][n:], np.linalg.solve(*found)[:n]])
        except np.linalg.LinAlgError:
            raise Retry from None


def _python_callbacks(system):
    """({callback: function}, {fun, jacobian} of attached rows, no text)."""
    from sympy import Symbol
    p = [tuple(system.p)] if system.p else []
    unused = () if system.rolling else tuple(Symbol(f"l_{k}") for k in range(system.m))
    q, v, y = tuple(system.q), tuple(system.v), (*system.q, *system.v, *unused)

    def of(matrix, *groups):
        return Expression(system.t, (*groups, *p), matrix)
    rows = None
    if len(system.attached):
        rows = {"fun": of(system.attached, y), "jacobian": of(_rows_jacobian(system), y)}
    if system.rolling:
        K, r = _equations(system)
        return {"rhs": Together(of(K, y), of(r, y), solved=True)}, rows, None
    callbacks = {"force": of(system.f, q, v),
                 "force_jacobian": Together(of(system.f.jacobian(q), q, v),
                                            of(system.f.jacobian(v), q, v))}
    if not system.unit_mass:
        callbacks["mass"] = of(system.M, q)
    if system.m:
        callbacks.update(constraint=of(system.g, q), constraint_jacobian=of(system.G, q),
                         constraint_time=of(system.g_t, q), curvature=of(system.gamma, q, v))
    return callbacks, rows, None
