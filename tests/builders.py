"""Makers of valid data: everything is right by default, one keyword breaks one thing.

Contracts come as models (``agent_task(risk_level="high")``), files as ``Artifact`` with real bytes and
digests, logs as ``LogState`` with real entries. ``task_snapshot()`` is a task that may be finalized: planned,
implemented, reviewed, tested, attested, nothing pending.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ags_tui.core import digests
from ags_tui.core.assessment import (
    Assessment,
    Condition,
    GateReport,
    PathClass,
    PathVerdict,
    Pending,
    PendingKind,
    RequestStatus,
    ScopeReport,
    Stage,
    StageName,
    StageState,
    TaskAssessment,
    Verdict,
)
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.errors import AgentError
from ags_tui.core.contracts.handoff import AgentHandoff
from ags_tui.core.contracts.human import (
    ApprovalRequest,
    ApprovalSubject,
    Escalation,
    EscalationOption,
    EscalationSource,
)
from ags_tui.core.contracts.log_entry import Actor, BoundDigests, BoundFile, LogEntry, Subject
from ags_tui.core.contracts.plan import AgentPlan, AgentPlanV2, PlanStep
from ags_tui.core.contracts.report import FinalReport, ReportReview, ReportValidation
from ags_tui.core.contracts.results import ChangedFile, ImplementationResult, TestCommandResult, TestResult
from ags_tui.core.contracts.review import (
    RequiredFix,
    ReviewIssue,
    ReviewResult,
    ScopeCheck,
    SecurityCheck,
    TestCheck,
)
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.contracts.tool_request import ProposedChange, ToolRequest, ToolRequestV2
from ags_tui.core.decisions import Bound
from ags_tui.core.log_state import Baseline, BaselineFile, LoggedEntry, LogState, Observation
from ags_tui.core.snapshot import (
    Artifact,
    Change,
    Changes,
    Consumption,
    EvidenceFile,
    LoadProblem,
    PolicyState,
    Repo,
    Snapshot,
    TaskFiles,
    TaskSnapshot,
    TreeEntry,
)

NOW = datetime(2026, 7, 21, 9, 0, tzinfo=UTC)
"""The frozen clock of the tests."""
TASK_ID = "login-error-message"
"""The article's task."""
BASE = "b" * 40
"""Baseline commit."""
MAPPER = "Sources/Auth/AuthErrorMapper.swift"
"""First planned file."""
MAPPER_TESTS = "Tests/LoginViewModelTests.swift"
"""Second planned file."""
TEST_COMMAND = "xcodebuild test -scheme MyApp -only-testing:MyAppTests/LoginViewModelTests"
"""The planned test command."""
TEST_LOG = "artifacts/login-tests.log"
"""Evidence that the test result names."""
POLICY_DIGEST = digests.digest(b"policy")
"""Digest of the policy in force."""


# -- contracts -------------------------------------------------------------------------------------------


def agent_task(**fields: Any) -> AgentTask:
    """The article's task."""
    defaults: dict[str, Any] = {
        "id": TASK_ID,
        "title": "로그인 실패 메시지 안전하게 변경",
        "description": "서버 에러 원문 대신 사용자 친화적 메시지를 표시하고 테스트를 추가한다.",
        "category": "bug_fix",
        "risk_level": "medium",
        "expected_behavior": ("인증 실패와 네트워크 실패가 구분된다.", "서버 원문은 화면에 노출되지 않는다."),
        "forbidden_changes": ("NetworkClient 수정", "DesignSystem 수정", "신규 라이브러리 추가"),
        "required_evidence": (
            "수정된 파일 목록",
            "실행한 테스트 명령",
            "테스트 종료 코드",
            "미실행 테스트 사유",
        ),
    }
    return AgentTask(**{**defaults, **fields})


def plan_step(step_id: str = "update-mapping", **fields: Any) -> PlanStep:
    """One step."""
    defaults: dict[str, Any] = {
        "id": step_id,
        "action": "사용자용 오류 메시지 매핑을 수정한다.",
        "input_files": (MAPPER,),
        "expected_output": "안전한 메시지가 반환된다.",
        "validation": "public API 변경이 없어야 한다.",
    }
    return PlanStep(**{**defaults, **fields})


