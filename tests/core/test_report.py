"""The final report: from what was observed to JSON and Markdown."""

import json
from typing import Any

import pytest

from ags_tui.core.checks.assess import assess
from ags_tui.core.contracts.parse import Parsed, parse_contract
from ags_tui.core.contracts.report import FinalReport
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import digest, text_digest
from ags_tui.core.report import final_report, render_markdown, report_bytes
from tests import builders as make
from tests.core.checks.looking import looked_at, of

VIEW = "Sources/Auth/LoginView.swift"


def report(**fields: Any) -> FinalReport:
    snapshot = make.snapshot(make.task_snapshot(**fields))
    return final_report(assess(snapshot, make.NOW).tasks[0], snapshot, make.NOW)


def test_a_finished_task():
    made = report()
    assert made.verdict == "completed"
    assert made.summary == make.agent_plan().summary
    assert made.changed_files == (make.MAPPER, make.MAPPER_TESTS)
    assert (made.validation.tests_executed, made.validation.passed) == (True, True)
    assert made.validation.commands == (make.TEST_COMMAND,)
    assert made.not_changed == make.agent_plan().files_not_to_edit
    assert made.human_review_targets == ()


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"review": None}, "failed"),
        ({"attested": False}, "blocked"),
        ({"entries": [make.entry("block", "blocked")]}, "blocked"),
        ({"entries": [make.entry("block", "blocked")], "test": None}, "failed"),
        ({"entries": [make.entry("finalize", "finalized")], "review": None}, "completed"),
        ({"entries": [make.entry("close", "closed")]}, "blocked"),
    ],
)
def test_verdicts(fields: dict[str, Any], verdict: str):
    assert report(**fields).verdict == verdict


def test_the_agents_claims_are_not_the_report():
    untrue = make.implementation_result(
        changed_files=(make.changed_file("never/touched.py"),), risks=("may break",)
    )
    made = report(implementation=untrue, test=make.run_result(commands=(make.command_result(exit_code=1),)))
    assert made.changed_files == (make.MAPPER, make.MAPPER_TESTS)
    assert made.validation.passed is False
    assert made.risks == ("may break",)


def test_what_a_human_should_look_at():
    change = make.change(VIEW, "old", "new")
    data = {"path": VIEW, "effectiveDigest": digest(b"new"), "effectiveBlob": make.blob("new")}
    row = make.entry("edit", "approved", "e-1", bound=Bound(), data=data)
    review = make.review_result(issues=(make.review_issue(severity="low"),))
    made = report(change_set=make.changes(make.change(), change), entries=[row], review=review)
    assert made.human_review_targets[0] == f"{VIEW} (approved: not in plan.filesToEdit)"
    assert "low issue review-001" in made.human_review_targets[1]


def test_the_file_reads_back_and_agrees_with_the_evidence():
    made = report()
    raw = report_bytes(made)
    assert raw.endswith(b"}\n")
    read = parse_contract(raw, contract="FinalReport", artifact="final-report.json")
    assert isinstance(read, Parsed)
    assert read.document == made
    assert "로그인" in raw.decode()
    assert json.loads(raw)["changedFiles"] == [make.MAPPER, make.MAPPER_TESTS]
    assert not of(looked_at(report=made), "REPORT_CONTRADICTS")


def test_markdown_of_another_origin_is_told():
    made = make.final_report()
    same = {"report_markdown": text_digest(render_markdown(made))}
    assert not of(looked_at(report=made, files=same), "REPORT_CONTRADICTS")
    other = {"report_markdown": text_digest("# All is well")}
    assert [one.artifact for one in of(looked_at(report=made, files=other), "REPORT_CONTRADICTS")] == [
        "final-report.md"
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("a\n# Verdict\nCompleted", "a \\# Verdict Completed"),
        ("[x](javascript:y)", "\\[x\\](javascript:y)"),
        ("![i](u) <b>", "\\!\\[i\\](u) \\<b\\>"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("DesignSystem/**", "DesignSystem/\\*\\*"),
        ("a\x1b[2Jb\u202ec", "a\\\\u\\{1b\\}\\[2Jb\\\\u\\{202e\\}c"),
        ("한글 é", "한글 é"),
    ],
)
def test_texts_of_agents_stay_texts(text: str, shown: str):
    lines = render_markdown(make.final_report(summary=text)).split("\n")
    assert lines[lines.index("## Summary") + 2] == shown
    assert sum(line.startswith("#") for line in lines) == 9
