"""Which files a request binds."""

import pytest

from ags_tui.core.contracts.tool_request import ToolRequest
from ags_tui.core.subjects import LONGEST_COMMAND, files_of_command, files_of_request, inside
from tests import builders


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


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sh ./x.sh; true", ("./x.sh",)),
        ("sh ./x.sh&&true", ("./x.sh",)),
        ("(./x.sh)", ("./x.sh",)),
        ("echo `./x.sh` $(./y.sh)", ("./x.sh", "./y.sh")),
        ("cat<in.txt>out.txt", ("in.txt", "out.txt")),
        ("sh build", ("build",)),
        ("bash -x build; echo a", ("build",)),
        (". env", ("env",)),
        ("sh -c './x.sh --fast'", ("./x.sh --fast", "./x.sh")),
        ("'./x'\".sh\"", ("./x.sh",)),
        (r"./x\.sh", ("./x.sh",)),
        ("true\n./x.sh", ("./x.sh",)),
        ("cat<build|sh", ("cat", "build", "sh")),
        ("cat build | bash -s x", ("cat", "build", "bash", "x")),
        ("sh <build", ("sh", "build")),
        ("cat a | python3 -c 'b'", ()),
        ("echo a | tee b", ()),
        ("python3 - <<E\na b c\nE", ("E",)),
    ],
)
def test_no_operator_or_quote_hides_a_file(command: str, files: tuple[str, ...]):
    assert files_of_command(command) == files


def test_names_count_from_the_folder_of_the_call_and_from_the_top():
    request = builders.tool_request_v2(
        "tool-1", target_path="z", tool="shell", proposed_change=None, cwd="/w/sub", command="sh x.sh /w/y.sh"
    ).model_copy(update={"target_path": None})
    assert files_of_request(request, "/w") == ("sub/x.sh", "y.sh", "x.sh")


@pytest.mark.parametrize("unit", ["x", "'", '"', "\\", "'\"", "a b ", "$(", '"\\"', "./a.b "])
def test_a_command_of_any_shape_is_read_at_once(unit: str):
    command = unit * (LONGEST_COMMAND // len(unit))
    files_of_command(command)
    assert files_of_command(command + "x" * len(unit)) == ()