def _plan_fields() -> dict[str, Any]:
    return {
        "task_id": TASK_ID,
        "summary": "로그인 실패 시 서버 원문 대신 사용자용 메시지를 표시한다.",
        "risk_level": "medium",
        "files_to_read": (MAPPER, MAPPER_TESTS),
        "files_to_edit": (MAPPER, MAPPER_TESTS),
        "files_not_to_edit": ("Sources/Auth/AuthRepository.swift", "NetworkClient.swift", "DesignSystem/**"),
        "steps": (plan_step("inspect-mapping"), plan_step("update-mapping"), plan_step("add-tests")),
        "tests_to_run": (TEST_COMMAND,),
        "requires_human_approval": False,
        "stop_conditions": ("AuthRepository 수정이 필요할 경우 중단한다.",),
    }


def agent_plan(**fields: Any) -> AgentPlan:
    """A plan 1.0.0 that satisfies the task."""
    return AgentPlan(**{**_plan_fields(), **fields})


def agent_plan_v2(**fields: Any) -> AgentPlanV2:
    """A plan 2.0.0 that satisfies the task and allows all operations."""
    more: dict[str, Any] = {
        "allowed_operations": ("create", "update", "delete", "rename"),
        "approval_policy": "none",
    }
    return AgentPlanV2(**{**_plan_fields(), **more, **fields})


def tool_request(request_id: str = "tool-001", **fields: Any) -> ToolRequest:
    """A request 1.0.0 to edit an unplanned file."""
    defaults: dict[str, Any] = {
        "request_id": request_id,
        "tool": "edit_file",
        "target_path": "Sources/Auth/LoginView.swift",
        "reason": "서버 오류를 사용자 메시지로 변환하기 위해 수정한다.",
        "risk_level": "medium",
        "requires_approval": True,
    }
    return ToolRequest(**{**defaults, **fields})


def tool_request_v2(request_id: str = "tool-002", **fields: Any) -> ToolRequestV2:
    """A request 2.0.0 to replace the text of an unplanned file."""
    path = fields.get("target_path", "Sources/Auth/LoginView.swift")
    after = "new text\n"
    defaults: dict[str, Any] = {
        "request_id": request_id,
        "tool": "edit_file",
        "target_path": path,
        "reason": "서버 오류를 사용자 메시지로 변환하기 위해 수정한다.",
        "risk_level": "medium",
        "requires_approval": True,
        "task_id": TASK_ID,
        "agent": "codex",
        "session_id": "s-1",
        "cwd": "/w/app",
        "input": {"path": path, "text": after},
        "proposed_change": ProposedChange(path=path, before=digests.digest(b"old text\n"), after=after),
        "created_at": NOW - timedelta(minutes=4),
        "expires_at": NOW + timedelta(minutes=56),
        "claim": None,
    }
    return ToolRequestV2(**{**defaults, **fields})


def changed_file(
    path: str = MAPPER, change_type: str = "updated", reason: str = "매핑을 수정했다."
) -> ChangedFile:
    """One claim of a changed file."""
    return ChangedFile(path=path, change_type=change_type, reason=reason)  # type: ignore[arg-type]


def implementation_result(**fields: Any) -> ImplementationResult:
    """A completed implementation of the plan."""
    defaults: dict[str, Any] = {
        "status": "completed",
        "changed_files": (changed_file(MAPPER), changed_file(MAPPER_TESTS)),
        "executed_steps": ("inspect-mapping", "update-mapping", "add-tests"),
        "skipped_steps": (),
        "commands_requested": (),
        "risks": (),
        "not_changed": ("NetworkClient.swift", "DesignSystem/**"),
    }
    return ImplementationResult(**{**defaults, **fields})


def review_issue(issue_id: str = "review-001", severity: str = "medium", **fields: Any) -> ReviewIssue:
    """One issue."""
    defaults: dict[str, Any] = {
        "id": issue_id,
        "severity": severity,
        "category": "behavior",
        "file": MAPPER,
        "description": "timeout과 인증 실패가 같은 메시지로 처리됩니다.",
        "evidence": "두 오류 케이스가 default 분기로 들어갑니다.",
    }
    return ReviewIssue(**{**defaults, **fields})


def required_fix(
    issue_id: str = "review-001", allowed_files: tuple[str, ...] = (MAPPER, MAPPER_TESTS)
) -> RequiredFix:
    """One required fix."""
    return RequiredFix(issue_id=issue_id, allowed_files=allowed_files, expected_change="메시지를 분리한다.")


