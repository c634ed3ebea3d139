"""The article's task, played from the task contract to the final report."""

from typing import Any

import pytest

from ags_tui.core.assessment import PathClass, RequestState, StageName, StageState, TaskAssessment, Verdict
from ags_tui.core.checks.findings import Basis, Outcome, Severity
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.tool_request import ProposedChange
from ags_tui.core.digests import digest
from ags_tui.core.report import final_report, render_markdown, report_bytes
from tests import builders as make
from tests.core.checks.looking import item_ids, of, rung, stage
from tests.core.checks.play import Play

MAPPER, TESTS = "Sources/Auth/AuthErrorMapper.swift", "Tests/LoginViewModelTests.swift"
VIEW, REPOSITORY = "Sources/Auth/LoginView.swift", "Sources/Auth/AuthRepository.swift"
BASE = {
    MAPPER: "raw server error\n",
    TESTS: "no test\n",
    VIEW: "label\n",
    REPOSITORY: "repository\n",
    "Sources/Net/NetworkClient.swift": "client\n",
    "DesignSystem/Button.swift": "button\n",
}
COMMAND = "xcodebuild test -scheme MyApp -only-testing:MyAppTests/LoginViewModelTests"
TASK: dict[str, Any] = {
    "id": "login-error-message",
    "title": "로그인 실패 메시지 안전하게 변경",
    "description": "서버 에러 원문 대신 사용자 친화적 메시지를 표시하고 테스트를 추가한다.",
    "category": "bug_fix",
    "riskLevel": "medium",
    "expectedBehavior": [
        "인증 실패와 네트워크 실패가 구분된다.",
        "서버 원문은 화면에 노출되지 않는다.",
        "사용자는 다시 로그인할 수 있다.",
    ],
    "forbiddenChanges": [
        "NetworkClient 수정",
        "인증 API 계약 변경",
        "DesignSystem 수정",
        "신규 라이브러리 추가",
    ],
    "requiredEvidence": ["수정된 파일 목록", "실행한 테스트 명령", "테스트 종료 코드", "미실행 테스트 사유"],
}
STEP = {
    "action": "고친다.",
    "inputFiles": ["AuthErrorMapper.swift"],
    "expectedOutput": "매핑",
    "validation": "테스트",
}
PLAN: dict[str, Any] = {
    "taskId": "login-error-message",
    "summary": "로그인 실패 시 서버 원문 대신 사용자용 메시지를 표시한다.",
    "riskLevel": "medium",
    "filesToRead": ["LoginViewModel.swift", "AuthErrorMapper.swift", "LoginViewModelTests.swift"],
    "filesToEdit": ["AuthErrorMapper.swift", "LoginViewModelTests.swift"],
    "filesNotToEdit": ["AuthRepository.swift", "NetworkClient.swift", "DesignSystem/**"],
    "steps": [{"id": name, **STEP} for name in ("inspect-mapping", "update-mapping", "add-tests")],
    "testsToRun": [COMMAND],
    "requiresHumanApproval": False,
    "stopConditions": ["AuthRepository 수정이 필요할 경우 중단한다.", "신규 의존성이 필요할 경우 중단한다."],
}
RESULT: dict[str, Any] = {
    "status": "completed",
    "changedFiles": [
        {
            "path": "AuthErrorMapper.swift",
            "changeType": "updated",
            "reason": "서버 원문 대신 사용자용 메시지",
        },
        {"path": "LoginViewModelTests.swift", "changeType": "updated", "reason": "실패 테스트를 추가했다."},
    ],
    "executedSteps": ["inspect-mapping", "update-mapping", "add-tests"],
    "skippedSteps": [],
    "commandsRequested": [
        {"tool": "run_tests", "command": COMMAND, "reason": "회귀 확인", "riskLevel": "low"}
    ],
    "risks": ["기존 서버 오류 코드가 추가될 경우 매핑 갱신이 필요할 수 있다."],
    "notChanged": ["AuthRepository.swift", "NetworkClient.swift", "DesignSystem/**"],
}
CHECKS = {
    "scopeCheck": {"passed": True, "unexpectedFiles": []},
    "securityCheck": {"passed": True, "findings": []},
}
NEEDS_CHANGES: dict[str, Any] = {
    **CHECKS,
    "verdict": "needs_changes",
    "issues": [
        {
            "id": "review-001", "severity": "medium", "category": "behavior", "file": "AuthErrorMapper.swift",
            "line": 42, "description": "같은 메시지로 처리됩니다.", "evidence": "default 분기",
        }
    ],
    "testCheck": {"passed": False, "missingCases": ["timeout 오류 메시지 테스트"]},
    "requiredFixes": [
        {
            "issueId": "review-001", "allowedFiles": ["AuthErrorMapper.swift", "LoginViewModelTests.swift"],
            "expectedChange": "timeout과 인증 실패 메시지를 분리하고 테스트를 추가한다.",
        }
    ],
}  # fmt: skip
PASS: dict[str, Any] = {
    **CHECKS, "verdict": "pass", "issues": [], "testCheck": {"passed": True, "missingCases": []},
    "requiredFixes": [],
}  # fmt: skip
FIX: dict[str, Any] = {
    **RESULT,
    "changedFiles": [
        {"path": "AuthErrorMapper.swift", "changeType": "updated", "reason": "review-001: 분리했다."}
    ],
}
PASSED: dict[str, Any] = {
    "status": "passed",
    "commands": [
        {"command": COMMAND, "exitCode": 0, "durationMs": 482, "stdoutArtifact": "artifacts/login-tests.log"}
    ],
    "failedTests": [], "environmentIssues": [],
    "artifacts": ["artifacts/login-tests.log", "artifacts/test-summary.json"],
}  # fmt: skip


