"""Types of the package keel; docs/python.md is its manual."""

from typing import Any, Callable, Iterator, Mapping, Optional, Protocol, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

__version__: str

Array = np.ndarray[Any, np.dtype[np.float64]]
Matrix = Any                         # an array, nested lists, or scipy.sparse
Code = Any                           # ctypes function, numba cfunc or @njit, LowLevelCallable, Compiled

class StateFunction(Protocol):
    """f(t, y, ...) with arrays in the order of the mathematics; returns numbers, or fills `out`."""
    def __call__(self, t: float, *unknowns: Any) -> Any: ...

Callback = Union[StateFunction, Code]
Start = Union[ArrayLike, tuple[Optional[ArrayLike], ...], Mapping[str, float]]
Unknowns = Union[str, int, Sequence[Union[str, int]], Sequence[bool]]

class KeelWarning(UserWarning): ...
class Retry(Exception): ...

class Error(RuntimeError):
    status: Optional[int]
    name: Optional[str]
    t: Optional[float]
    result: Optional[Solution]
    def __init__(self, message: str, status: Optional[int] = ..., t: Optional[float] = ...,
                 result: Optional[Solution] = ...) -> None: ...

class ProblemError(Error, ValueError): ...
class CallbackError(Error): ...
class ConvergenceError(Error): ...
class InconsistentError(Error): ...
class RedundantError(Error): ...
class UnsupportedError(Error): ...

class Attached:
    def __init__(self, fun: Callback, jacobian: Optional[Callback] = ..., *,
                 kept: Union[bool, Sequence[bool]] = ..., names: Optional[Sequence[str]] = ...) -> None: ...

class Problem:
    args: tuple[Any, ...]
    names: Optional[tuple[str, ...]]
    constraint_names: Optional[tuple[str, ...]]
    @property
    def form(self) -> str: ...
    @property
    def parameters(self) -> dict[Any, float]: ...
    def with_parameters(self, values: Optional[Mapping[Any, Any]] = ..., **named: Any) -> Problem: ...

# All take, beside what is named: args, names, constraint_names, attached, jac_sparsity, band,
# parameters, modes, values.
class ODE(Problem):
    def __init__(self, rhs: Callback, jacobian: Union[Callback, Matrix, None] = ..., *,
                 invariants: Union[Callback, Attached, None] = ..., size: Optional[int] = ...,
                 **common: Any) -> None: ...

class SemiExplicit(Problem):
    def __init__(self, rhs: Callback, constraint: Callback,
                 jacobian: Union[Callback, Matrix, None] = ..., *,
                 differential: Optional[int] = ..., algebraic: Optional[int] = ...,
                 **common: Any) -> None: ...

class Hessenberg2(Problem):
    def __init__(self, rhs: Callback, constraint: Callback, *,
                 constraint_jacobian: Union[Callback, Matrix, None] = ...,
                 constraint_time: Optional[Callback] = ...,
                 jacobian: Union[Callback, Matrix, None] = ..., differential: Optional[int] = ...,
                 multipliers: Optional[int] = ..., **common: Any) -> None: ...

class Hessenberg3(Problem):
    def __init__(self, position_rate: Callback, velocity_rate: Callback, constraint: Callback, *,
                 constraint_jacobian: Union[Callback, Matrix, None] = ...,
                 constraint_time: Optional[Callback] = ...,
                 jacobian: Union[Callback, Matrix, None] = ..., positions: Optional[int] = ...,
                 velocities: Optional[int] = ..., multipliers: Optional[int] = ...,
                 **common: Any) -> None: ...

class Mechanical(Problem):
    def __init__(self, force: Optional[Callback] = ..., mass: Union[Callback, Matrix, None] = ...,
                 constraint: Optional[Callback] = ..., *,
                 constraint_jacobian: Union[Callback, Matrix, None] = ...,
                 constraint_time: Optional[Callback] = ..., curvature: Optional[Callback] = ...,
                 force_jacobian: Optional[Callback] = ..., evaluate: Optional[Code] = ...,
                 provides: int = ..., constant_mass: bool = ..., positions: Optional[int] = ...,
                 constraints: Optional[int] = ..., **common: Any) -> None: ...

class Quasilinear(Problem):
    def __init__(self, mass: Union[Callback, Matrix], rhs: Callback,
                 jacobian: Union[Callback, Matrix, None] = ..., *,
                 mass_jacobian: Optional[Callback] = ...,
                 variable_index: Optional[Sequence[int]] = ..., constant_mass: bool = ...,
                 size: Optional[int] = ..., **common: Any) -> None: ...

class Implicit(Problem):
    def __init__(self, residual: Callback, jacobian: Union[Callback, Matrix, None] = ..., *,
                 variable_index: Optional[Sequence[int]] = ..., size: Optional[int] = ...,
                 **common: Any) -> None: ...

