"""Sessions of real agents on the screen: heartbeat, alarms, calls, rules, and leaving while calls wait."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from datetime import timedelta
from typing import Any

import pytest

from ags_tui.app.app import AgsApp
from ags_tui.app.beside import Listener
from ags_tui.app.beside_messages import HookAnswered, ServingBegan
from ags_tui.app.screens.decision import DecisionScreen
from ags_tui.app.screens.remember import RememberScreen
from ags_tui.app.screens.rules import RulesScreen
from ags_tui.app.screens.trust import TrustScreen
from ags_tui.core.activity import ALARM, UNGATED
from ags_tui.core.policy.remembered import rule_from
from ags_tui.core.rule_making import Widening, base_of, rule_for
from tests import builders as make
from tests.app import beside, driver, scenes
from tests.app.beside import FakeBeside, line, session

WIDE, NARROW = (120, 36), (80, 24)
QUICK = {"guard_seconds": 0.05, "ticks": time.monotonic}


@asynccontextmanager
async def shown(
    behind: FakeBeside, scene: Any = None, size: tuple[int, int] = WIDE, **app: Any
) -> AsyncGenerator[driver.Screen]:
    door = driver.door(scene)
    async with driver.app(door, beside=behind, **app).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, door)
        await screen.until(lambda: behind.ears is not None or behind.failure is not None)
        await screen.until(lambda: screen.app.state.sessions == behind.seen)
        await screen.settle()
        yield screen


async def commit(screen: driver.Screen) -> None:
    """Press the deciding key of the screen on top until the guard takes it."""
    top = screen.app.screen
    top.guard.quiet = 0.0  # type: ignore[attr-defined]
    await screen.until(lambda: top.missing().readable and top.missing().left <= 0)  # type: ignore[attr-defined]
    for digit in top.missing().code:  # type: ignore[attr-defined]
        await screen.press_soon(digit)
        await screen.pilot.pause(0.04)  # digits of one burst do not count
    await screen.until(lambda: top.missing().open)  # type: ignore[attr-defined]
    await screen.press_soon("ctrl+o")
    await screen.until(lambda: screen.app.screen is not top)
    await screen.settle()


# -- heartbeat and alarms ----------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "words"), [(WIDE, "codex: last call 3s ago, gated"), (NARROW, "codex 3s")])
async def test_the_header_says_when_an_agent_called_last(size: tuple[int, int], words: str) -> None:
    async with shown(FakeBeside((session(line()),)), size=size) as screen:
        assert words in screen.text("header")


async def test_a_hook_that_asks_is_heard_at_once() -> None:
    behind = FakeBeside()
    async with shown(behind) as screen:
        assert "codex" not in screen.text("header")
        assert behind.ears is not None
        behind.ears.asked("codex", make.NOW)
        await screen.until(lambda: "codex: last call 0s ago, gated" in screen.text("header"))


def test_a_flood_of_calls_is_a_few_messages() -> None:
    posted: list[object] = []
    listener = Listener(posted.append)
    for index in range(100):
        listener.asked("codex", make.NOW + timedelta(seconds=index / 100))
        listener.answered()
    listener.asked("gemini", make.NOW)
    assert [type(one).__name__ for one in posted] == ["HookAsked", "HookAnswered", "HookAsked", "HookAsked"]
    listener.looked()
    listener.answered()
    assert type(posted[-1]).__name__ == "HookAnswered"


async def test_an_answer_brings_the_new_lines() -> None:
    behind = FakeBeside((session(line("ask", request="tool-014")),))
    async with shown(behind) as screen:
        assert "waits for you: Bash npm test" in screen.text("request")
        assert "1 call waits" in screen.text("request")
        behind.seen = (session(line("ask"), line("allow", source="human", ago=1)),)
        assert behind.ears is not None
        behind.ears.answered()
        await screen.until(lambda: "runs Bash npm test" in screen.text("request"))


async def test_an_alarm_has_a_row_until_it_is_read() -> None:
    behind = FakeBeside()
    async with shown(behind) as screen:
        bar = screen.main.query_one("#alarm")
        assert not bar.display
        assert behind.ears is not None
        behind.ears.alarm("the socket was replaced \x1b[2J")
        await screen.until(lambda: bar.display)
        assert "the socket was replaced \\x1b[2J" in screen.text("alarm")

        await screen.press("exclamation_mark")
        assert "the socket was replaced" in screen.text("sheet-rows")
        await screen.press("escape")
        assert not bar.display
        behind.ears.alarm("another one")
        await screen.until(lambda: bar.display)


async def test_changed_settings_and_calls_past_the_gate_are_alarms() -> None:
    lines = (
        line(event=ALARM, call_id="", reason="the settings of codex were changed", ago=60),
        line(event=UNGATED, call_id="c7", decision="", ago=2),
    )
    async with shown(FakeBeside((session(*lines),))) as screen:
        assert "2 alarms" in screen.text("alarm")
        assert "codex: Bash ran past the gate: npm test" in screen.text("alarm")
        assert "not gated" in screen.text("header")


async def test_a_seat_that_is_not_asked_for_yet_is_nobody_elses() -> None:
    behind = FakeBeside()
    async with shown(behind) as screen:
        app = screen.app
        app._seat_asked, behind.serving = False, False
        app.post_message(HookAnswered())
        await screen.settle()
        app._look_at_seat()
        assert app.state.seat == "here"
        app.post_message(ServingBegan())
        await screen.until(lambda: app.state.seat == "other")


async def test_another_tui_serves_and_this_one_takes_over() -> None:
    behind = FakeBeside(serving=False)
    async with shown(behind) as screen:
        await screen.until(lambda: "another ags-tui answers the hooks" in screen.text("status"))
        behind.serving = True
        screen.main.panes.tick()
        await screen.until(lambda: "hooks are answered here now" in screen.text("status"))


async def test_what_cannot_serve_is_an_alarm_and_the_app_goes_on() -> None:
    async with shown(FakeBeside(failure=OSError("no folder for sockets"))) as screen:
        await screen.until(lambda: "hooks are not answered here" in screen.text("alarm"))
        await screen.press("j")
        assert screen.main.selection.item_id == "escalation-2"


# -- leaving -----------------------------------------------------------------------------------------


async def test_q_asks_first_while_calls_wait() -> None:
    behind = FakeBeside(waiting=2)
    async with shown(behind) as screen:
        await screen.press("q")
        said = "2 calls wait; leaving answers them as when_absent: deny. q again to leave"
        assert said in screen.text("status")
        assert screen.app.is_running
        await screen.press_soon("q")
        await screen.until(lambda: not screen.app.is_running)
    assert behind.stopped


async def test_a_q_of_long_ago_does_not_count() -> None:
    behind, clock = FakeBeside(waiting=1), driver.Clock()
    async with shown(behind, clock=clock) as screen:
        await screen.press("q")
        clock.now += timedelta(minutes=1)
        await screen.press("q")
        assert screen.app.is_running
        assert "1 call waits" in screen.text("status")


async def test_q_leaves_at_once_where_nothing_waits() -> None:
    behind = FakeBeside()
    async with shown(behind) as screen:
        await screen.press_soon("q")
        await screen.until(lambda: not screen.app.is_running)
    assert behind.stopped


# -- calls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_calls_have_a_tab_with_verdict_provenance_and_age(size: tuple[int, int]) -> None:
    lines = (
        line("deny", "c1", source="human", reason="not today", ago=90),
        line("allow", "c2", source="user", rule_id="tests", command="npm run x", ago=5),
    )
    behind = FakeBeside((session(*lines),))
    async with shown(behind, size=size) as screen:
        await screen.press("7")
        assert screen.focused == "calls"
        text = screen.text("calls")
        assert text.index("npm run x") < text.index("npm test")
        for words in ("allowed", "denied", "your rule tests", "human", "not today", "5s", "1m"):
            assert words in text

        behind.seen = (session(*lines, line("ask", "c3", command="npm ci", ago=0)),)
        assert behind.ears is not None
        behind.ears.answered()
        await screen.until(lambda: "asks you  Bash  npm ci" in screen.text("calls"))

        await screen.press("g", "enter")
        assert "npm ci" in screen.text("sheet-rows")
        await screen.press("escape", "2")
        assert screen.focused == "request"


async def test_only_sessions_of_the_selected_task_are_shown() -> None:
    async with shown(FakeBeside((session(line()),))) as screen:
        await screen.press("7")
        assert "npm test" in screen.text("calls")
        await screen.press("1", "j", "7")
        assert screen.main.selection.task_id == "search-api"
        assert "No call of an agent has come through the hooks" in screen.text("calls")


async def test_hostile_words_of_agents_are_inert() -> None:
    texts = scenes.hostile_texts()
    nasty = [
        line("deny", f"c{index}", name=text or "x", command=text, reason=text, source=text, rule_id=text,
             paths=(text,), ago=index)
        for index, text in enumerate(texts)
    ]  # fmt: skip
    all_texts = " ".join(texts)
    seen = session(*nasty, agent=all_texts, model=all_texts, cwd=all_texts)
    async with shown(FakeBeside((seen,))) as screen:
        await screen.press("7")
        for name in ("calls", "request", "header"):
            assert "\x1b" not in screen.text(name)
            assert "\u202e" not in screen.text(name)
        assert "\\x1b" in screen.text("calls")
        await screen.press("G", "enter")
        assert "\x1b" not in screen.text("sheet-rows")


# -- another input ----------------------------------------------------------------------------------


def asking():
    """A task whose session asks to run a command."""
    given = {"command": "npm ci", "description": "install"}
    document = make.tool_request_v2(
        "call-1", tool="shell", command="npm ci", proposed_change=None, input=given, agent="claude-code x"
    ).model_copy(update={"target_path": None})
    item = make.pending(
        "call-1", title="shell npm ci", command="npm ci", path=None, path_class=None, risk="medium",
        claimed_risk="medium",
    )  # fmt: skip
    task = make.task_snapshot(attested=False, more={"tool-requests/call-1.json": document})
    return scenes.scene(make.task_assessment(task, pending=(item,)))


def writes(monkeypatch: pytest.MonkeyPatch, text: str) -> list[tuple[str, str]]:
    """An editor that saves a text; gives what it was opened with."""
    opened: list[tuple[str, str]] = []

    def edit_text(name: str, before: str, environment: object) -> str:
        opened.append((name, before))
        return text

    monkeypatch.setattr(AgsApp, "suspend", lambda _app: nullcontext())
    monkeypatch.setattr("ags_tui.app.editor.edit_text", edit_text)
    monkeypatch.setattr("ags_tui.app.editor.show_copy", lambda name, *_: opened.append((name, "read-only")))
    return opened


async def test_what_a_human_wrote_runs_instead_and_both_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = writes(monkeypatch, "npm ci --ignore-scripts\n")
    async with shown(FakeBeside(), asking(), look=QUICK) as screen:
        await screen.press("a", "e")
        top = screen.app.screen
        assert isinstance(top, DecisionScreen)
        await screen.until(lambda: top.exhibit.effective is not None)
        assert opened == [("command.sh", "npm ci")]
        text = top.exhibit.view.text
        assert "proposed    npm ci" in text
        assert "effective   npm ci --ignore-scripts" in text

        await screen.press("u")
        assert top.exhibit.effective is None
        await screen.press("e")
        await screen.until(lambda: top.exhibit.effective is not None)
        assert screen.door.recorded == []
        await commit(screen)
        await screen.until(lambda: len(screen.door.recorded) == 1)
    draft = screen.door.recorded[0]
    assert (draft.kind, draft.verdict, draft.subject_id) == ("tool-request", "amended", "call-1")
    assert draft.data["effective"] == {"command": "npm ci --ignore-scripts"}
    assert draft.data["proposedDigest"] != draft.data["effectiveDigest"]


@pytest.mark.parametrize(
    ("text", "obeying", "said"),
    [
        ("npm ci\n", True, "Nothing was changed"),
        ("  \n", True, "an empty command runs nothing"),
        ("ags-tui deny x\n", True, "Not taken: denied"),
        ("npm test\n", False, "claude-code runs only what it asked for"),
    ],
)
async def test_what_cannot_run_instead_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, text: str, obeying: bool, said: str
) -> None:
    opened = writes(monkeypatch, text)
    async with shown(FakeBeside(obeying=obeying), asking(), look=QUICK) as screen:
        await screen.press("a", "e")
        top = screen.app.screen
        assert isinstance(top, DecisionScreen)
        await screen.until(lambda: said in top.said)
        assert top.exhibit.effective is None
        await screen.until(lambda: bool(opened))
        assert (opened[0][1] == "read-only") is not obeying


# -- rules -------------------------------------------------------------------------------------------


def remembered_rule():
    verdict = FakeBeside().try_line("npm test")
    return rule_for(base_of(beside.call(), verdict, beside.GROUND), Widening(), make.NOW)


async def test_rules_are_listed_and_a_line_is_tried() -> None:
    behind = FakeBeside(remembered=(remembered_rule(),))
    async with shown(behind) as screen:
        await screen.press("P")
        text = screen.text("sheet-rows")
        for words in ("npm test", "ends in 8h", "not trusted", "npm run *", "BUILT IN", "force push"):
            assert words in text

        await screen.press("t", *"rm -rf /", "enter")
        await screen.until(lambda: "TRIED" in screen.text("sheet-rows"))
        assert "rm -rf /" in screen.text("sheet-rows")
        assert screen.focused == "sheet-rows"
        assert behind.recorded == []


async def test_trust_is_given_to_the_bytes_that_were_shown_and_taken_back() -> None:
    behind = FakeBeside()
    async with shown(behind, look=QUICK) as screen:
        await screen.press("P", "enter")
        assert isinstance(screen.app.screen, TrustScreen)
        await screen.press("a", "y", "enter", "space")
        assert behind.recorded == []
        await commit(screen)
        await screen.until(lambda: len(behind.recorded) == 1)
        draft = behind.recorded[0]
        assert (draft.kind, draft.verdict, draft.task_id) == ("trust", "trusted", "1-2")
        assert draft.subject_digest == make.digests.digest(beside.POLICY)
        await screen.until(lambda: "✔ trusted" in screen.text("sheet-rows"))

        await screen.press("enter", *"no", "enter")
        reason = screen.app.screen
        reason.guard.quiet = 0.0  # type: ignore[attr-defined]
        await screen.until(lambda: not reason.guard.refusal(time.monotonic()))  # type: ignore[attr-defined]
        await screen.press_soon("enter")
        await screen.until(lambda: len(behind.recorded) == 2)
        assert (behind.recorded[1].verdict, behind.recorded[1].reason) == ("distrusted", "no")


async def test_a_remembered_rule_is_revoked_with_a_reason() -> None:
    rule = remembered_rule()
    behind = FakeBeside(remembered=(rule,))
    async with shown(behind, look=QUICK) as screen:
        await screen.press("P", "x", *"done", "enter")
        reason = screen.app.screen
        reason.guard.quiet = 0.0  # type: ignore[attr-defined]
        await screen.until(lambda: not reason.guard.refusal(time.monotonic()))  # type: ignore[attr-defined]
        await screen.press_soon("enter")
        await screen.until(lambda: len(behind.recorded) == 1)
        assert isinstance(screen.app.screen, RulesScreen)
    draft = behind.recorded[0]
    assert (draft.kind, draft.verdict, draft.subject_id) == ("rule", "revoked", rule.rule.rule_id)


async def remember(screen: driver.Screen) -> RememberScreen:
    await screen.press("a")
    assert isinstance(screen.app.screen, DecisionScreen)
    await screen.press("ctrl+r")
    top = screen.app.screen
    assert isinstance(top, RememberScreen)
    await screen.until(lambda: top.preview is not None)
    return top


async def test_a_rule_is_made_from_the_exact_call_and_widened_by_the_human() -> None:
    past = (line("deny", "p1", command="npm test x", source="human"), line("allow", "p2", source="human"))
    behind = FakeBeside(past=past)
    async with shown(behind, look=QUICK) as screen:
        top = await remember(screen)
        assert top.rule is not None
        assert (top.rule.rule.command, top.rule.cwd, top.rule.agent) == ("npm test", beside.TOP, "codex")

        await screen.press("plus", "f", "a", "h")
        await screen.until(lambda: top.preview is not None)
        assert top.rule.rule.command == "npm *"
        assert top.preview is not None
        assert (top.preview.matched, top.preview.denied) == (2, 1)
        assert behind.recorded == []

        await commit(screen)
        await screen.until(lambda: len(behind.recorded) == 1)
        assert screen.app.screen is screen.main
    draft = behind.recorded[0]
    rule = rule_from(draft.data["rule"])
    assert rule is not None
    assert (rule.rule.command, rule.cwd, rule.agent) == ("npm *", None, None)
    assert rule.expires - rule.made_at == timedelta(hours=1)
    assert (draft.kind, draft.verdict, draft.data["preview"]) == ("rule", "created", 2)
    assert draft.data["call"]["command"] == "npm test"
    assert screen.door.recorded == []


async def test_no_other_key_makes_a_rule() -> None:
    behind = FakeBeside()
    async with shown(behind, look=QUICK) as screen:
        top = await remember(screen)
        for key in ("enter", "space", "y", "1", "ctrl+a", "ctrl+m", "tab", "P", "f5"):
            await screen.press(key)
            assert screen.app.screen is top
        await screen.press("escape")
        assert isinstance(screen.app.screen, DecisionScreen)
        assert behind.recorded == []


async def test_a_call_that_is_not_known_makes_no_rule() -> None:
    async with shown(FakeBeside(known=None)) as screen:
        await screen.press("a", "ctrl+r")
        top = screen.app.screen
        assert isinstance(top, DecisionScreen)
        assert "no rule can be made" in top.said


async def test_x_among_the_calls_puts_away_nothing_that_is_selected_elsewhere() -> None:
    async with shown(FakeBeside((session(line()),)), scenes.busy()) as screen:
        await screen.press("7", "g", "x")
        assert "Only a call past the gate is put away here" in screen.text("status") or (
            "calls past the gate can be put away" in screen.text("status")
        )
        assert screen.door.recorded == []


async def test_a_call_past_the_gate_has_its_task_looked_at_again() -> None:
    behind = FakeBeside((session(line()),))
    async with shown(behind) as screen:
        before = len(screen.door.reads)
        behind.seen = (session(line(), line(event=UNGATED, call_id="c9", decision="")),)
        screen.app.post_message(HookAnswered())
        await screen.until(lambda: len(screen.door.reads) > before)
        assert screen.door.reads[-1].tasks == frozenset({make.TASK_ID})
