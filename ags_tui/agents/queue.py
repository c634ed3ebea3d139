"""The queue as a waiting hook uses it: requests filed, withdrawn, taken once. Blocks; run it in a thread."""

import json
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from ags_tui.agents.events import HookEvent
from ags_tui.agents.judge import Judge, Question
from ags_tui.agents.proposals import LABELS, Asked, asked
from ags_tui.core.approvals import WAITER
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.stops import PREFIX
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.decisions import Bound, Draft, Source
from ags_tui.core.digests import digest
from ags_tui.core.failures import AgsError
from ags_tui.core.layout import CALL_PREFIX, valid_id
from ags_tui.core.log_state import LogState
from ags_tui.core.policy.decide import plain_reason
from ags_tui.core.sessions import SessionRecord
from ags_tui.io.keys import Keys
from ags_tui.io.log import record
from ags_tui.io.log_failures import StaleRevision
from ags_tui.io.plain_files import NotPlain, read_plain
from ags_tui.io.request_files import (
    TOOL_REQUESTS,
    CannotFile,
    Claim,
    file_contract,
    name_part,
    new_claim,
    take_approval,
)
from ags_tui.io.request_watch import RequestWatch, Seen
from ags_tui.io.session_tasks import SessionTasks

LARGEST_FILE = 16 << 20
"""Largest file whose text before and after an edit is shown, bytes."""

_KEPT = frozenset({"proposedChange"})
_MARGIN_S = 5
_ATTEMPTS = 20
_SETTLED = frozenset({"denied", "answered", "consumed", "expired", "withdrawn", "dismissed"})


class CannotAsk(AgsError):
    """No human can be asked about a call; the message says why, as a sentence for the model."""


@dataclass(frozen=True, slots=True)
class Filed:
    """A request that waits for a human on behalf of a hook."""

    item_id: str
    """Its id."""
    task: str
    """Task in whose folder it lies."""
    digest: str
    """Digest of its bytes."""
    claim: Claim
    """What lets this hook, and nobody else, take the approval."""
    asked: Asked
    """What it asks."""
    watch: RequestWatch
    """Looks at it."""


