"""Scenes with names that are far longer than a pane, in two scripts."""

from dataclasses import replace

from ags_tui.core.assessment import Assessment, PathClass, Pending, PendingKind, TaskAssessment, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.snapshot import Snapshot
from tests import builders as make
from tests.app import scenes

ENGLISH = "make-the-login-error-message-harmless-for-every-client"
KOREAN = "로그인실패메시지를-모든-클라이언트에서-안전하게-바꾼다"
PATH = "Sources/Features/Authentication/ServerErrors/VeryLongAuthenticationRepositoryImplementation.swift"
KOREAN_PATH = "소스/기능/인증/서버오류/아주긴인증저장소구현파일이름입니다그리고더길다.swift"
REASON = (
    "The repository maps the server error itself, so the message must be replaced there and nowhere else;"
    " the approved plan names only the mapper."
)
KOREAN_REASON = (
    "서버가 준 오류 문장을 화면에 그대로 내보내지 않도록 저장소에서 사용자용 문장으로 바꾸어야 하며"
    " 다른 파일은 건드리지 않는다."
)


def asked(task_id: str, path: str, reason: str, item_id: str) -> Pending:
    """An edit with long words everywhere."""
    return make.pending(
        item_id, task_id=task_id, path=path, title=f"edit_file {path}", reason=reason,
        asked_by="implementer-of-the-second-round", command=None,
    )  # fmt: skip


def task(task_id: str, title: str, path: str, reason: str) -> TaskAssessment:
    """A task with long words everywhere."""
    plain = scenes.login_task()
    item = asked(task_id, path, reason, f"tool-{len(task_id):03d}-a-long-request-id")
    scope = make.scope_report(
        verdict=Verdict.NEEDS_APPROVAL, reason="1 path is not in the plan",
        paths=(
            make.path_verdict(path, PathClass.UNPLANNED, why="plan.filesToEdit does not name it"),
            make.path_verdict(f"{path}.bak", PathClass.EXCLUDED, why="plan.filesNotToEdit names it"),
            make.path_verdict(make.MAPPER),
        ),
    )  # fmt: skip
    gate = make.gate_report(
        make.condition(4, Outcome.FAILED, reason=f"{path} is not in the plan", findings=scenes.HUMAN),
        make.condition(5, Outcome.FAILED, reason=f"{item.item_id} waits", findings=scenes.HUMAN),
        make.condition(6, Outcome.UNKNOWN, reason=reason),
        prose=plain.gate.prose,
    )
    request = make.tool_request_v2(item.item_id, target_path=path, proposed_change=None, reason=reason)
    snapshot = make.task_snapshot(
        task_id=task_id, task=make.agent_task(id=task_id, title=title), review=None, test=None,
        attested=False,
        more={f"tool-requests/{item.item_id}.json": request},
    )  # fmt: skip
    stages = tuple(replace(stage, reason=reason) for stage in plain.stages)
    return make.task_assessment(
        snapshot, title=title, stages=stages, scope=scope, gate=gate, pending=(item,),
        findings=(make.finding(path=path, message=f"{path} is not in the plan: {reason}"),),
        requests=(make.request_status(item.item_id, reason=reason),),
    )  # fmt: skip


def long_names() -> tuple[Snapshot, Assessment]:
    """An English and a Korean task, a question and a task that is done, all with long names."""
    question = make.pending(
        "question-1", kind=PendingKind.ESCALATION, task_id=f"{KOREAN}-질문", path=None, path_class=None,
        command=None, title=KOREAN_REASON, reason=KOREAN_REASON, asked_by="검토자",
    )  # fmt: skip
    asking = make.task_assessment(
        make.task_snapshot(task_id=f"{KOREAN}-질문", attested=False), pending=(question,)
    )
    end = make.entry("finalize", "finalized", "finalize", sequence=9)
    done = make.task_assessment(make.task_snapshot(task_id=f"{ENGLISH}-again", log={"finalized": end}))
    return scenes.scene(
        task(ENGLISH, "Make the login error message harmless for every client", PATH, REASON),
        task(KOREAN, "로그인 실패 메시지를 모든 클라이언트에서 안전하게 바꾼다", KOREAN_PATH, KOREAN_REASON),
        asking, done,
    )  # fmt: skip
