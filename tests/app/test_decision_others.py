"""Reasons, escalations and finalization: the same guards, the same one key."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from ags_tui.app.messages import CheckAsked
from ags_tui.app.screens.check_run import CheckRunScreen
from ags_tui.app.screens.escalation import EscalationScreen
from ags_tui.app.screens.finalize import FinalizeScreen
from ags_tui.app.screens.guarded import GuardedScreen
from ags_tui.app.screens.reason import ReasonScreen, block_screen, close_screen, deny_screen, lift_screen
from ags_tui.core.assessment import Choice, PendingKind, Prose, RequestState, RequestStatus, TaskAssessment
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.contracts.human import Escalation, EscalationOption, EscalationSource, Evidence
from ags_tui.core.contracts.log_entry import Actor, BoundDigests, LogEntry, Subject
from ags_tui.core.contracts.results import TestCommandResult, TestResult
from ags_tui.core.decisions import Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_state import LoggedEntry, LogState, Observation
from ags_tui.core.snapshot import Changes
from tests.app.makers import NOW, TASK, agent_task, artifact, assessment, pending, plan, task_assessment
from tests.app.stage import Stage, screen_text, until
from tests.app.test_decision import QUIET, look


class Desk(Stage):
    """Opens screens and keeps what they return and post."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Draft | None] = []
        self.attested: list[Draft] = []
        self.evidence: list[str] = []
        self.checks: list[str] = []

    def on_check_asked(self, message: CheckAsked) -> None:
        self.checks.append(message.task_id)

    def on_finalize_screen_attested(self, message: FinalizeScreen.Attested) -> None:
        self.attested.append(message.draft)

    def on_escalation_screen_evidence_wanted(self, message: EscalationScreen.EvidenceWanted) -> None:
        self.evidence.append(message.ref)


@asynccontextmanager
async def opened(
    screen: GuardedScreen[Draft | None], size: tuple[int, int] = (100, 30)
) -> AsyncGenerator[tuple[Pilot[None], Desk]]:
    app = Desk()
    async with app.run_test(size=size) as pilot:
        screen.guard.quiet = QUIET
        app.push_screen(screen, app.results.append)
        await until(pilot, lambda: app.screen is screen and screen.guard.painted_at is not None)
        yield pilot, app


def quiet(screen: GuardedScreen[Any]) -> bool:
    return not screen.guard.refusal(time.monotonic())


async def press(pilot: Pilot[None], screen: GuardedScreen[Any], key: str) -> None:
    """Press a key as a human would: after a moment of quiet."""
    await until(pilot, lambda: quiet(screen))
    await pilot.press(key)


async def result(pilot: Pilot[None], app: Desk) -> Draft:
    await until(pilot, lambda: app.results)
    (draft,) = app.results
    assert draft is not None
    return draft


# -- reasons -------------------------------------------------------------------------------------------


async def test_words_first_then_the_key() -> None:
    screen = deny_screen(pending(), look())
    async with opened(screen) as (pilot, app):
        assert isinstance(screen.focused, Input)
        await pilot.press(*"no y d 1")
        assert screen.words == "no y d 1"
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: "no key decides while the text field has the focus" in screen_text(app))
        await press(pilot, screen, "enter")
        await until(pilot, lambda: screen.committing)
        assert app.results == []
        await press(pilot, screen, "enter")
        draft = await result(pilot, app)
    assert (draft.verdict, draft.reason) == ("denied", "no y d 1")


async def test_a_held_enter_denies_nothing() -> None:
    screen = deny_screen(pending(), look(guard=0.3))
    async with opened(screen) as (pilot, app):
        await pilot.press(*"why")
        for _ in range(40):
            await pilot.press("enter")
        await pilot.pause()
        assert screen.committing
        assert app.results == []


async def test_without_words_there_is_nothing_to_commit() -> None:
    screen = deny_screen(pending(), look())
    async with opened(screen) as (pilot, app):
        await press(pilot, screen, "space")
        await press(pilot, screen, "enter")
        await until(pilot, lambda: "Write a reason first" in screen_text(app))
        assert not screen.committing


RECENT = ("[/] first", "second")