def review_result(**fields: Any) -> ReviewResult:
    """A review that passes."""
    defaults: dict[str, Any] = {
        "verdict": "pass",
        "issues": (),
        "scope_check": ScopeCheck(passed=True, unexpected_files=()),
        "test_check": TestCheck(passed=True, missing_cases=()),
        "security_check": SecurityCheck(passed=True, findings=()),
        "required_fixes": (),
    }
    return ReviewResult(**{**defaults, **fields})


def command_result(
    command: str = TEST_COMMAND, exit_code: int | None = 0, **fields: Any
) -> TestCommandResult:
    """One claimed run."""
    defaults: dict[str, Any] = {"duration_ms": 48211, "stdout_artifact": TEST_LOG}
    return TestCommandResult(command=command, exit_code=exit_code, **{**defaults, **fields})


def run_result(**fields: Any) -> TestResult:
    """A test result that passed, with evidence."""
    defaults: dict[str, Any] = {
        "status": "passed",
        "commands": (command_result(),),
        "failed_tests": (),
        "environment_issues": (),
        "artifacts": (TEST_LOG,),
    }
    return TestResult(**{**defaults, **fields})


def final_report(**fields: Any) -> FinalReport:
    """A report that agrees with the evidence of ``task_snapshot()``."""
    defaults: dict[str, Any] = {
        "verdict": "completed",
        "summary": "로그인 실패 메시지를 사용자 친화적 문구로 변경했다.",
        "changed_files": (MAPPER, MAPPER_TESTS),
        "validation": ReportValidation(tests_executed=True, passed=True, commands=(TEST_COMMAND,)),
        "review": ReportReview(unresolved_critical=0, unresolved_high=0),
        "risks": (),
        "not_changed": ("NetworkClient.swift",),
        "human_review_targets": (),
    }
    return FinalReport(**{**defaults, **fields})


def agent_error(**fields: Any) -> AgentError:
    """A policy violation that goes back to the planner."""
    defaults: dict[str, Any] = {
        "code": "POLICY_VIOLATION",
        "message": "NetworkClient.swift는 수정 금지 파일입니다.",
        "retryable": False,
        "failed_field": "filesToEdit",
        "next_action": "planner",
    }
    return AgentError(**{**defaults, **fields})


def handoff(**fields: Any) -> AgentHandoff:
    """The planner hands its plan to the implementer."""
    defaults: dict[str, Any] = {
        "handoff_id": "handoff-001",
        "from_agent": "planner",
        "to_agent": "implementer",
        "task_id": TASK_ID,
        "payload_version": "1.0.0",
        "payload_type": "AgentPlan",
        "payload": agent_plan().model_dump(mode="json"),
        "artifacts": ("task.json", "plan.json"),
        "created_at": NOW,
    }
    return AgentHandoff(**{**defaults, **fields})


def approval_request(approval_id: str = "approval-001", **fields: Any) -> ApprovalRequest:
    """A request to approve the plan; give ``kind``, ``path`` and ``digest`` for another subject."""
    subject = ApprovalSubject(
        kind=fields.pop("kind", "plan"),
        path=fields.pop("path", None),
        digest=fields.pop("digest", None) or artifact(agent_plan(), "plan.json").digest,
    )
    defaults: dict[str, Any] = {
        "approval_id": approval_id,
        "task_id": TASK_ID,
        "subject": subject,
        "reason": "계획을 확인해 주세요.",
        "risk_level": "medium",
        "requested_by": "planner",
        "created_at": NOW - timedelta(minutes=5),
    }
    return ApprovalRequest(**{**defaults, **fields})


def escalation(escalation_id: str = "esc-001", **fields: Any) -> Escalation:
    """A question with two options."""
    defaults: dict[str, Any] = {
        "escalation_id": escalation_id,
        "task_id": TASK_ID,
        "source": EscalationSource(system="agent", ref="implementer"),
        "question": "검색 범위를 어디까지 잡을까요?",
        "options": (
            EscalationOption(id="narrow", label="이번 화면만", consequence="한 파일만 바뀐다"),
            EscalationOption(id="wide", label="전체", consequence="계획을 다시 쓴다"),
        ),
        "allow_free_text": False,
        "risk_level": "medium",
        "evidence": (),
        "next_actions": ("planner", "stop"),
        "created_at": NOW - timedelta(minutes=1),
    }
    return Escalation(**{**defaults, **fields})


# -- files -----------------------------------------------------------------------------------------------


