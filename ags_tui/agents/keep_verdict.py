"""Keeps a verdict for ``agents.known_verdict``, where it leans on nothing but what is compared there."""

import os

from ags_tui.agents.correlation import input_digest
from ags_tui.agents.events import Answer, HookEvent, Reply
from ags_tui.agents.judge import Judge
from ags_tui.agents.known_verdict import FOLDER, LARGEST, VERSION, program, read_call
from ags_tui.agents.tree_policy import POLICY_NAME
from ags_tui.core.activity import VERDICT, ActivityLine, line_bytes
from ags_tui.core.light import Any, suppress
from ags_tui.core.light_json import dumps, loads
from ags_tui.io.activity import last_lines, session_name
from ags_tui.io.places import PlaceUnusable
from ags_tui.io.sessions import SESSIONS, read_session
from ags_tui.io.stamps import stamp_of
from ags_tui.io.tree_log import LOG

MOST = 2_000
"""Most verdicts that are kept of one session."""

_OWN = ("at", "callId", "turn", "ms")


class Reals:
    """Resolves paths, and remembers where each one led."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self.seen: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        """Resolve the links of a path that need not exist."""
        found = os.path.realpath(path)
        self.seen[path] = found
        return found


def keep_verdict(
    judge: Judge,
    event: HookEvent,
    answer: Answer,
    reply: Reply,
    *,
    agent: str,
    payload: bytes,
    task: str,
    reals: Reals,
) -> None:
    """Keep a verdict that policy gave at once; where anything speaks against it, nothing is kept.

    Args:
        judge: Who gave it.
        event: The event.
        answer: The answer.
        reply: The same in the client's form.
        agent: Which client.
        payload: What it wrote.
        task: ``AGS_TASK``.
        reals: Where the paths led that the verdict leaned on.
    """
    if event.event != "before-tool" or _is_wild(event):
        return
    ground = _ground(judge, event, judge.session(event, task).task, reals)
    if not _is_still_so(judge, event, task):
        return
    call, line = read_call(agent, payload, task), _line_of(judge, event)
    if call is None or line is None or (call[2] and line.call_id != call[2]):
        return
    if line.decision != answer.kind or line.request or line.source in ("absent", "failure"):
        return
    row = {name: value for name, value in loads(line_bytes(line)).items() if name not in _OWN}
    document = {
        **ground,
        "line": dumps(row)[1:-1],
        "callPrefix": line.call_id.partition("-")[0][:12],
        "file": f"{session_name(event.session_id)}.jsonl",
        "reply": [reply.exit_code, reply.stdout.decode("ascii"), reply.stderr.decode("utf-8")],
    }
    _write(judge, call[0], call[1], dumps(document).encode("ascii"))


def _is_still_so(judge: Judge, event: HookEvent, named: str) -> bool:
    """Whether a verdict leans on nothing signed or dated, and on nothing that changed since it was given.

    Asked after the files were stamped: a change before that shows here, a later one at the next call.
    """
    record, rules = judge.session(event, named), judge.policy.rules()
    if judge.policy.readings != 1 or read_session(judge.tree, event.session_id) != record:
        return False
    dated = any(rule.expires for file in (rules.user, rules.repository) if file for rule in file.rules)
    log = f"{judge.tree.place}/{LOG}"
    signed = os.path.lexists(log) or judge.policy.terms(record.task, judge.clock()) is not None
    return not (dated or signed)


def _is_wild(event: HookEvent) -> bool:
    """Whether a line names files by a pattern: what that names is not among what is compared."""
    return not frozenset("*?[").isdisjoint((event.call and event.call.command) or "")


def _line_of(judge: Judge, event: HookEvent) -> ActivityLine | None:
    """The line of this verdict: the last one of the session, unless other calls came between."""
    lines = [one for one in last_lines(judge.places, event.session_id, 5) if one.event == VERDICT]
    if not lines or lines[-1].input_digest != input_digest(event) or lines[-1].name != event.calls[0].name:
        return None
    return lines[-1]


def _ground(judge: Judge, event: HookEvent, task: str, reals: Reals) -> dict[str, Any]:
    """Everything that is compared before the verdict is given again."""
    tree, folder = judge.tree, f"{judge.tree.root}/tasks/{task}"
    files = [
        f"{judge.places.config_dir}/{POLICY_NAME}",
        f"{tree.root}/{POLICY_NAME}",
        f"{judge.places.config_dir}/config.toml",
        f"{tree.place}/{SESSIONS}/{event.session_id}.json",
        f"{folder}/plan.json",
        f"{folder}/task.json",
        *([f"{tree.top}/.git"] if os.path.isfile(f"{tree.top}/.git") else []),
    ]
    cwd = os.path.realpath(event.cwd)
    return {
        "version": VERSION,
        "program": program(),
        "tree": tree.key,
        "top": tree.top,
        "reals": [*reals.seen.items(), (event.cwd, cwd)],
        "between": _between(cwd, tree.top),
        "folders": [folder] if tree.inside else [folder, tree.place],
        "absent": [f"{tree.place}/{LOG}", *([] if tree.inside else [f"{tree.top}/.ai"])],
        "files": [files, [f"{folder}/log"]],
        "stamp": stamp_of(files, [f"{folder}/log"]),
    }


def _between(cwd: str, top: str) -> list[str]:
    """The folders from where the session stands up to the work tree, without it: none may be a work tree."""
    found: list[str] = []
    while cwd != top and len(cwd) > len(top):
        found.append(cwd)
        cwd = os.path.dirname(cwd)
    return found


def _write(judge: Judge, session: str, key: str, data: bytes) -> None:
    if len(data) > LARGEST * 4:
        return
    with suppress(OSError, PlaceUnusable):
        folder = judge.places.made(FOLDER, session)
        if len(os.listdir(folder)) >= MOST:
            return
        temporary = f"{folder}/.tmp-{os.getpid()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.replace(temporary, f"{folder}/{key}.json")


def sweep_verdicts(state: str, oldest: float) -> None:
    """Remove what is kept of sessions that have been silent.

    Args:
        state: The state folder.
        oldest: Time of the last kept verdict before which all of a session go, seconds since the epoch.
    """
    with suppress(OSError):
        for name in os.listdir(f"{state}/{FOLDER}"):
            folder = f"{state}/{FOLDER}/{name}"
            if os.lstat(folder).st_mtime >= oldest:
                continue
            for one in os.listdir(folder):
                os.unlink(f"{folder}/{one}")
            os.rmdir(folder)
