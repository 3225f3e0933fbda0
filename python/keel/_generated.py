"""Machine code from expressions of sympy: C text, compiled once and kept in the user's cache.

A function of several parts evaluates each part when it is wanted.  What parts have in common, sines
above all, is computed once: common subexpressions of all parts together, each of them guarded by the
parts that need it.
"""

import ctypes
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile

from ._compiled import Compiled
from ._errors import ProblemError

FLAGS = ("-O2", "-fno-math-errno", "-w", "-fPIC", "-shared")

HEAD = """#include <math.h>
#include <string.h>
/* the beginnings of keel_mechanical_parts and keel_frame */
typedef struct parts {
    double *mass, *force, *constraint, *constraint_jacobian, *constraint_time, *curvature;
} parts;
typedef struct frame { void *context; const double *parameters; } frame;

/* x <- A^-1 x by elimination with pivots in columns; nonzero: singular */
static int solve(int n, double *A, double *x)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
        if (!(fabs(A[pivot * n + k]) > 0)) return 1;
        for (int j = k; j < n && pivot != k; j++) {
            const double other = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = other;
        }
        const double other = x[k];
        x[k] = x[pivot];
        x[pivot] = other;
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] / A[k * n + k];
            if (factor == 0) continue;
            for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    return 0;
}
"""


# ---- text ---------------------------------------------------------------------------------------

def printer(places):
    """Prints expressions as C; `places` says where each symbol is."""
    from sympy.printing.c import C99CodePrinter

    class Printer(C99CodePrinter):
        def _print_Symbol(self, symbol):
            return places.get(symbol, symbol.name)

        def _print_Pow(self, power):
            base, exponent = power.args
            if base.is_Symbol and exponent.is_Integer and 2 <= abs(exponent) <= 4:
                product = "*".join([self._print(base)] * abs(int(exponent)))
                return f"({product})" if exponent > 0 else f"(1.0/({product}))"
            if exponent.is_Rational and exponent.q == 2 and abs(exponent.p) in (1, 3):
                root = f"sqrt({self._print(base)})"
                product = root if abs(exponent.p) == 1 else f"({self._print(base)})*{root}"
                return f"({product})" if exponent.p > 0 else f"(1.0/({product}))"
            return super()._print_Pow(power)

    made = Printer({"human": False})         # says what it cannot print

    def text(expression):
        constants, refused, written = made.doprint(expression)
        if refused:
            raise ProblemError(f"there is no C for {sorted(map(str, refused))[0]}", -1)
        for name, value in constants:
            written = re.sub(rf"\b{name}\b", str(value), written)
        return written
    return text


def shared(parts, angles):
    """Temporaries [(symbol, expression, mask)] and the rest of parts {mask: [expression]}.

    A temporary's mask has the parts that need it; those of one mask stand together as far as their
    order allows.
    """
    from sympy import cse, numbered_symbols
    masks = [mask for mask, expressions in parts.items() for _ in expressions]
    flat = [e for expressions in parts.values() for e in expressions]
    found, rest = cse(flat, numbered_symbols("x"))
    steps = [*angles, *found]
    needs = {symbol: 0 for symbol, _ in steps}
    for mask, expression in zip(masks, rest):
        for symbol in expression.free_symbols & needs.keys():
            needs[symbol] |= mask
    for symbol, expression in reversed(steps):
        for used in expression.free_symbols & needs.keys():
            needs[used] |= needs[symbol]
    rest = iter(rest)
    return _grouped([(s, e, needs[s]) for s, e in steps if needs[s]]), \
        {mask: [next(rest) for _ in expressions] for mask, expressions in parts.items()}


def _grouped(steps):
    """The steps in an order that changes the mask seldom."""
    waits, users, ready, order = {}, {}, {}, []
    made = {symbol for symbol, _, _ in steps}
    for step in steps:
        before = step[1].free_symbols & made
        waits[step[0]] = len(before)
        for symbol in before:
            users.setdefault(symbol, []).append(step)
        if not before:
            ready.setdefault(step[2], []).append(step)
    mask = None
    while ready:
        if mask not in ready:
            mask = max(ready, key=lambda m: (len(ready[m]), m))
        step = ready[mask].pop(0)
        if not ready[mask]:
            del ready[mask]
        order.append(step)
        for user in users.get(step[0], ()):
            waits[user[0]] -= 1
            if waits[user[0]] == 0:
                ready.setdefault(user[2], []).append(user)
    return order