def planned() -> Play:
    play = Play.begun(BASE)
    play.write("task.json", TASK)
    play.write("plan.json", PLAN)
    return play


def implemented() -> Play:
    play = planned()
    play.edit(MAPPER, "friendly error\n")
    play.edit(TESTS, "tests\n")
    play.write("implementation-result.json", RESULT)
    return play


def reviewed() -> Play:
    """Reviewed, fixed, reviewed again and tested with evidence."""
    play = implemented()
    play.write("review-result.json", NEEDS_CHANGES)
    play.edit(MAPPER, "friendly error, timeout apart\n")
    play.write("fix-result.json", FIX)
    play.write("review-result.json", PASS)
    play.evidence |= {"artifacts/login-tests.log", "artifacts/test-summary.json"}
    play.write("test-result.json", PASSED)
    return play


def state(assessment: TaskAssessment, name: StageName) -> StageState:
    return stage(assessment, name).state


def test_the_stages_follow_the_work():
    play = Play.begun(BASE)
    seen = play.write("task.json", TASK)
    assert seen.current_stage.name is StageName.PLAN
    assert state(seen, StageName.PLAN) is StageState.ACTIVE
    seen = play.write("plan.json", PLAN)
    assert seen.current_stage.name is StageName.IMPLEMENT
    assert dict(seen.scope.resolved) == {"AuthErrorMapper.swift": MAPPER, "LoginViewModelTests.swift": TESTS}
    assert seen.scope.verdict is Verdict.PASS
    play.edit(MAPPER, "friendly error\n")
    seen = play.edit(TESTS, "tests\n")
    assert [one.path_class for one in seen.scope.paths] == [PathClass.IN_SCOPE] * 2
    assert seen.current_stage.name is StageName.IMPLEMENT
    seen = play.write("implementation-result.json", RESULT)
    assert state(seen, StageName.IMPLEMENT) is StageState.DONE
    assert seen.current_stage.name is StageName.REVIEW
    seen = play.write("review-result.json", NEEDS_CHANGES)
    assert seen.current_stage.name is StageName.FIX
    assert {"FIX_MISSING", "UNRESOLVED_ISSUE"} <= {one.code for one in rung(seen, 6).findings}
    play.edit(MAPPER, "friendly error, timeout apart\n")
    seen = play.write("fix-result.json", FIX)
    assert state(seen, StageName.FIX) is StageState.DONE
    assert seen.current_stage.name is StageName.REVIEW
    seen = play.write("review-result.json", PASS)
    assert rung(seen, 6).outcome is Outcome.PASSED
    assert seen.current_stage.name is StageName.TEST
    play.evidence |= {"artifacts/login-tests.log", "artifacts/test-summary.json"}
    seen = play.write("test-result.json", PASSED)
    assert rung(seen, 7).outcome is Outcome.PASSED
    assert rung(seen, 7).basis is Basis.DECLARED
    assert seen.current_stage.name is StageName.GATE


