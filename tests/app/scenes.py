"""Scenes for the screens: snapshots and assessments as the checks would make them."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from ags_tui.core.assessment import (
    Assessment,
    Choice,
    PathClass,
    Pending,
    PendingKind,
    Prose,
    RequestState,
    StageState,
    TaskAssessment,
    Verdict,
)
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.snapshot import Changes, Snapshot
from tests import builders as make

REPOSITORY = "/w/payments-api"
REQUEST = "tool-014"
HUMAN = (make.finding("PENDING_REQUEST", next_action="human"),)
"""What makes a condition wait for the human."""
UNPLANNED = "Sources/Auth/AuthRepository.swift"
"""Path of the request that waits."""

DIFF = b"""diff --git a/Sources/Auth/AuthRepository.swift b/Sources/Auth/AuthRepository.swift
index 1111111..2222222 100644
--- a/Sources/Auth/AuthRepository.swift
+++ b/Sources/Auth/AuthRepository.swift
@@ -39,9 +39,10 @@ final class AuthRepository {
     func message(for error: AuthError) -> String {
         switch error {
-        case .server(let raw): return raw
+        case .server: return L10n.tryAgain
+        case .offline: return L10n.offline
         case .timeout: return L10n.timeout
         case .unauthorized: return L10n.wrongPassword
         }
     }
 }
