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
def test_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if name == "_lagrange":
        pytest.importorskip("sympy")
    module = importlib.import_module("keel." + name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.skipif(SOURCE is None, reason="needs the source folder")
def test_one_version():
    with open(os.path.join(SOURCE, "python", "pyproject.toml")) as file:
        assert f'version = "{keel.__version__}"' in file.read()


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
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
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


@pytest.mark.parametrize("stub, module", [("__init__", keel), ("_core", keel._core)])
def test_stubs_have_what_there_is(stub, module):
    """Names and, of functions and methods in Python, parameters."""
    import ast
    import inspect
    path = os.path.join(keel.__path__[0], stub + ".pyi")
    with open(path) as file:
        tree = ast.parse(file.read())
    found = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    public = keel.__all__ if module is keel else [n for n in dir(module) if not n.startswith("_")]
    missing = [n for n in public if n not in found and callable(getattr(module, n))]
    assert not missing
    for name, node in found.items():
        if not hasattr(module, name):
            assert name == "StateFunction"
            continue
        thing = getattr(module, name)
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(thing):
            given = node.args
            names = [a.arg for a in given.posonlyargs + given.args + given.kwonlyargs]
            real = [p.name for p in inspect.signature(thing).parameters.values()
                    if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
            assert names == real, name
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    assert hasattr(thing, item.name), f"{name}.{item.name}"


@pytest.mark.skipif(SOURCE is None, reason="needs the source folder")
def test_every_function_of_the_library_is_listed():
    """The last table of the manual: all functions of the headers, and names that exist."""
    import glob
    headers = ""
    for path in glob.glob(os.path.join(SOURCE, "include", "keel", "*.h")):
        with open(path) as file:
            headers += re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    declared = {re.sub("_sized$", "", name) for name in
                re.findall(r"KEEL_API\b[^;(]*?\b(keel_\w+)\(", headers)}
    declared = {name for name in declared if not name.endswith(("_free", "_message"))}
    with open(os.path.join(SOURCE, "docs", "python.md")) as file:
        table = file.read().split("## What of the library is where")[1]
    rows = re.findall(r"^\| (.*?) \| (.*?) \|$", table, re.M)
    listed = [name for c, _ in rows for name in re.findall(r"`(keel_\w+)`", c)]
    assert len(listed) == len(set(listed))
    assert declared - set(listed) == set() and set(listed) - declared - {"keel_message"} == set()
    assert len(listed) > 150
    for _, python in rows[1:]:
        for text in re.findall(r"`([^`]+)`", python):
            name = re.match(r"[\w.]+", text)[0]
            if name in ("parameters", "modes", "values", "sol", "scipy.sparse", "keel"):
                continue
            thing = keel
            for part in name.split("."):
                thing = {"stats": dict, "events": list, "names": tuple, "problem": keel.Problem, "name": str,
                         "variables": list}.get(part) \
                    if isinstance(thing, type) and not hasattr(thing, part) else getattr(thing, part)
            assert thing is not None, text


@pytest.mark.skipif(SOURCE is None, reason="needs the source folder")
def test_every_option_is_a_keyword():
    with open(os.path.join(SOURCE, "include", "keel", "solver.h")) as file:
        body = re.search(r"typedef struct keel_options \{(.*?)\} keel_options;", file.read(), re.S)[1]
    fields = re.findall(r"(\w+)(?:, (\w+))?;", re.sub(r"/\*.*?\*/", "", body, flags=re.S))
    names = {name for pair in fields for name in pair if name}
    named = {row["name"] for row in keel.options()}
    # a method of one's own is method=, one tolerance for each unknown rtol= and atol=, engines are linear=
    assert names - named == {"tableau", "rtol_each", "atol_each", "engine"} and "newton_limit" in named