def test_only_the_human_ends_it():
    play = reviewed()
    seen = play.look()
    assert seen.gate.outcome is Outcome.UNKNOWN
    assert seen.gate.headline == "REQUIRED_EVIDENCE_MISSING"
    assert [(p.prose_id, p.basis) for p in seen.gate.prose if p.outcome is Outcome.PASSED] == [
        ("task#requiredEvidence/0", Basis.OBSERVED),
        *((f"task#requiredEvidence/{n}", Basis.DECLARED) for n in range(1, 4)),
    ]
    seen = play.attest_all()
    assert seen.gate.outcome is Outcome.PASSED
    assert item_ids(seen) == ["finalize"]
    seen = play.finalize()
    assert seen.task.log.frozen
    assert state(seen, StageName.GATE) is StageState.DONE
    assert seen.pending == ()
    play.tree["Sources/Auth/LoginView.swift"] = "touched after the end\n"
    assert "It is not judged again" in play.look().scope.reason


def test_a_commit_or_amend_of_the_same_bytes_changes_no_verdict():
    play = reviewed()
    before = play.attest_all()
    for head in ("d" * 40, "e" * 40):
        play.head = head
        after = play.look()
        assert after.digest == before.digest
        assert after.gate.outcome is Outcome.PASSED


def test_an_observed_run_outranks_the_claim():
    play = reviewed()
    play.attest_all()
    seen = play.run_tests(COMMAND, exit_code=65)
    assert rung(seen, 7).outcome is Outcome.FAILED
    assert of(seen, "CLAIM_CONTRADICTS_OBSERVATION")
    seen = play.run_tests(COMMAND)
    assert rung(seen, 7).basis is Basis.OBSERVED
    assert seen.gate.outcome is Outcome.PASSED


def test_an_edit_after_the_evidence_makes_it_stale():
    play = reviewed()
    play.attest_all()
    seen = play.edit(MAPPER, "one more thing\n")
    for number in (6, 7):
        assert "STALE_EVIDENCE" in {one.code for one in rung(seen, number).findings}
    assert {one.prose_id for one in seen.gate.prose if one.stale} == {
        f"task#expectedBehavior/{n}" for n in range(3)
    }
    assert play.edit(MAPPER, "friendly error, timeout apart\n").gate.outcome is Outcome.PASSED


def test_a_stray_edit_is_asked_about_and_denied():
    play = implemented()
    seen = play.edit(VIEW, "new label\n")
    assert seen.scope.verdict is Verdict.NEEDS_APPROVAL
    item = next(one for one in seen.pending if one.path == VIEW)
    assert item.path_class is PathClass.UNPLANNED
    assert item.risk == "high"
    seen = play.deny(item.item_id, "out of bounds")
    assert of(seen, "DENIED_BUT_APPLIED")
    assert item.item_id not in item_ids(seen)
    seen = play.edit(VIEW, BASE[VIEW])
    assert seen.scope.verdict is Verdict.PASS
    assert not of(seen, "DENIED_BUT_APPLIED")


def test_a_stray_edit_is_approved_at_exactly_its_bytes():
    play = implemented()
    item = next(one for one in play.edit(VIEW, "new label\n").pending if one.path == VIEW)
    seen = play.approve(item.item_id)
    assert seen.scope.verdict is Verdict.PASS
    assert [one.path for one in seen.scope.paths if one.approved] == [VIEW]
    assert play.edit(VIEW, "another label\n").scope.verdict is Verdict.NEEDS_APPROVAL
    assert play.edit(VIEW, "new label\n").scope.verdict is Verdict.PASS


def test_a_path_is_allowed_for_the_task():
    play = implemented()
    item = next(one for one in play.edit(VIEW, "new label\n").pending if one.path == VIEW)
    seen = play.amend(item.item_id)
    assert seen.scope.verdict is Verdict.PASS
    assert play.edit(VIEW, "another label\n").scope.verdict is Verdict.PASS
    assert play.edit(REPOSITORY, "other\n").scope.verdict is Verdict.BLOCKED


def request(after: str, path: str = VIEW) -> Any:
    before = digest(BASE[path].encode())
    change = ProposedChange(path=path, before=before, after=after)
    return make.tool_request_v2("tool-014", target_path=path, proposed_change=change, input={"path": path})


def test_an_edit_request_is_approved_applied_and_compared():
    play = implemented()
    seen = play.write("tool-requests/tool-014.json", request("asked label\n"))
    item = play.inbox("tool-014")
    assert (item.risk, item.path_class, item.malformed) == ("high", PathClass.UNPLANNED, "")
    assert rung(seen, 5).outcome is Outcome.FAILED
    seen = play.approve("tool-014")
    assert seen.requests[0].state is RequestState.APPROVED
    assert rung(seen, 5).outcome is Outcome.PASSED
    seen = play.edit(VIEW, "asked label\n")
    assert seen.requests[0].state is RequestState.CONSUMED
    assert seen.scope.verdict is Verdict.PASS
    seen = play.edit(VIEW, "asked label and a little more\n")
    assert of(seen, "APPLIED_DIFFERS")
    assert seen.scope.verdict is Verdict.NEEDS_APPROVAL