"""


def edit_request() -> Pending:
    """An unplanned edit of high risk."""
    return make.pending(REQUEST, path=UNPLANNED, title=f"edit_file {UNPLANNED}", task_id=make.TASK_ID)


def escalation() -> Pending:
    """A question of a debate."""
    return make.pending(
        "escalation-2",
        kind=PendingKind.ESCALATION,
        task_id="search-api",
        title="검색 범위를 어디까지 잡을까요?",
        reason="두 제안이 서로 다른 파일을 바꾼다.",
        asked_by="debate",
        risk="medium",
        claimed_risk="medium",
        path=None,
        path_class=None,
        first_seen=make.NOW - timedelta(minutes=1),
        expires_at=None,
        artifact="escalations/escalation-2.json",
        options=(
            Choice("narrow", "이번 화면만", "한 파일만 바뀐다"),
            Choice("wide", "전체 검색", "계획을 다시 쓴다"),
        ),
        allow_free_text=True,
    )


def login_task() -> TaskAssessment:
    """A task in its implementation with one unplanned edit asked for."""
    request = make.tool_request_v2(REQUEST, target_path=UNPLANNED, proposed_change=None)
    rungs = (
        make.condition(4, Outcome.FAILED, reason="1 unplanned path", findings=HUMAN),
        make.condition(5, Outcome.FAILED, reason="tool-014 waits for a decision", findings=HUMAN),
        make.condition(6, Outcome.UNKNOWN, reason="no review yet", basis=Basis.DECLARED),
        make.condition(
            7, Outcome.FAILED, reason="the planned command has not run", findings=(make.finding("NOT_RUN"),)
        ),
        make.condition(8, Outcome.UNKNOWN, reason="2 sentences are not attested", basis=Basis.HUMAN),
        make.condition(9, Outcome.NOT_APPLICABLE, reason="no workflow"),
        make.condition(12, Outcome.NOT_APPLICABLE, reason="no report"),
    )
    prose = tuple(
        Prose(f"task#expectedBehavior/{index}", text, make.digests.digest(text.encode()), Outcome.UNKNOWN,
              Basis.HUMAN, "nobody attested it")
        for index, text in enumerate(make.agent_task().expected_behavior)
    )  # fmt: skip
    scope = make.scope_report(
        verdict=Verdict.NEEDS_APPROVAL,
        reason="1 path is not in the plan",
        paths=(
            make.path_verdict(make.MAPPER),
            make.path_verdict(UNPLANNED, PathClass.UNPLANNED, why="plan.filesToEdit does not name it"),
            make.path_verdict(make.MAPPER_TESTS),
            make.path_verdict(
                "notes.md", PathClass.PREEXISTING_UNTOUCHED, why="dirty before start", change=None
            ),
        ),
    )
    return make.task_assessment(
        make.task_snapshot(
            review=None, test=None, attested=False, more={f"tool-requests/{REQUEST}.json": request},
            entries=(
                make.entry("plan", "approved", "plan", make.digests.digest(b"plan"), sequence=3),
                make.entry("tool-request", "approved", "tool-013", make.digests.digest(b"13"), sequence=5,
                           reason="한 번만"),
            ),
        ),
        stages=make.stages(
            implement=StageState.ACTIVE, tools=StageState.NEEDS_HUMAN, review=StageState.WAITING,
            fix=StageState.NOT_APPLICABLE, test=StageState.WAITING, gate=StageState.BLOCKED,
            report=StageState.WAITING,
        ),
        scope=scope,
        gate=make.gate_report(*rungs, prose=prose, headline="UNPLANNED_FILE"),
        findings=(
            make.finding(path=UNPLANNED, message=f"{UNPLANNED} is not in the plan: approve it or re-plan."),
        ),
        pending=(edit_request(),),
        requests=(
            make.request_status("tool-013", state=RequestState.APPROVED, reason="한 번만"),
            make.request_status(REQUEST),
        ),
    )  # fmt: skip


def search_task() -> TaskAssessment:
    """A task whose debate asks a question."""
    task = make.agent_task(id="search-api", title="상품 검색 API 응답 속도 개선")
    return make.task_assessment(
        make.task_snapshot(task_id="search-api", task=task, attested=False),
        title=task.title,
        stages=make.stages(
            plan=StageState.NEEDS_HUMAN, implement=StageState.WAITING, review=StageState.WAITING,
            test=StageState.WAITING, gate=StageState.WAITING, report=StageState.WAITING,
        ),
        pending=(escalation(),),
        gate=make.gate_report(
            make.condition(5, Outcome.FAILED, reason="escalation-2 waits for an answer", findings=HUMAN)
        ),
    )  # fmt: skip


def done_task() -> TaskAssessment:
    """A finished task without anything open."""
    task = make.agent_task(id="fix-typo", title="Fix a typo in the login screen")
    end = make.entry("finalize", "finalized", "finalize", sequence=9)
    snapshot = make.task_snapshot(task_id="fix-typo", task=task, log={"finalized": end})
    return make.task_assessment(snapshot, title=task.title)


def busy() -> tuple[Snapshot, Assessment]:
    """Three tasks, two of which need the human."""
    return scene(login_task(), search_task(), done_task())


def empty() -> tuple[Snapshot, Assessment]:
    """No task; one file changed in the work tree."""
    changes = Changes(
        base=make.BASE, target="work-tree", entries=(make.change(UNPLANNED),), tree_digest="sha256:0"
    )
    return make.snapshot(tasks=(), work_tree=changes, repo=make.repo(top=REPOSITORY)), Assessment((), ())


CASES = Path(__file__).resolve().parents[1] / "cases"


def hostile_texts() -> tuple[str, ...]:
    """Texts of public bug reports: markup, control sequences, wide and joined characters."""
    markup: list[str] = json.loads((CASES / "119-markup-crash" / "strings.json").read_text("utf-8"))
    wide: list[str] = json.loads((CASES / "122-wide-text" / "names.json").read_text("utf-8"))
    escapes: str = json.loads((CASES / "012-esc-osc" / "hook-stdin.json").read_text("utf-8"))["tool_input"][
        "command"
    ]
    return (escapes, *markup, *wide, "a\u202eb.py", "zero\u200bwidth", "echo a\rrm b", "tab\there", "")


def hostile() -> tuple[Snapshot, Assessment]:
    """Every text that an agent can write is hostile, in every place where the screen shows one."""
    texts = hostile_texts()
    items = tuple(
        make.pending(
            f"tool-{index:03d}", title=text or "-", reason=text, asked_by=text or "x", command=text,
            path=text, warnings=(text,), malformed=text,
            kind=PendingKind.ESCALATION if index % 3 == 0 else PendingKind.TOOL_REQUEST,
            options=(Choice("a", text, text),), first_seen=make.NOW - timedelta(minutes=index),
        )
        for index, text in enumerate(texts)
    )  # fmt: skip
    all_texts = " | ".join(texts)
    task = make.agent_task(
        title=all_texts, description=all_texts, expected_behavior=texts, forbidden_changes=texts,
        required_evidence=texts,
    )  # fmt: skip
    plan = make.agent_plan(summary=all_texts, files_to_edit=tuple(dict.fromkeys(texts)), tests_to_run=texts)
    problems = tuple(
        make.load_problem(text or "x", message=text, field=text, next_step=text) for text in texts
    )
    entries = tuple(
        make.entry("block", "blocked", text or "x", sequence=index + 1, reason=text)
        for index, text in enumerate(texts)
    )
    prose = tuple(
        Prose(f"task#expectedBehavior/{index}", text, "sha256:0", Outcome.UNKNOWN, Basis.HUMAN, text)
        for index, text in enumerate(texts)
    )
    nasty = make.task_assessment(
        make.task_snapshot(
            task=task, plan=plan, files={"problems": problems, "being_written": texts}, entries=entries,
            attested=False,
        ),
        title=all_texts,
        stages=tuple(replace(stage, reason=all_texts) for stage in make.stages(gate=StageState.BLOCKED)),
        scope=make.scope_report(
            verdict=Verdict.BLOCKED, reason=all_texts,
            paths=tuple(make.path_verdict(text or "x", PathClass.EXCLUDED, why=text) for text in texts),
        ),
        gate=make.gate_report(
            *(make.condition(n, Outcome.FAILED, reason=text) for n, text in enumerate(texts[:12], start=1)),
            prose=prose,
        ),
        findings=tuple(make.finding(message=text, path=text, artifact=text) for text in texts),
        pending=items,
        requests=tuple(make.request_status(item.item_id, reason=item.reason) for item in items),
    )  # fmt: skip
    repo = make.repo(top=f"/w/{texts[0]}", branch=texts[0], unknown=texts[1], operation="rebase")
    return scene(nasty, repo=repo, problems=problems)


def scene(*tasks: TaskAssessment, **fields: object) -> tuple[Snapshot, Assessment]:
    """A snapshot of some tasks with its assessment."""
    ordered = tuple(sorted(tasks, key=lambda task: task.task_id))
    changes = Changes(
        base=make.BASE, target="work-tree", entries=(make.change(UNPLANNED),), tree_digest="sha256:0"
    )
    defaults: dict[str, object] = {
        "repo": make.repo(top=REPOSITORY),
        "work_tree": changes,
        "tasks": tuple(task.task for task in ordered),
    }
    snapshot = make.snapshot(**{**defaults, **fields})
    order = ("critical", "high", "medium", "low")
    items = [item for task in ordered for item in task.pending]
    pending = tuple(sorted(items, key=lambda item: (order.index(item.risk), item.first_seen)))
    return snapshot, Assessment(ordered, pending)


def many() -> tuple[Snapshot, Assessment]:
    """Two hundred tasks, each with a request."""
    return scene(
        *(
            make.task_assessment(
                make.task_snapshot(task_id=f"task-{n:03d}", attested=False),
                pending=(make.pending(f"tool-{n:03d}", task_id=f"task-{n:03d}"),),
            )
            for n in range(200)
        )
    )
