"""The decision screen: nothing but the one deliberate gesture approves, and only what was shown."""

import json
import os
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from ags_tui.app.look import Look
from ags_tui.app.messages import DiffFailed, DiffLoaded, DiffWanted
from ags_tui.app.screens.decision import DecisionScreen
from ags_tui.app.screens.reason import ReasonScreen
from ags_tui.core.assessment import PathClass, Pending, PendingKind, RequestState, RequestStatus
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.diffs import between
from ags_tui.core.digests import digest
from tests.app.makers import NOW, agent_task, assessment, pending, plan, task_assessment, tool_request
from tests.app.stage import Stage, screen_text, until

CASES = Path(__file__).parent.parent / "cases"
GUARD = 0.05
QUIET = 0.08
"""Shorter than in life, for quick tests; a pilot's burst is far shorter."""


class Desk(Stage):
    """Opens decision screens and keeps what they return; answers wishes for diffs where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Draft | None] = []
        self.drafts: list[Draft] = []
        self.wishes: list[DiffWanted] = []
        self.looks: list[Pending] = []

    def open(self, screen: DecisionScreen) -> None:
        self.push_screen(screen, self.results.append)

    def on_diff_wanted(self, message: DiffWanted) -> None:
        self.wishes.append(message)

    def on_decision_screen_amended(self, message: DecisionScreen.Amended) -> None:
        self.drafts.append(message.draft)

    def on_decision_screen_editor_wanted(self, message: DecisionScreen.EditorWanted) -> None:
        self.looks.append(message.pending)


def look(guard: float = GUARD) -> Look:
    return Look(clock=lambda: NOW, guard_seconds=guard)


@asynccontextmanager
async def desk(
    item: Pending | None = None,
    *,
    size: tuple[int, int] = (100, 30),
    guard: float = GUARD,
    documents: tuple[Any, ...] | None = None,
    **given: Any,
) -> AsyncGenerator[tuple[Pilot[None], DecisionScreen, Desk]]:
    item = item or pending()
    documents = documents if documents is not None else (agent_task(), plan(), tool_request())
    task = task_assessment(*documents, items=[item])
    app = Desk()
    async with app.run_test(size=size) as pilot:
        screen = DecisionScreen(item, task, look(guard), tty="/dev/pts/9", **given)
        screen.guard.quiet = QUIET
        app.open(screen)
        await until(pilot, lambda: app.screen is screen and screen.guard.painted_at is not None)
        yield pilot, screen, app


def quiet(screen: DecisionScreen) -> bool:
    """Whether the guard would let a deciding key through now."""
    return not screen.guard.refusal(time.monotonic())


async def approve(pilot: Pilot[None], screen: DecisionScreen, app: Desk) -> Draft:
    await until(pilot, lambda: screen.missing().open and quiet(screen))
    await pilot.press("ctrl+o")
    await until(pilot, lambda: app.results)
    draft = app.results[-1]
    assert draft is not None
    return draft


async def stays(pilot: Pilot[None], screen: DecisionScreen, app: Desk) -> None:
    """Nothing was decided, and nothing is about to be."""
    assert not screen.settling.cancel()
    assert app.results == []
    assert app.screen is screen


# -- the one gesture ---------------------------------------------------------------------------------


async def test_ctrl_o_approves_exactly_what_was_shown() -> None:
    item = pending()
    async with desk(item) as (pilot, screen, app):
        draft = await approve(pilot, screen, app)
    assert (draft.kind, draft.verdict, draft.subject_id) == ("tool-request", "approved", "tool-014")
    assert (draft.subject_digest, draft.bound) == (item.digest, item.bound)
    assert (draft.source, draft.via, draft.expected_sequence) == ("human", "tui", 0)
    assert draft.data["proposedDigest"] == draft.data["effectiveDigest"] == item.digest
    assert draft.data["shownLines"] == draft.data["totalLines"] > 2
    assert (draft.data["tty"], draft.data["focused"]) == ("/dev/pts/9", True)
    assert draft.expires_at == item.expires_at


async def test_typing_a_sentence_decides_nothing() -> None:
    text = (CASES / "003-common-keys/text.txt").read_text().strip()
    async with desk() as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open)
        for character in text + " YN!?0987654321":
            await pilot.press({" ": "space"}.get(character, character))
            if app.screen is not screen:  # d asked for a reason, which decides nothing either
                await pilot.press("escape")
                await until(pilot, lambda: app.screen is screen)
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        assert app.results == []
        draft = await approve(pilot, screen, app)
    assert draft.verdict == "approved"


KEY_NAMES = """
    enter space y Y a A o O 1 f5 x tab shift+tab up down left right ctrl+a ctrl+j ctrl+m ctrl+y ctrl+p colon
    backspace delete F R p m w u U ctrl+d home end G N
