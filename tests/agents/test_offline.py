"""The slow road as a real process: verdicts without a TUI, denials where it fails, what is imported."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ags_tui
from ags_tui.agents.events import Reply
from ags_tui.agents.sockets import Seat, make_folder, server_folder
from ags_tui.io.sessions import read_session
from tests.agents.judging import SESSION, TASK, Desk, reason, said

HOOK = Path(ags_tui.__file__).parent / "agents" / "hook.py"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


def hook(
    desk: Desk,
    payload: bytes,
    *python: str,
    agent: str = "claude-code",
    cwd: Path | None = None,
    home: Path | None = None,
) -> "subprocess.CompletedProcess[bytes]":
    options = ["--state", str(desk.places.state), "--config", str(desk.places.config)]
    options += ["--sockets", str(desk.folder / "no-sockets")]
    return subprocess.run(
        [sys.executable, "-I", "-S", *python, str(HOOK), agent, *options],
        input=payload, cwd=cwd or desk.work,
        env={"PATH": os.environ["PATH"], **({"HOME": str(home)} if home is not None else {})},
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def reply(desk: Desk, payload: bytes) -> Reply:
    done = hook(desk, payload)
    return Reply(done.returncode, done.stdout, done.stderr)


def test_policy_decides_and_what_needs_a_human_is_denied(desk: Desk):
    assert reply(desk, desk.event("SessionStart", source="startup")) == Reply(0)
    assert read_session(desk.tree, SESSION) is not None
    given = {"file_path": str(desk.work / "src/app.py")}
    assert (
        said(reply(desk, desk.event("PreToolUse", tool_name="Read", tool_input=given, tool_use_id="r")))
        == "allow"
    )
    assert said(reply(desk, desk.bash("s", "git status --short | head -5"))) == "allow"
    asked = reply(desk, desk.bash("t", "touch made"))
    assert (asked.exit_code, said(asked)) == (2, "deny")
    assert "open it" in reason(asked)
    assert [line.decision for line in desk.lines()] == ["allow", "allow", "deny"]


def test_defer_hands_it_to_a_client_that_asks(desk: Desk):
    desk.places.config.mkdir(mode=0o700)
    (desk.places.config / "policy.toml").write_text('[limits]\nwhen_absent = "defer"\n')
    assert said(reply(desk, desk.bash("t", "touch made"))) == "ask"
    codex = {
        "session_id": SESSION, "cwd": str(desk.work), "hook_event_name": "PreToolUse", "turn_id": "t",
        "tool_name": "Bash", "tool_input": {"command": "touch made"}, "tool_use_id": "x",
    }  # fmt: skip
    assert hook(desk, json.dumps(codex).encode(), agent="codex").returncode == 2  # silence would let it run


async def test_stop_is_held_a_few_times_and_then_let_go(desk: Desk):
    from tests.agents.test_judge_sessions import plan

    plan(desk)
    desk.open()
    reply(desk, desk.event("SessionStart", source="startup"))
    await desk.human.approve(next(one.item_id for one in await desk.human.pending()))
    (desk.work / "src" / "app.py").write_text("print('bye')\n")
    payload = desk.event("Stop", stop_hook_active=False)
    for _ in range(3):
        assert json.loads(reply(desk, payload).stdout)["decision"] == "block"
    assert reply(desk, payload).stdout == b""


def test_elsewhere_nothing_is_said(desk: Desk):
    payload = json.loads(desk.bash("t", "rm -rf /"))
    payload.update(cwd="/", session_id="elsewhere")
    done = hook(desk, json.dumps(payload).encode(), cwd=Path("/"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_first_call_that_names_another_folder_is_judged_where_its_hook_stands(desk: Desk):
    payload = json.loads(desk.bash("t", "rm -rf /"))
    payload.update(cwd="/", session_id="elsewhere")
    assert said(reply(desk, json.dumps(payload).encode())) == "deny"


def test_no_way_to_fail_lets_a_call_through(desk: Desk):
    assert reply(desk, b"{").exit_code == 2
    desk.places.state.joinpath("trees").chmod(0o777)
    assert reply(desk, desk.bash("t", "touch made")).exit_code == 2


@pytest.mark.parametrize(
    ("tool", "given"),
    [("Read", {"file_path": "src/app.py"}), ("Bash", {"command": "git status --short | head -5"})],
)
def test_nothing_heavy_is_imported_where_policy_decides(desk: Desk, tool: str, given: dict[str, str]):
    reply(desk, desk.event("SessionStart", source="startup"))
    payload = desk.event("PreToolUse", tool_name=tool, tool_input=given, tool_use_id="r")
    done = hook(desk, payload, "-X", "importtime")
    assert b'"allow"' in done.stdout
    names = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    roots = {name.partition(".")[0] for name in names}
    assert not roots & {"pydantic", "cryptography", "git", "textual", "rich", "asyncio", "typer", "rfc8785"}
    assert ("tree_sitter" in roots) == (tool == "Bash")


def test_a_root_that_comes_by_a_pull_takes_the_session_along(desk: Desk):
    """No TUI is open: the next hooks of the session go on in its task, baseline and log and all."""
    reply(desk, desk.event("SessionStart", source="startup"))
    before = read_session(desk.tree, SESSION)
    old = desk.root / "tasks" / TASK
    first = (old / "log" / "000000.json").read_bytes()
    (desk.work / ".ai" / "tasks").mkdir(parents=True)
    with ThreadPoolExecutor(4) as pool:
        said_of = list(pool.map(lambda number: said(reply(desk, desk.bash(f"b{number}", "ls"))), range(4)))
    assert said_of == ["allow"] * 4
    new = desk.work / ".ai" / "tasks" / TASK
    assert not old.exists()
    assert (new / "log" / "000000.json").read_bytes() == first
    assert sorted(path.name for path in (desk.work / ".ai" / "tasks").iterdir()) == [TASK]
    assert read_session(desk.tree, SESSION) == before


def test_a_session_whose_calls_may_wait_in_a_tui_is_not_moved(desk: Desk):
    reply(desk, desk.event("SessionStart", source="startup"))
    old = desk.root / "tasks" / TASK
    user = os.geteuid()
    make_folder(server_folder(user), user)
    seat = Seat(server_folder(user), desk.tree.key, user)
    assert seat.take()
    try:
        (desk.work / ".ai").mkdir()
        assert said(reply(desk, desk.bash("b", "ls"))) == "allow"
        assert old.is_dir()
    finally:
        seat.drop()