class Queue:
    """Requests of the hooks of one work tree."""

    def __init__(self, judge: Judge) -> None:
        """Prepare; keys are opened at once, git is not.

        Args:
            judge: The judge of the work tree.
        """
        self._judge = judge
        self._tree = judge.tree
        self._places = judge.places
        self.tasks = SessionTasks(judge.tree, judge.places)

    @property
    def keys(self) -> Keys:
        """Whose signatures count; the system key signs here."""
        return self.tasks.keys

    def file(self, question: Question, deadline_s: int) -> tuple[Filed, ...]:
        """File what a human must be asked about a call: one request a file of an edit, else one.

        Args:
            question: The call.
            deadline_s: Seconds after which the hook denies by itself; 0 for no such end.

        Raises:
            CannotAsk: It cannot be asked.
            CannotFile: A request cannot be written.
        """
        event = question.event
        wanted = asked(event, _read_file, top=self._tree.top)
        refused = next((one.refuse for one in wanted if one.refuse), "")
        if refused:
            raise CannotAsk(f"no human can be asked about this call: {refused}")
        life = self._judge.policy.rules().limits.request_timeout_s
        if deadline_s > 0:
            life = min(life, max(deadline_s - _MARGIN_S, 1))
        task = self._open_task(question.session)
        name = request_name(question.call_id)
        filed: list[Filed] = []
        try:
            for number, one in enumerate(wanted, 1):
                item = name if len(wanted) == 1 else f"{name}.{number}"
                filed.append(self._file(question, one, task, item, life=timedelta(seconds=life)))
        except CannotFile:
            self.withdraw(tuple(filed), "another request of the same call could not be filed")
            raise
        return tuple(filed)

    def take(self, filed: tuple[Filed, ...]) -> str:
        """Take the approvals of all requests of a call, once.

        Args:
            filed: The requests; each was seen to be approved.

        Returns:
            Why they cannot be taken; empty where they are.
        """
        for one in filed:
            seen = one.watch.read(self._judge.clock())
            problem = not_in_force(seen, one.digest) or self._moved_on(one)
            if problem:
                return problem
        for one in filed:
            now = self._judge.clock()
            folder = self.tasks.folder(one.task)
            if not take_approval(folder, one.item_id, one.digest, one.claim.digest, now):
                return f"the approval of {one.item_id} was taken by somebody else"
        for one in filed:
            data = {"claim": one.claim.digest, "takenAt": self._judge.clock().isoformat()}
            self._end(one.task, one.item_id, one.digest, "consumed", data)
        return ""

    def withdraw(self, filed: tuple[Filed, ...], why: str) -> None:
        """Take requests back; what is settled stays as it is, and what cannot be recorded expires by itself.

        Args:
            filed: The requests.
            why: In one clause.
        """
        for one in filed:
            with suppress(AgsError):
                self._end(one.task, one.item_id, one.digest, "withdrawn", {WAITER: "hook", "why": why})

    def expire(self, filed: tuple[Filed, ...]) -> None:
        """Record that nobody decided in time.

        Args:
            filed: The requests.
        """
        for one in filed:
            with suppress(AgsError):
                self._end(one.task, one.item_id, one.digest, "expired", {}, source="timeout")

    def withdraw_left_behind(self, task: str, item_ids: tuple[str, ...], why: str) -> int:
        """Take back requests whose hook is gone without a word: it was killed, or the TUI was.

        Args:
            task: Their task.
            item_ids: Their ids.
            why: In one clause.

        Returns:
            How many were still open.
        """
        ended = 0
        for item_id in item_ids:
            path = self.tasks.folder(task) / TOOL_REQUESTS / f"{item_id}.json"
            with suppress(AgsError, OSError):
                bytes_digest = digest(read_plain(path, limit=LARGEST_FILE * 2))
                ended += self._end(task, item_id, bytes_digest, "withdrawn", {WAITER: "hook", "why": why})
        return ended

    def orphans(self, task: str, sessions: Collection[str]) -> tuple[str, ...]:
        """Ids of requests that hooks filed in a task folder, whether or not anybody waits for them.

        Args:
            task: The task.
            sessions: The sessions whose hooks are meant.
        """
        folder = self.tasks.folder(task) / TOOL_REQUESTS
        paths = sorted(folder.glob(f"{CALL_PREFIX}*.json"))
        return tuple(path.stem for path in paths if _session_of(path) in sessions)

    def _open_task(self, session: SessionRecord) -> str:
        return session.task if not self.tasks.log(session.task).frozen else self._judge.moved(session).task

    def _file(self, question: Question, one: Asked, task: str, item: str, *, life: timedelta) -> Filed:
        claim = new_claim()
        event, now = question.event, self._judge.clock()
        folder = self.tasks.folder(task)
        item = _free(folder / TOOL_REQUESTS, item)
        try:
            document = ToolRequestV2.model_validate_json(
                json.dumps({
                    **_without_nulls(one),
                    "requestId": item,
                    "reason": _reason(one, question) + self._led(one),
                    "riskLevel": question.verdict.risk,
                    "requiresApproval": True,
                    "taskId": task,
                    "agent": _agent(event),
                    "sessionId": event.session_id,
                    "cwd": question.call.cwd,
                    "createdAt": now.isoformat(),
                    "expiresAt": (now + life).isoformat(),
                    "claim": claim.digest,
                })
            )  # fmt: skip
        except ValueError as error:
            raise CannotAsk(
                f"no human can be asked about this call: it fits no request ({_first(error)})"
            ) from error
        file_contract(folder, TOOL_REQUESTS, item, document)
        written = digest(read_plain(folder / TOOL_REQUESTS / f"{item}.json", limit=LARGEST_FILE * 2))
        return Filed(item, task, written, claim, one, self._watch(task, item))

    def _watch(self, task: str, item: str) -> RequestWatch:
        root, top = Path(self._tree.root), Path(self._tree.top)
        return RequestWatch(root, top, task, item, keys=self.keys, places=self._places)

    def _led(self, one: Asked) -> str:
        """Where the links of the path that is asked about lead, where that is elsewhere."""
        if one.target_path is None:
            return ""
        path = os.path.normpath(os.path.join(self._tree.top, one.target_path))
        real = os.path.realpath(path)
        named = os.path.join(os.path.realpath(self._tree.top), os.path.relpath(path, self._tree.top))
        if real == os.path.normpath(named):
            return ""
        return f"\nThe path leads through a link: the file is {real}"

    def _moved_on(self, one: Filed) -> str:
        """Why an approved edit would not do what was shown; empty where it would."""
        change = one.asked.change
        if change is None or one.asked.target_path is None:
            return ""
        if _read_file(os.path.join(self._tree.top, one.asked.target_path)) == change.before:
            return ""
        return (
            f"{one.asked.target_path} changed since it was asked, so another edit would happen than was shown"
        )

    def _end(
        self,
        task: str,
        item: str,
        bytes_digest: str,
        verdict: str,
        data: dict[str, str],
        *,
        source: Source = "system",
    ) -> bool:
        """Record the end of a request, unless it has one; False where it had."""
        folder = self.tasks.folder(task)
        for _ in range(_ATTEMPTS):
            log = self.tasks.log(task)
            if _has_end(log, item, bytes_digest, verdict):
                return False
            draft = Draft(
                task_id=task,
                kind="request",
                verdict=verdict,
                subject_id=item,
                subject_digest=bytes_digest,
                source=source,
                via="hook",
                data=data,
                expected_sequence=log.next_sequence,
            )
            with suppress(StaleRevision):
                record(folder, draft, self.keys, self._places, now=self._judge.clock(), current=Bound())
                return True
        raise CannotFile(f"{task}: its log grows without a pause; try again")