"""


async def test_no_other_key_approves() -> None:
    async with desk() as (pilot, screen, app):
        for key in KEY_NAMES.split():
            await until(pilot, lambda: screen.missing().open and quiet(screen))
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not screen or quiet(screen))
            assert app.results == app.drafts == [], key
            if app.screen is not screen:
                assert key == "enter"
                await pilot.press("escape")
                await until(pilot, lambda: app.screen is screen)


async def test_no_click_decides() -> None:
    async with desk(size=(80, 24)) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open)
        for x in (8, 60):
            for y in range(0, 24, 1 if x == 8 else 5):
                await pilot.click(offset=(x, y))
                if app.screen is not screen:
                    assert isinstance(app.screen, ReasonScreen)
                    await pilot.press("escape")
                    await until(pilot, lambda: app.screen is screen)
        assert app.results == []
        assert app.drafts == []


async def test_there_is_no_binding_palette_or_action_for_it() -> None:
    async with desk() as (pilot, screen, app):
        chain = screen._modal_binding_chain  # pyright: ignore[reportPrivateUsage]
        keys = {key for _, bindings in chain for key in bindings.key_to_bindings}
        assert not keys & {"ctrl+o", "enter", "space"}
        assert app.use_command_palette is False
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert app.screen is screen
        assert not [name for name in dir(screen) if name.startswith("action_") and "approve" in name]
        await pilot.press("escape")
        await until(pilot, lambda: app.results == [None])
        await until(pilot, lambda: app.use_command_palette is True)


# -- time --------------------------------------------------------------------------------------------


async def test_keys_older_than_the_paint_are_dropped() -> None:
    app = Desk()
    item = pending()
    task = task_assessment(agent_task(), plan(), tool_request(), items=[item])
    async with app.run_test(size=(100, 30)) as pilot:
        screen = DecisionScreen(item, task, look())
        app.open(screen)
        for key in ("h", "i", "enter", "y", "a", "ctrl+o"):  # typed for something else, queued while it opens
            app.post_message(events.Key(key, None))
        await until(pilot, lambda: app.screen is screen and screen.missing().open and quiet(screen))
        await stays(pilot, screen, app)


async def test_a_key_before_the_guard_time_is_refused_and_said() -> None:
    async with desk(guard=60) as (pilot, screen, app):
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "Not taken: this has only just been shown" in screen_text(app))
        await pilot.press("d")
        await pilot.pause()
        await stays(pilot, screen, app)


async def test_a_key_is_judged_by_its_own_time_not_by_when_it_arrives() -> None:
    async with desk(guard=0.3) as (pilot, screen, app):
        early = events.Key("ctrl+o", None)
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        app.post_message(early)
        await until(pilot, lambda: "Not taken" in screen.said)
        await stays(pilot, screen, app)


async def test_a_burst_decides_nothing() -> None:
    async with desk() as (pilot, screen, app):
        for burst in (["x", "ctrl+o"], ["ctrl+o", "x"], ["ctrl+o", "ctrl+o"], ["ctrl+o", "enter"]):
            await until(pilot, lambda: screen.missing().open and quiet(screen))
            for key in burst:
                app.post_message(events.Key(key, None))
            await until(pilot, lambda: "together with other keys" in screen.said)
            await stays(pilot, screen, app)
            screen.say("")


async def test_a_paste_decides_nothing_and_spoils_the_key_around_it() -> None:
    async with desk() as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        app.post_message(events.Paste("yes\x0f\n"))
        app.post_message(events.Key("ctrl+o", None))
        await until(pilot, lambda: "together with other keys" in screen.said)
        await stays(pilot, screen, app)
        await until(pilot, lambda: quiet(screen))
        app.post_message(events.Key("ctrl+o", None))
        app.post_message(events.Paste("more"))
        await until(pilot, lambda: quiet(screen))
        await stays(pilot, screen, app)


async def test_a_held_enter_opens_the_reason_and_denies_nothing() -> None:
    async with desk() as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        for _ in range(30):
            await pilot.press("enter")
        await pilot.pause()
        assert app.results == []
        assert app.drafts == []


async def test_the_guard_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as (pilot, screen, app):

        async def ready() -> None:
            await until(pilot, lambda: screen.missing().open and quiet(screen))

        seen: list[str] = []
        restart = screen.guard.restart
        monkeypatch.setattr(type(screen.guard), "restart", lambda guard: (seen.append("x"), restart())[1])
        await ready()
        app.post_message(events.AppBlur())
        await until(pilot, lambda: seen)
        seen.clear()
        app.post_message(events.AppFocus())
        await until(pilot, lambda: seen)
        seen.clear()
        app.app_resume_signal.publish(app)
        await until(pilot, lambda: seen)
        seen.clear()
        os.kill(os.getpid(), signal.SIGCONT)
        assert seen, "at once, not when the loop comes round"
        seen.clear()
        await pilot.resize_terminal(90, 28)
        await until(pilot, lambda: seen)
        await ready()


async def test_without_the_focus_of_the_terminal_nothing_is_decided() -> None:
    async with desk() as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        app.post_message(events.AppBlur())
        await until(pilot, lambda: not screen.guard.focused and "not focused" in screen_text(app))
        for _ in range(2):  # Textual takes a key for the return of the focus; the guard does not
            await until(pilot, lambda: screen.guard.painted_at is not None)
            await pilot.press("ctrl+o")
            await until(pilot, lambda: "Not taken: the terminal is not focused" in screen.said)
            screen.say("")
        await stays(pilot, screen, app)
        app.post_message(events.AppFocus())
        app.post_message(events.Key("ctrl+o", None))
        await until(pilot, lambda: "Not taken" in screen.said)
        await approve(pilot, screen, app)


# -- what was seen -----------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [24, 15])
async def test_blank_lines_hide_nothing(height: int) -> None:
    command = json.loads((CASES / "007-blank-line-tail/hook-stdin.json").read_text())["tool_input"]["command"]
    request = tool_request(command, input={"description": "tests", "timeout": 5})
    async with desk(pending(request), size=(80, height), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().left <= 0 and quiet(screen))
        shown = screen_text(app)
        assert f"… {command.count(chr(10)) - 1} blank lines …" in shown
        assert "AGS_MARK" in shown
        if height == 15:
            await until(pilot, lambda: "Not yet: read to the end" in screen_text(app))
            await pilot.press("ctrl+o")
            await until(pilot, lambda: "Not taken" in screen.said)
            await stays(pilot, screen, app)
            await pilot.press("G")
        await approve(pilot, screen, app)


async def test_a_long_command_must_be_read_to_its_end() -> None:
    request = tool_request("\n".join(f"echo {n}" for n in range(80)) + "\ntouch MARK")
    async with desk(pending(request), size=(80, 24), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: "read to the end" in screen_text(app))
        left = screen.missing().below
        assert left > 60
        await pilot.press("pagedown")
        await until(pilot, lambda: 0 < screen.missing().below < left)
        assert not screen.missing().open
        await pilot.press("end")
        draft = await approve(pilot, screen, app)
    assert draft.data["totalLines"] > 80


async def test_high_risk_needs_the_code_after_the_content() -> None:
    async with desk(pending(risk="high")) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().readable and screen.missing().left <= 0)
        code = screen.code.code
        await until(pilot, lambda: f"type the code {code}" in screen_text(app))
        await until(pilot, lambda: quiet(screen))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        for key in (code[0], code[1], "x"):  # a wrong key begins anew
            await pilot.press(key)
        assert screen.code.typed == ""
        for key in (code[0], code[2]):
            await pilot.press(key)
        assert screen.code.typed == ""
        assert app.results == []
        for key in code:
            await until(pilot, lambda: time.monotonic() - screen.guard.typed_at > 0.04)
            await pilot.press(key)
        assert screen.code.done
        assert app.results == [], "the code alone approves nothing"
        draft = await approve(pilot, screen, app)
    assert draft.verdict == "approved"


async def test_a_pasted_code_does_not_count() -> None:
    async with desk(pending(risk="critical")) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().readable and quiet(screen))
        for key in screen.code.code:
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: time.monotonic() - screen.guard.typed_at > 0.1)
        assert not screen.code.done
        await stays(pilot, screen, app)


async def test_an_unknown_risk_counts_as_high() -> None:
    async with desk(pending(risk="harmless")) as (pilot, screen, _app):
        await until(pilot, lambda: screen.missing().readable)
        assert screen.missing().code


# -- foreign text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case", ["009-zero-width", "012-esc-osc", "014-carriage-return", "020-markup-swallow"]
)
async def test_commands_are_shown_letter_by_letter(case: str) -> None:
    command = json.loads((CASES / case / "hook-stdin.json").read_text())["tool_input"]["command"]
    request = tool_request(command, reason="[/] [red]x")
    async with desk(pending(request), size=(120, 40), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open)
        shown = screen_text(app)
    assert not any(ord(c) < 32 and c != "\n" for c in shown)
    words = [word for word in command.split() if word.isprintable()]
    assert all(word in shown for word in words)
    assert "[/] [red]x" in shown
    warned = "invisible or control characters" in shown
    assert warned is (case != "020-markup-swallow")


async def test_every_string_that_looks_like_markup_survives() -> None:
    strings = json.loads((CASES / "119-markup-crash/strings.json").read_text())
    text = "\n".join(strings)
    request = tool_request(text, reason=text, input={"[/]": strings})
    for each in strings[:4]:
        item = pending(request, title=each, asked_by=each, warnings=tuple(strings))
        async with desk(item, size=(110, 110), documents=(request,)) as (pilot, screen, app):
            await until(pilot, lambda: screen.missing().readable)
            lines = screen_text(app)
            for string in strings:
                assert lines.count(string) >= 3, string
            assert lines.count(each) >= 5


# -- malformed, changed, over --------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", "   \n\t"])
async def test_malformed_can_only_be_denied(command: str) -> None:
    request = tool_request(command)
    item = pending(request, malformed="tool-requests/tool-014.json has an empty command")
    async with desk(item, documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: "can only be denied" in screen_text(app) and quiet(screen))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        await stays(pilot, screen, app)
        await until(pilot, lambda: quiet(screen))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen))


async def test_changed_since_shown() -> None:
    first, second = tool_request("ls src"), tool_request("touch /tmp/AGS_MARK")
    one, two = pending(first), pending(second)
    async with desk(one, documents=(first,)) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        screen.update(assessment(task_assessment(second, items=[two])))
        await until(pilot, lambda: "changed since shown" in screen_text(app))
        shown = screen_text(app)
        assert "Changed since shown" in shown
        assert "request" in shown
        assert "ls src" in shown
        assert "touch /tmp/AGS_MARK" in shown
        assert screen.has_class("-warning")
        await until(pilot, lambda: quiet(screen))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "Not taken" in screen.said)
        await stays(pilot, screen, app)
        await pilot.press("R")
        await until(pilot, lambda: not screen.exhibit.changed and screen.guard.painted_at is not None)
        assert not screen.has_class("-warning")
        draft = await approve(pilot, screen, app)
    assert draft.subject_digest == two.digest


async def test_a_change_of_a_touched_file_is_named_and_can_go_back() -> None:
    item = pending(bound=Bound(request=pending().digest, files={"src/run.sh": digest(b"one")}))
    other = replace(item, bound=Bound(request=item.digest, files={"src/run.sh": digest(b"two")}))
    async with desk(item) as (pilot, screen, app):
        task = task_assessment(agent_task(), plan(), tool_request(), items=[other])
        screen.update(assessment(task))
        await until(pilot, lambda: "src/run.sh" in screen_text(app))
        assert screen.exhibit.changed == ("src/run.sh",)
        back = task_assessment(agent_task(), plan(), tool_request(), items=[item])
        screen.update(assessment(back))
        await until(pilot, lambda: not screen.exhibit.changed and "ls src" in screen_text(app))
        draft = await approve(pilot, screen, app)
    assert draft.bound == item.bound


async def test_a_changed_edit_shows_how_it_changed() -> None:
    path = "Sources/Auth/AuthRepository.swift"
    first, second = tool_request(after="one\n"), tool_request(after="two\n", reason="another reason")
    one, two = pending(first), pending(second)
    async with desk(one, documents=(first,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        screen.diff_answered(DiffLoaded(app.wishes[-1].key, (between(b"old\n", b"one\n", path),)))
        screen.update(assessment(task_assessment(second, items=[two])))
        await until(pilot, lambda: len(app.wishes) == 2)
        now = (between(b"new on disk\n", b"two\n", path),)
        screen.diff_answered(DiffLoaded(app.wishes[-1].key, now))
        await until(pilot, lambda: "the edit: as it was shown" in screen_text(app))
        rows = [" ".join(line.strip("┃ ").split()) for line in screen_text(app).split("\n")]
        signed = [row.lstrip("0123456789 ") for row in rows]
        reasons = ("- reason needed", "+ reason another reason")
        for row in ("- -old", "- +one", "+ -new on disk", "+ +two", *reasons):
            assert row in signed, row
        assert "- reason another reason" not in signed
        assert screen.exhibit.changed == ("request",)


async def test_an_answer_for_an_older_state_is_dropped_after_a_change() -> None:
    first, second = tool_request(after="one\n"), tool_request(after="two\n")
    async with desk(pending(first), documents=(first,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        screen.update(assessment(task_assessment(second, items=[pending(second)])))
        await until(pilot, lambda: len(app.wishes) == 2)
        screen.diff_answered(DiffLoaded(app.wishes[0].key, (between(None, b"one\n", "x"),)))
        await pilot.pause()
        assert "the edit: as it was shown" not in screen_text(app)
        screen.update(assessment(task_assessment(first, items=[pending(first)])))
        await until(pilot, lambda: len(app.wishes) == 3)
        screen.diff_answered(DiffLoaded(app.wishes[-1].key, (between(None, b"one\n", "x"),)))
        await until(pilot, lambda: screen.missing().open)


async def test_a_change_between_the_key_and_its_effect_takes_it_back() -> None:
    second = tool_request("touch /tmp/AGS_MARK")
    async with desk() as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        await pilot.press("ctrl+o")
        screen.update(assessment(task_assessment(second, items=[pending(second)])))
        await until(pilot, lambda: quiet(screen))
        await stays(pilot, screen, app)


async def test_an_equal_assessment_disturbs_nothing() -> None:
    item = pending()
    async with desk(item) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        screen.update(assessment(task_assessment(agent_task(), plan(), tool_request(), items=[item])))
        assert screen.missing().open
        await approve(pilot, screen, app)


@pytest.mark.parametrize(
    ("state", "words"),
    [(RequestState.EXPIRED, "it expired meanwhile"), (RequestState.WITHDRAWN, "withdrawn by the agent"),
     (RequestState.APPROVED, "it was approved meanwhile"), (RequestState.DENIED, "it was denied meanwhile")],
)  # fmt: skip
async def test_decided_elsewhere(state: RequestState, words: str) -> None:
    async with desk() as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().open)
        status = RequestStatus("tool-014", PendingKind.TOOL_REQUEST, state, digest(b"x"), reason="[/]")
        screen.update(assessment(task_assessment(tool_request(), requests=[status])))
        await until(pilot, lambda: words in screen_text(app) and quiet(screen))
        await pilot.press("ctrl+o")
        await pilot.press("d")
        await pilot.pause()
        await stays(pilot, screen, app)
        await pilot.press("escape")
        await until(pilot, lambda: app.results == [None] or quiet(screen))
        await until(pilot, lambda: quiet(screen) or app.results)
        if not app.results:
            await pilot.press("escape")
        await until(pilot, lambda: app.results == [None])


# -- size ----------------------------------------------------------------------------------------------


async def test_no_size_breaks_it_and_none_approves_blindly() -> None:
    async with desk(size=(120, 40)) as (pilot, screen, app):
        for size in ((30, 8), (10, 3), (1, 1), (300, 100), (43, 20), (60, 13)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: app.size == size)
            small = size[0] < 44 or size[1] < 14
            await until(pilot, lambda small=small: screen.has_class("-small") is small)
            if small:
                await until(pilot, lambda: quiet(screen))
                await pilot.press("ctrl+o")
                await pilot.press("enter")
                await stays(pilot, screen, app)
        await until(pilot, lambda: "Too small" in screen_text(app))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "Approve this request?" in screen_text(app))
        await approve(pilot, screen, app)


async def test_everything_that_decides_is_on_the_smallest_screen() -> None:
    async with desk(pending(risk="high"), size=(44, 14)) as (pilot, screen, app):
        await pilot.press("G")
        await until(pilot, lambda: f"type the code {screen.code.code}" in screen_text(app))
        assert "Deny..." in screen_text(app)


# -- deny, amend, edit -------------------------------------------------------------------------------


async def test_deny_with_a_reason() -> None:
    item = pending()
    async with desk(item, reasons=("not now", "too broad")) as (pilot, screen, app):
        assert getattr(screen.focused, "id", "") == "deny"
        await until(pilot, lambda: quiet(screen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen))
        reason = app.screen
        assert isinstance(reason, ReasonScreen)
        await until(
            pilot, lambda: reason.guard.painted_at is not None and reason.guard.left(time.monotonic()) <= 0
        )
        await pilot.press("2", "enter")
        await until(pilot, lambda: reason.committing and not reason.guard.refusal(time.monotonic()))
        assert reason.words == "too broad"
        await pilot.press("enter")
        await until(pilot, lambda: app.results)
    (draft,) = app.results
    assert draft is not None
    assert (draft.verdict, draft.reason, draft.subject_digest) == ("denied", "too broad", item.digest)
    assert (draft.source, draft.via) == ("human", "tui")


async def test_leaving_the_reason_returns_to_the_decision_with_a_new_guard() -> None:
    async with desk(guard=0.3) as (pilot, screen, app):
        await until(pilot, lambda: quiet(screen))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, ReasonScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert not quiet(screen)
        assert app.use_command_palette is False
        await approve(pilot, screen, app)


async def test_allow_the_path_for_the_task() -> None:
    request = tool_request(after="new\n")
    item = pending(request, path_class=PathClass.UNPLANNED)
    async with desk(item, documents=(agent_task(), plan(), request)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        wish = app.wishes[0]
        assert wish.proposal is not None
        screen.diff_answered(DiffLoaded(wish.key, (between(b"old\n", b"new\n", wish.path),)))
        await until(pilot, lambda: screen.missing().readable)
        await pilot.press("p")
        await until(pilot, lambda: "Allow this path for the whole task?" in screen_text(app))
        await until(pilot, lambda: screen.missing().open and quiet(screen))
        await until(pilot, lambda: "^o allow this path for the task" in screen_text(app) and quiet(screen))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: app.drafts)
        (draft,) = app.drafts
        assert (draft.kind, draft.verdict, draft.subject_id) == ("plan", "amended", "plan")
        assert draft.data["path"] == item.path
        assert draft.bound.plan == item.bound.plan == draft.subject_digest == draft.data["proposedDigest"]
        assert draft.data["effectiveDigest"] != draft.data["proposedDigest"]
        assert screen.recording
        await pilot.press("ctrl+o", "enter", "escape")
        await pilot.pause()
        assert app.results == []
        screen.settled()
        draft = await approve(pilot, screen, app)
    assert draft.verdict == "approved"
    assert draft.kind == "tool-request"


async def test_an_edit_is_shown_as_a_diff_and_waits_for_it() -> None:
    request = tool_request(after="case .server: return L10n.tryAgain\n")
    item = pending(request, path_class=PathClass.UNPLANNED)
    async with desk(item, documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes and "reading the diff" in screen_text(app))
        assert not screen.missing().open
        wish = app.wishes[0]
        screen.diff_answered(DiffLoaded(("another",), ()))
        assert screen.exhibit.loading
        old = b"case .server(let raw): return raw\n"
        files = (between(old, b"case .server: return L10n.tryAgain\n", wish.path),)
        screen.diff_answered(DiffLoaded(wish.key, files, note="the file changed since it was asked"))
        await until(pilot, lambda: "+ case .server: return L10n.tryAgain" in screen_text(app))
        assert "- case .server(let raw): return raw" in screen_text(app)
        assert "the file changed since it was asked" in screen_text(app)
        assert "Approve this edit?" in screen_text(app)
        await approve(pilot, screen, app)


async def test_without_a_diff_the_whole_text_is_shown() -> None:
    request = tool_request(after="one\ntwo\n")
    async with desk(pending(request), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        screen.diff_answered(DiffFailed(app.wishes[0].key, "[/] git is away"))
        await until(pilot, lambda: "+ two" in screen_text(app))
        assert "no diff: [/] git is away" in screen_text(app)
        await approve(pilot, screen, app)


async def test_marking_every_hunk_counts_as_reading() -> None:
    old = b"".join(b"%d\n" % n for n in range(100))
    new = old.replace(b"\n5\n", b"\nfive\n").replace(b"\n90\n", b"\nninety\n")
    request = tool_request(after=new.decode())
    async with desk(pending(request), size=(80, 40), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        wish = app.wishes[0]
        screen.diff_answered(DiffLoaded(wish.key, (between(old, new, wish.path),)))
        await until(pilot, lambda: screen.exhibit.view.diff is not None)
        view = screen.exhibit.view
        for _ in range(2):
            await pilot.press("right_square_bracket")
            await until(pilot, lambda: view.current_hunk is not None and view.hunk_seen(view.current_hunk))
            await pilot.press("m")
        await until(pilot, lambda: view.all_marked or screen.missing().below == 0)
        await approve(pilot, screen, app)


async def test_the_editor_is_only_asked_for() -> None:
    async with desk() as (pilot, screen, app):
        await pilot.press("e")
        await until(pilot, lambda: app.looks)
        await stays(pilot, screen, app)


async def test_a_diff_of_other_bytes_than_the_decision_is_bound_to_approves_nothing() -> None:
    """The file changed before its diff was read, and back afterwards: no reading would ever show it."""
    request = tool_request(after="new\n")
    item = pending(request)
    path = item.path or ""
    item = replace(item, bound=replace(item.bound, files={path: digest(b"old\n")}))
    async with desk(item, documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        files = (between(b"harmless\n", b"new\n", path),)
        screen.diff_answered(DiffLoaded(app.wishes[0].key, files, digest=digest(b"harmless\n")))
        await until(pilot, lambda: "changed since shown" in screen_text(app) and quiet(screen))
        await pilot.press("ctrl+o")
        await stays(pilot, screen, app)
        await pilot.press("R")
        await until(pilot, lambda: len(app.wishes) > 1)
        files = (between(b"old\n", b"new\n", path),)
        screen.diff_answered(DiffLoaded(app.wishes[-1].key, files, digest=digest(b"old\n")))
        await approve(pilot, screen, app)
