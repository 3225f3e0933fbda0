"""Functions compiled by numba (@njit), wrapped as callbacks of the library.

A wrapper is a `cfunc` with the signature of the callback: arrays over the solver's own memory, the
user's function, and a `try` around it, because an exception that leaves a cfunc is printed and
forgotten, and the run would go on with whatever is in the result.
"""

import numpy as np

from . import _core
from ._convert import called, coerce

_made = {}


def wrap(fun, form, name, args, dims):
    """The cfunc; made once for each function, callback, args and sizes."""
    if dims is None:
        raise TypeError(f"the callback `{name}` is an @njit function, but the problem has "
                        "parameters, modes or values, which such functions do not get: use args=, "
                        "a Python function, or a cfunc, which gets the frame")
    try:
        key = fun, form, name, args, tuple(sorted(dims.items()))
        hash(key)
    except TypeError:                                    # args with arrays
        return _compile(fun, form, name, args, dims)
    if key not in _made:
        _made[key] = _compile(fun, form, name, args, dims)
    return _made[key]


def check_first(fun, form, name, args, dims, t0, y, groups):
    """Calls it once from Python: what it raises, and a result of the wrong shape, is then seen.

    Its arguments are those of the start; derivatives are 0, other numbers 1.
    """
    _, inputs, outputs = _core.layout(form, name)
    groups, given = list(groups), [t0]
    for what in inputs[1:]:
        if what in ("real", "whole"):
            given.append(1.0 if what == "real" else 1)
        elif what == "all":
            given.append(y.copy())
        else:
            fits = groups and len(groups[0]) == dims[what]
            given.append(groups.pop(0).copy() if fits else np.zeros(dims[what]))
    if _takes_out(fun):
        return _check_written(fun, name, (*given, *args), outputs, dims)
    found = called(fun, name, *given, *args)
    for (kind, rows, columns), result in zip(outputs, (found,) if len(outputs) == 1 else found):
        coerce(result, name, (dims[rows],) if kind == "vector" else (dims[rows], dims[columns]))


def _check_written(fun, name, given, outputs, dims):
    """Numbers that it does not write would be whatever was there before: two calls tell."""
    if [kind for kind, _, _ in outputs] != ["vector"]:
        return
    before = [np.full(dims[outputs[0][1]], value) for value in (0.0, 1.0)]
    for out in before:
        called(fun, name, *given, out)
    left = np.flatnonzero((before[0] == 0) & (before[1] == 1))
    if len(left):
        raise ValueError(f"the callback `{name}` does not write entry [{left[0]}] of `out`")


def _compile(fun, form, name, args, dims):
    import numba
    from numba import types
    _, inputs, outputs = _core.layout(form, name)
    if name == "evaluate" or any(kind in ("subtracted", "below") for kind, _, _ in outputs):
        raise TypeError(f"the callback `{name}` cannot be an @njit function: give a Python "
                        "function or a cfunc")
    source = _source(inputs, outputs, args, dims, _takes_out(fun))
    space = {"fun": fun, "carray": numba.carray, "farray": numba.farray, "asarray": np.asarray}
    space.update({f"arg{k}": value for k, value in enumerate(args)})
    exec(compile(source, f"<keel {name}>", "exec"), space)
    pointer = types.CPointer(types.double)
    kinds = [types.double if what == "real" else types.intc if what == "whole" else pointer
             for what in inputs] + [pointer] * (len(outputs) + (name == "event"))
    signature = types.intc(*kinds, types.voidptr)
    return numba.cfunc(signature, forceinline=True)(space["callback"])


def _takes_out(fun):
    from ._compiled import takes_out
    return takes_out(fun)


def _source(inputs, outputs, args, dims, out):
    """The text of the wrapper."""
    parameters = [f"a{k}" for k in range(len(inputs))]
    results = [f"o{k}" for k in range(len(outputs))]
    spare = ["unused"] if inputs == ["real", "all"] and outputs == [("vector", "one", "")] else []
    lines = [f"def callback({', '.join(parameters + spare + results + ['data'])}):", "    try:"]
    given = []
    for k, what in enumerate(inputs):
        if what in ("real", "whole"):
            given.append(f"a{k}")
        else:
            lines.append(f"        x{k} = carray(a{k}, ({dims[what]},))")
            given.append(f"x{k}")
    for k, (kind, rows, columns) in enumerate(outputs):
        shape = f"({dims[rows]},)" if kind == "vector" else f"({dims[rows]}, {dims[columns]})"
        order = "farray" if kind == "matrix" else "carray"
        lines.append(f"        r{k} = {order}(o{k}, {shape})")
    targets = [f"r{k}" for k in range(len(outputs))]
    given += [f"arg{k}" for k in range(len(args))]
    if not outputs:
        lines.append(f"        fun({', '.join(given)})")
    elif out:
        given.append(targets[0] if len(targets) == 1 else "(" + ", ".join(targets) + ")")
        lines.append(f"        fun({', '.join(given)})")
    else:
        names = [f"v{k}" for k in range(len(outputs))]
        lines.append(f"        {', '.join(names)} = fun({', '.join(given)})")
        for k, (r, v) in enumerate(zip(targets, names)):  # one number would fill a whole result
            lines += [f"        w{k} = asarray({v})", f"        if w{k}.size != {r}.size:",
                      "            return -2", f"        {r}[:] = w{k}"]
    lines += ["    except Exception:", "        return -1", "    return 0", ""]
    return "\n".join(lines)