def contract_bytes(document: Contract) -> bytes:
    """The file that an agent would write: bare for 1.0.0, in its envelope otherwise."""
    payload = document.model_dump_json(by_alias=True)
    if document.contract_version == "1.0.0":
        return payload.encode()
    name, version = document.contract_name, document.contract_version
    return f'{{"schema": "{name}", "version": "{version}", "payload": {payload}}}'.encode()


def artifact(
    document: Contract, path: str, *, modified_at: float = NOW.timestamp(), **fields: Any
) -> Artifact:
    """A file that holds a contract."""
    raw = contract_bytes(document)
    defaults: dict[str, Any] = {
        "path": path,
        "digest": digests.digest(raw),
        "raw": raw,
        "modified_at": modified_at,
        "contract": document.contract_name,
        "version": document.contract_version,
        "document": document,
    }
    return Artifact(**{**defaults, **fields})


def load_problem(artifact: str = "plan.json", code: str = "INVALID_CONTRACT", **fields: Any) -> LoadProblem:
    """A file that could not be read."""
    defaults: dict[str, Any] = {
        "message": "filesToEdit is missing",
        "field": "filesToEdit",
        "digest": digests.digest(artifact.encode()),
        "fields": (("filesToEdit", "Field required"),),
    }
    return LoadProblem(code=code, artifact=artifact, **{**defaults, **fields})


def task_files(documents: Mapping[str, Contract], *, task_id: str = TASK_ID, **fields: Any) -> TaskFiles:
    """A task folder that holds these contracts by relative path."""
    artifacts = {path: artifact(document, path) for path, document in documents.items()}
    evidence = {TEST_LOG: EvidenceFile(path=TEST_LOG, location="task", size=120)}
    defaults: dict[str, Any] = {
        "task_id": task_id,
        "folder": f"/w/app/.ai/tasks/{task_id}",
        "artifacts": artifacts,
        "evidence": evidence,
    }
    return TaskFiles(**{**defaults, **fields})


def consumption(request_id: str, digest: str, claim: str = digests.digest(b"token")) -> Consumption:
    """A waiter's claim."""
    return Consumption(request_id=request_id, digest=digest, claim=claim, taken_at=NOW)


# -- git -------------------------------------------------------------------------------------------------


def blob(text: str) -> str:
    """Blob id of a text."""
    return digests.blob_id(text.encode())


def change(path: str = MAPPER, old: str | None = "old", new: str | None = "new", **fields: Any) -> Change:
    """A changed path; ``old`` and ``new`` are texts, None where the path does not exist."""
    mode = fields.pop("mode", "100644")
    old_mode = fields.pop("old_mode", mode)
    return Change(
        path=path,
        old=None if old is None else TreeEntry(old_mode, blob(old)),
        new=None if new is None else TreeEntry(mode, blob(new)),
        **fields,
    )


def rename(old_path: str, new_path: str, text: str = "same") -> tuple[Change, Change]:
    """Both ends of a rename with equal content."""
    return (
        change(old_path, text, None, renamed_to=new_path),
        change(new_path, None, text, renamed_from=old_path),
    )


def changes(*entries: Change, base: str = BASE, **fields: Any) -> Changes:
    """Changes with their real tree digest; the two planned files where none are given."""
    entries = tuple(sorted(entries or (change(MAPPER), change(MAPPER_TESTS)), key=lambda entry: entry.path))
    defaults: dict[str, Any] = {
        "target": "work-tree",
        "entries": entries,
        "tree_digest": tree_digest(entries, base),
    }
    return Changes(base=base, **{**defaults, **fields})


def no_changes(base: str = BASE) -> Changes:
    """Nothing differs from the baseline."""
    return Changes(base=base, target="work-tree", entries=(), tree_digest=tree_digest((), base))


def tree_digest(entries: Iterable[Change], base: str = BASE) -> str:
    """Tree digest of changes."""
    rows = [
        (entry.path.encode("utf-8", "surrogateescape"), entry.new.mode, entry.new.blob)
        if entry.new
        else (entry.path.encode("utf-8", "surrogateescape"), digests.DELETED_MODE, "")
        for entry in entries
    ]
    return digests.tree_digest(base, rows)


def repo(**fields: Any) -> Repo:
    """A quiet repository."""
    defaults: dict[str, Any] = {
        "top": "/w/app",
        "git_dir": "/w/app/.git",
        "common_dir": "/w/app/.git",
        "head": "c" * 40,
        "branch": "fix/login-error",
    }
    return Repo(**{**defaults, **fields})


