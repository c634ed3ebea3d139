"""Which files a request binds."""

import pytest

from ags_tui.core.contracts.tool_request import ToolRequest
from ags_tui.core.subjects import files_of_command, files_of_request, inside


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("npm test", ("package.json",)),
        ("make check", ("Makefile", "makefile", "GNUmakefile")),
        ("sh scripts/test.sh --fast", ("scripts/test.sh",)),
        ("./run.sh", ("./run.sh",)),
        ("python3 -m unittest discover -s tests", ()),
        ("python3 tools/check.py src/a.py", ("tools/check.py", "src/a.py")),
        ("A=b env X=./y.sh curl https://x.y/z.sh", ()),
        ("echo 'unbalanced", ()),
        ("", ()),
    ],
)
def test_files_of_command(command: str, files: tuple[str, ...]):
    assert files_of_command(command) == files


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../b.py", "b.py"),
        ("../b.py", None),
        ("/etc/passwd", None),
        ("~/x", None),
        ("", None),
        (".", None),
        ("a\0b", None),
        ("가/나.md", "가/나.md"),
        ("\u1100\u1161.md", "\u1100\u1161.md"),
    ],
)
def test_inside(name: str, path: str | None):
    assert inside(name) == path


def test_target_and_scripts_are_bound_once():
    request = ToolRequest(
        request_id="tool-1",
        tool="shell",
        target_path="build.sh",
        command="sh build.sh ./build.sh",
        reason="build",
        risk_level="low",
        requires_approval=True,
    )
    assert files_of_request(request) == ("build.sh",)