def test_a_request_that_changes_after_the_approval_waits_again():
    play = implemented()
    play.write("tool-requests/tool-014.json", request("asked label\n"))
    play.approve("tool-014")
    seen = play.write("tool-requests/tool-014.json", request("smuggled label\n"))
    assert seen.requests[0].state is RequestState.CHANGED
    item = play.inbox("tool-014")
    assert "Changed since it was approved: request." in item.warnings
    assert item.asked_again == ("request",)


def test_an_excluded_path_cannot_be_asked_for():
    play = implemented()
    play.write("tool-requests/tool-014.json", request("other\n", REPOSITORY))
    item = play.inbox("tool-014")
    assert item.risk == "critical"
    assert "excludes this path" in item.malformed


def test_a_wider_plan_waits_and_the_old_one_holds():
    play = implemented()
    wider = {**PLAN, "filesToEdit": [*PLAN["filesToEdit"], VIEW], "filesNotToEdit": ["NetworkClient.swift"]}
    seen = play.write("plan.json", wider)
    assert [one.next_action for one in of(seen, "PLAN_WIDENED")] == ["human"]
    assert play.edit(VIEW, "new label\n").scope.verdict is Verdict.NEEDS_APPROVAL
    item = play.inbox("plan")
    assert item.risk == "high"
    assert "filesToEdit adds Sources/Auth/LoginView.swift" in item.warnings
    assert "filesNotToEdit drops AuthRepository.swift" in item.warnings
    assert (item.news, len(item.loosened)) == ("loosened", 3)
    seen = play.approve("plan")
    assert not of(seen, "PLAN_WIDENED")
    assert seen.scope.verdict is Verdict.PASS
    assert rung(seen, 3).basis is Basis.HUMAN


def test_a_denied_wider_plan_goes_back_to_the_planner():
    play = implemented()
    play.write("plan.json", {**PLAN, "filesToEdit": [*PLAN["filesToEdit"], VIEW]})
    seen = play.deny("plan", "only the mapper")
    assert "plan" not in item_ids(seen)
    assert state(seen, StageName.PLAN) is StageState.VIOLATED
    seen = play.write("plan.json", PLAN)
    assert rung(seen, 3).outcome is Outcome.PASSED


def test_a_weaker_task_waits_and_the_old_one_holds():
    play = reviewed()
    seen = play.write("task.json", {**TASK, "expectedBehavior": [], "riskLevel": "low"})
    assert of(seen, "TASK_WEAKENED")
    assert len(seen.gate.prose) == 7
    assert {
        "expectedBehavior drops 사용자는 다시 로그인할 수 있다.",
        "riskLevel falls from medium to low",
    } <= set(play.inbox("task").warnings)
    seen = play.approve("task")
    assert not of(seen, "TASK_WEAKENED")
    assert len(seen.gate.prose) == 4


def test_the_first_failure_is_told_its_fields_and_the_second_stops():
    from ags_tui.core.checks.facts import facts_of
    from ags_tui.core.checks.routing import attempts, route_problem

    play = Play.begun(BASE)
    play.write("task.json", TASK)
    broken = {name: value for name, value in PLAN.items() if name != "filesToEdit"}
    seen = play.write("plan.json", broken)
    assert not of(seen, "RETRY_EXHAUSTED")
    snapshot = play.snapshot()
    tried = attempts(facts_of(snapshot.tasks[0], snapshot, play.now))[0]
    assert [field for field, _ in tried.feedback] == ["filesToEdit"]
    assert route_problem(snapshot.tasks[0].files.problems[0], 1, 2).to == "retry"
    seen = play.write("plan.json", {**PLAN, "riskLevel": "extreme"})
    assert of(seen, "RETRY_EXHAUSTED")
    assert rung(seen, 1).outcome is Outcome.FAILED
    seen = play.write("plan.json", PLAN)
    assert of(seen, "RETRY_EXHAUSTED"), "a third attempt does not slip through"
    seen = play.answer("check.retry-plan", "retry")
    assert not of(seen, "RETRY_EXHAUSTED")
    assert rung(seen, 1).outcome is Outcome.PASSED
    play.write("plan.json", {**broken, "riskLevel": "high"})
    assert of(play.write("plan.json", {**PLAN, "riskLevel": "none"}), "RETRY_EXHAUSTED")


