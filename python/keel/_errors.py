"""Exceptions and warnings: one class for each group of the library's statuses."""

from . import _core


class KeelWarning(UserWarning):
    """A remark: a callback changes its input, the library noticed something at the start."""


class Retry(Exception):
    """Raise it in a callback to say: this cannot be evaluated here, try a smaller step."""


class Error(RuntimeError):
    """What the library refused or could not compute.

    ``status`` is the number of the library's status, ``name`` its name (``KEEL_SINGULAR``), ``t``
    the time or None, and ``result`` the solution so far, if there is one.
    """

    def __init__(self, message, status=None, t=None, result=None):
        super().__init__(message)
        self.status = status
        self.name = None if status is None else _core.status_name(status)
        self.t = t
        self.result = result

    def __reduce__(self):
        return type(self), (self.args[0], self.status, self.t, self.result)


class ProblemError(Error, ValueError):
    """Arguments, options, names or derivatives that are wrong."""


class CallbackError(Error):
    """A callback failed, or gave values that are not finite."""


class ConvergenceError(Error):
    """Newton's method or the step size control found no way on."""


class InconsistentError(Error):
    """There are no consistent initial values near those given."""


class RedundantError(Error):
    """Constraints depend on each other."""


class UnsupportedError(Error):
    """This form, method and option do not go together."""


_CLASSES = {
    -1: ProblemError, -3: CallbackError, -4: CallbackError, -5: ConvergenceError,
    -6: ConvergenceError, -7: ConvergenceError, -8: InconsistentError, -9: RedundantError,
    -10: ProblemError, -11: ProblemError, -12: UnsupportedError, -13: ProblemError,
    -15: CallbackError, -16: ConvergenceError, -17: ConvergenceError, -18: ProblemError,
}


def make_error(status, message, t=None):
    """The exception of a status of the library."""
    if status == -2:
        return MemoryError(message)
    if t is not None and t != t:
        t = None
    return _CLASSES.get(status, Error)(message, status, t)