async def test_a_digit_takes_a_recent_reason_while_their_list_has_the_focus() -> None:
    screen = deny_screen(pending(), look(), reasons=RECENT)
    async with opened(screen) as (pilot, app):
        assert "1 [/] first" in screen_text(app)
        assert screen.field.choosing
        await press(pilot, screen, "1")
        await until(pilot, lambda: screen.words == "[/] first")
        assert isinstance(screen.focused, Input)
        await until(pilot, lambda: "Enter goes on; Tab to the recent reasons" in screen_text(app))
        await pilot.press(*", 2 more")
        assert screen.words == "[/] first, 2 more"
        await press(pilot, screen, "tab")
        assert screen.field.choosing
        await press(pilot, screen, "2")
        await until(pilot, lambda: "empty it first" in screen_text(app))
        assert screen.words == "[/] first, 2 more"
        assert app.results == []


async def test_any_other_key_begins_a_text_in_which_digits_are_digits() -> None:
    for typed in (("x", "2"), ("9", "1"), ("이", "1"), ("tab", "2", "x"), ("enter", "1")):
        screen = deny_screen(pending(), look(), reasons=RECENT)
        async with opened(screen) as (pilot, app):
            for key in typed:
                await press(pilot, screen, key)
            assert screen.words == "".join(key for key in typed if len(key) == 1)
            assert isinstance(screen.focused, Input)
            assert app.results == []


async def test_a_digit_before_the_list_can_have_been_read_is_text() -> None:
    screen = deny_screen(pending(), look(guard=60), reasons=RECENT)
    async with opened(screen) as (pilot, _):
        await pilot.press("2")
        assert screen.words == "2"


async def test_the_sheet_shows_what_is_denied_and_keeps_its_foot_in_sight() -> None:
    item = pending(title="shell rm -rf build", command="rm -rf build", path=None, reason="why " * 200)
    for size in ((44, 14), (80, 24), (120, 36)):
        screen = deny_screen(item, look(), reasons=[f"reason {number}" for number in range(9)])
        async with opened(screen, size=size) as (pilot, app):
            await pilot.pause()
            assert "rm -rf build" in screen_text(app)
            assert "Esc leaves" in screen_text(app)
            assert screen.query_one("#foot").region.bottom < size[1]
            assert screen.query_one("#frame").region.height <= size[1]


async def test_loosening_needs_ctrl_o_enter_does_not_do() -> None:
    task = task_assessment(agent_task())
    for screen, kind, verdict in (
        (lift_screen(task, logged("block", "blocked", "wait [/]"), look()), "block", "lifted"),
        (close_screen(task, look()), "close", "closed"),
    ):
        async with opened(screen) as (pilot, app):
            await pilot.press(*"ok")
            await press(pilot, screen, "enter")
            await until(pilot, lambda screen=screen: screen.committing)
            for key in ("enter", "space", "y", "o"):
                await press(pilot, screen, key)
            await until(pilot, lambda screen=screen: quiet(screen))
            assert app.results == []
            await press(pilot, screen, "ctrl+o")
            draft = await result(pilot, app)
        assert (draft.kind, draft.verdict, draft.reason) == (kind, verdict, "ok")


async def test_block_and_going_back_to_the_words() -> None:
    screen = block_screen(task_assessment(agent_task()), look())
    async with opened(screen) as (pilot, app):
        await pilot.press(*"stop")
        await press(pilot, screen, "enter")
        await until(pilot, lambda: screen.committing)
        await press(pilot, screen, "escape")
        await until(pilot, lambda: not screen.committing)
        await pilot.press(*" now")
        await press(pilot, screen, "enter")
        await until(pilot, lambda: screen.committing)
        await pilot.click("#commit")
        await until(pilot, lambda: "A click does not block" in screen_text(app))
        await press(pilot, screen, "enter")
        draft = await result(pilot, app)
    assert (draft.kind, draft.verdict, draft.reason) == ("block", "blocked", "stop now")


async def test_a_paste_into_the_field_is_text() -> None:
    screen = deny_screen(pending(), look(), reasons=("first",))
    async with opened(screen) as (pilot, app):
        app.post_message(events.Paste("because\x0f\n1"))
        await until(pilot, lambda: screen.words.startswith("because"))
        assert app.results == []
        assert not screen.committing


# -- escalations ---------------------------------------------------------------------------------------


def escalation(**changes: Any) -> Escalation:
    fields: dict[str, Any] = {
        "escalation_id": "esc-1", "task_id": TASK, "source": EscalationSource(system="agent", ref="builder"),
        "question": "Which search? [/]",
        "options": (
            EscalationOption(id="narrow", label="Only titles", consequence="quick"),
            EscalationOption(id="wide", label="Everything [red]", consequence="slow"),
        ),
        "allow_free_text": True, "risk_level": "medium",
        "evidence": (Evidence(kind="execution", ref="artifacts/x.log", exit_code=2),),
        "next_actions": ("planner",), "created_at": NOW,
    }  # fmt: skip
    return Escalation(**{**fields, **changes})