class Proper(Problem):
    def __init__(self, leading_matrix: Union[Callback, Matrix], leading_term: Callback,
                 rest: Callback, *, leading_term_jacobian: Union[Callback, Matrix, None] = ...,
                 jacobian: Union[Callback, Matrix, None] = ...,
                 variable_index: Optional[Sequence[int]] = ..., size: Optional[int] = ...,
                 leading: Optional[int] = ..., **common: Any) -> None: ...

class Levelled(Problem):
    def __init__(self, rate: Callback, level: Callback,
                 jacobian: Union[Callback, Matrix, None] = ..., *,
                 level_jacobian: Optional[Callback] = ..., next: Optional[Sequence[int]] = ...,
                 chain: Optional[Sequence[int]] = ..., differential: Optional[int] = ...,
                 algebraic: Optional[int] = ..., **common: Any) -> None: ...

class Switching(Problem):
    first: Problem
    others: tuple[Problem, ...]
    def __init__(self, first: Problem, *others: Problem) -> None: ...

class Compiled:
    address: int
    data: int
    def __init__(self, address: Any, data: Any = ..., keep: Any = ...) -> None: ...

class State:
    t: float
    y: Array
    pre: Array
    parameters: Array
    modes: list[int]
    values: Array
    names: tuple[str, ...]
    initial: bool
    iteration: int
    structure: int
    smooth: bool
    def stop(self, text: str = ...) -> None: ...
    def fix(self, *unknowns: int) -> None: ...
    def say(self, text: str) -> None: ...

class Event:
    name: str
    terminal: int
    direction: int
    def __init__(self, fun: Callback, *, terminal: Union[bool, int] = ..., direction: float = ...,
                 name: Optional[str] = ..., action: Optional[Callable[[State], Any]] = ...) -> None: ...

class TimeEvent:
    def __init__(self, times: Optional[ArrayLike] = ..., *, start: float = ...,
                 period: Optional[float] = ..., terminal: Union[bool, int] = ..., name: str = ...,
                 action: Optional[Callable[[State], Any]] = ..., observes: bool = ...) -> None: ...

Events = Union[Callback, Event, TimeEvent, Sequence[Union[Callback, Event, TimeEvent]]]

class Dense:
    ts: Array
    t_min: float
    t_max: float
    def __call__(self, t: ArrayLike) -> Array: ...
    def after(self, t: ArrayLike) -> Array: ...
    def projected(self, t: ArrayLike) -> Array: ...

class Solution(dict[str, Any]):
    t: Array
    y: Array
    sol: Optional[Dense]
    t_events: Optional[list[Array]]
    y_events: Optional[list[Array]]
    nfev: int
    njev: int
    nlu: int
    status: int
    message: str
    success: bool
    residual: Array
    t_steps: Array
    residuals: Array
    stats: dict[str, Any]
    choice: str
    problem: Optional[Problem]
    error: Optional[BaseException]
    t_end: float
    y_end: Array
    events: list[dict[str, Any]]
    names: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]
    code: int
    moved: list[tuple[str, float, float]]
    calls: dict[str, int]
    @property
    def var(self) -> Mapping[str, Array]: ...
    @property
    def group(self) -> Mapping[str, Array]: ...
    def check(self) -> Solution: ...
    def to_dataframe(self) -> Any: ...
    def plot(self, variables: Union[str, Sequence[str], None] = ..., figure: Any = ...) -> Any: ...

class Krylov:
    times: Optional[Callback]
    precondition: Optional[Callback]
    precondition_setup: Optional[Callback]
    restart: int
    limit: int
    def __init__(self, times: Optional[Callback] = ..., precondition: Optional[Callback] = ...,
                 precondition_setup: Optional[Callback] = ..., *, restart: int = ...,
                 limit: int = ...) -> None: ...