# -- log -------------------------------------------------------------------------------------------------


def bound_digests(bound: Bound) -> BoundDigests:
    """The form that the log keeps."""
    files = tuple(BoundFile(path=path, digest=digest) for path, digest in sorted(bound.files.items()))
    return BoundDigests(request=bound.request, plan=bound.plan, policy=bound.policy, files=files)


def entry(
    kind: str, verdict: str, subject_id: str = "", subject_digest: str = "", **fields: Any
) -> LoggedEntry:
    """A log entry that counts; ``signer``, ``counted`` and all fields of ``LogEntry`` may be given."""
    source = fields.pop("source", "human")
    via = fields.pop("via", "tui" if source == "human" else "runner")
    signer = fields.pop("signer", "human" if source == "human" else "system")
    counted = fields.pop("counted", True)
    bound = fields.pop("bound", Bound())
    sequence = fields.get("sequence", 1)
    defaults: dict[str, Any] = {
        "log_id": "log-1",
        "sequence": sequence,
        "previous_digest": None if sequence == 0 else digests.digest(str(sequence - 1).encode()),
        "task_id": TASK_ID,
        "kind": kind,
        "verdict": verdict,
        "subject": Subject(id=subject_id or kind, digest=subject_digest),
        "bound": bound_digests(bound),
        "actor": Actor(source=source, name="kim", via=via, rule_id=fields.pop("rule_id", None)),
        "reason": "",
        "data": {},
        "expires_at": None,
        "decided_at": NOW - timedelta(minutes=3),
        "key_id": "ed25519-" + "0" * 32,
        "signature": "ed25519:AAAA",
    }
    document = LogEntry(**{**defaults, **fields})
    return LoggedEntry(
        entry=document, digest=digests.digest(str(sequence).encode()), signer=signer, counted=counted
    )


def baseline(**fields: Any) -> Baseline:
    """A signed baseline on a clean tree."""
    defaults: dict[str, Any] = {
        "commit": BASE,
        "unborn": False,
        "files": {},
        "hiding": {},
        "hidden_bits": (),
        "late": False,
        "accepted": False,
        "signed": True,
        "recorded_at": NOW - timedelta(hours=1),
        "sequence": 0,
    }
    return Baseline(**{**defaults, **fields})


def baseline_file(path: str, text: str | None = "mine", mode: str = "100644") -> BaselineFile:
    """A file that was dirty when the task began."""
    return BaselineFile(path=path, entry=None if text is None else TreeEntry(mode, blob(text)), kept=True)


def observation(path: str, digest: str, tree: str = "", **fields: Any) -> Observation:
    """An observed contract digest."""
    defaults: dict[str, Any] = {"observed_at": NOW - timedelta(minutes=10), "valid": True, "sequence": 1}
    return Observation(path=path, digest=digest, tree_digest=tree, **{**defaults, **fields})


def observed_run(
    tree: str, command: str = TEST_COMMAND, exit_code: int | None = 0, **fields: Any
) -> Observation:
    """An observed test run."""
    data = {
        "testRun": True, "command": command, "exitCode": exit_code, "durationMs": 4200,
        "artifact": "artifacts/check.log", "treeDigest": tree,
    }  # fmt: skip
    return observation("test-run/1", digests.digest(command.encode()), tree, data=data, **fields)


def log_state(
    entries: Iterable[LoggedEntry] = (),
    *,
    observations: Iterable[Observation] = (),
    tests: Iterable[Observation] = (),
    base: Baseline | None = None,
    **fields: Any,
) -> LogState:
    """A log after replay; what follows from its entries (blocks, answers, ends) is filled in."""
    rows = tuple(entries)
    counted = [row for row in rows if row.counted]
    highest = max([row.entry.sequence for row in rows], default=0)
    defaults: dict[str, Any] = {
        "log_id": "log-1",
        "entries": rows,
        "head_sequence": highest,
        "head_digest": digests.digest(b"head"),
        "next_sequence": highest + 1,
        "baseline": base,
        "observations": tuple(observations),
        "tests": tuple(tests),
        "blocks": tuple(row for row in counted if row.entry.verdict == "blocked"),
        "attested": {row.entry.subject.id: row for row in counted if row.entry.verdict == "attested"},
        "answered": {row.entry.subject.id: row for row in counted if row.entry.verdict == "answered"},
        "finalized": next((row for row in counted if row.entry.verdict == "finalized"), None),
        "closed": next((row for row in counted if row.entry.verdict == "closed"), None),
    }
    return LogState(**{**defaults, **fields})