def question(document: Escalation, **changes: Any) -> EscalationScreen:
    item = replace(
        pending(),
        kind=PendingKind.ESCALATION, item_id="esc-1", artifact="escalations/esc-1.json",
        title=document.question, reason="", path=None, command=None, risk=document.risk_level,
        allow_free_text=document.allow_free_text,
        options=tuple(Choice(one.id, one.label, one.consequence) for one in document.options), **changes,
    )  # fmt: skip
    task = task_assessment(agent_task(), document, items=[item])
    return EscalationScreen(item, task, look(), tty="/dev/pts/9")


async def test_choose_then_commit() -> None:
    screen = question(escalation())
    async with opened(screen) as (pilot, app):
        shown = screen_text(app)
        for text in (
            "Which search? [/]",
            "Only titles",
            "Everything [red]",
            "slow",
            "execution artifacts/x.log  exit 2",
        ):
            assert text in shown
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: "choose an answer first" in screen_text(app))
        for key in ("2", "enter", "space", "y", "9", "0"):
            await press(pilot, screen, key)
        assert app.results == []
        await until(pilot, lambda: "chosen: 2 Everything [red]" in screen_text(app))
        assert "▌ 2 Everything [red]" in screen_text(app), "it is marked where it stands, too"
        assert "▌ 1" not in screen_text(app)
        await press(pilot, screen, "ctrl+o")
        draft = await result(pilot, app)
    assert (draft.kind, draft.verdict, draft.subject_id) == ("escalation", "answered", "esc-1")
    assert draft.data["option"] == "wide"
    assert "text" not in draft.data


async def test_choosing_starts_the_guard_again() -> None:
    screen = question(escalation())
    async with opened(screen) as (pilot, app):
        await until(pilot, lambda: quiet(screen))
        app.post_message(events.Key("1", "1"))
        app.post_message(events.Key("ctrl+o", None))
        await until(pilot, lambda: "Not taken" in screen.said)
        await until(pilot, lambda: quiet(screen))
        assert app.results == []


async def test_an_answer_in_words() -> None:
    screen = question(escalation())
    async with opened(screen) as (pilot, app):
        await press(pilot, screen, "t")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen))
        words = app.screen
        assert isinstance(words, ReasonScreen)
        words.guard.quiet = QUIET
        await pilot.press(*"both")
        await press(pilot, words, "enter")
        await until(pilot, lambda: words.committing)
        await press(pilot, words, "enter")
        await until(pilot, lambda: quiet(words))
        assert app.results == []
        await press(pilot, words, "ctrl+o")
        draft = await result(pilot, app)
    assert draft.data["text"] == draft.reason == "both"
    assert "option" not in draft.data


async def test_words_only_where_they_are_allowed() -> None:
    screen = question(escalation(allow_free_text=False))
    async with opened(screen) as (pilot, app):
        await press(pilot, screen, "t")
        await until(pilot, lambda: quiet(screen))
        assert app.screen is screen


async def test_a_risky_answer_asks_for_the_code() -> None:
    screen = question(escalation(risk_level="critical"))
    async with opened(screen) as (pilot, app):
        await press(pilot, screen, "1")
        await until(pilot, lambda: screen.missing().readable and quiet(screen))
        await until(pilot, lambda: f"type the code {screen.code.code}" in screen_text(app) and quiet(screen))
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        for key in screen.code.code:
            await press(pilot, screen, key)
        assert screen.choice == 0
        await press(pilot, screen, "ctrl+o")
        draft = await result(pilot, app)
    assert draft.data["option"] == "narrow"


async def test_evidence_opens_in_place() -> None:
    screen = question(escalation())
    async with opened(screen) as (pilot, app):
        await press(pilot, screen, "e")
        await until(pilot, lambda: app.evidence == ["artifacts/x.log"])
        screen.evidence_read("artifacts/x.log", "FAILED \x1b[31m[/]\nline two")
        await until(
            pilot, lambda: "FAILED \\x1b[31m[/]" in screen_text(app) and "line two" in screen_text(app)
        )


