"""The rules of the house that a machine can read: sizes, docstrings, names, debris."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
SOURCES = sorted((TOP / "ags_tui").rglob("*.py"))
LINES_A_MODULE = 400
LINES_A_FUNCTION = 40
METHODS_A_SCREEN = 15
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager"}


def names(paths: list[Path]) -> list[str]:
    return [str(p.relative_to(TOP)) for p in paths]


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_module_keeps_the_rules(path: Path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert text.count("\n") <= LINES_A_MODULE
    assert path.stem not in FORBIDDEN_NAMES
    assert ast.get_docstring(tree), "a module says what it is"
    assert not re.search(r"\b(TODO|FIXME|XXX)\b", text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body:
                assert (body[-1].end_lineno or 0) - body[0].lineno + 1 <= LINES_A_FUNCTION, node.name
        if isinstance(node, ast.ClassDef) and node.name.endswith("Screen"):
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
            assert len(methods) <= METHODS_A_SCREEN, node.name


def test_no_copyleft_dependency():
    lock = (TOP / "requirements.lock").read_text(encoding="utf-8").lower()
    assert not re.search(r"^(toad|batrachian-toad|textual-diff-view)==", lock, re.MULTILINE)


def test_top_level_holds_only_what_belongs_there():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=False)
    if listed.returncode:
        pytest.fail("the tests run in a checkout")
    tops = {name.split("/")[0] for name in listed.stdout.decode().split("\0") if name}
    assert tops <= {
        ".ci", ".gitignore", "LICENSE", "Makefile", "README.md", "ags_tui", "contracts",
        "pyproject.toml", "requirements.lock", "screenshots", "tests", "themes",
    }  # fmt: skip
