"""The forms of problems, one class each."""

import numpy as np

from . import _compiled
from ._errors import ProblemError
from ._problems import Problem, _is_matrix


class ODE(Problem):
    """y' = f(t, y), with invariants that are kept to rounding.

    ``ODE(rhs, jacobian=None, *, invariants=None, ...)``: `invariants` is a function of (t, y)
    whose values at the start are kept, or an `Attached`.

    >>> import keel
    >>> circle = keel.ODE(lambda t, y: [y[1], -y[0]], invariants=lambda t, y: y[0]**2 + y[1]**2)
    >>> s = keel.solve_dae(circle, (0, 100), [1, 0])
    >>> bool(abs(s.y_end @ s.y_end - 1) < 1e-14)
    True
    """

    _form, _sizes, _letters, _sparse = 0, ("size",), ("y",), {"jacobian": "jacobian"}

    def __init__(self, rhs, jacobian=None, *, invariants=None, size=None, **common):
        if invariants is not None:
            if common.get("attached") is not None:
                raise TypeError("invariants are attached rows: give one of both")
            common["attached"], common["kept"] = invariants, True
        super().__init__({"rhs": rhs, "jacobian": jacobian}, (size,), **common)


class SemiExplicit(Problem):
    """y' = f(t, y, z), 0 = g(t, y, z) with an invertible g_z: index 1.

    ``jacobian(t, y, z)`` is [[f_y, f_z], [g_y, g_z]].  Give y0 as ``(y, z)``, or the sizes.

    >>> import keel
    >>> p = keel.SemiExplicit(lambda t, y, z: -z, lambda t, y, z: z - y)
    >>> s = keel.solve_dae(p, (0, 1), ([1.0], [1.0]), rtol=1e-10)
    >>> round(float(s.y_end[0]), 8)
    0.36787944
    """

    _form, _sizes, _groups, _letters = 1, ("differential", "algebraic"), (0, 1), ("y", "z")
    _sparse = {"jacobian": "jacobian"}

    def __init__(self, rhs, constraint, jacobian=None, *, differential=None, algebraic=None,
                 **common):
        super().__init__({"rhs": rhs, "constraint": constraint, "jacobian": jacobian},
                         (differential, algebraic), **common)


class Hessenberg2(Problem):
    """y' = f(t, y, z), 0 = g(t, y) with an invertible g_y f_z: index 2.

    ``constraint_jacobian(t, y)`` is g_y, ``constraint_time(t, y)`` g_t, ``jacobian(t, y, z)``
    [[f_y, f_z], [g_y, 0]].

    >>> import keel                                     # y0' = z, y1' = -y1, and y0 = y1 is asked for
    >>> p = keel.Hessenberg2(lambda t, y, z: [z[0], -y[1]], lambda t, y: y[0] - y[1])
    >>> s = keel.solve_dae(p, (0, 1), ([1.0, 1.0], [0.0]), rtol=1e-10)
    >>> s.y_end.round(8)                                # the multiplier need not be known
    array([ 0.36787944,  0.36787944, -0.36787944])
    """

    _form, _sizes, _groups, _letters = 2, ("differential", "multipliers"), (0, 1), ("y", "z")
    _sparse = {"jacobian": "jacobian"}

    def __init__(self, rhs, constraint, *, constraint_jacobian=None, constraint_time=None,
                 jacobian=None, differential=None, multipliers=None, **common):
        super().__init__({"rhs": rhs, "constraint": constraint,
                          "constraint_jacobian": constraint_jacobian,
                          "constraint_time": constraint_time, "jacobian": jacobian},
                         (differential, multipliers), **common)

    def _probe(self, sizes, t0, parts):
        if sizes[1] is None:
            sizes[1] = self._rows("constraint", t0, parts[0].copy())