async def test_an_answered_question_can_only_be_closed() -> None:
    screen = question(escalation())
    async with opened(screen) as (pilot, app):
        status = RequestStatus("esc-1", PendingKind.ESCALATION, RequestState.ANSWERED, digest(b"x"))
        screen.update(assessment(task_assessment(agent_task(), requests=[status])))
        await until(pilot, lambda: "it was answered meanwhile" in screen_text(app))
        for key in ("1", "ctrl+o"):
            await press(pilot, screen, key)
        await until(pilot, lambda: quiet(screen))
        assert app.results == []
        await press(pilot, screen, "escape")
        await until(pilot, lambda: app.results == [None])


# -- finalization --------------------------------------------------------------------------------------


def prose(number: int = 0, **changes: Any) -> Prose:
    fields: dict[str, Any] = {
        "prose_id": f"task#expectedBehavior/{number}", "text": f"[/] sentence {number}",
        "digest": digest(b"s%d" % number), "outcome": Outcome.UNKNOWN, "basis": Basis.HUMAN,
        "reason": "nobody attested it",
    }  # fmt: skip
    return Prose(**{**fields, **changes})


def passed(**changes: Any) -> TaskAssessment:
    return task_assessment(agent_task(), plan(), **changes)


def logged(kind: Any, verdict: str, reason: str) -> LoggedEntry:
    entry = LogEntry(
        log_id="l", sequence=3, previous_digest=digest(b"p"), task_id=TASK, kind=kind, verdict=verdict,
        subject=Subject(id="task", digest=""), reason=reason, data={}, expires_at=None, decided_at=NOW,
        bound=BoundDigests(request=None, plan=None, policy=None, files=()), key_id="k", signature="s",
        actor=Actor(source="human", name="n", via="tui", rule_id=None),
    )  # fmt: skip
    return LoggedEntry(entry, digest(b"e"), "human", counted=True)


async def test_finalize_only_when_everything_holds() -> None:
    screen = FinalizeScreen(passed(gate={"tests": Outcome.UNKNOWN}), look())
    async with opened(screen, size=(100, 40)) as (pilot, app):
        await until(pilot, lambda: "Not yet: tests open" in screen_text(app))
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        assert app.results == []
    task = passed()
    screen = FinalizeScreen(task, look(), tty="/dev/pts/9")
    async with opened(screen, size=(100, 40)) as (pilot, app):
        await until(pilot, lambda: screen.missing().open)
        for key in ("enter", "space", "F", "f", "y", "1"):
            await press(pilot, screen, key)
        await until(pilot, lambda: quiet(screen))
        assert app.results == []
        await press(pilot, screen, "ctrl+o")
        draft = await result(pilot, app)
    assert (draft.kind, draft.verdict, draft.subject_digest) == ("finalize", "finalized", task.digest)
    assert draft.data["treeDigest"] == digest(b"tree")
    assert draft.data["assessmentDigest"] == task.digest


async def test_the_whole_ladder_must_have_been_seen() -> None:
    screen = FinalizeScreen(passed(), look())
    async with opened(screen, size=(80, 15)) as (pilot, app):
        await until(pilot, lambda: "read to the end" in screen_text(app) and quiet(screen))
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        await press(pilot, screen, "G")
        await until(pilot, lambda: screen.missing().open)
        await press(pilot, screen, "ctrl+o")
        await result(pilot, app)


