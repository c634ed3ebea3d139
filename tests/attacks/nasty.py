"""A workspace in which every field that can hold text holds commands for the terminal, and is valid."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ags_tui.core.digests import canonical, digest
from tests import builders
from tests.attacks.facts import shell_request
from tests.core.checks import test_article as article
from tests.flows.stage import MAPPER, TASK, Stage

SGR = b"38;2;13;37;73m"
"""A colour that only foreign text asks for."""
EVIL = (
    f"\x1b[{SGR.decode()}\x1b[2J\x1b]52;c;QUdT\x07\x1b]8;;http://e.invalid\x1b\\\x1bP+q\x1b\\\x9b5n\x9d0;x\x9c\x90"
    "[/] [@click=app.quit]x[/] [red]\u1100\u1161\u11a8"
    "\r\x08\x7f\x0e\x05\u202e\u2066\u200b\u2060\ufeff\u00ad\U000e0041"
)
"""Every kind of character that a terminal takes as a command, those that nobody sees, markup, and Hangul in
pieces."""
EVIL_NAME = EVIL.replace("/", "").replace("\0", "")
"""The same as a file name."""


def build(stage: Stage) -> None:
    """Fill the workspace; the plan is approved, so that its tests may run."""
    stage.new_task()
    now = datetime.now(UTC)
    stage.plan(
        MAPPER, summary=f"summary {EVIL}", requires_human_approval=True, stop_conditions=(f"when {EVIL}",),
        tests_to_run=("printf 'run-begins\\033[2J\\033]0;title\\007\\233 %s' \"$(cat nasty.txt)\"",),
        steps=(builders.plan_step("one", input_files=(EVIL,), action=EVIL, validation=EVIL,
               expected_output=EVIL),),
    )  # fmt: skip
    stage.edit("nasty.txt", f"{EVIL}\nrun-ends\n")
    stage.look()
    stage.human.approve(TASK, "plan")
    stage.edit(MAPPER, f"raw server error\n{EVIL}\n")
    (stage.work / "d").mkdir()
    (stage.work / "d" / EVIL_NAME).write_text(f"{EVIL}\n")
    stage.write("implementation-result.json", {**article.RESULT, "notChanged": [EVIL]})
    stage.write("review-result.json", _review())
    stage.write(
        "tool-requests/tool-1.json",
        shell_request("tool-1", f"echo {EVIL}", reason=f"reason {EVIL}", agent=f"agent {EVIL}",
                      sessionId=EVIL, cwd=f"/{EVIL}", input={EVIL: [EVIL]}, createdAt=now.isoformat()),
    )  # fmt: skip
    stage.write("escalations/esc-1.json", _escalation(now))
    stage.write("errors/err-1.json", _error())
    stage.look()


def _review() -> dict[str, Any]:
    """A review whose every word is hostile."""
    review = json.loads(json.dumps(article.NEEDS_CHANGES))
    for issue in review["issues"]:
        issue |= {"message": EVIL, "evidence": EVIL}
    return review


def _escalation(now: datetime) -> Any:
    """A question with evidence; the evidence file is hostile, too."""
    return builders.escalation(
        "esc-1", task_id=TASK, question=f"question {EVIL}", created_at=now,
        options=({"id": "a", "label": f"label {EVIL}", "consequence": f"consequence {EVIL}"},),
        evidence=({"kind": "code", "ref": "nasty.txt"}, {"kind": "test", "ref": EVIL}),
    )  # fmt: skip


def _error() -> Any:
    """An error that asks for a human."""
    return builders.agent_error(message=f"error {EVIL}", next_action="human")


def foreign_entry(stage: Stage) -> None:
    """Another writer adds an entry to the log, with a key that nobody trusts."""
    log = stage.folder() / "log"
    last = sorted(log.glob("[0-9]*.json"))[-1]
    document = json.loads(last.read_bytes())
    payload = document["payload"]
    payload |= {
        "sequence": payload["sequence"] + 1, "previousDigest": digest(last.read_bytes()), "kind": "block",
        "verdict": "blocked", "reason": f"foreign {EVIL}", "keyId": f"key {EVIL}",
        "actor": {"source": "human", "name": f"name {EVIL}", "via": "tui", "ruleId": None},
        "subject": {"id": f"subject {EVIL}", "digest": ""},
    }  # fmt: skip
    (log / f"{payload['sequence']:06d}.json").write_bytes(canonical(document) + b"\n")


def broken_files(stage: Stage) -> None:
    """What cannot be read names itself: policy, stray files, odd task folders."""
    (stage.cli.root / "policy.toml").write_text(f"[[rule]]\nid = '{EVIL_NAME!r}'\nx = \"")
    (stage.folder() / EVIL_NAME).write_text("{}")
    (stage.cli.root / "tasks" / EVIL_NAME).mkdir()


def themes(config: Path) -> None:
    """Theme files of which none is a theme, and settings that name one."""
    folder = config / "themes"
    folder.mkdir(parents=True)
    (folder / f"{EVIL_NAME}.toml").write_text("version = 1\n")
    (folder / "x.toml").write_text('version = 1\nname = "x"\ntitle = "\\u001b[2J\\u202e"\ndark = 3\n')
    (config / "config.toml").write_text(
        'version = 1\nguard_ms = 300\nglyphs = "unicode"\ntheme = "\\u001b]0;x\\u0007"\n"\\u001b[2J" = 1\n'
    )
