"""What stands beside the app, told what it serves and reads; everything that it was asked for is kept."""

import posixpath
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from ags_tui.app.ports import Ears
from ags_tui.core.activity import VERDICT, ActivityLine
from ags_tui.core.decisions import Draft
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.policy.calls import Ground, Policies, RememberedRule, ToolCall, Verdict
from ags_tui.core.policy.decide import decide
from ags_tui.core.policy.parse import parse_policy
from ags_tui.core.rule_making import Base, Preview, base_of, preview
from ags_tui.core.rules_read import RulesRead
from ags_tui.core.session_calls import SessionSeen
from ags_tui.core.sessions import SessionRecord
from tests import builders as make

SESSION = "0b1c2d3e-4f50"
TOP = "/w/payments-api"
GROUND = Ground(TOP, f"{TOP}/.ai", "/home/me", (), posixpath.normpath)
POLICY = b'[[rule]]\nid = "scripts"\ndecision = "allow"\ntool = "shell"\ncommand = "npm run *"\n'


def line(decision: str = "allow", call_id: str = "c1", *, ago: float = 3, **more: Any) -> ActivityLine:
    plain = ActivityLine(
        make.NOW - timedelta(seconds=ago), VERDICT, SESSION, "codex", task=make.TASK_ID, call_id=call_id,
        tool="shell", name="Bash", command="npm test", cwd=TOP, decision=decision, source="built-in",
        reason="npm test: it installs",
    )  # fmt: skip
    return replace(plain, **more)


def session(*lines: ActivityLine, **more: Any) -> SessionSeen:
    record = SessionRecord(SESSION, make.TASK_ID, TOP, agent="codex", model="gpt-9", cwd=f"{TOP}/web")
    return SessionSeen(replace(record, **more), lines)


def call(command: str = "npm test") -> ToolCall:
    return ToolCall("shell", "Bash", command, cwd=TOP, agent="codex")


@dataclass
class FakeBeside:
    """Serves nobody; tests speak through its ears."""

    seen: tuple[SessionSeen, ...] = ()
    serving: bool = True
    waiting: int = 0
    when_absent: str = "deny"
    key: str = "1-2"
    known: ToolCall | None = field(default_factory=call)
    remembered: tuple[RememberedRule, ...] = ()
    trusted: bool = False
    past: tuple[ActivityLine, ...] = ()
    obeying: bool = True
    failure: Exception | None = None
    ears: Ears | None = None
    stopped: bool = False
    recorded: list[Draft] = field(default_factory=list[Draft])

    def start(self, ears: Ears) -> None:
        if self.failure is not None:
            raise self.failure
        self.ears = ears

    def stop(self) -> None:
        self.stopped = True

    def sessions(self) -> tuple[SessionSeen, ...]:
        return self.seen

    def rules(self) -> RulesRead:
        return RulesRead(
            self.key, None, "/c/policy.toml", parse_policy(POLICY), f"{TOP}/.ai/policy.toml", POLICY,
            self.trusted, self.remembered,
        )  # fmt: skip

    def _policies(self) -> Policies:
        return Policies(None, parse_policy(POLICY), self.trusted, self.remembered)

    def try_line(self, line: str) -> Verdict:
        return decide(call(line), ground=GROUND, policies=self._policies(), terms=None, now=make.NOW)

    def base(self, task_id: str, request: str) -> Base | None:
        if self.known is None:
            return None
        verdict = decide(self.known, ground=GROUND, policies=self._policies(), terms=None, now=make.NOW)
        return base_of(self.known, verdict, GROUND, task_id)

    def obeys(self, agent: str, *, shell: bool) -> bool:
        return self.obeying

    def preview(self, base: Base, rule: RememberedRule) -> Preview:
        policies = self._policies()
        return preview(base, rule, self.past, ground=GROUND, policies=policies, terms=None, now=make.NOW)

    def record(self, draft: Draft) -> LoggedEntry:
        self.recorded.append(draft)
        self.trusted = draft.verdict == "trusted" or (self.trusted and draft.verdict != "distrusted")
        return make.entry(draft.kind, draft.verdict, draft.subject_id, sequence=3)