async def test_attest_each_sentence_with_space() -> None:
    open_task = passed(prose=[prose(0), prose(1)], gate={"evidence": Outcome.UNKNOWN})
    screen = FinalizeScreen(open_task, look())
    async with opened(screen, size=(100, 50)) as (pilot, app):
        assert "[/] sentence 1" in screen_text(app)
        await press(pilot, screen, "g")
        await press(pilot, screen, "space")
        await until(pilot, lambda: "Put the cursor on a sentence" in screen_text(app))
        await pilot.press(*["j"] * 12)
        await press(pilot, screen, "space")
        await until(pilot, lambda: app.attested)
        (draft,) = app.attested
        assert (draft.kind, draft.verdict, draft.subject_id) == (
            "attest",
            "attested",
            "task#expectedBehavior/0",
        )
        assert draft.subject_digest == prose(0).digest
        assert draft.data["treeDigest"] == digest(b"tree")
        await pilot.press("space", "ctrl+o", "escape")
        await pilot.pause()
        assert len(app.attested) == 1, "keys are dead while it is recorded"
        assert app.results == []
        screen.settled()
        done = replace(prose(0), outcome=Outcome.PASSED, reason="attested by n")
        newer = passed(
            prose=[done, prose(1)], gate={"evidence": Outcome.UNKNOWN}, assessment_digest=digest(b"2")
        )
        screen.update(assessment(newer))
        await until(pilot, lambda: screen.shown is newer)
        assert not screen.changed, "the human's own attestation is no surprise"
        await until(pilot, lambda: screen.rows.cursor == "prose:task#expectedBehavior/1")
        await until(pilot, lambda: "Space attests this sentence" in screen_text(app))
        await pilot.press("k")
        await until(pilot, lambda: "Space takes the attestation back" in screen_text(app))
        await press(pilot, screen, "space")
        await until(pilot, lambda: len(app.attested) == 2)
        assert app.attested[1].verdict == "withdrawn"


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_space_is_offered_only_where_there_is_something_to_attest(size: tuple[int, int]) -> None:
    screen = FinalizeScreen(
        passed(prose=[replace(prose(), outcome=Outcome.PASSED, basis=Basis.OBSERVED)]), look()
    )
    async with opened(screen, size=size) as (pilot, app):
        await until(pilot, lambda: "b block..." in screen_text(app))
        await pilot.press("G")
        assert "Space" not in screen_text(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_t_runs_the_planned_tests_and_comes_back_to_fresh_facts(size: tuple[int, int]) -> None:
    before = passed(gate={"tests": Outcome.UNKNOWN})
    screen = FinalizeScreen(before, look())
    async with opened(screen, size=size) as (pilot, app):
        await until(pilot, lambda: "t runs the planned tests" in screen_text(app))
        await press(pilot, screen, "t")
        await until(pilot, lambda: isinstance(app.screen, CheckRunScreen) and app.screen.is_mounted)
        run = app.screen
        assert isinstance(run, CheckRunScreen)
        assert run.commands == ("make test",)
        await until(pilot, lambda: app.checks == [TASK])
        run.finish("1 passed", passed=True)
        seen = Observation(
            "test-run/0", digest(b"t"), digest(b"tree"), NOW, True, 7, {"command": "make test", "exitCode": 0}
        )
        after = passed(log=LogState(tests=(seen,)), assessment_digest=digest(b"2"))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        screen.update(assessment(after))
        await until(pilot, lambda: screen.shown is after and not screen.changed)
        await pilot.press("G")
        await until(pilot, lambda: "observed exit 0" in screen_text(app))
        other = passed(
            log=LogState(tests=(seen,)), gate={"review": Outcome.FAILED}, assessment_digest=digest(b"3")
        )
        screen.update(assessment(other))
        assert screen.changed, "what the run does not explain is said, not shown by itself"
        assert app.results == []


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_denial_of_what_expired_meanwhile_says_what_is_recorded(size: tuple[int, int]) -> None:
    item = pending()
    screen = deny_screen(item, look())
    async with opened(screen, size=size) as (pilot, app):
        screen.update(assessment(task_assessment(agent_task(), items=[item])))
        assert not screen.news
        over = RequestStatus(item.item_id, item.kind, RequestState.EXPIRED, item.digest)
        screen.update(assessment(task_assessment(agent_task(), requests=[over])))
        await until(pilot, lambda: "it expired meanwhile" in screen_text(app))
        assert "still recorded as a denial" in " ".join(screen_text(app).replace("┃", " ").split())
        await pilot.press(*"late", "enter")
        await until(pilot, lambda: screen.committing and "it expired meanwhile" in screen_text(app))
        await press(pilot, screen, "enter")
        draft = await result(pilot, app)
    assert (draft.verdict, draft.reason) == ("denied", "late")


async def test_a_held_space_attests_nothing() -> None:
    screen = FinalizeScreen(passed(prose=[prose(0)]), look())
    async with opened(screen, size=(100, 50)) as (pilot, app):
        await until(pilot, lambda: screen.rows.cursor == "prose:task#expectedBehavior/0")
        for _ in range(20):
            await pilot.press("space")
        await until(pilot, lambda: quiet(screen))
        assert app.attested == []


async def test_a_computed_sentence_is_not_attested() -> None:
    computed = prose(0, basis=Basis.OBSERVED, outcome=Outcome.FAILED, reason="exit code 1")
    screen = FinalizeScreen(passed(prose=[computed]), look())
    async with opened(screen, size=(100, 50)) as (pilot, app):
        await press(pilot, screen, "g")
        await pilot.press(*["j"] * 12)
        await press(pilot, screen, "space")
        await until(pilot, lambda: "This sentence is computed: exit code 1" in screen_text(app))
        assert app.attested == []


async def test_changed_under_it() -> None:
    screen = FinalizeScreen(passed(), look())
    async with opened(screen, size=(100, 40)) as (pilot, app):
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        newer = passed(gate={"tests": Outcome.FAILED}, assessment_digest=digest(b"2"))
        moved = Changes("0" * 40, "work-tree", (), tree_digest=digest(b"other tree"))
        newer = replace(newer, task=replace(newer.task, changes=moved))
        screen.update(assessment(newer))
        await until(pilot, lambda: "changed since shown: tests failed, the tree" in screen_text(app))
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        await press(pilot, screen, "R")
        await until(pilot, lambda: "Not yet: tests open" in screen_text(app))
        assert app.results == []


async def test_settled_elsewhere() -> None:
    screen = FinalizeScreen(passed(), look())
    async with opened(screen, size=(100, 40)) as (pilot, app):
        log = LogState(finalized=logged("finalize", "finalized", ""))
        screen.update(assessment(passed(log=log)))
        await until(pilot, lambda: "finalized or closed meanwhile" in screen_text(app))
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: quiet(screen))
        assert app.results == []


