"""What git does with the same bytes changes nothing; what takes the ground away is never called clean."""

from dataclasses import dataclass

import pytest

from ags_tui.core.assessment import Verdict
from tests.flows import test_article as article
from tests.flows.stage import MAPPER, TASK, VIEW, Stage


@dataclass(frozen=True)
class Seen:
    """All that a human or a script can tell of a task."""

    code: int
    headline: str
    assessment: str
    tree: str
    verdict: Verdict
    paths: tuple[tuple[str, str], ...]
    findings: tuple[str, ...]
    pending: tuple[tuple[str, str], ...]
    finalized: int


def seen(stage: Stage) -> Seen:
    task = stage.task()
    done = stage.gate()
    row = done.json["tasks"][0]
    assert task.task.changes is not None
    assert row["treeDigest"] == task.task.changes.tree_digest
    if not task.task.log.frozen:
        assert row["assessmentDigest"] == task.digest
    return Seen(
        done.code, row["gate"]["headline"], row["assessmentDigest"], row["treeDigest"], task.scope.verdict,
        tuple((one.path, one.path_class.value) for one in task.scope.paths),
        tuple(f"{one.code} {one.message} {one.unknown}" for one in task.findings),
        tuple((one.item_id, one.digest) for one in task.pending),
        stage.gate(TASK, "--finalized").code,
    )  # fmt: skip


SAME_BYTES: dict[str, tuple[tuple[str, ...], ...]] = {
    "stage": (("add", "-A"),),
    "stage and unstage": (("add", "-A"), ("reset", "-q")),
    "intend to add": (("add", "-N", "."),),
    "commit": (("add", "-A"), ("commit", "-q", "-m", "work")),
    "commit in two parts": (
        ("add", MAPPER), ("commit", "-q", "-m", "one"), ("add", "-A"), ("commit", "-q", "-m", "two"),
    ),
    "amend after a commit": (
        ("add", "-A"), ("commit", "-q", "-m", "work"), ("commit", "-q", "--amend", "-m", "reworded"),
    ),
    "an empty commit": (("commit", "-q", "--allow-empty", "-m", "nothing"),),
    "another branch": (("checkout", "-q", "-b", "other"),),
    "a detached HEAD": (("checkout", "-q", "--detach"),),
    "a renamed branch": (("branch", "-m", "renamed"),),
    "commit, branch, squash above the baseline": (
        ("add", "-A"), ("commit", "-q", "-m", "one"), ("commit", "-q", "--allow-empty", "-m", "two"),
        ("checkout", "-q", "-b", "other"), ("reset", "-q", "--soft", "HEAD~2"),
        ("commit", "-q", "-m", "squashed"),
    ),
    "a merge of nothing": (
        ("branch", "side"), ("add", "-A"), ("commit", "-q", "-m", "work"), ("merge", "-q", "--no-ff", "side"),
    ),
    "packed": (("add", "-A"), ("commit", "-q", "-m", "work"), ("gc", "-q")),
    "a stash that comes back": (("stash", "-q", "-u"), ("stash", "pop", "-q")),
}  # fmt: skip


def unclear(stage: Stage) -> None:
    """A task with something of every kind: planned, unplanned, a denied path, a request, stale evidence."""
    article.reviewed(stage)
    stage.edit(VIEW, "new label\n")
    stage.edit("notes/new.txt", "new\n")
    (stage.work / "Tests/run.sh").chmod(0o755)
    item = next(one for one in stage.task().pending if one.path == VIEW)
    stage.cli("deny", f"{TASK}/{item.item_id}", "--reason", "no")
    words = ("--tool", "shell", "--command", "sh Tests/run.sh", "--reason", "r", "--risk", "low")
    stage.cli("request", "--task", TASK, *words)
    stage.look()


@pytest.mark.parametrize("name", SAME_BYTES)
def test_the_same_bytes_are_the_same_verdict(stage: Stage, name: str):
    unclear(stage)
    before = seen(stage)
    assert before.code == 1
    for words in SAME_BYTES[name]:
        stage.git(*words)
        if words[0] != "stash":
            assert seen(stage) == before
    assert seen(stage) == before


@pytest.mark.parametrize("name", ["commit", "amend after a commit", "stage and unstage", "another branch"])
def test_a_passed_gate_stays_passed_and_can_be_finalized(stage: Stage, name: str):
    article.finished(stage)
    before = seen(stage)
    assert (before.code, before.finalized) == (0, 1)
    for words in SAME_BYTES[name]:
        stage.git(*words)
        assert seen(stage) == before
    stage.human.finalize(TASK)
    assert stage.gate(TASK, "--finalized").code == 0


def test_a_finalized_tree_is_valid_as_commit_index_and_work_tree(stage: Stage):
    article.finished(stage)
    stage.human.finalize(TASK)
    assert stage.gate(TASK, "--finalized", "--index").code == 1
    stage.git("add", "-A")
    assert stage.gate(TASK, "--finalized", "--index").code == 0
    assert stage.gate(TASK, "--finalized", "--tree", "HEAD").code == 1
    stage.git("commit", "-q", "-m", "done")
    for target in ((), ("--index",), ("--tree", "HEAD")):
        assert stage.gate(TASK, "--finalized", *target).code == 0


def rebased(stage: Stage) -> None:
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "work")
    stage.git("checkout", "-q", "-b", "upstream", "HEAD~1")
    stage.git("commit", "-q", "--amend", "-m", "first, reworded")
    stage.git("checkout", "-q", "main")
    stage.git("rebase", "-q", "--onto", "upstream", "HEAD~1")


def squashed(stage: Stage) -> None:
    stage.git("add", "-A")
    stage.git("commit", "-q", "--amend", "-m", "all in one")


def orphaned(stage: Stage) -> None:
    stage.git("checkout", "-q", "--orphan", "fresh")
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "history is gone")


def forgotten(stage: Stage) -> None:
    """The baseline commit does not even exist any more, as in a shallow clone."""
    squashed(stage)
    stage.git("reflog", "expire", "--expire=now", "--all")
    stage.git("gc", "-q", "--prune=now")


@pytest.mark.parametrize("take_away", [rebased, squashed, orphaned, forgotten])
def test_without_its_baseline_a_task_is_inconclusive(stage: Stage, take_away: object):
    article.finished(stage)
    assert stage.gate_code() == (0, "")
    take_away(stage)  # type: ignore[operator]
    assert stage.task().scope.verdict is Verdict.INCONCLUSIVE
    assert stage.cli("scope", TASK).code == 3
    assert stage.gate().code in (1, 3)
    assert stage.cli("baseline", TASK).code == 1
    done = stage.cli("baseline", TASK, "--again")
    assert done.code == 0, done.err
    assert stage.cli("scope", TASK).code == 3, "a new baseline waits for the human"
    stage.human.approve(TASK, "baseline")
    assert stage.task().scope.verdict is Verdict.PASS
    assert stage.cli("scope", TASK).code == 0