def request_name(call_id: str) -> str:
    """Return the id of the request that is filed for a call.

    Args:
        call_id: The client's id, or one of ours. Foreign text.
    """
    fits = valid_id(call_id) and len(call_id) <= 120 and not call_id.startswith(PREFIX)
    if fits:
        return CALL_PREFIX + call_id
    mark = digest(call_id.encode("utf-8", "surrogatepass")).removeprefix("sha256:")[:12]
    return f"{CALL_PREFIX}{name_part(call_id, 80)}-{mark}"


def not_in_force(seen: Seen, bytes_digest: str) -> str:
    """Why an approval is not in force; empty where it is.

    Args:
        seen: Where the request stands.
        bytes_digest: Digest of the request as it was filed.
    """
    status, artifact = seen.status, seen.artifact
    if status is None or artifact is None:
        return seen.trouble or "the request is gone"
    if artifact.digest != bytes_digest:
        return "the request was rewritten while it waited"
    if status.state is not RequestState.APPROVED:
        return status.reason or f"it is {status.state.value}"
    return ""


def _has_end(log: LogState, item: str, bytes_digest: str, verdict: str) -> bool:
    """Whether a request is over; an approval that nobody took can still be withdrawn."""
    rows = [
        row.entry
        for row in log.entries
        if row.counted and (row.entry.subject.id, row.entry.subject.digest) == (item, bytes_digest)
    ]
    ended = _SETTLED - ({"denied"} if verdict == "expired" else set())
    return any(entry.verdict in ended for entry in rows if entry.kind in ("request", "tool-request"))


def _free(folder: Path, item: str) -> str:
    """An id that is not taken: a client may ask about one call again after its hook was killed."""
    names = (item, *(f"{item}.again{number}" for number in range(2, 1000)))
    for name in names:
        if not (folder / f"{name}.json").exists():
            return name
    raise CannotAsk("this call was asked about a thousand times; nobody can be asked again")


def _read_file(path: str) -> bytes | None:
    """Bytes of a file as a client would edit it; links are followed."""
    try:
        return read_plain(Path(path), limit=LARGEST_FILE, follow=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except NotPlain as error:
        raise CannotAsk(f"no human can be asked about this call: {path}: {error}") from error


def _without_nulls(one: Asked) -> dict[str, object]:
    """The fields of a request; those that it may leave out are left out, not null."""
    return {name: value for name, value in one.fields().items() if name in _KEPT or value is not None}


def _session_of(path: Path) -> str:
    """The session that a request file names; empty where it cannot be read."""
    try:
        document: object = json.loads(read_plain(path, limit=LARGEST_FILE * 2))
    except (NotPlain, OSError, ValueError, RecursionError):
        return ""
    found = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    payload = found.get("payload", found)
    session = cast("dict[str, object]", payload).get("sessionId") if isinstance(payload, dict) else None
    return session if isinstance(session, str) else ""


def _first(error: ValueError) -> str:
    """The first complaint of a refused contract, in one line."""
    text = str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else str(error)
    return text.partition("\n")[0]


def _reason(one: Asked, question: Question) -> str:
    """Who calls what and why a human must decide, in one sentence; the agent's own words stand alone."""
    why = plain_reason(question.verdict, one.command)
    if not why:
        return one.reason
    called = f"{LABELS.get(question.call.agent, question.call.agent)} calls {question.call.name}"
    return (
        f"{one.reason}: {why}." if one.reason.startswith(called) else f"{one.reason}\nAsked because: {why}."
    )


def _agent(event: HookEvent) -> str:
    return f"{event.agent} {event.model}".strip() + (
        f" (subagent {event.subagent})" if event.subagent else ""
    )