def attestations(task: AgentTask, tree: str) -> tuple[LoggedEntry, ...]:
    """A human attests every sentence of a task for a tree."""
    sentences = {f"task#expectedBehavior/{n}": text for n, text in enumerate(task.expected_behavior)}
    sentences |= {f"task#requiredEvidence/{n}": text for n, text in enumerate(task.required_evidence)}
    return tuple(
        entry("attest", "attested", prose_id, digests.text_digest(text), data={"treeDigest": tree})
        for prose_id, text in sentences.items()
    )


# -- snapshots -------------------------------------------------------------------------------------------


def task_snapshot(
    *,
    task_id: str = TASK_ID,
    task: AgentTask | None = agent_task(),  # noqa: B008 - frozen
    plan: AgentPlan | None = agent_plan(),  # noqa: B008
    implementation: ImplementationResult | None = implementation_result(),  # noqa: B008
    review: ReviewResult | None = review_result(),  # noqa: B008
    fix: ImplementationResult | None = None,
    test: TestResult | None = run_result(),  # noqa: B008
    report: FinalReport | None = None,
    more: Mapping[str, Contract] | None = None,
    change_set: Changes | None = changes(),  # noqa: B008
    base: Baseline | None = baseline(),  # noqa: B008
    entries: Iterable[LoggedEntry] = (),
    attested: bool = True,
    observed: bool = True,
    observations: Iterable[Observation] = (),
    tests: Iterable[Observation] = (),
    files: Mapping[str, Any] | None = None,
    log: Mapping[str, Any] | None = None,
    **fields: Any,
) -> TaskSnapshot:
    """A task that may be finalized.

    ``more`` adds contracts by path, ``entries``, ``observations`` and ``tests`` add to the log, ``files``,
    ``log`` and the rest replace fields of ``TaskFiles``, ``LogState`` and ``TaskSnapshot``. With ``observed``
    each contract has an observation at today's tree, unless ``observations`` names its path.
    """
    if task is not None and task.id != task_id:
        task = task.model_copy(update={"id": task_id})
    if plan is not None and plan.task_id != task_id:
        plan = plan.model_copy(update={"task_id": task_id})
    named: dict[str, Contract | None] = {
        "task.json": task, "plan.json": plan, "implementation-result.json": implementation,
        "review-result.json": review, "fix-result.json": fix, "test-result.json": test,
        "final-report.json": report,
    }  # fmt: skip
    documents = {path: document for path, document in named.items() if document is not None} | dict(
        more or {}
    )
    folder = task_files(documents, task_id=task_id, **(files or {}))
    tree = change_set.tree_digest if change_set else ""
    given = tuple(observations)
    own = {row.path for row in given}
    seen = [
        observation(path, one.digest, tree, sequence=number)
        for number, (path, one) in enumerate(folder.artifacts.items(), start=1)
        if observed and path not in own
    ]
    sentences = attestations(task, tree) if task and attested else ()
    state = log_state(
        (*sentences, *entries), observations=(*seen, *given), tests=tests, base=base, **(log or {})
    )
    relation = "none" if base is None else "ancestor"
    defaults: dict[str, Any] = {"changes": change_set, "baseline_relation": relation}
    return TaskSnapshot(files=folder, log=state, **{**defaults, **fields})


def snapshot(*tasks: TaskSnapshot, **fields: Any) -> Snapshot:
    """Everything at one instant; one finished task where none are given."""
    defaults: dict[str, Any] = {
        "taken_at": NOW,
        "root": "/w/app/.ai",
        "repo": repo(),
        "tasks": tuple(sorted(tasks or (task_snapshot(),), key=lambda task: task.task_id)),
        "policy": PolicyState(digest=POLICY_DIGEST),
    }
    return Snapshot(**{**defaults, **fields})


# -- assessments -----------------------------------------------------------------------------------------


def finding(
    code: str = "UNPLANNED_FILE", message: str = "LoginView.swift is not in the plan.", **fields: Any
) -> Finding:
    """An error."""
    defaults: dict[str, Any] = {"severity": Severity.ERROR}
    return Finding(code=code, message=message, **{**defaults, **fields})


