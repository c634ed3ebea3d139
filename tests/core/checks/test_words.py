"""What the checks say in words: true of what is on disk, and in plain English."""

from ags_tui.core.assessment import TaskAssessment
from ags_tui.core.checks.findings import Finding
from ags_tui.core.snapshot import LoadProblem
from ags_tui.core.wording import counted, not_there
from tests import builders as make
from tests.core.checks.looking import of, rung
from tests.core.checks.play import Play
from tests.core.checks.test_article import BASE, PLAN, TASK


def test_a_number_agrees_with_its_noun():
    assert [counted(number, "path") for number in (0, 1, 2)] == ["0 paths", "1 path", "2 paths"]


def test_what_is_missing_is_told_apart_from_what_is_wrong():
    def words(*problems: LoadProblem) -> str:
        return not_there("plan.json", "plan", "planner", problems)

    wrong = LoadProblem("INVALID_CONTRACT", "no risk", "plan.json")
    written = LoadProblem("BEING_WRITTEN", "half of it", "plan.json")
    other = LoadProblem("INVALID_CONTRACT", "no id", "task.json")
    assert words() == words(other) == "There is no plan yet. Let a planner write plan.json."
    assert "plan.json is wrong" in words(wrong)
    assert "being written" in words(written)


def missing(seen: TaskAssessment, artifact: str) -> Finding:
    """The finding about a missing artifact."""
    return next(one for one in of(seen, "MISSING_ARTIFACT") if one.artifact == artifact)


def test_an_invalid_plan_is_not_called_absent():
    play = Play.begun(BASE)
    seen = play.write("task.json", TASK)
    assert "write plan.json" in missing(seen, "plan.json").message
    seen = play.write("plan.json", {**PLAN, "riskLevel": "medum"})
    assert "plan.json is wrong" in rung(seen, 3).reason
    assert not of(play.write("plan.json", PLAN), "MISSING_ARTIFACT")[:-1], "only the review is missing"


def test_the_question_after_two_failures_stays_true_when_the_third_version_is_right():
    play = Play.begun(BASE)
    play.write("task.json", TASK)
    play.write("plan.json", {**PLAN, "riskLevel": "medum"})
    play.write("plan.json", {**PLAN, "riskLevel": "hihg"})
    asked = play.inbox("check.retry-plan")
    assert asked.title == "plan.json was wrong 2 times in a row. Go on?"
    assert "riskLevel" in asked.reason
    play.write("plan.json", PLAN)
    asked = play.inbox("check.retry-plan")
    assert asked.title == "plan.json was wrong 2 times in a row. Go on?"
    assert asked.reason == "The version on disk now can be read."


def test_what_waits_is_named_as_the_inbox_names_it():
    play = Play.begun(BASE)
    play.write("task.json", TASK)
    request = make.tool_request("tool-7", tool="run_tests", target_path=None, command="npm test")
    question = make.escalation("esc-7", task_id=TASK["id"], question="어느\n- 쪽?")
    play.write("tool-requests/tool-7.json", request)
    seen = play.write("escalations/esc-7.json", question)
    messages = {one.artifact: one.message for one in of(seen, "PENDING_REQUEST")}
    assert messages["escalations/esc-7.json"] == "A question waits for an answer: 어느 - 쪽?"
    assert messages["tool-requests/tool-7.json"] == "A request waits for a decision: run_tests npm test"


def test_a_bare_name_is_explained_only_where_it_lies_elsewhere():
    play = Play.begun({"README.md": "x\n", "lib/calc.py": "y\n"})
    play.write("task.json", TASK)
    play.write("plan.json", {**PLAN, "filesToEdit": ["README.md", "calc.py"], "requiresHumanApproval": True})
    said = [warning for warning in play.inbox("plan").warnings if " means " in warning]
    assert said == ["The plan says calc.py and means lib/calc.py."]


def test_the_evidence_rung_says_what_a_human_has_to_do():
    play = Play.begun(BASE)
    task = {**TASK, "expectedBehavior": ["It works."], "requiredEvidence": ["테스트 종료 코드"]}
    seen = play.write("task.json", {**task, "forbiddenChanges": []})
    assert (
        rung(seen, 8).reason
        == "2 of 2 sentences open: 1 for you to attest, 1 not shown yet by tests or files"
    )
    seen = play.attest_all()
    assert rung(seen, 8).reason == "2 sentences, all shown or attested"
    seen = Play.begun(BASE).write("task.json", {**task, "requiredEvidence": [], "forbiddenChanges": []})
    assert rung(seen, 8).reason == "1 of 1 sentence for you to attest"