class Hessenberg3(Problem):
    """u' = f(t, u, v), v' = k(t, u, v, l), 0 = g(t, u) with an invertible g_u f_v k_l: index 3.

    >>> import keel, numpy as np                        # u'' = l, and u = sin t is asked for
    >>> p = keel.Hessenberg3(lambda t, u, v: v, lambda t, u, v, l: l, lambda t, u: u - np.sin(t))
    >>> s = keel.solve_dae(p, (0, 1), ([0.0], [1.0], [0.0]))
    >>> bool(np.allclose(s.y_end, [np.sin(1), np.cos(1), -np.sin(1)], atol=1e-6))
    True
    """

    _form, _sizes, _groups = 3, ("positions", "velocities", "multipliers"), (0, 1, 2)
    _letters, _sparse = ("u", "v", "l"), {"jacobian": "jacobian"}

    def __init__(self, position_rate, velocity_rate, constraint, *, constraint_jacobian=None,
                 constraint_time=None, jacobian=None, positions=None, velocities=None,
                 multipliers=None, **common):
        super().__init__({"position_rate": position_rate, "velocity_rate": velocity_rate,
                          "constraint": constraint, "constraint_jacobian": constraint_jacobian,
                          "constraint_time": constraint_time, "jacobian": jacobian},
                         (positions, velocities, multipliers), **common)

    def _probe(self, sizes, t0, parts):
        if sizes[2] is None:
            sizes[2] = self._rows("constraint", t0, parts[0].copy())


class Mechanical(Problem):
    """M(t, q) q'' = f(t, q, v) - G(t, q)^T l, 0 = g(t, q), G = g_q: index 3.

    Parameters
    ----------
    force : f(t, q, v)
    mass : M(t, q), or a constant matrix; without it M = I
    constraint : g(t, q)
    constraint_jacobian, constraint_time : G(t, q) and g_t(t, q)
    curvature : g_qq(v, v) + 2 g_qt v + g_tt, of (t, q, v)
    force_jacobian : (f_q, f_v), of (t, q, v); used when the forces turn out to be stiff
    evaluate, provides : one compiled callback for all of them (``keel_mechanical_spec``)

    What is not given is formed by differences; that costs many calls, and digits: `choice` of the
    solution says how many.  Give y0 as ``(q, v)``: the multipliers need not be known.

    >>> import keel
    >>> pendulum = keel.Mechanical(force=lambda t, q, v: [0, -9.81],
    ...                            constraint=lambda t, q: q[0]**2 + q[1]**2 - 1,
    ...                            constraint_jacobian=lambda t, q: [[2*q[0], 2*q[1]]])
    >>> s = keel.solve_dae(pendulum, (0, 10), ([1, 0], [0, 0]), rtol=1e-8)
    >>> bool(max(s.residual) < 1e-13)
    True
    """

    _form, _sizes, _groups, _letters = 4, ("positions", "constraints"), (0, 0, 1), ("q", "v", "l")
    _sparse = {"mass": "mass", "constraint_jacobian": "constraint", "force_jacobian": "force"}

    def __init__(self, force=None, mass=None, constraint=None, *, constraint_jacobian=None,
                 constraint_time=None, curvature=None, force_jacobian=None, evaluate=None,
                 provides=0, constant_mass=False, positions=None, constraints=None, **common):
        if evaluate is not None and not _compiled.is_compiled(evaluate):
            raise TypeError("`evaluate` is for compiled code; in Python give the parts: force, "
                            "mass, constraint, ...")
        if _is_matrix(mass):
            constant_mass = True
        if constraint is None and evaluate is None and constraints is None:
            constraints = 0
        super().__init__({"mass": mass, "force": force, "constraint": constraint,
                          "constraint_jacobian": constraint_jacobian,
                          "constraint_time": constraint_time, "curvature": curvature,
                          "force_jacobian": force_jacobian, "evaluate": evaluate},
                         (positions, constraints), provides=provides, constant_mass=constant_mass,
                         **common)

    def _probe(self, sizes, t0, parts):
        if sizes[1] is None:
            sizes[1] = self._rows("constraint", t0, parts[0].copy())

    def _arguments(self, name, t0, y, sizes):
        q, v = y[:sizes[0]].copy(), y[sizes[0]:2 * sizes[0]].copy()
        return (t0, q, v) if name == "force_jacobian" else (t0, q)