async def test_claimed_stands_beside_observed() -> None:
    claims = TestResult(
        status="passed", commands=(TestCommandResult(command="make test", exit_code=0, duration_ms=5),),
        failed_tests=(), environment_issues=(), artifacts=(),
    )  # fmt: skip
    seen = Observation(
        "test-run/0", digest(b"t"), digest(b"tree"), NOW, True, 7, {"command": "make test", "exitCode": 1}
    )
    task = passed(log=LogState(tests=(seen,)))
    held = {**task.task.files.artifacts, "test-result.json": artifact("test-result.json", claims)}
    files = replace(task.task.files, artifacts=held)
    task = replace(task, task=replace(task.task, files=files))
    screen = FinalizeScreen(task, look())
    async with opened(screen, size=(100, 45)) as (pilot, app):
        await until(pilot, lambda: "claimed exit 0" in screen_text(app))
        line = next(line for line in screen_text(app).split("\n") if "claimed exit 0" in line)
        assert "observed exit 1" in line
        assert "on this tree" in line


async def test_a_risky_task_asks_for_the_code() -> None:
    screen = FinalizeScreen(replace(passed(), risk="high"), look())
    async with opened(screen, size=(100, 40)) as (pilot, app):
        await until(pilot, lambda: screen.missing().readable and quiet(screen))
        await press(pilot, screen, "ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        for key in screen.code.code:
            await press(pilot, screen, key)
        await press(pilot, screen, "ctrl+o")
        await result(pilot, app)


async def test_block_from_here() -> None:
    screen = FinalizeScreen(passed(), look(), reasons=("not before monday",))
    async with opened(screen, size=(100, 40)) as (pilot, app):
        await press(pilot, screen, "b")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen))
        words = app.screen
        assert isinstance(words, ReasonScreen)
        words.guard.quiet = QUIET
        await press(pilot, words, "1")
        await press(pilot, words, "enter")
        await until(pilot, lambda: words.committing)
        await press(pilot, words, "enter")
        draft = await result(pilot, app)
    assert (draft.kind, draft.verdict, draft.reason) == ("block", "blocked", "not before monday")


@pytest.mark.parametrize("size", [(30, 8), (1, 1)])
async def test_too_small_for_any_of_them(size: tuple[int, int]) -> None:
    for screen in (FinalizeScreen(passed(), look()), question(escalation()), deny_screen(pending(), look())):
        async with opened(screen, size=(100, 40)) as (pilot, app):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda screen=screen: screen.has_class("-small") and quiet(screen))
            await pilot.press("ctrl+o", "1", "space", "enter")
            await until(pilot, lambda screen=screen: quiet(screen))
            assert app.results == []
            await pilot.press("escape")
            await until(pilot, lambda app=app: app.results == [None])


async def test_a_text_that_comes_in_one_burst_is_kept_whole_and_in_order() -> None:
    words = "README stays 로그인 7"
    screen = deny_screen(pending(), look(), reasons=RECENT)
    async with opened(screen) as (pilot, app):
        for char in words:
            app.post_message(events.Key(char, char))
        await until(pilot, lambda: len(screen.field.query_one(Input).value) == len(words))
        assert screen.field.query_one(Input).value == words
