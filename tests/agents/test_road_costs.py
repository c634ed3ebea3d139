"""What each kind of call makes a hook without a TUI import: that, not the judging, is what it costs."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import Rule
from ags_tui.core.tree_rules import remember
from ags_tui.io.keys import Keys
from ags_tui.io.tree_log import KEPT, LOG, TreeLog
from tests.agents.judging import Desk
from tests.agents.test_judge_sessions import plan
from tests.agents.test_offline import hook

ALWAYS = frozenset({
    "dataclasses", "inspect", "json", "pathlib", "hashlib", "subprocess", "tomllib", "pydantic", "logging",
    "urllib", "argparse", "git", "textual", "typer", "rfc8785", "wcmatch",
})  # fmt: skip
"""What no call pays for that policy decides."""
PARSERS = frozenset({"tree_sitter"})
PATTERNS = frozenset({"re", "enum", "functools", "collections", "typing", "contextlib", "datetime"})
SIGNATURES = frozenset({"cryptography"})
RULES = (
    '[[rule]]\nid = "docs"\ndecision = "allow"\ntool = "edit_file"\npaths = ["docs/**"]\nmatch = ["docs/a"]\n'
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


def begun(desk: Desk) -> Desk:
    assert hook(desk, desk.event("SessionStart", source="startup")).returncode == 0
    return desk


def read(desk: Desk, name: str) -> bytes:
    given = {"file_path": str(desk.work / name)}
    return desk.event("PreToolUse", tool_name="Read", tool_input=given, tool_use_id=f"r-{name}")


def edit(desk: Desk, name: str) -> bytes:
    given = {"file_path": str(desk.work / name), "old_string": "a", "new_string": "b"}
    return desk.event("PreToolUse", tool_name="Edit", tool_input=given, tool_use_id=f"e-{name}")


def imported(desk: Desk, payload: bytes) -> set[str]:
    """Top names of what the hook imported to allow a call, but for what enabling packages imports anyway."""
    done = hook(desk, payload, "-X", "importtime")
    assert b'"allow"' in done.stdout, done
    words = [sys.executable, "-I", "-S", "-X", "importtime", "-c", "import site; site.main()"]
    bare = subprocess.run(words, capture_output=True, check=True, timeout=60)
    names, anyway = ({row.rpartition(b"|")[2].strip().decode().partition(".")[0]
                      for row in text.splitlines() if b"|" in row}
                     for text in (done.stderr, bare.stderr))  # fmt: skip
    return names - anyway


def remembered(desk: Desk) -> None:
    now = datetime.now(UTC)
    rule = RememberedRule(Rule("r1", "allow", "shell", command="touch made"), now, now + timedelta(hours=1))
    draft = remember(desk.tree.key, rule, preview=0, call={})
    TreeLog(desk.tree, desk.places).record(draft, Keys.open(desk.places), now)


def test_reading_needs_hardly_more_than_the_bare_language(desk: Desk):
    names = imported(begun(desk), read(desk, "src/app.py"))
    assert not names & (ALWAYS | PARSERS | PATTERNS | SIGNATURES)


def test_a_path_rule_needs_patterns_but_no_toml(desk: Desk):
    desk.places.config.mkdir(mode=0o700)
    (desk.places.config / "policy.toml").write_text(RULES)
    begun(desk)
    assert b'"allow"' in hook(desk, edit(desk, "docs/first.md")).stdout
    names = imported(desk, edit(desk, "docs/second.md"))
    assert not names & (ALWAYS | PARSERS | SIGNATURES)


def test_a_shell_line_needs_its_parser(desk: Desk):
    names = imported(begun(desk), desk.bash("s", "git status --short | head -5"))
    assert names >= PARSERS
    assert not names & (SIGNATURES | {"pydantic", "git", "textual", "typer", "tomllib", "rfc8785", "wcmatch"})


def test_a_log_of_the_work_tree_is_no_reason_to_verify_signatures(desk: Desk):
    begun(desk)
    remembered(desk)
    assert b'"allow"' in hook(desk, desk.bash("t", "touch made")).stdout  # and what it says is kept
    names = imported(desk, read(desk, "src/app.py"))
    assert not names & (ALWAYS | PARSERS | SIGNATURES)
    assert imported(desk, desk.bash("u", "touch made")) >= SIGNATURES


async def test_an_approved_plan_is_verified_without_private_keys(desk: Desk):
    plan(desk)
    desk.open()
    begun(desk)
    await desk.human.approve(next(one.item_id for one in await desk.human.pending()))
    assert b'"allow"' in hook(desk, desk.edit("one", "a", "b")).stdout
    names = imported(desk, desk.edit("two", "a", "c"))
    assert names >= SIGNATURES
    assert not names & {"pydantic", "git", "textual", "typer", "tomllib", "dataclasses", "pathlib"}


# what is kept


def policy(desk: Desk, text: str) -> None:
    desk.places.config.mkdir(mode=0o700, exist_ok=True)
    (desk.places.config / "policy.toml").write_text(text)


def test_a_kept_policy_holds_for_its_bytes_only(desk: Desk):
    policy(desk, RULES)
    begun(desk)
    assert b'"allow"' in hook(desk, edit(desk, "docs/a.md")).stdout
    kept = desk.places.state / "policy.json"
    assert json.loads(kept.read_text())["value"]["rules"][0]["rule_id"] == "docs"
    assert kept.stat().st_mode & 0o777 == 0o600
    policy(desk, RULES.replace("allow", "deny"))
    assert hook(desk, edit(desk, "docs/b.md")).returncode == 2
    policy(desk, RULES + "oops")
    assert hook(desk, edit(desk, "docs/c.md")).returncode == 2


def test_a_kept_policy_that_others_could_write_is_not_read(desk: Desk):
    policy(desk, RULES.replace("allow", "deny"))
    begun(desk)
    assert hook(desk, edit(desk, "docs/a.md")).returncode == 2
    kept = desk.places.state / "policy.json"
    kept.write_text(kept.read_text().replace('"decision":"deny"', '"decision":"allow"'))
    kept.chmod(0o666)
    assert hook(desk, edit(desk, "docs/b.md")).returncode == 2


def test_nothing_is_allowed_by_an_entry_that_nobody_signed(desk: Desk):
    begun(desk)
    remembered(desk)
    assert b'"allow"' in hook(desk, desk.bash("t", "touch made")).stdout
    folder = desk.tree.folder / LOG
    (entry,) = sorted(folder.iterdir())
    forged = entry.read_text().replace("touch made", "touch more")
    entry.chmod(0o600)
    entry.write_text(forged)
    from ags_tui.core.digests import digest
    from ags_tui.io.stamps import stamp_of

    kept = desk.tree.folder / KEPT
    document = json.loads(kept.read_text())
    document["stamp"] = stamp_of((), (str(folder),))
    document["value"]["rules"][0][1] = digest(forged.encode())
    kept.write_text(json.dumps(document))
    assert TreeLog(desk.tree, desk.places).unverified("", datetime.now(UTC)) is not None
    assert hook(desk, desk.bash("u", "touch more")).returncode == 2
