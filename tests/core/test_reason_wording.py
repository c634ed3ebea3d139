"""Reasons say each thing once, with paths from the top of the work tree."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ags_tui.core.policy.calls import Ground, Policies, ToolCall, Verdict
from ags_tui.core.policy.decide import decide, plain_reason
from ags_tui.core.wording import listed


def judged(top: Path, call: ToolCall) -> Verdict:
    ground = Ground(
        top=str(top), root=f"{top}/.ai", task_folder=None, git_dirs=(f"{top}/.git",), home="/home/nobody",
        own=(), ignore_case=False, real=os.path.realpath,
    )  # fmt: skip
    now = datetime(2026, 7, 21, tzinfo=UTC)
    return decide(call, ground=ground, policies=Policies(None, None, False), terms=None, now=now)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def test_a_path_is_named_once_from_the_top(top: Path):
    wanted = "needs a human: no plan covers a change of src/app.py; decide in ags-tui"
    edit = ToolCall("edit_file", "Edit", paths=(f"{top}/src/app.py",), cwd=str(top))
    assert judged(top, edit).reason == wanted
    line = ToolCall("shell", "Bash", command="echo x > src/app.py", cwd=str(top))
    assert judged(top, line).reason == wanted
    away = ToolCall("edit_file", "Edit", paths=("/srv/app.py",), cwd=str(top))
    assert judged(top, away).reason == (
        "needs a human: /srv/app.py lies outside of the work tree; decide in ags-tui"
    )
    git = ToolCall("edit_file", "Edit", paths=(f"{top}/.git/config",), cwd=str(top))
    assert judged(top, git).reason.count(".git/config") == 1


def test_a_command_is_not_said_again_beside_itself(top: Path):
    verdict = judged(top, ToolCall("shell", "Bash", command="pip install requests", cwd=str(top)))
    assert verdict.reason.startswith("needs a human: pip install requests: ")
    plain = plain_reason(verdict, "pip install requests")
    assert plain
    assert "pip install requests" not in plain
    assert "ags-tui" not in plain


def test_every_part_that_asks_is_named_shortly(top: Path):
    line = "pip install requests && make lint && ls && npm ci && make lint"
    verdict = judged(top, ToolCall("shell", "Bash", command=line, cwd=str(top)))
    assert verdict.reason.startswith("needs a human: pip install requests: ")
    assert verdict.reason.endswith(" (also make lint, npm ci); decide in ags-tui")
    many = judged(top, ToolCall("shell", "Bash", command=f"{line}; make a; make {'b' * 90}", cwd=str(top)))
    assert many.reason.endswith(" (also make lint, npm ci, make a and 1 more); decide in ags-tui")


def test_a_name_in_a_sentence_begins_no_line_of_its_own():
    assert listed(["a\nb", "c"]) == "a\\nb, c"
