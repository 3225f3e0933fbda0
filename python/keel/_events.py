"""Events: switch functions, times, and actions that change the state."""

import numpy as np

from . import _compiled, _core
from ._errors import ProblemError


def _direction(value, name):
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) \
            and value == value:
        return int(np.sign(value))
    raise ProblemError(f"event `{name}`: direction is {value!r}; expected -1, 0 or 1", -1)


def _terminal(value, name):
    """After how many occurrences the run ends; 0: it goes on."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)) and value >= 0:
        return int(value)
    raise ProblemError(f"event `{name}`: terminal is {value!r}; expected True, False or a count",
                       -1)


class Event:
    """An event where ``fun(t, y)`` changes its sign.

    Parameters
    ----------
    fun : function of (t, y), or compiled code
    terminal : bool, or int
        ends the run, at the first or the n-th time.
    direction : -1, 0 or 1
        only from positive to negative values, both ways, only from negative to positive ones.
    name : str
    action : function of a `State`, which it may change; the run then begins anew, consistently.

    >>> import keel
    >>> ball = keel.ODE(lambda t, y: [y[1], -9.81])
    >>> def bounce(state):
    ...     state.y[1] *= -0.8
    >>> floor = keel.Event(lambda t, y: y[0], direction=-1, action=bounce, name="floor")
    >>> s = keel.solve_dae(ball, (0, 1), [1.0, 0.0], events=floor)
    >>> round(float(s.t_events[0][0]), 6)
    0.451524
    """

    def __init__(self, fun, *, terminal=False, direction=0, name=None, action=None):
        self.fun, self.action = fun, action
        self.name = str(name) if name is not None else getattr(fun, "__name__", "event")
        self.terminal = _terminal(terminal, self.name)
        self.direction = _direction(direction, self.name)


class TimeEvent:
    """An event at given times, or at ``start + k * period``.

    ``TimeEvent(times, action=...)`` or ``TimeEvent(start=0, period=0.1, action=...)``.  With
    ``observes`` steps are not cut at the ticks of a period: the action sees the dense output, and
    only if it changes something the step ends there.

    >>> import keel
    >>> def refill(state):
    ...     state.y[0] += 1.0
    >>> tank = keel.ODE(lambda t, y: -y)
    >>> s = keel.solve_dae(tank, (0, 2.5), [1.0], events=keel.TimeEvent(start=1, period=1, action=refill))
    >>> s.t_events[0].tolist()
    [1.0, 2.0]
    """

    def __init__(self, times=None, *, start=0.0, period=None, terminal=False, name="time",
                 action=None, observes=False):
        if (times is None) == (period is None):
            raise ProblemError("a TimeEvent has either times or a period", -1)
        self.times = None if times is None else np.sort(np.atleast_1d(np.asarray(times, float)))
        if period is not None and not (np.isfinite(period) and period > 0):
            raise ProblemError(f"the period of a TimeEvent is {period!r}; expected a positive "
                               "number", -1)
        self.start, self.period, self.observes = float(start), period, bool(observes)
        self.name, self.action = str(name), action
        self.terminal = _terminal(terminal, self.name)


class State:
    """What an action sees and may change.

    ``t``; ``y``, ``parameters``, ``modes``, ``values``: to be changed in place; ``pre``: y as it
    was; ``names``: of the events that happen now; ``initial``: the run begins here; ``iteration``:
    how often actions have been called at this instant; ``structure``: which problem of a
    `Switching` goes on, to be changed.
    """

    def __init__(self, t, y, parameters, modes, values, names, initial, iteration, structure):
        self.t, self.y, self.pre = t, y, y.copy()
        self.parameters, self.modes, self.values = parameters, modes, values
        self.names, self.initial, self.iteration = names, initial, iteration
        self.structure = structure
        self.smooth = False
        self._stop, self._text, self._fixed = False, "", []

    def stop(self, text=""):
        """The run ends here."""
        self._stop, self._text = True, str(text)

    def fix(self, *unknowns):
        """These unknowns (numbers) keep the values they have now; others give way."""
        self._fixed.extend(int(i) for i in unknowns)

    def say(self, text):
        """A word for the log of events."""
        self._text = str(text)


def as_event(fun):
    """SciPy's events are functions with attributes."""
    if isinstance(fun, (Event, TimeEvent)):
        return fun
    if not callable(fun) and not _compiled.is_compiled(fun):
        raise TypeError(f"an event is a function of (t, y), not {type(fun).__name__}")
    return Event(fun, terminal=getattr(fun, "terminal", False),
                 direction=getattr(fun, "direction", 0), name=getattr(fun, "name", None),
                 action=getattr(fun, "action", None))


class Dispatcher:
    """What the extension calls when something happens: records it, and calls the actions."""

    def __init__(self, events):
        events = [events] if callable(events) or isinstance(events, (Event, TimeEvent)) else events
        self.events = [as_event(event) for event in events]
        self.switches = [e for e in self.events if isinstance(e, Event)]
        self.clocks = [(e, start) for e in self.events if isinstance(e, TimeEvent)
                       for start in (e.times if e.times is not None else [e.start])]
        self.clear()

    def clear(self):
        self.t = {id(event): [] for event in self.events}
        self.y = {id(event): [] for event in self.events}

    def core(self, form, args, dims):
        """What the extension's solver takes."""
        functions = tuple(_compiled.machine_code(e.fun, form, "event", args, dims)
                          if _compiled.is_compiled(e.fun) else e.fun for e in self.switches)
        clocks = tuple((start, e.period or 0.0, e.observes) for e, start in self.clocks)
        return (functions, tuple(e.name for e in self.switches),
                tuple(e.direction for e in self.switches), clocks,
                tuple(e.name for e, _ in self.clocks), self)

    def __call__(self, t, y, crossed, ticked, initial, iteration, parameters, modes, values,
                 structure):
        now = [e for e, which in zip(self.switches, crossed) if which]
        now += [e for (e, _), which in zip(self.clocks, ticked) if which]
        if not now:
            return False, False, "", (), structure
        state = State(t, y, parameters, modes, values, tuple(e.name for e in now), bool(initial),
                      iteration, structure)
        for event in now:
            self.t[id(event)].append(t)
            self.y[id(event)].append(state.pre.copy())
            if event.action is not None:
                event.action(state)
            if event.terminal and len(self.t[id(event)]) >= event.terminal:
                state._stop = True
        if state.y is not y:
            y[:] = state.y
        for mine, given in ((state.parameters, parameters), (state.values, values)):
            if mine is not given:
                given[:] = mine
        if state.modes is not modes:
            modes[:] = state.modes
        return state._stop, state.smooth, state._text, tuple(state._fixed), int(state.structure)

    def times(self):
        return [np.array(self.t[id(event)]) for event in self.events]

    def states(self, size):
        return [np.array(self.y[id(event)]).reshape(-1, size) for event in self.events]
