"""The wheel holds what the program needs, and nothing of what only its makers need."""

import subprocess
import sys
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest

TOP = Path(__file__).resolve().parents[2]
DATA = "ags_tui/_data/"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    with ZipFile(path) as archive:
        yield archive


def files(*patterns: str) -> set[str]:
    """Files of this checkout, relative to its top."""
    found = {path.relative_to(TOP).as_posix() for one in patterns for path in TOP.glob(one) if path.is_file()}
    return {name for name in found if "__pycache__" not in name}


def metadata(wheel: ZipFile, name: str) -> bytes:
    (path,) = (member for member in wheel.namelist() if member.endswith(f".dist-info/{name}"))
    return wheel.read(path)


def test_every_schema_and_theme_is_in_with_its_bytes(wheel: ZipFile):
    wanted = {name for name in files("contracts/*/*.json") if not name.startswith("contracts/fixtures/")}
    assert {name.split("/")[1] for name in wanted} >= {"AgentTask", "AgentPlan", "ToolRequest", "LogEntry"}
    wanted |= files("themes/*.toml", "contracts/providers/*.toml", "contracts/providers/schemas/*.json")
    assert {name.split("/")[0] for name in wanted} == {"contracts", "themes"}
    data = {name.removeprefix(DATA) for name in wheel.namelist() if name.startswith(DATA)}
    assert data == wanted
    for name in wanted:
        assert wheel.read(DATA + name) == (TOP / name).read_bytes(), name


def test_code_and_style_sheets_are_in_and_nothing_else(wheel: ZipFile):
    inside = {name for name in wheel.namelist() if not name.startswith(DATA) and ".dist-info/" not in name}
    assert inside == {name for name in files("ags_tui/**/*") if not name.endswith(".pyc")}
    assert "ags_tui/app/app.tcss" in inside


def test_fixtures_and_tests_are_out(wheel: ZipFile):
    parts = {part for name in wheel.namelist() for part in name.split("/")[:-1]}
    assert not parts & {"fixtures", "tests", "screenshots", "__pycache__"}


def test_licence_and_entry_point(wheel: ZipFile):
    facts = message_from_bytes(metadata(wheel, "METADATA"))
    assert facts["Name"] == "ags-tui"
    assert facts["License-Expression"] == "MIT"
    assert facts["License-File"] == "LICENSE"
    assert facts["Requires-Python"] == ">=3.11"
    assert metadata(wheel, "licenses/LICENSE") == (TOP / "LICENSE").read_bytes()
    assert b"ags-tui = ags_tui.__main__:main" in metadata(wheel, "entry_points.txt")
