"""Callbacks that are machine code: LowLevelCallable, addresses, functions compiled by numba."""

import re
import types

import numpy as np

from . import _core


class Compiled:
    """Machine code as a callback: ``Compiled(address, data=None, keep=None)``.

    `address` is an integer, a ctypes function or anything with an attribute ``address`` (a numba
    ``cfunc``).  `data` is the address that becomes the last argument, an integer or an array whose
    numbers are meant; without it that argument is NULL or, in a problem with parameters, modes or
    values, the frame of the library (``keel_frame``).  `keep` is an object that owns the code.
    """

    def __init__(self, address, data=None, keep=None):
        self.address = _address(address)
        self.data = _data(data)
        self.keep = (address, data, keep)

    def __reduce__(self):
        raise TypeError("machine code at an address cannot be pickled: make the problem anew in "
                        "the other process")


def _address(code):
    if isinstance(code, (int, np.integer)):
        return int(code)
    if hasattr(code, "address"):
        return int(code.address)
    import ctypes
    return ctypes.cast(code, ctypes.c_void_p).value


def _data(data):
    if data is None:
        return 0
    if isinstance(data, (int, np.integer)):
        return int(data)
    if isinstance(data, np.ndarray):
        if not data.flags.c_contiguous:
            raise ValueError("data of a compiled callback must be contiguous")
        return data.ctypes.data
    import ctypes
    return ctypes.cast(data, ctypes.c_void_p).value


def _is_low_level(fun):
    return isinstance(fun, tuple) and type(fun).__name__ == "LowLevelCallable"


def _is_ctypes(fun):
    return type(type(fun)).__name__ == "PyCFuncPtrType"


def is_compiled(fun):
    return isinstance(fun, Compiled) or _is_low_level(fun) or _is_ctypes(fun) or \
        (hasattr(fun, "address") and hasattr(fun, "native_name")) or is_jitted(fun)


def is_jitted(fun):
    return hasattr(fun, "py_func") and hasattr(fun, "nopython_signatures")


def is_portable(fun):
    """Can it be pickled and made anew in another process?"""
    return is_jitted(fun) or hasattr(fun, "text")


def _plain(signature):
    text = re.sub(r"\b(const|struct)\b", " ", signature)
    text = re.sub(r"\s*\*", " *", re.sub(r"\s+", " ", text))
    text = re.sub(r"\bunsigned\b(?! int)", "unsigned int", text)
    return re.sub(r"\s*([(),])\s*", r"\1", text).strip()


def _matches(given, expected):
    """The same signature; any pointer may be a void pointer."""
    split = r"^(.*)\((.*)\)$"
    given, expected = re.match(split, _plain(given)), re.match(split, _plain(expected))
    if not given or given[1] != expected[1]:
        return False
    mine, theirs = given[2].split(","), expected[2].split(",")
    return len(mine) == len(theirs) and all(
        a == b or (a == "void *" and b.endswith("*")) for a, b in zip(mine, theirs))


def _capsule(callable_, name, expected):
    import ctypes
    api = ctypes.pythonapi
    get_name = api.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    capsule = tuple.__getitem__(callable_, 0)
    text = get_name(capsule)
    signature = text.decode() if text else ""
    if not _matches(signature, expected):
        raise TypeError(f"the callback `{name}` has the signature '{signature}'; expected "
                        f"'{expected}'")
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    context = api.PyCapsule_GetContext
    context.restype, context.argtypes = ctypes.c_void_p, [ctypes.py_object]
    return pointer(capsule, text), context(capsule) or 0


def machine_code(fun, form, name, args, dims, start=None):
    """(address, data, owner, raw) of a compiled callback.

    `start` is t, y and its groups, where an @njit function is tried.
    """
    expected = _core.layout(form, name)[0]
    if _is_low_level(fun):
        address, data = _capsule(fun, name, expected)
        return address, data, fun, False
    if is_jitted(fun):
        from ._numba import check_first, wrap
        if start is not None and dims is not None and _core.layout(form, name)[2]:
            check_first(fun, form, name, args, dims, *start)
        code = wrap(fun, form, name, args, dims)
        return code.address, 0, code, True
    if not isinstance(fun, Compiled):
        fun = Compiled(fun)
    return fun.address, fun.data, fun, False


def takes_out(fun):
    """Does it fill an argument `out`?  Compiled objects are not inspected."""
    import functools
    while isinstance(fun, functools.partial):
        fun = fun.func
    if is_jitted(fun):
        fun = fun.py_func
    if isinstance(fun, types.MethodType):
        fun = fun.__func__
    if not isinstance(fun, types.FunctionType):
        fun = getattr(type(fun), "__call__", None)
    code = getattr(fun, "__code__", None)
    return code is not None and \
        "out" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
