"""A hostile workspace through every command: no crash, no raw control byte, nobody hidden."""

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ags_tui.cli.arguments import COMMANDS
from tests.cli.conftest import Cli
from tests.flows.hostile import GOOD, build, evil, odd_files, odd_folders
from tests.flows.stage import MAPPER, Stage, raw_of, small_plan

EVIL = ("evil", "odd")
ELSEWHERE = {"demo", "init", "schema", "config", "policy", "connect", "run", "mcp", "hook"}
"""Commands that read no task, or none on their own: tried apart."""
COMMANDING = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that a terminal may take as a command, or hides."""
WRONG = (
    "\x1b[2J",
    "a\nb",
    "\u202eevil",
    ".hidden",
    "n" * 255,
    "nobody",
    "linked",
    "twin",
    "fifo",
    "../good",
    "",
)


@dataclass(frozen=True)
class Ran:
    """A command that has ended, with the very bytes that it wrote."""

    words: tuple[str, ...]
    code: int
    out: bytes
    err: bytes


def run(cli: Cli, *words: str) -> Ran:
    code, out, err = cli.zygote.run(cli.arguments(*words)[3:], cli.work, cli.env(), b"")
    return Ran(words, code, out, err)


def calls(task: str) -> Iterator[tuple[tuple[str, ...], set[int]]]:
    """Every command on a task, with the exit codes that may be."""
    ask = ("--reason", "\x1b[2J", "--risk", "low")
    question = ("--question", "\x1b]0;x\x07?", "--option", "a=A")
    yield ("status",), {0}
    yield ("status", task), {0}
    yield ("validate",), {1}
    yield ("validate", f".ai/tasks/{task}"), {1}
    yield ("scope", task), {1, 3, 4, 10}
    yield ("gate",), {1, 3}
    yield ("gate", task), {1, 3}
    yield ("gate", task, "--finalized"), {1, 3}
    yield ("gate", task, "--tree", "HEAD"), {1, 3}
    yield ("gate", task, "--index"), {1, 3}
    yield ("log", task), {0, 1, 3}
    yield ("verify", task), {1, 3}
    yield ("verify",), {1, 3}
    yield ("route", f".ai/tasks/{task}/test-result.json"), {0, 1}
    yield ("migrate", f".ai/tasks/{task}/plan.json"), {0, 1, 2}
    yield ("report", task), {0, 1, 3}
    yield ("check", task), {1, 3}
    yield ("request", "--task", task, "--tool", "shell", "--command", "\x1b[2J", *ask), {0, 1, 3}
    yield ("escalate", "--task", task, *question), {0, 1, 3}
    yield ("wait", f"{task}/tool-x", "--claim", "\x1b", "--timeout", "0"), {2, 3, 13, 14}
    yield ("deny", f"{task}/tool-000", "--reason", "\x1b[2J"), {0, 1, 2, 3}
    yield ("block", task, "--reason", "\x1b[2J"), {0, 1, 3}
    yield ("baseline", task), {0, 1, 3}
    yield ("close", task), {1}
    yield ("doctor",), {0, 1}
    yield ("task", "new", "\x1b[2J title", "--id", "fresh"), {0, 2}


def test_no_command_is_left_out():
    tried = {words[0] for words, _ in calls("x")}
    assert tried | ELSEWHERE == set(COMMANDS)


def faults(ran: Ran, codes: set[int]) -> list[str]:
    found: list[str] = []
    if ran.code not in codes:
        found.append(f"exit {ran.code}")
    for name, raw in (("stdout", ran.out), ("stderr", ran.err)):
        text = raw.decode("utf-8", "strict")
        bad = {
            char
            for char in text
            if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        }
        if bad:
            found.append(f"{name} has {sorted(map(ascii, bad))}")
        if "Traceback" in text or "own failure" in text:
            found.append(f"{name}: {text[:2000]}")
    if "--json" in ran.words and ran.out:
        try:
            json.loads(ran.out)
        except ValueError:
            found.append("stdout is no JSON")
    return [f"{ran.words}: {one} {ran.err.decode()[:200]!r}" for one in found]


@pytest.mark.parametrize("task", EVIL)
@pytest.mark.parametrize("more", [(), ("--json",)], ids=["text", "json"])
def test_every_command_stays_calm(stage: Stage, task: str, more: tuple[str, ...]):
    build(stage)
    found = [fault for words, codes in calls(task) for fault in faults(run(stage.cli, *words, *more), codes)]
    assert not found, "\n".join(found)


def test_names_that_are_no_tasks_are_wrong_calls(stage: Stage):
    build(stage)
    found: list[str] = []
    for name in WRONG:
        found += faults(run(stage.cli, "gate", "--", name), {2})
        found += faults(run(stage.cli, "block", "--reason", "r", "--", name), {2})
        found += faults(run(stage.cli, "deny", "--reason", "r", "--", f"{name}/x"), {2})
        found += faults(run(stage.cli, "wait", "--claim", "c", "--timeout", "0", "--", f"{name}/x"), {2})
    for command in ("status", "scope", "log", "verify", "report", "check", "close", "baseline"):
        found += faults(run(stage.cli, command, "--", WRONG[0]), {2})
    assert not found, "\n".join(found)


def test_the_good_task_is_shown_and_judged_as_if_it_were_alone(stage: Stage):
    alone = begin_alone(stage)
    tasks = stage.cli.root / "tasks"
    for more in (evil, odd_files, odd_folders):
        more(tasks)
    listed = {row["taskId"]: row for row in stage.cli("status", "--json").json["tasks"]}
    assert {GOOD, "evil", "odd"} <= listed.keys()
    row = stage.gate(GOOD).json["tasks"][0]["gate"]
    around = {one["number"]: one["outcome"] for one in row["conditions"]}
    assert {**around, 4: ""} == {**alone, 4: ""}, "odd names below .ai/ count for everybody's scope"
    assert stage.cli("validate", f".ai/tasks/{GOOD}").code == 0
    assert stage.cli("block", GOOD, "--reason", "r").code == 0
    assert {task.task_id for task in stage.look().tasks} >= {GOOD, "evil", "odd"}


def begin_alone(stage: Stage) -> dict[int, str]:
    stage.new_task(GOOD)
    stage.plan(MAPPER, task_id=GOOD)
    stage.look()
    row = stage.gate(GOOD).json["tasks"][0]["gate"]
    return {one["number"]: one["outcome"] for one in row["conditions"]}


def test_nothing_malformed_can_be_approved(stage: Stage):
    build(stage)
    log = stage.cli.root / "tasks" / "evil" / "log"
    for place in log.iterdir():
        place.unlink()
    log.rmdir()
    items = {one.item_id: one for one in stage.task("evil").pending}
    commands = {one.item_id: one.command for one in items.values()}
    blank = [name for name, command in commands.items() if command is not None and not command.strip()]
    assert blank
    assert all(items[name].malformed for name in [*blank, "nul"])
    assert not items.keys() & {"lone", "big", "number", "empty", "other-name"}
    invisible = next(one for one in items.values() if one.command and "\u200b" in one.command)
    assert invisible.warnings


def test_a_thousand_tasks_are_all_listed(stage: Stage):
    plan = {n: raw_of(small_plan(f"t{n:04d}")) for n in range(1000)}
    for number, raw in plan.items():
        folder = stage.folder(f"t{number:04d}")
        folder.mkdir(parents=True)
        (folder / "plan.json").write_bytes(raw)
    done = stage.cli("status", "--json")
    assert done.code == 0
    assert len(done.json["tasks"]) == 1000
    done = stage.cli("gate", "--json")
    assert done.code in (1, 3)
    assert len(done.json["tasks"]) == 1000