def pending(item_id: str = "tool-001", **fields: Any) -> Pending:
    """A request to edit an unplanned file."""
    digest = digests.digest(item_id.encode())
    defaults: dict[str, Any] = {
        "kind": PendingKind.TOOL_REQUEST,
        "task_id": TASK_ID,
        "digest": digest,
        "artifact": f"tool-requests/{item_id}.json",
        "title": "edit_file Sources/Auth/LoginView.swift",
        "reason": "서버 오류를 사용자 메시지로 변환하기 위해 수정한다.",
        "asked_by": "codex",
        "risk": "high",
        "claimed_risk": "medium",
        "first_seen": NOW - timedelta(minutes=4),
        "expires_at": NOW + timedelta(minutes=56),
        "bound": Bound(request=digest, policy=POLICY_DIGEST),
        "path": "Sources/Auth/LoginView.swift",
        "path_class": PathClass.UNPLANNED,
    }
    return Pending(item_id=item_id, **{**defaults, **fields})


def path_verdict(
    path: str = MAPPER, path_class: PathClass = PathClass.IN_SCOPE, **fields: Any
) -> PathVerdict:
    """One changed path."""
    defaults: dict[str, Any] = {"why": f"plan.filesToEdit: {path}", "change": change(path)}
    return PathVerdict(path=path, path_class=path_class, **{**defaults, **fields})


def scope_report(**fields: Any) -> ScopeReport:
    """Two planned files."""
    defaults: dict[str, Any] = {
        "verdict": Verdict.PASS,
        "paths": (path_verdict(MAPPER), path_verdict(MAPPER_TESTS)),
        "reason": "2 in plan",
    }
    return ScopeReport(**{**defaults, **fields})


CONDITIONS = (
    "contracts", "order", "plan", "scope", "requests", "review", "tests", "evidence", "workflow", "block",
    "log", "report",
)  # fmt: skip
"""Names of the conditions, in order."""


def condition(number: int, outcome: Outcome = Outcome.PASSED, **fields: Any) -> Condition:
    """One rung of the gate."""
    defaults: dict[str, Any] = {"basis": Basis.OBSERVED, "reason": "fine"}
    return Condition(number=number, name=CONDITIONS[number - 1], outcome=outcome, **{**defaults, **fields})


def gate_report(*open_rungs: Condition, **fields: Any) -> GateReport:
    """A gate where everything holds but the given rungs."""
    rungs = {rung.number: rung for rung in open_rungs}
    rows = tuple(rungs.get(number, condition(number)) for number in range(1, 13))
    outcomes = {row.outcome for row in rows}
    outcome = next((o for o in (Outcome.FAILED, Outcome.UNKNOWN) if o in outcomes), Outcome.PASSED)
    defaults: dict[str, Any] = {"outcome": outcome, "conditions": rows}
    return GateReport(**{**defaults, **fields})


def stages(**states: StageState) -> tuple[Stage, ...]:
    """All ten stages, valid but for the named ones."""
    return tuple(Stage(name, states.get(name.value, StageState.VALID)) for name in StageName)


def request_status(item_id: str = "tool-001", **fields: Any) -> RequestStatus:
    """A pending tool request."""
    from ags_tui.core.assessment import RequestState

    defaults: dict[str, Any] = {
        "kind": PendingKind.TOOL_REQUEST,
        "state": RequestState.PENDING,
        "digest": digests.digest(item_id.encode()),
    }
    return RequestStatus(item_id=item_id, **{**defaults, **fields})


def task_assessment(task: TaskSnapshot | None = None, **fields: Any) -> TaskAssessment:
    """The assessment of a finished task, given without running a check."""
    task = task or task_snapshot()
    defaults: dict[str, Any] = {
        "title": agent_task().title,
        "stages": stages(),
        "scope": scope_report(),
        "gate": gate_report(),
        "findings": (),
        "pending": (),
        "requests": (),
        "digest": digests.digest(b"assessment"),
        "risk": "medium",
    }
    return TaskAssessment(task=task, **{**defaults, **fields})


def assessment(*tasks: TaskAssessment, **fields: Any) -> Assessment:
    """Assessment of several tasks; their pending items are joined."""
    rows = tasks or (task_assessment(),)
    defaults: dict[str, Any] = {"pending": tuple(item for row in rows for item in row.pending)}
    return Assessment(tasks=rows, **{**defaults, **fields})