class Quasilinear(Problem):
    """M(t, y) y' = f(t, y) with an M that may be singular.

    `mass` is a function of (t, y) or a constant matrix.  ``mass_jacobian(t, y, w)`` is
    d(M(t, y) w)/dy, needed beside `jacobian` when M depends on y.  ``variable_index`` has 1, 2 or
    3 for each unknown.

    >>> import keel                                     # y0' = -y1, 0 = y1 - y0
    >>> p = keel.Quasilinear([[1, 0], [0, 0]], lambda t, y: [-y[1], y[1] - y[0]])
    >>> s = keel.solve_dae(p, (0, 1), [1.0, 1.0], rtol=1e-10)
    >>> round(float(s.y_end[1]), 8)
    0.36787944
    """

    _form, _sizes, _letters = 5, ("size",), ("y",)
    _sparse = {"mass": "jacobian", "jacobian": "jacobian"}

    def __init__(self, mass, rhs, jacobian=None, *, mass_jacobian=None, variable_index=None,
                 constant_mass=False, size=None, **common):
        if _is_matrix(mass):
            constant_mass = True
        super().__init__({"mass": mass, "rhs": rhs, "jacobian": jacobian,
                          "mass_jacobian": mass_jacobian}, (size,), constant_mass=constant_mass,
                         variable_index=variable_index, **common)

    def _united(self, found):
        given = sum(name in self._callbacks for name in self._sparse)
        if self._pattern is None and len(found) < given:
            return {}              # one of both is dense: so is the sum
        return super()._united(found)


class Implicit(Problem):
    """F(t, y, y') = 0.  ``jacobian(t, y, yp, shift)`` is F_y + shift F_y'.

    >>> import keel
    >>> p = keel.Implicit(lambda t, y, yp: [yp[0] + y[1], y[1] - y[0]])
    >>> s = keel.solve_dae(p, (0, 1), [1.0, 1.0], rtol=1e-10)
    >>> round(float(s.y_end[0]), 8)
    0.36787944
    """

    _form, _sizes, _letters, _sparse = 6, ("size",), ("y",), {"jacobian": "jacobian"}

    def __init__(self, residual, jacobian=None, *, variable_index=None, size=None, **common):
        super().__init__({"residual": residual, "jacobian": jacobian}, (size,),
                         variable_index=variable_index, **common)

    def _arguments(self, name, t0, y, sizes):
        return t0, y.copy(), np.zeros_like(y), 1.0


class Proper(Problem):
    """A(t, x) d(t, x)' + b(t, x) = 0 with a properly stated leading term; the unknowns are
    (x, u), u = d(t, x).

    ``leading_term_jacobian(t, x)`` is d_x and ``jacobian(t, x, w)`` d(A(t, x) w + b(t, x))/dx.

    >>> import keel, numpy as np                        # (x / (1 + t))' + x / (1 + t) = 0
    >>> p = keel.Proper(lambda t, x: [[1.0]], lambda t, x: x / (1 + t), lambda t, x: x / (1 + t))
    >>> s = keel.solve_dae(p, (0, 1), [1.0], rtol=1e-10)
    >>> bool(abs(s.y_end[0] - 2 * np.exp(-1)) < 1e-8)
    True
    """

    _form, _sizes, _groups, _letters = 7, ("size", "leading"), (0, 1), ("x", "u")

    def __init__(self, leading_matrix, leading_term, rest, *, leading_term_jacobian=None,
                 jacobian=None, variable_index=None, size=None, leading=None, **common):
        super().__init__({"leading_matrix": leading_matrix, "leading_term": leading_term,
                          "rest": rest, "leading_term_jacobian": leading_term_jacobian,
                          "jacobian": jacobian}, (size, leading), variable_index=variable_index,
                         **common)

    def _probe(self, sizes, t0, parts):
        if sizes[1] is None:
            sizes[1] = self._rows("leading_term", t0, parts[0].copy())

    def _resolve(self, t0, y0):
        sizes, y = super()._resolve(t0, y0)
        given = sum(np.size(part) for part in y0) if self._grouped(y0) else np.size(y0)
        if given == sizes[0] and "leading_term" in self._callbacks:
            fun = self._callbacks["leading_term"]
            if not _compiled.is_compiled(fun) and not _compiled.takes_out(fun):
                y[sizes[0]:] = np.ravel(self._call("leading_term", t0, y[:sizes[0]].copy()))
        return sizes, y

    def _from_length(self, sizes, t0, flat):
        if sizes[0] is None and sizes[1] is None:
            sizes[0] = len(flat)            # u = d(t, x) follows
        self._probe(sizes, t0, [flat[:sizes[0]]] if sizes[0] else [flat])
        super()._from_length(sizes, t0, flat)