def function(head, parts, angles, text, before="", tail="    return 0;\n"):
    """The text of a C function: `parts` is {mask: (where, [(index, expression)], size)}.

    `where` is filled with zeros first if not all of its `size` numbers are given; `before` and
    `tail` are lines around all of it.
    """
    every = 0
    for mask in parts:
        every |= mask
    steps, rest = shared({mask: [e for _, e in entries] for mask, (_, entries, _) in parts.items()},
                         angles)
    lines, last = [head, "{", before + "    const double *p = frame ? frame->parameters : 0;"], None
    if steps:
        lines.append(f"    double {', '.join(s.name for s, _, _ in steps)};")
    for symbol, expression, mask in steps:
        if mask != last:
            lines += ["    }"] * (last not in (None, every))
            lines += [f"    if (wanted & {mask}) {{"] * (mask != every)
            last = mask
        lines.append(f"    {symbol.name} = {text(expression)};")
    lines += ["    }"] * (last not in (None, every))
    for mask, (where, entries, size) in parts.items():
        if size == 0:
            continue
        lines += [f"    if (wanted & {mask}) {{"] * (len(parts) > 1)
        if len(entries) < size:
            lines.append(f"    memset({where}, 0, {size} * sizeof(double));")
        lines += [f"    {where}[{i}] = {text(e)};" for (i, _), e in zip(entries, rest[mask])]
        lines += ["    }"] * (len(parts) > 1)
    return "\n".join(lines) + "\n" + tail + "}\n"


# ---- compiling ----------------------------------------------------------------------------------

def compiler():
    """The C compiler, CC or cc; None: there is none."""
    return shutil.which(os.environ.get("CC") or "cc")


def _is_private(path):
    found = os.lstat(path)
    return not stat.S_ISLNK(found.st_mode) and found.st_uid == os.geteuid() and \
        not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def cache_directory():
    """$XDG_CACHE_HOME/keel or ~/.cache/keel, where nobody else can write; None: there is no such."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(base):
        return None
    path = os.path.join(base, "keel")
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path if _is_private(path) else None
    except OSError:
        return None


def _key(text, command):
    found = os.stat(command)
    parts = (text, os.path.realpath(command), str(found.st_mtime_ns), *FLAGS)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _compile(text, path, command):
    """Beside its place first: another process may load what is there, or compile the same."""
    folder = os.path.dirname(path)
    handle, source = tempfile.mkstemp(".c", "lagrange-", folder)
    part = source[:-2] + ".part"
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        done = subprocess.run([command, *FLAGS, "-o", part, source, "-lm"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        if done.returncode:
            raise ProblemError(f"{command} failed: {done.stderr.strip()[:500]}", -1)
        os.chmod(part, 0o700)
        os.replace(part, path)
    finally:
        for name in (source, part):
            if os.path.exists(name):
                os.unlink(name)


def load(text):
    """The library of a C text, compiled if it is not in the cache."""
    command = compiler()
    if command is None:
        raise ProblemError("there is no C compiler: set CC, or compiled=False", -1)
    folder = cache_directory()
    if folder is None:                       # nothing is kept; a loaded file may be removed
        with tempfile.TemporaryDirectory(prefix="keel-") as once:
            path = os.path.join(once, "code.so")
            _compile(text, path, command)
            return ctypes.CDLL(path)
    path = os.path.join(folder, f"lagrange-{_key(text, command)}.so")
    if os.path.exists(path) and _is_private(path):
        try:
            return ctypes.CDLL(path)
        except OSError:                      # cut short by somebody else: anew
            pass
    _compile(text, path, command)
    return ctypes.CDLL(path)


class Generated(Compiled):
    """A function of a generated library.  It pickles as its text."""

    def __init__(self, text, name, library=None):
        super().__init__(getattr(library or load(text), name))
        self.text, self.name = text, name

    def __reduce__(self):
        return Generated, (self.text, self.name)
