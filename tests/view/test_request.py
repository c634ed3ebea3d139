"""The content of decisions: everything that is asked for is on it, inert; what is missing is said."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.assessment import PathClass, PathVerdict, PendingKind, RequestState, RequestStatus
from ags_tui.core.checks.findings import Finding
from ags_tui.core.decisions import Bound
from ags_tui.core.diffs import between
from ags_tui.core.digests import digest
from ags_tui.core.log_state import Baseline, BaselineFile, LogState, Observation
from ags_tui.view.content import Document, plain_text
from ags_tui.view.decision import (
    Missing,
    changed_words,
    foot_lines,
    head_lines,
    may_amend,
    missing_line,
    needs_code,
    question,
)
from ags_tui.view.diff import DiffDocument
from ags_tui.view.glyphs import ASCII, NARROW, UNICODE
from ags_tui.view.meanwhile import over_words
from ags_tui.view.request import request_document
from ags_tui.view.text import cell_len, line_len
from tests import builders as make
from tests.app.makers import NOW, agent_task, artifact, pending, plan, task_assessment, tool_request


def text(document: Document) -> str:
    return plain_text(document)


def shown(item: Any, *documents: Any, **given: Any) -> str:
    return text(request_document(item, task_assessment(*documents, items=[item]), UNICODE, NOW, **given))


def test_a_command_with_everything_of_its_request() -> None:
    request = tool_request(
        "npm test && rm -rf /", reason="green\nor red", cwd="/w/sub", session_id="s-9",
        requires_approval=False,
        input={"command": "npm test && rm -rf /", "timeout": 7},
    )  # fmt: skip
    item = pending(request, warnings=("outside the plan",), claimed_risk="low")
    content = shown(item, request)
    parts = ("npm test && rm -rf /", "green", "or red", "/w/sub", "s-9", "outside the plan", '"timeout": 7')
    for part in (*parts, "requiresApproval  false"):
        assert part in content, part
    assert content.startswith("▲ outside the plan")


def test_what_the_screen_shows_elsewhere_is_not_repeated() -> None:
    content = shown(pending(), tool_request())
    assert content.count("ls src") == 1
    assert "requestId" not in content


def test_invisible_characters_and_lookalikes_are_said_first() -> None:
    request = tool_request("cat p\u0430yment\u200b.py")
    lines = shown(pending(request), request).split("\n")
    assert lines[0] == "▲ invisible or control characters: U+200B ZERO WIDTH SPACE"
    assert lines[1].startswith("▲ may be misread: CYRILLIC SMALL LETTER A")
    assert "cat p\u0430yment\\u{200b}.py" in lines[3]


def test_a_file_that_cannot_be_read_is_named() -> None:
    item = pending(malformed="tool-requests/tool-014.json: requestId is missing", command=None)
    assert "can only be denied: tool-requests/tool-014.json" in shown(item)


def test_an_edit_stands_between_its_reason_and_its_other_fields() -> None:
    request = tool_request(after="new\n", input={"old_string": "old"})
    document = request_document(
        pending(request),
        task_assessment(request),
        UNICODE,
        NOW,
        files=[between(b"old\n", b"new\n", "Sources/Auth/x")],
    )
    assert isinstance(document, DiffDocument)
    content = text(document)
    places = [content.index(part) for part in ("reason", "@@ -1,1 +1,1 @@", "- old", "+ new", "old_string")]
    assert places == sorted(places)


def test_the_proposed_text_is_shown_while_there_is_no_diff() -> None:
    request = tool_request(after="unseen\n")
    assert "unseen" in shown(pending(request), request)


def test_a_diff_of_another_path_is_said() -> None:
    request = tool_request(after="x\n")
    item = pending(request, path="harmless.txt")
    content = shown(item, request, files=[between(None, b"x\n", "harmless.txt")])
    assert "another path: Sources/Auth/AuthRepository.swift" in content


def test_a_plan_shows_findings_resolved_names_problems_and_steps() -> None:
    document = plan(
        files_to_edit=("AuthErrorMapper.swift", "**", "src/a.py"), stop_conditions=("stop if [/]",)
    )
    item = pending(kind=PendingKind.PLAN, item_id="plan", artifact="plan.json", command=None,
                   facts={"resolved": {"AuthErrorMapper.swift": "Sources/Auth/Mapper.swift"}})  # fmt: skip
    finding = Finding("FORBIDDEN_TEXT_MATCH", "names NetworkClient", artifact="plan.json")
    task = task_assessment(agent_task(), document, items=[item], findings=[finding])
    content = text(request_document(item, task, UNICODE, NOW))
    for part in ("FORBIDDEN_TEXT_MATCH", "names NetworkClient", "AuthErrorMapper.swift",
                 "is Sources/Auth/Mapper.swift", "OVERBROAD_PATTERN: allows everything", "DesignSystem/**",
                 "stop if [/]", "make test", "step s1", "TASK", "로그인 실패", "no raw"):  # fmt: skip
        assert part in content, part


def test_a_plan_is_not_blamed_for_what_can_only_come_after_it() -> None:
    item = pending(kind=PendingKind.PLAN, item_id="plan", artifact="plan.json", command=None)
    codes = ("MISSING_APPROVAL", "REQUIRED_EVIDENCE_MISSING")
    findings = [Finding(code, "not yet", artifact="task.json") for code in codes]
    task = task_assessment(agent_task(), plan(), items=[item], findings=findings)
    assert "FINDINGS" not in text(request_document(item, task, UNICODE, NOW))


def test_a_wider_plan_is_compared_with_the_one_in_force() -> None:
    old, new = plan(), plan(files_to_edit=("AuthErrorMapper.swift", "NetworkLayer.swift"))
    raw = artifact("plan.json", old).raw
    seen = Observation(
        "plan.json", digest(raw), "", NOW, True, 1, {"contract": "AgentPlan", "text": raw.decode()}
    )
    item = pending(kind=PendingKind.PLAN, item_id="plan", artifact="plan.json", command=None)
    task = task_assessment(agent_task(), new, items=[item], log=LogState(observations=(seen,)))
    document = request_document(item, task, UNICODE, NOW)
    assert isinstance(document, DiffDocument)
    content = text(document)
    assert "LOOSENED since the version in force" in content
    assert "filesToEdit adds NetworkLayer.swift" in content
    assert '+  "NetworkLayer.swift"' in content.replace("+   ", "+  ")


def test_a_baseline_shows_what_was_dirty_and_what_hides() -> None:
    dirty = {"a/b.py": BaselineFile("a/b.py", None)}
    hiding = {".gitignore": "1"}
    base = Baseline("c" * 40, False, dirty, hiding, ("x.bin",), True, False, False, NOW, 0)
    item = pending(kind=PendingKind.BASELINE, item_id="baseline", artifact="", command=None,
                   facts={"hiding": {".gitignore": "2", ".gitattributes": "3"}})  # fmt: skip
    task = task_assessment(agent_task(), items=[item], log=LogState(baseline=base))
    content = text(request_document(item, task, UNICODE, NOW))
    for part in ("c" * 40, "a/b.py", "x.bin", "already changed", "no trusted key", ".gitignore has changed",
                 ".gitattributes is new"):  # fmt: skip
        assert part in content, part


FOREIGN = st.text(alphabet=st.characters(), max_size=40)


@given(FOREIGN, FOREIGN, FOREIGN)
@settings(max_examples=60, deadline=None)
def test_nothing_foreign_gets_through_raw(one: str, two: str, three: str) -> None:
    item = pending(
        title=one, reason=two, command=three, path=one or None, asked_by=two, item_id=three or "x",
        risk=one or "low", claimed_risk=two, malformed=three, warnings=(one, two),
        path_class=PathClass.UNPLANNED,
    )  # fmt: skip
    task = task_assessment(agent_task(), plan(), items=[item])
    rows = [
        *text(request_document(item, task, UNICODE, NOW, note=one, evidence={one: two})).split("\n"),
        *("".join(span.text for span in line) for line in head_lines(item, 80, UNICODE, NOW)),
        *(
            "".join(span.text for span in line)
            for line in foot_lines(
                item,
                task,
                Missing(over=one, malformed=two),
                80,
                UNICODE,
                said="",
                amend=False,
                recording=False,
            )
        ),
    ]
    for row in rows:
        assert all(c.isprintable() or c == "\ufe0f" for c in row), row


@pytest.mark.parametrize("glyphs", [UNICODE, NARROW, ASCII])
@pytest.mark.parametrize("width", [20, 42, 76, 116])
def test_lines_keep_to_their_width(width: int, glyphs: Any) -> None:
    item = pending(title="shell 테스트 " * 20, risk="high", claimed_risk="low", path="a/" * 40 + "x.swift",
                   path_class=PathClass.PREEXISTING_OVERLAP, asked_by="codex" * 9)  # fmt: skip
    task = task_assessment(agent_task(), plan(), items=[item])
    for line in head_lines(item, width, glyphs, NOW):
        assert line_len(line) <= width
    scope, _, _ = foot_lines(item, task, Missing(), width, glyphs, said="", amend=False, recording=False)
    assert line_len(scope) <= width
    if glyphs is ASCII:
        assert cell_len("".join(span.text for span in head_lines(item, width, glyphs, NOW)[1])) <= width


def test_risks() -> None:
    assert [needs_code(risk) for risk in ("low", "medium", "high", "critical", "", "LOW")] == [
        False, False, True, True, True, True,
    ]  # fmt: skip


def said(missing: Missing) -> str:
    return "".join(span.text for span in missing_line(missing, UNICODE, "approve once"))


@pytest.mark.parametrize(
    ("missing", "words", "works"),
    [
        (Missing(), "^o approve once", True),
        (Missing(below=1), "read to the end (PgDn, 1 line left) · then ^o approve once", False),
        (Missing(below=9, hunks=2, code="234", typed=0), "or m on 2 hunks) · then type the code 234", False),
        (Missing(code="234", typed=2), "type the code 234 [23·]", False),
        (Missing(code="234", typed=3), "^o approve once", True),
        (Missing(loading=True), "reading the diff", False),
        (Missing(changed=True, below=3), "changed since shown", False),
        (Missing(over="it expired meanwhile", changed=True), "it expired meanwhile. Esc closes.", False),
        (Missing(malformed="[/]"), "can only be denied: [/]", False),
        (Missing(focused=False), "not focused", False),
        (Missing(left=0.4), "in a moment", False),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_in_order(missing: Missing, words: str, works: bool) -> None:
    assert words in said(missing)
    assert missing.open is works


def test_every_kind_of_change_is_named() -> None:
    one = pending()
    two = pending(
        tool_request("other"), risk="high", path_class=PathClass.EXCLUDED, malformed="x",
        bound=Bound(request=digest(b"r"), plan=digest(b"q"), policy=digest(b"z"), files={"a": digest(b"a")}),
    )  # fmt: skip
    assert set(changed_words(one, two)) == {
        "request", "plan", "policy", "a", "risk", "path class", "what it can be decided as",
    }  # fmt: skip
    assert changed_words(one, pending(warnings=("new",), expires_at=NOW)) == ()
    assert changed_words(pending(bound=Bound()), pending(bound=Bound(plan=digest(b"p")))) == ("plan",)


def test_what_became_of_it() -> None:
    item = pending()
    assert over_words(item, None) == "the task folder is gone"
    assert over_words(item, task_assessment(agent_task())) == "it does not wait any more"
    states = [
        RequestStatus(
            "tool-014", PendingKind.TOOL_REQUEST, RequestState.DENIED, digest(b"x"), reason="too broad"
        )
    ]
    assert (
        over_words(item, task_assessment(agent_task(), requests=states))
        == "it was denied meanwhile: too broad"
    )


def test_questions() -> None:
    assert question(pending()) == "Approve this request?"
    assert question(pending(tool_request(after="x"))) == "Approve this edit?"
    assert question(pending(kind=PendingKind.BASELINE)) == "Accept this baseline?"


def test_only_an_unplanned_path_of_a_planned_task_can_be_allowed() -> None:
    item = pending(path="a.py", path_class=PathClass.UNPLANNED)
    assert may_amend(item, task_assessment(plan()))
    assert not may_amend(item, task_assessment())
    assert not may_amend(item, None)
    assert not may_amend(pending(path="a.py", path_class=PathClass.EXCLUDED), task_assessment(plan()))
    assert not may_amend(
        pending(path="a.py", path_class=PathClass.UNPLANNED, malformed="x"), task_assessment(plan())
    )


def test_the_end_of_a_request_is_announced() -> None:
    line = head_lines(pending(expires_at=NOW + timedelta(seconds=30)), 100, UNICODE, NOW)[1]
    assert ("ends in 30s", "warn") in [(span.text, span.style) for span in line]


def test_a_change_that_asks_no_more_says_why() -> None:
    asked = make.pending("path-1", kind=PendingKind.EDIT, path="a.py", path_class=PathClass.UNPLANNED)

    def words(*paths: PathVerdict) -> str:
        return over_words(asked, make.task_assessment(scope=make.scope_report(paths=paths)))

    assert words() == "a.py is as it was before: the change was taken back"
    assert words(make.path_verdict("a.py")) == "a.py is in the plan now"
    unplanned = make.path_verdict("a.py", PathClass.UNPLANNED)
    assert words(replace(unplanned, approved=True)) == "a.py was approved meanwhile"
    assert words(unplanned) == "it does not wait any more"
