"""The demo: scripted agents as processes, a scripted human at the real TUI, and what the folder then has."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ags_tui.cli.demo import program, project
from ags_tui.cli.demo.texts import KOREAN
from ags_tui.view import events

pytestmark = pytest.mark.xdist_group("demo")


def call(top: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    own = ["--state", str(top / "state"), "--config", str(top / "config"), "-C", str(top / "shop"), "--json"]
    command = [sys.executable, "-I", "-m", "ags_tui", *own, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("demo") / "new"
    words = ["demo", "--headless", "--speed", "50", "--lang", "ko", "--dir", str(top)]
    done = subprocess.run(
        [sys.executable, "-I", "-m", "ags_tui", *words],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "finalized: login-error-message" in done.stdout
    return top


def entries(top: Path) -> list[dict[str, Any]]:
    done = call(top, "log", project.TASK_ID)
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["entries"]
    return rows


def test_every_decision_is_in_the_log_with_its_own_key(played: Path):
    rows = [(row["kind"], row["verdict"], row["actor"]["source"]) for row in entries(played)]
    for expected in (
        ("baseline", "recorded", "system"),
        ("plan", "approved", "human"),
        ("tool-request", "denied", "human"),
        ("escalation", "answered", "human"),
        ("tool-request", "approved", "human"),
        ("request", "consumed", "system"),
        ("attest", "attested", "human"),
        ("finalize", "finalized", "human"),
    ):
        assert expected in rows
    assert rows.count(("plan", "approved", "human")) == 2, "the first plan and the widened one"


def test_the_log_tells_the_story_in_words(played: Path):
    rows = entries(played)
    outside = [words for row in rows if (words := outside_words(row))]
    assert outside == ["login/repository.py changed", "login/repository.py taken back"]
    said = [row["data"].get("says") for row in rows]
    for expected in (
        "version 2: adds login/messages.py",
        "needs_changes, 1 issue",
        "pass, no issues",
        "claimed passed, no evidence",
        "claimed passed, exit code 0",
    ):
        assert expected in said
    journal = (played / "agents.log").read_text(encoding="utf-8")
    assert KOREAN.says["takes-back"].format("login/repository.py") not in journal
    assert KOREAN.says["asks-first"].format("login/repository.py") in journal


def outside_words(row: dict[str, Any]) -> str:
    return events.outside_words(SimpleNamespace(data=row["data"]))  # type: ignore[arg-type]


def test_the_denied_edit_did_not_happen_and_the_answer_did(played: Path):
    shop = played / "shop"
    assert (shop / "login/repository.py").read_text(encoding="utf-8") == program.REPOSITORY
    assert KOREAN.timeout in (shop / "login/messages.py").read_text(encoding="utf-8")


def test_what_is_finalized_holds_for_exactly_this_tree(played: Path):
    assert call(played, "gate", "--finalized", project.TASK_ID).returncode == 0
    assert call(played, "verify", "--trust", str(played / "trusted-keys")).returncode == 0
    page = played / "shop/login/errors.py"
    before = page.read_bytes()
    page.write_bytes(before + b"\n")
    try:
        assert call(played, "gate", "--finalized", project.TASK_ID).returncode != 0
    finally:
        page.write_bytes(before)


def test_a_folder_that_holds_something_is_refused(played: Path):
    done = subprocess.run(
        [sys.executable, "-I", "-m", "ags_tui", "demo", "--headless", "--dir", str(played)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "holds" in done.stderr