class Levelled(Problem):
    """y' = f(t, y, z), 0 = g(t, y, z), and every constraint hidden in it: any index.

    ``level(t, y, z, k)`` is h_k, row i for each row of g; k = 0 is g.  ``chain[i]`` says how many
    constraints are below row i, ``next[j]`` which unknown is the derivative of y[j] (or -1).
    ``level_jacobian(t, y, k)`` is (h_k)_y.

    >>> import keel, numpy as np                        # y0' = y1, y1' = z, and y0 = sin t is asked for
    >>> def level(t, y, z, k):
    ...     return [z[0] + np.sin(t), y[1] - np.cos(t), y[0] - np.sin(t)][k]
    >>> p = keel.Levelled(lambda t, y, z: [y[1], z[0]], level, next=[1, -1], chain=[2])
    >>> s = keel.solve_dae(p, (0, 1), ([0.0, 1.0], [0.0]))
    >>> bool(np.allclose(s.y_end, [np.sin(1), np.cos(1), -np.sin(1)], atol=1e-6))
    True
    """

    _form, _sizes, _groups, _letters = 8, ("differential", "algebraic"), (0, 1), ("y", "z")
    _sparse = {"jacobian": "jacobian"}

    def __init__(self, rate, level, jacobian=None, *, level_jacobian=None, next=None, chain=None,
                 differential=None, algebraic=None, **common):
        if algebraic is None and chain is not None:
            algebraic = len(chain)
        if differential is None and next is not None:
            differential = len(next)
        super().__init__({"rate": rate, "level": level, "jacobian": jacobian,
                          "level_jacobian": level_jacobian}, (differential, algebraic), next=next,
                         chain=chain, **common)


class Switching(Problem):
    """Equations that change at events: ``Switching(first, second, ...)``.

    Runs begin with the first problem; an action chooses another by its number,
    ``state.structure = 1``.  Unknowns are the same where they have the same name: those of the
    first problem come first, then those that only others have, NaN while they are not there.  All
    but the first need their sizes, all need names.  Velocities that new constraints do not allow
    change by an impulse.

    >>> import keel, numpy as np
    >>> names = ["x", "y", "vx", "vy"]
    >>> gravity = lambda t, q, v: [0, -9.81]
    >>> slack = keel.Mechanical(gravity, positions=2, names=names)
    >>> tight = keel.Mechanical(gravity, None, lambda t, q: q @ q - 1, names=names + ["force"],
    ...                         positions=2, constraints=1)
    >>> def catch(state):
    ...     state.structure = 1
    >>> def length(t, y):                                # without rounding errors of a tight one
    ...     return y[0]**2 + y[1]**2 - 1 if np.isnan(y[4]) else -1.0
    >>> string = keel.Event(length, direction=1, action=catch)
    >>> s = keel.solve_dae(keel.Switching(slack, tight), (0, 1), [0.5, 0, 0, 0], events=string)
    >>> s.names, bool(abs(s.y_end[0]**2 + s.y_end[1]**2 - 1) < 1e-13)
    (('x', 'y', 'vx', 'vy', 'force'), True)
    """

    def __init__(self, first, *others):
        if not all(isinstance(p, Problem) for p in (first, *others)) or not others:
            raise TypeError("a Switching has at least two problems")
        for problem in (first, *others):
            if problem.names is None:
                raise ProblemError("the problems of a Switching need names: unknowns with the same "
                                   "name are the same", -1)
        self.first, self.others = first, others
        self._form, self._sizes, self._groups = first._form, first._sizes, first._groups
        self._letters, self._callbacks, self.args = first._letters, first._callbacks, first.args
        self._frame, self._attached = first._frame, first._attached
        self.constraint_names = first.constraint_names
        more = [n for p in others for n in p.names if n not in first.names]
        self.names = first.names + tuple(dict.fromkeys(more))

    def __getstate__(self):
        return self.__dict__

    def _resolve(self, t0, y0):
        sizes, y = self.first._resolve(t0, y0)
        return sizes, np.concatenate([y, np.full(len(self.names) - len(y), np.nan)])

    def _core_problem(self, t0, y, sizes, conditions=None):
        if conditions is not None:
            raise ProblemError("a boundary value problem has one structure", -1)
        return self.first._core_problem(t0, y[:len(self.first.names)], sizes)

    def _dims(self, sizes, rows=0):
        dims = self.first._dims(sizes, rows)
        return None if dims is None else {**dims, "all": len(self.names)}

    def _others(self, t0, y):
        known = dict(zip(self.names, np.nan_to_num(y)))
        made = []
        for problem in self.others:
            problem._require(problem._given_sizes)
            here = np.array([known[name] for name in problem.names])
            made.append(problem._core_problem(t0, here, problem._given_sizes))
        return tuple(made)
