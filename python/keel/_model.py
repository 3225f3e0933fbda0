"""Models in Modelica."""

import math
import os
import warnings

import numpy as np

from . import _core
from ._errors import KeelWarning, ProblemError
from ._problems import Problem
from ._solution import Dense


class Model(Problem):
    """A model in Modelica: ``Model("pendulum.mo", parameters={"L": 2}, start={"x": 1})``.

    Parameters
    ----------
    path : of the file; or `text`, the model itself
    name : of the class, if it is not the last model that is not partial
    parameters : dict {name: number, or Modelica text}
    start : dict {name: number}, start values that are fixed
    levelled : True: no special form (mechanical, semi-explicit) is looked for

    It is a problem like others, with its own events and start values: ``solve_dae(model, (0, 10))``,
    or `solve` with the interval of its experiment.  The rows of ``y`` in the result are its variables
    (``s.var["x"]``), aliases with them.  `nominal` scales absolute tolerances that are not given.
    docs/models.md says what of the language is read.

    >>> import keel
    >>> model = keel.Model(text='''
    ...   model Decay
    ...     parameter Real k = 2;
    ...     Real x(start = 1, fixed = true), lost;
    ...   equation
    ...     der(x) = -k * x;
    ...     x + lost = 1;
    ...   end Decay;''')
    >>> s = keel.solve_dae(model, (0, 1), rtol=1e-9)
    >>> s.names, s.var["lost"][-1].round(6), model.parameters
    (('x', 'lost'), 0.864665, {'k': 2.0})
    >>> model.with_parameters(k=0).solve((0, 1)).var["x"][-1]
    1.0
    """

    _form, _sizes, _letters, _is_model = 8, ("size",), ("y",), True

    def __init__(self, path=None, *, text=None, name=None, parameters=None, start=None, levelled=False):
        if (path is None) == (text is None):
            raise TypeError("a model is a file or a text: give path, or text=")
        super().__init__({}, (None,))
        self.path = None if path is None else os.fspath(path)
        self._given = {"text": text, "name": name, "parameters": dict(parameters or {}),
                       "start": dict(start or {}), "levelled": bool(levelled)}
        self._read()

    def _read(self):
        given = self._given
        try:
            self._model = _core.Model(self.path, given["text"], "text", given["name"])
        except TypeError as wrong:
            if "cannot create" in str(wrong):
                raise ProblemError("this build of the package has no models", -1) from None
            raise
        if given["levelled"]:
            self._model.levelled()
        for name, value in given["parameters"].items():
            self._model.set(str(name), value)
        for name, value in given["start"].items():
            self._model.set_start(str(name), float(value))
        self._size = self._model.prepare()
        if self._model.message:
            warnings.warn(self._model.message.strip(), KeelWarning, stacklevel=4)
        self.variables = self._model.variables()
        shown = [k for k, v in enumerate(self.variables)
                 if not v["protected"] and v["kind"] in ("discrete", "continuous")]
        self._shown = np.array(shown, dtype=int)
        self.names = tuple(self.variables[k]["name"] for k in shown)

    # ---- what it is ----

    @property
    def parameters(self):
        """Values of its parameters and constants, by name."""
        t, y = self._model.start()
        values = self._model.values(t, y, None, None)
        return {v["name"]: float(x) for v, x in zip(self.variables, values)
                if v["kind"] == "parameter" and not v["protected"]}

    @property
    def structure(self):
        """What `keel check` finds: index, freedom, form, blocks, ...; a dict."""
        return self._model.structure()

    @property
    def events(self):
        """What can happen: "h < 0", "sample(0, 0.1)", ..."""
        return list(dict.fromkeys(self._model.events()))

    @property
    def start_plan(self):
        """[(fixed, equation, guess or free; text; line)] of the start."""
        return self._model.plan()

    @property
    def experiment(self):
        """annotation(experiment(...)): start, stop, interval, tolerance; None where it says nothing."""
        names = ("start", "stop", "interval", "tolerance")
        return {name: None if math.isnan(x) else x
                for name, x in zip(names, self._model.experiment())}

    def with_parameters(self, values=None, **named):
        """The same model with other values of parameters: numbers, or Modelica text."""
        return self._changed(parameters={**self._given["parameters"], **(values or {}), **named})

    def _changed(self, **other):
        return Model(self.path, **{**self._given, **other})

    def __reduce__(self):
        return _again, (self.path, self._given)

    def __repr__(self):
        return f"<keel.Model {self.structure['name']}: {', '.join(self.names[:6])}" \
            + (", ...>" if len(self.names) > 6 else ">")

    def solve(self, t_span=None, **options):
        """`solve_dae` with the interval and the tolerance of the experiment where none are given."""
        from ._solve import solve_dae
        said = self.experiment
        if t_span is None:
            begin = said["start"] or 0.0
            t_span = begin, begin + 1 if said["stop"] is None else said["stop"]
        if said["tolerance"] is not None:
            options.setdefault("rtol", said["tolerance"])
        return solve_dae(self, t_span, **options)

    # ---- as a problem ----

    def _resolve(self, t0, y0):
        if y0 is not None:
            raise ProblemError("a model has its start values: Model(..., start={name: value}) changes "
                               "them", -1)
        return (self._size,), self._model.start()[1]

    def _core_problem(self, t0, y, sizes, conditions=None):
        if conditions is not None:
            raise ProblemError("initial conditions of a model are its `initial equation`", -1)
        if sizes not in self._built:                     # no callbacks: all of it is in the model
            self._built[sizes] = _core.Problem(0, sizes, {})
        return self._built[sizes]


    def _at(self, core):
        """Values of the shown variables at the present point of a solver."""
        frame = core.frame()
        return self._model.values(core.t, core.state(), *(frame[1:] if frame else (None, None)))[self._shown]


def _again(path, given):
    return Model(path, **given)


class ModelDense(Dense):
    """As `Dense`, of the variables of a model: the discrete state of each step belongs to it."""

    def __init__(self, recording, model, t_steps, discrete):
        super().__init__(recording)
        self._model, self._t_steps, self._discrete = model, t_steps, discrete

    def _at(self, t, how):
        y = super()._at(t, how)
        times, columns = np.atleast_1d(np.asarray(t, float)), y.reshape(len(y), -1)
        ts, model = self._t_steps, self._model
        sign = 1 if ts[-1] >= ts[0] else -1
        k = np.searchsorted(sign * ts, sign * times, side="right" if how == 1 else "left") - 1
        count = model._model.modes if len(self._discrete) else 0
        rows = []
        for time, state, place in zip(times, columns.T, np.clip(k, 0, len(ts) - 1)):
            now = self._discrete[:, place]
            rows.append(model._model.values(float(time), state, now[:count].astype(int).tolist(),
                                            now[count:])[model._shown])
        found = np.array(rows).T
        return found[:, 0] if np.ndim(t) == 0 else found

    def __reduce__(self):
        raise TypeError("the solution of a model anywhere cannot be pickled: t and y can")
