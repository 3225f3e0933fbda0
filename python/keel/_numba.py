"""Functions compiled by numba (@njit), wrapped as callbacks of the library.

A wrapper is a `cfunc` with the signature of the callback: arrays over the solver's own memory, the
user's function, and a `try` around it, because an exception that leaves a cfunc is printed and
forgotten, and the run would go on with whatever is in the result.
"""

from . import _core

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


def _compile(fun, form, name, args, dims):
    import numba
    from numba import types
    _, inputs, outputs = _core.layout(form, name)
    if name == "evaluate" or any(kind in ("subtracted", "below") for kind, _, _ in outputs):
        raise TypeError(f"the callback `{name}` cannot be an @njit function: give a Python "
                        "function or a cfunc")
    source = _source(inputs, outputs, args, dims, _takes_out(fun))
    space = {"fun": fun, "carray": numba.carray, "farray": numba.farray}
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
        lines += [f"        {r}[:] = {v}" for r, v in zip(targets, names)]
    lines += ["    except Exception:", "        return -1", "    return 0", ""]
    return "\n".join(lines)