class Solver:
    problem: Problem
    parameters: Optional[Array]
    def __init__(self, problem: Problem, *, method: Union[str, Method, None] = ...,
                 rtol: ArrayLike = ..., atol: Optional[ArrayLike] = ...,
                 events: Optional[Events] = ...,
                 formulation: Union[str, Mapping[str, Any], None] = ...,
                 equation: Optional[Callback] = ..., **options: Any) -> None: ...
    def start(self, t: float, y0: Optional[Start] = ..., yp0: Optional[ArrayLike] = ..., *,
              fixed: Optional[Unknowns] = ..., free: Optional[Unknowns] = ...) -> None: ...
    def restart(self, y: Optional[ArrayLike] = ..., *, fixed: Optional[Unknowns] = ...,
                free: Optional[Unknowns] = ...) -> None: ...
    def step(self) -> bool: ...
    def advance(self, t: float) -> bool: ...
    def advance_to(self, t: float) -> bool: ...
    def set_stop_time(self, t: float) -> None: ...
    def clear_stop_time(self) -> None: ...
    @property
    def t_previous(self) -> float: ...
    @property
    def factor_bytes(self) -> float: ...
    def __iter__(self) -> Iterator[tuple[float, Array]]: ...
    @property
    def t(self) -> float: ...
    @property
    def y(self) -> Array: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def var(self) -> dict[str, float]: ...
    @property
    def info(self) -> dict[str, Any]: ...
    def interpolate(self, t: float, projected: bool = ...) -> Array: ...
    def project(self, t: float, y: ArrayLike) -> Array: ...
    def residuals(self) -> Array: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    @property
    def choice(self) -> str: ...
    @property
    def moved(self) -> list[tuple[str, float, float]]: ...
    @property
    def events(self) -> list[dict[str, Any]]: ...
    @property
    def invariants(self) -> list[dict[str, Any]]: ...
    @property
    def impasses(self) -> list[dict[str, Any]]: ...
    @property
    def state_before(self) -> Optional[Array]: ...
    @property
    def impulses(self) -> Optional[Array]: ...
    def save(self, path: Any, note: Optional[bytes] = ...) -> None: ...
    @property
    def note(self) -> Optional[bytes]: ...
    def load(self, path: Any, t: float, y0: Start) -> None: ...

def solve_dae(problem: Union[Problem, Callback], t_span: tuple[float, float],
              y0: Optional[Start] = ..., yp0: Optional[ArrayLike] = ..., *, mass: Union[Callback, Matrix, None] = ...,
              method: Union[str, Method] = ..., t_eval: Optional[ArrayLike] = ...,
              dense_output: bool = ..., events: Optional[Events] = ..., args: tuple[Any, ...] = ...,
              rtol: ArrayLike = ..., atol: Optional[ArrayLike] = ...,
              first_step: Optional[float] = ..., max_step: float = ...,
              max_steps: Optional[int] = ..., max_seconds: Optional[float] = ...,
              jac: Union[Callback, Matrix, None] = ..., jac_sparsity: Optional[Matrix] = ...,
              fixed: Optional[Unknowns] = ..., free: Optional[Unknowns] = ...,
              callback: Optional[Callable[[float, Array], Any]] = ..., progress: bool = ...,
              on_error: str = ..., formulation: Union[str, Mapping[str, Any], None] = ...,
              equation: Optional[Callback] = ..., **options: Any) -> Solution: ...

def solve_ivp(fun: Callback, t_span: Sequence[float], y0: ArrayLike,
              method: Union[str, Method] = ..., t_eval: Optional[ArrayLike] = ...,
              dense_output: bool = ..., events: Optional[Events] = ..., vectorized: bool = ...,
              args: Optional[tuple[Any, ...]] = ..., **options: Any) -> Solution: ...

class Method:
    name: str
    kind: str
    estimate: str
    analysis: dict[str, Any]
    coefficients: dict[str, Array]
    def __init__(self, *, name: str = ..., A: Optional[ArrayLike] = ..., b: Optional[ArrayLike] = ...,
                 c: Optional[ArrayLike] = ..., alpha: Optional[ArrayLike] = ...,
                 beta: Optional[ArrayLike] = ..., gamma: Optional[ArrayLike] = ..., blocking: int = ...,
                 U: Optional[ArrayLike] = ..., B: Optional[ArrayLike] = ...,
                 V: Optional[ArrayLike] = ..., W: Optional[ArrayLike] = ..., order: int = ...,
                 stage_order: int = ..., b_hat: Optional[ArrayLike] = ..., order_hat: int = ...,
                 **more: Any) -> None: ...
    @classmethod
    def read(cls, path: Any) -> Method: ...
    def stability(self, z: Any) -> Any: ...
    def orders(self, index: int, *, nonlinear: bool = ..., projected: bool = ...,
               multipliers: str = ...) -> tuple[Optional[int], ...]: ...
    def plot_stability(self, extent: Optional[tuple[float, float, float, float]] = ...,
                       ax: Any = ...) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...

def method(name: str) -> Method: ...
def methods() -> list[dict[str, Any]]: ...

class Table(list[dict[str, Any]]):
    columns: list[str]
    def column(self, name: str) -> list[Any]: ...
    def to_dataframe(self) -> Any: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

def sweep(problem: Union[Problem, Callable[..., Problem]], t_span: tuple[float, float],
          y0: Optional[Start] = ..., parameters: Optional[Mapping[str, ArrayLike]] = ..., *,
          start: Optional[Mapping[str, ArrayLike]] = ..., samples: Optional[int] = ..., seed: int = ...,
          jobs: Optional[int] = ..., output: Optional[Callable[[Solution], Any]] = ...,
          **options: Any) -> Table: ...
