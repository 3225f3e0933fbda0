"""Examples in docstrings, in docs/python.md and in the README run, and print what they say."""

import doctest
import importlib.util
import io
import contextlib
import os
import pkgutil
import re

import pytest

import keel

SOURCE = os.environ.get("KEEL_SOURCE_DIR")
MODULES = [m.name for m in pkgutil.iter_modules(keel.__path__) if m.name not in ("_core", "_numba")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module("keel." + name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_public_objects_have_docstrings():
    for name in keel.__all__:
        thing = getattr(keel, name)
        if callable(thing):
            assert thing.__doc__, name


def blocks(path):
    """(code, printed) of each ```python block and the ``` block that may follow it."""
    with open(path) as file:
        text = file.read()
    return re.findall(r"```python\n(.*?)```(?:\s*\n(?:It prints|prints)?\s*\n```\n(.*?)```)?", text, re.S)


@pytest.mark.skipif(SOURCE is None, reason="needs the source folder")
@pytest.mark.parametrize("path", ["docs/python.md", "README.md"])
def test_manual(path, tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    space, ran = {"__name__": "__main__"}, 0
    for code, printed in blocks(os.path.join(SOURCE, path)):
        needed = re.findall(r"^import (numba|sympy|matplotlib|pandas)", code, re.M)
        if any(importlib.util.find_spec(name) is None for name in needed):
            continue                                     # optional, not here
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, path, "exec"), space)
        ran += 1
        if printed:
            assert out.getvalue().strip() == printed.strip()
    assert ran > 0
