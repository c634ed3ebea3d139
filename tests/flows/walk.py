"""A random walk over everything that agents, developers and the human do to a repository with two tasks."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from ags_tui.core import drafts
from ags_tui.core.assessment import Pending, PendingKind, TaskAssessment
from ags_tui.core.contracts.human import Escalation
from ags_tui.core.decisions import Draft
from ags_tui.core.failures import AgsError
from tests import builders
from tests.cli.human import SEEN
from tests.core.checks import test_article as article
from tests.flows.stage import BASE, COMMAND, MAPPER, REPOSITORY, TESTS, VIEW, Stage, raw_of, small_plan

TASKS = ("one", "two")
PATHS = (MAPPER, TESTS, VIEW, REPOSITORY, "new/file.txt", "DesignSystem/Button.swift", "package.json")
TEXTS = ("friendly\n", "test_timeout\n", "other\n", "", "label\n")
RESULTS = ("implementation-result.json", "fix-result.json", "review-result.json", "test-result.json")
GIT: tuple[tuple[str, ...], ...] = (
    ("add", "-A"), ("reset", "-q"), ("commit", "-q", "--allow-empty", "-m", "x"),
    ("commit", "-q", "-a", "--allow-empty", "-m", "all"),
    ("commit", "-q", "--amend", "--allow-empty", "-m", "y"), ("checkout", "-q", "--", MAPPER),
    ("checkout", "-q", "-B", "other"), ("rm", "-q", "--cached", "-f", VIEW), ("stash", "-q"),
    ("stash", "pop", "-q"), ("mv", "-f", VIEW, "Sources/Auth/Moved.swift"),
    ("add", "-N", "new/file.txt"), ("branch", "-q", "-f", "spare"),
)  # fmt: skip


@dataclass
class Walk:
    """One walk; ``trail`` says what was done."""

    stage: Stage
    random: Random
    trail: list[str] = field(default_factory=list[str])
    count: int = 0

    def step(self) -> None:
        """Do one random thing; what is not possible now is left out."""
        act = self.random.choice(ACTS)
        self.trail.append(act.__name__)
        act(self)

    def some(self, *items: Any) -> Any:
        """One of these, noted."""
        chosen = self.random.choice(items)
        self.trail[-1] += f" {chosen if isinstance(chosen, str) else getattr(chosen, 'item_id', '…')}"
        return chosen

    def record(self, make: Callable[[], Draft]) -> None:
        """Record a decision of the human; a refusal is noted."""
        try:
            self.stage.human.workspace.record(make())
        except (AgsError, ValueError) as error:
            self.trail[-1] += f" (refused: {error})"


# -- developers and agents in the work tree --------------------------------------------------------------


def edit(walk: Walk) -> None:
    """Write a file."""
    walk.stage.edit(walk.some(*PATHS), walk.random.choice(TEXTS))


def restore(walk: Walk) -> None:
    """Write a file as it was."""
    path = walk.some(*BASE)
    walk.stage.edit(path, BASE[path])


def delete(walk: Walk) -> None:
    """Delete a file."""
    (walk.stage.work / walk.some(*PATHS)).unlink(missing_ok=True)


def rename(walk: Walk) -> None:
    """Move a file over another."""
    old, new = (walk.stage.work / walk.some(*PATHS) for _ in range(2))
    if old.exists() and old != new:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)


def executable(walk: Walk) -> None:
    """Turn a mode bit."""
    place = walk.stage.work / walk.some(*PATHS)
    if place.exists():
        place.chmod(place.stat().st_mode ^ 0o111)


def git(walk: Walk) -> None:
    """Do something with git that a developer does all day."""
    words = walk.random.choice(GIT)
    walk.trail[-1] += " " + " ".join(words)
    walk.stage.git_may_fail(*words)


# -- agents in the task folders --------------------------------------------------------------------------


def document_for(walk: Walk, path: str, task_id: str) -> Any:
    """Some version of a contract."""
    choose = walk.random.choice
    if path == "task.json":
        fields: dict[str, Any] = {"risk_level": choose(("low", "medium", "high"))}
        more = choose(((), ("서버 원문은 노출되지 않는다.",)))
        return builders.agent_task(
            id=task_id, expected_behavior=more, forbidden_changes=choose(((), ("LoginView 수정",))),
            required_evidence=choose(((), ("수정된 파일 목록",))), **fields,
        )  # fmt: skip
    if path == "plan.json":
        return small_plan(
            task_id,
            *choose(((MAPPER,), (MAPPER, TESTS), (VIEW,), ("Sources/**",), ("AuthErrorMapper.swift",))),
            files_not_to_edit=choose(((), (REPOSITORY,), ("DesignSystem/**",))),
            tests_to_run=choose(((), (COMMAND,))),
            requires_human_approval=choose((True, False)),
        )
    if path in RESULTS[:2]:
        return {**article.RESULT, "executedSteps": ["one"], "commandsRequested": [], "notChanged": []}
    if path == "review-result.json":
        return choose((article.PASS, article.NEEDS_CHANGES))
    return {**article.PASSED, "commands": [{"command": COMMAND, "exitCode": choose((0, 1)), "durationMs": 3}]}


def contract(walk: Walk) -> None:
    """Write a contract file."""
    task_id, path = walk.some(*TASKS), walk.some("task.json", "plan.json", "plan.json", *RESULTS)
    if walk.stage.folder(task_id).is_dir():
        walk.stage.write(path, document_for(walk, path, task_id), task_id)


def old_contract(walk: Walk) -> None:
    """Write a contract file that nobody saw being written."""
    task_id, path = walk.some(*TASKS), walk.some(*RESULTS)
    if walk.stage.folder(task_id).is_dir():
        walk.stage.write(path, document_for(walk, path, task_id), task_id)
        walk.stage.age(path, 3600, task_id)


def spoil(walk: Walk) -> None:
    """Leave half of a contract file, long ago or now, or something else in its place."""
    task_id, path = walk.some(*TASKS), walk.some("task.json", "plan.json", *RESULTS)
    place = walk.stage.folder(task_id) / path
    if not place.parent.is_dir():
        return
    raw = raw_of(document_for(walk, path, task_id))
    place.write_bytes(walk.random.choice((raw[: len(raw) // 2], b"{}", b"\xff", raw + b"{", b"")))
    if walk.random.random() < 0.7:
        walk.stage.age(path, 60, task_id)


def remove(walk: Walk) -> None:
    """Delete a contract file."""
    place = walk.stage.folder(walk.some(*TASKS)) / walk.some("plan.json", "task.json", *RESULTS)
    place.unlink(missing_ok=True)


def request(walk: Walk) -> None:
    """File a tool request by the command."""
    task_id = walk.some(*TASKS)
    path = walk.random.choice(PATHS)
    words = walk.some(("--tool", "edit_file", "--path", path, "--after", "asked\n"),
                      ("--tool", "shell", "--command", "sh Tests/run.sh"))  # fmt: skip
    walk.count += 1
    name = f"tool-{walk.count:03d}"
    walk.stage.cli("request", "--task", task_id, *words, "--reason", "r", "--risk", "low", "--id", name)


def apply_request(walk: Walk) -> None:
    """Do what an edit request proposes, or nearly."""
    walk.stage.edit(walk.some(*PATHS), walk.some("asked\n", "asked and more\n"))


def rewrite_request(walk: Walk) -> None:
    """Change or withdraw a request file."""
    found = sorted(walk.stage.cli.root.glob("tasks/*/tool-requests/*.json"))
    if not found:
        return
    place: Path = walk.random.choice(found)
    if walk.random.random() < 0.5:
        place.unlink()
    else:
        place.write_bytes(place.read_bytes() + b" ")


def escalate(walk: Walk) -> None:
    """Ask a question."""
    task_id = walk.some(*TASKS)
    walk.count += 1
    name = f"esc-{walk.count:03d}"
    document: Escalation = builders.escalation(name, task_id=task_id)
    if walk.stage.folder(task_id).is_dir():
        walk.stage.write(f"escalations/{name}.json", document, task_id)


def policy(walk: Walk) -> None:
    """Write the policy of the repository."""
    place = walk.stage.cli.root / "policy.toml"
    place.write_text(walk.some("", "[limits]\nrequest_timeout_s = 60\n", "[limits\n"))


def lose_task(walk: Walk) -> None:
    """Delete a whole task folder, and nothing of it by halves."""
    if walk.random.random() < 0.2:
        shutil.rmtree(walk.stage.folder(walk.some(*TASKS)), ignore_errors=True)


# -- the human -------------------------------------------------------------------------------------------


def decide(walk: Walk) -> None:
    """Decide an item of the inbox, one way or the other."""
    items = walk.stage.look().pending
    if not items:
        return
    item: Pending = walk.some(*items)
    task = walk.stage.task(item.task_id)
    walk.record(_decision(walk, item, task))


def _decision(walk: Walk, item: Pending, task: TaskAssessment) -> Callable[[], Draft]:
    if item.kind is PendingKind.FINALIZATION:
        return lambda: drafts.finalize(task, SEEN)
    if walk.random.random() < 0.25 and item.kind is not PendingKind.BASELINE:
        return lambda: drafts.deny(item, "no")
    if item.kind is PendingKind.ESCALATION:
        option = item.options[0].id if item.options else ""
        return lambda: drafts.answer(item, SEEN, option=option, text="" if option else "go on")
    if item.path and walk.random.random() < 0.3:
        return lambda: drafts.amend_plan(item, task, SEEN)
    return lambda: drafts.approve(item, SEEN)


def attest(walk: Walk) -> None:
    """Vouch for a sentence, or no longer."""
    tasks = [task for task in walk.stage.look().tasks if task.gate.prose]
    if tasks:
        task = walk.random.choice(tasks)
        prose = walk.random.choice(task.gate.prose)
        walk.record(lambda: drafts.attest(task, prose, SEEN, withdraw=walk.random.random() < 0.2))


def block(walk: Walk) -> None:
    """Block by the command, or lift in the TUI."""
    task_id = walk.some(*TASKS)
    task = next((one for one in walk.stage.look().tasks if one.task_id == task_id), None)
    if task is not None and task.task.log.blocks:
        walk.record(lambda: drafts.lift(task, task.task.log.blocks[0], "ok"))
    else:
        walk.stage.cli("block", task_id, "--reason", "no")


def end(walk: Walk) -> None:
    """Close or open a task again."""
    tasks = walk.stage.look().tasks
    if tasks and walk.random.random() < 0.4:
        task = walk.some(*tasks)
        frozen = task.task.log.frozen
        walk.record(lambda: drafts.reopen(task, "again") if frozen else drafts.close(task, "enough"))


def check(walk: Walk) -> None:
    """Run the planned tests."""
    walk.stage.cli("check", walk.some(*TASKS))


def take(walk: Walk) -> None:
    """An agent that knows no claim tries to take an approval."""
    found = sorted(walk.stage.cli.root.glob("tasks/*/tool-requests/*.json"))
    if found:
        place: Path = walk.random.choice(found)
        name = f"{place.parents[1].name}/{place.stem}"
        walk.stage.cli("wait", name, "--claim", "guessed", "--timeout", "0")


def tidy(walk: Walk, task_id: str) -> None:
    """Undo what strayed, and take back what waits or holds a task."""
    for path, text in BASE.items():
        walk.stage.edit(path, text)
        (walk.stage.work / path).chmod(0o644)
    for path in ("new/file.txt", "package.json", "Sources/Auth/Moved.swift"):
        (walk.stage.work / path).unlink(missing_ok=True)
    (walk.stage.cli.root / "policy.toml").unlink(missing_ok=True)
    for name in ("fix-result.json", "test-result.json"):
        (walk.stage.folder(task_id) / name).unlink(missing_ok=True)
    task = walk.stage.task(task_id)
    for blocked in task.task.log.blocks:
        walk.record(lambda blocked=blocked: drafts.lift(walk.stage.task(task_id), blocked, "ok"))
    for item in walk.stage.task(task_id).pending:
        if item.kind in (PendingKind.TOOL_REQUEST, PendingKind.ESCALATION):
            walk.record(lambda item=item: drafts.deny(item, "no"))


def advance(walk: Walk) -> None:
    """Tidy up and do a task as it should be done, to its end or almost."""
    task_id = walk.some(*TASKS)
    if not walk.stage.folder(task_id).is_dir():
        return
    tidy(walk, task_id)
    walk.stage.plan(MAPPER, TESTS, task_id=task_id, tests_to_run=(COMMAND,), requires_human_approval=True)
    plan = next(
        (one for one in walk.stage.look().pending if (one.task_id, one.item_id) == (task_id, "plan")), None
    )
    if plan is not None:
        walk.record(lambda: drafts.approve(plan, SEEN))
    walk.stage.edit(MAPPER, "friendly\n")
    walk.stage.edit(TESTS, "test_timeout\n")
    for path, document in (
        ("implementation-result.json", {**article.RESULT, "executedSteps": ["one"], "commandsRequested": []}),
        ("review-result.json", article.PASS),
    ):
        walk.stage.write(path, document, task_id)
        walk.stage.look()
    walk.stage.cli("check", task_id)
    for prose in walk.stage.task(task_id).gate.prose:
        walk.record(lambda prose=prose: drafts.attest(walk.stage.task(task_id), prose, SEEN))
    if walk.random.random() < 0.4:
        walk.record(lambda: drafts.finalize(walk.stage.task(task_id), SEEN))


def age_all(walk: Walk) -> None:
    """Let all files of the tasks have been written a while ago."""
    for place in walk.stage.cli.root.glob("tasks/*/**/*.json"):
        if place.parent.name != "log":
            then = place.stat().st_mtime - timedelta(seconds=30).total_seconds()
            os.utime(place, (then, then))


ACTS: tuple[Callable[[Walk], None], ...] = (
    edit, edit, edit, restore, delete, rename, executable, git, git, contract, contract, contract,
    old_contract, spoil, remove, request, apply_request, rewrite_request, escalate, policy, lose_task,
    decide, decide, decide, decide, attest, attest, block, end, check, take, age_all,
    advance, advance,
)  # fmt: skip
