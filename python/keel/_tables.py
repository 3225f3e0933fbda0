"""What the library can do, as lists; and whether derivatives are right."""

from . import _core
from ._errors import ProblemError
from ._problems import refuse_model

_KINDS = ("real", "integer", "count", "choice", "text", "flag")


def options():
    """The options of the library: name, kind, default, range, choices, help.

    >>> import keel
    >>> [row["name"] for row in keel.options()][:3]
    ['method', 'rtol', 'atol']
    """
    return [{"name": name.replace("-", "_"), "kind": _KINDS[kind], "default": standard,
             "least": least, "most": most,
             "choices": None if choices is None else choices.split("|"), "help": text}
            for name, kind, standard, least, most, choices, text in _core.options()]


def formulations():
    """Formulations that `solve_dae(..., formulation=name)` takes: name, summary, equations, ...

    >>> import keel
    >>> "ggl" in [f["name"] for f in keel.formulations()]
    True
    """
    return _core.formulations()


class CheckReport(dict):
    """``findings`` (what is wrong, each with a sentence) and ``items`` (what was compared)."""

    findings = property(lambda self: self["findings"])
    items_ = property(lambda self: self["items"])

    @property
    def ok(self):
        """Nothing was found."""
        return not self["findings"]

    def __bool__(self):
        return self.ok

    def __str__(self):
        return "\n".join(f["text"] for f in self["findings"]) or "all derivatives fit"


def check(problem, t, y, yp=None):
    """Are the derivatives right that a problem was given?  Compares them with differences.

    >>> import keel
    >>> wrong = keel.ODE(lambda t, y: [y[0]**2], lambda t, y: [[y[0]]])
    >>> bool(keel.check(wrong, 0, [1.0]))
    False
    """
    refuse_model(problem, "check")
    sizes, flat = problem._resolve(float(t), y)
    core = problem._core_problem(float(t), flat, sizes)
    findings, items = _core.check(core, float(t), flat[:core.size], yp)
    return CheckReport(findings=findings, items=items)