def converge(problem: Problem, t_span: tuple[float, float], y0: Start,
             method: Union[str, Method] = ..., *, steps: int = ..., halvings: int = ...,
             exact: Optional[Callable[[float], ArrayLike]] = ..., each: bool = ...,
             formulation: Union[str, Mapping[str, Any], None] = ..., **options: Any) -> Table: ...
def compare(problem: Problem, t_span: tuple[float, float], y0: Start,
            methods: Sequence[Union[str, Method]] = ..., rtol: ArrayLike = ..., *,
            exact: Any = ..., **options: Any) -> Table: ...

class Boundary:
    problem: Problem
    size: int
    def __init__(self, problem: Problem, t_span: tuple[float, float], condition: Callback, *,
                 guess: Any = ..., unknown: Union[str, int, Sequence[Union[str, int]]] = ...,
                 rows: Optional[int] = ..., condition_jacobian: Optional[Callback] = ...,
                 inner: Optional[ArrayLike] = ..., inner_condition: Optional[Callback] = ...,
                 breaks: Optional[ArrayLike] = ..., break_unknown: Optional[Sequence[int]] = ...,
                 condition_names: Optional[Sequence[str]] = ...,
                 rtol: ArrayLike = ..., atol: Optional[ArrayLike] = ..., **options: Any) -> None: ...
    def solve(self, **parameters: float) -> Solution: ...
    def change(self, t_span: Optional[tuple[float, float]] = ..., rtol: Optional[float] = ...,
               atol: Optional[float] = ...) -> None: ...
    def save(self, path: Any) -> None: ...
    def load(self, path: Any) -> None: ...
    def diagnose(self) -> dict[str, Any]: ...
    def multipliers(self) -> Any: ...

class Fit(Boundary):
    def __init__(self, problem: Problem, t_span: tuple[float, float], condition: Callback,
                 measurements: Mapping[Union[str, int], Any],
                 parameters: Union[str, int, Sequence[Union[str, int]]], *, confidence: float = ...,
                 most: int = ..., **more: Any) -> None: ...
    def run(self, start: Optional[ArrayLike] = ...) -> Solution: ...

class Curve:
    problem: Problem
    rate: float
    impasses: list[dict[str, Any]]
    def __init__(self, problem: Problem, *, rtol: float = ..., atol: Optional[float] = ...,
                 **options: Any) -> None: ...
    def start(self, t: float, y0: Start, *, direction: float = ...,
              span: Optional[tuple[float, float]] = ..., length: float = ...) -> None: ...
    def __iter__(self) -> Iterator[tuple[float, float, Array]]: ...

class Branch(Boundary):
    message: str
    def __init__(self, problem: Problem, t_span: tuple[float, float], condition: Callback, *,
                 parameter: Union[str, int], arclength: bool = ..., step: float = ...,
                 step_least: float = ..., step_most: float = ..., points: int = ...,
                 **more: Any) -> None: ...
    def follow(self, *values: float) -> Table: ...
    def solution(self) -> Solution: ...

def solve_bvp(problem: Problem, t_span: tuple[float, float], condition: Callback, guess: Any = ...,
              **options: Any) -> Solution: ...
class Model(Problem):
    path: Optional[str]
    variables: list[dict[str, Any]]
    def __init__(self, path: Any = ..., *, text: Optional[str] = ..., name: Optional[str] = ...,
                 parameters: Optional[Mapping[str, Union[float, str]]] = ...,
                 start: Optional[Mapping[str, float]] = ..., levelled: bool = ...) -> None: ...
    @property
    def structure(self) -> dict[str, Any]: ...
    @property
    def events(self) -> list[str]: ...
    @property
    def start_plan(self) -> list[tuple[str, str, int]]: ...
    @property
    def experiment(self) -> dict[str, Optional[float]]: ...
    def solve(self, t_span: Optional[tuple[float, float]] = ..., **options: Any) -> Solution: ...

def lagrange(L: Any, q: Any, constraints: Any = ..., *, forces: Any = ..., nonholonomic: Any = ...,
             invariants: Any = ..., t: Any = ..., velocities: Any = ...,
             parameters: Optional[Mapping[Any, float]] = ..., names: Optional[Sequence[str]] = ...,
             compiled: Optional[bool] = ..., **common: Any) -> Union[Mechanical, ODE]: ...
def check(problem: Problem, t: float, y: Start, yp: Optional[ArrayLike] = ...) -> Any: ...
def formulations() -> list[dict[str, str]]: ...
def options() -> list[dict[str, Any]]: ...