def test_a_stop_condition_is_a_question():
    play = planned()
    play.edit(MAPPER, "friendly\n")
    plan = {**PLAN, "filesNotToEdit": ["NetworkClient.swift"], "filesToEdit": ["AuthRepository.swift"]}
    other = Play.begun(BASE)
    other.write("task.json", TASK)
    seen = other.write("plan.json", plan)
    item = other.inbox("check.stop-condition-0")
    assert [one.id for one in item.options] == ["continue", "stop"]
    assert rung(seen, 3).outcome is Outcome.FAILED
    assert other.edit(REPOSITORY, "changed\n").scope.verdict is Verdict.NEEDS_APPROVAL
    seen = other.answer("check.stop-condition-0", "continue")
    assert seen.scope.verdict is Verdict.PASS
    assert {one.severity for one in of(seen, "STOP_CONDITION")} == {Severity.WARNING}


def test_a_fix_outside_its_bounds_stays_visible_after_the_next_review():
    play = implemented()
    play.write("review-result.json", NEEDS_CHANGES)
    play.edit(MAPPER, "fixed\n")
    play.edit(VIEW, "while at it\n")
    seen = play.write("fix-result.json", FIX)
    assert [one.path for one in of(seen, "FIX_OUT_OF_BOUNDS")] == [VIEW]
    seen = play.write("review-result.json", PASS)
    assert [one.path for one in of(seen, "FIX_OUT_OF_BOUNDS")] == [VIEW]
    assert not of(play.edit(VIEW, BASE[VIEW]), "FIX_OUT_OF_BOUNDS")


def test_a_reviewer_that_edits_is_named():
    play = implemented()
    play.tree[MAPPER] = "the reviewer knows better\n"
    seen = play.write("review-result.json", PASS)
    assert [one.path for one in of(seen, "REVIEWER_EDITED")] == [MAPPER]
    assert rung(seen, 6).outcome is Outcome.FAILED


def test_the_report_is_made_from_what_was_seen():
    play = reviewed()
    play.attest_all()
    snapshot = play.snapshot()
    report = final_report(play.look(), snapshot, play.now)
    assert report.verdict == "completed"
    assert report.changed_files == (MAPPER, TESTS)
    assert report.validation.commands == (COMMAND,)
    assert report.not_changed == ("AuthRepository.swift", "NetworkClient.swift", "DesignSystem/**")
    seen = play.write("final-report.json", report_bytes(report))
    assert seen.gate.outcome is Outcome.PASSED
    assert rung(seen, 12).outcome is Outcome.PASSED
    assert "# Final Report\n\n## Verdict\n\nCompleted\n" in render_markdown(report)


def test_a_report_that_knows_better_contradicts():
    play = implemented()
    report = final_report(play.look(), play.snapshot(), play.now)
    assert report.verdict == "failed"
    seen = play.write("final-report.json", report.model_copy(update={"verdict": "completed"}))
    assert "verdict" in {one.field for one in of(seen, "REPORT_CONTRADICTS")}
    assert rung(seen, 12).outcome is Outcome.FAILED


def test_the_articles_weak_task_and_missing_approval():
    play = Play.begun(BASE)
    play.write("task.json", {**TASK, "riskLevel": "high"})
    seen = play.write(
        "plan.json", {**PLAN, "riskLevel": "high", "filesToEdit": ["NetworkClient.swift"], "testsToRun": []}
    )
    codes = {one.code for one in rung(seen, 3).findings if one.severity is Severity.ERROR}
    assert {"FORBIDDEN_FILE", "MISSING_APPROVAL", "MISSING_TEST_PLAN", "FORBIDDEN_TEXT_MATCH"} <= codes
    assert state(seen, StageName.POLICY) is StageState.VIOLATED


@pytest.mark.parametrize("verdict", ["approved", "denied"])
def test_a_high_risk_plan_waits_for_a_human(verdict: str):
    play = Play.begun(BASE)
    play.write("task.json", {**TASK, "riskLevel": "high"})
    seen = play.write("plan.json", {**PLAN, "riskLevel": "high", "requiresHumanApproval": True})
    assert state(seen, StageName.PLAN) is StageState.NEEDS_HUMAN
    item = play.inbox("plan")
    assert dict(item.facts["resolved"]) == {
        "AuthErrorMapper.swift": MAPPER,
        "LoginViewModelTests.swift": TESTS,
    }
    seen = play.approve("plan") if verdict == "approved" else play.deny("plan")
    held = rung(seen, 3).outcome
    assert held is (Outcome.PASSED if verdict == "approved" else Outcome.FAILED)
    assert isinstance(seen.task.files.artifacts["plan.json"].document, AgentPlan)
