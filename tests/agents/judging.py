"""What the tests of the judge share: a real repository, real state, a human with the human key."""

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from ags_tui.agents.events import Reply
from ags_tui.agents.live import LiveJudge
from ags_tui.agents.wire import Caller
from ags_tui.core.activity import ActivityLine
from ags_tui.core.assessment import Assessment, Pending
from ags_tui.core.checks.assess import assess
from ags_tui.core.decisions import Draft
from ags_tui.core.drafts import Viewing, answer, approve, deny
from ags_tui.io.activity import lines_of
from ags_tui.io.places import Places
from ags_tui.io.trees import Tree, opt_in, tree_at
from ags_tui.io.workspace import Workspace

T = TypeVar("T")

SEEN = Viewing(lines=10, total=10, tty="/dev/pts/9")
SESSION = "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"
TASK = "session-0b1c2d3e-4f5"
WAIT_S = 30.0
"""How long a fact may take on a busy machine; nothing waits so long when all is well."""

GIT = (
    "git", "-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false",
    "-c", "init.defaultBranch=main",
)  # fmt: skip


@dataclass
class Desk:
    """A repository with a judge and a human, as with a TUI that is open."""

    folder: Path
    clock: datetime | None = None
    human: "Human" = field(init=False)

    def __post_init__(self) -> None:
        self.work = self.folder / "repo"
        self.work.mkdir()
        self.git("init", "-q")
        (self.work / "src").mkdir()
        (self.work / "src" / "app.py").write_text("print('hello')\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        self.places = Places(state=self.folder / "state", config=self.folder / "config")
        opt_in(str(self.work), self.places)

    @property
    def tree(self) -> Tree:
        found = tree_at(str(self.work), self.places)
        assert found is not None
        return found

    @property
    def root(self) -> Path:
        return Path(self.tree.root)

    def open(self) -> None:
        """Open the TUI's half: the judge and the human, on the root as it is now."""
        self.judge = LiveJudge(self.tree, self.places)
        self.human = Human(Workspace.open(self.work, root=self.root, places=self.places))

    def git(self, *words: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        done = subprocess.run(
            [*GIT, *words], cwd=self.work, env=environment, capture_output=True, check=True, timeout=60
        )
        return done.stdout.decode()

    def event(self, name: str, **fields: Any) -> bytes:
        common = {
            "session_id": SESSION,
            "transcript_path": "/t.jsonl",
            "cwd": str(self.work),
            "hook_event_name": name,
            "prompt_id": "p1",
            "permission_mode": "default",
        }
        return json.dumps({**common, **fields}).encode()

    def bash(self, call_id: str, command: str, name: str = "PreToolUse", **fields: Any) -> bytes:
        return self.event(
            name, tool_name="Bash", tool_input={"command": command}, tool_use_id=call_id, **fields
        )

    def edit(self, call_id: str, old: str, new: str, name: str = "PreToolUse", **fields: Any) -> bytes:
        given = {
            "file_path": str(self.work / "src" / "app.py"),
            "old_string": old,
            "new_string": new,
            "replace_all": False,
        }
        return self.event(name, tool_name="Edit", tool_input=given, tool_use_id=call_id, **fields)

    async def ask(self, payload: bytes, agent: str = "claude-code", **caller: Any) -> Reply:
        return await asyncio.wait_for(self.judge(Caller(agent, **caller), agent, payload), WAIT_S)

    def start(self, payload: bytes, agent: str = "claude-code", **caller: Any) -> "asyncio.Task[Reply]":
        return asyncio.create_task(self.ask(payload, agent, **caller))

    def lines(self, session: str = SESSION) -> tuple[ActivityLine, ...]:
        return lines_of(self.places, session)

    def verdicts(self, call_id: str) -> list[tuple[str, str]]:
        lines = (line for line in self.lines() if line.call_id == call_id and line.event == "verdict")
        return [(line.decision, line.source) for line in lines]

    def entries(self, task: str = TASK) -> list[tuple[str, str, str]]:
        log = self.judge._queue_now().tasks.log(task)  # pyright: ignore[reportPrivateUsage]
        return [(row.entry.kind, row.entry.verdict, row.entry.subject.id) for row in log.entries]

    def why(self, item_id: str, task: str = TASK) -> str:
        """Why a request was taken back, as its log says it."""
        log = self.judge._queue_now().tasks.log(task)  # pyright: ignore[reportPrivateUsage]
        entries = [row.entry for row in log.entries if row.entry.subject.id == item_id]
        (found,) = (one for one in entries if (one.kind, one.verdict) == ("request", "withdrawn"))
        return str(found.data["why"])


class Human:
    """Sees what the TUI would see, and decides."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def look(self) -> Assessment:
        snapshot = self.workspace.read()
        while self.workspace.observe(snapshot, datetime.now(UTC)):
            snapshot = self.workspace.read()
        return assess(snapshot, datetime.now(UTC))

    async def pending(self, count: int = 1) -> list[Pending]:
        """Wait until so many questions are on the screen."""

        def enough() -> list[Pending] | None:
            found = list(self.look().pending)
            return found if len(found) >= count else None

        return await until(enough)

    async def approve(self, item_id: str = "", **data: Any) -> Pending:
        item = await self._item(item_id)
        await asyncio.to_thread(self.record, approve(item, SEEN), data)
        return item

    async def deny(self, reason: str, item_id: str = "") -> None:
        item = await self._item(item_id)
        await asyncio.to_thread(self.workspace.record, deny(item, reason))

    async def answer_to(self, item: Pending, option: str) -> None:
        await asyncio.to_thread(self.workspace.record, answer(item, SEEN, option=option))

    def record(self, draft: Draft, data: dict[str, Any]) -> None:
        from dataclasses import replace

        self.workspace.record(replace(draft, data={**draft.data, **data}))

    async def _item(self, item_id: str) -> Pending:
        found = await self.pending()
        return next(item for item in found if not item_id or item.item_id == item_id)


async def until(fact: Callable[[], T | None]) -> T:
    """Wait for a fact, looked at in a thread."""
    end = datetime.now(UTC) + timedelta(seconds=WAIT_S)
    while datetime.now(UTC) < end:
        found = await asyncio.to_thread(fact)
        if found is not None:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")


def said(reply: Reply) -> str:
    """The decision that Claude Code is told; empty where nothing is said."""
    if not reply.stdout:
        return ""
    return json.loads(reply.stdout)["hookSpecificOutput"]["permissionDecision"]


def reason(reply: Reply) -> str:
    return json.loads(reply.stdout)["hookSpecificOutput"].get("permissionDecisionReason", "")
