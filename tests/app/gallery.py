"""The scenes of the README's pictures: those of the tests, with real text in the files they are about."""

from dataclasses import replace
from datetime import timedelta

from ags_tui.core.assessment import (
    Assessment,
    PendingKind,
    Prose,
    StageState,
    TaskAssessment,
)
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.human import EscalationOption, EscalationSource, Evidence
from ags_tui.core.contracts.tool_request import ProposedChange
from ags_tui.core.decisions import Bound
from ags_tui.core.snapshot import Snapshot, TaskSnapshot
from tests import builders as make
from tests.app import scenes

Scene = tuple[Snapshot, Assessment]

BEFORE = """import Foundation

/// Reads and writes sessions; knows nothing of screens.
final class AuthRepository {
    private let client: NetworkClient
    private let store: SessionStore

    init(client: NetworkClient, store: SessionStore) {
        self.client = client
        self.store = store
    }

    func signIn(_ credentials: Credentials) async throws -> Session {
        do {
            let session = try await client.post("/sessions", credentials)
            store.save(session)
            return session
        } catch let error as AuthError {
            throw SignInFailure(message: message(for: error))
        }
    }

    func signOut() {
        store.clear()
    }

    func message(for error: AuthError) -> String {
        switch error {
        case .server(let raw): return raw
        case .timeout: return L10n.timeout
        case .unauthorized: return L10n.badPassword
        }
    }
}
"""
"""The file of the request, as it is on disk."""

AFTER = BEFORE.replace(
    "        case .server(let raw): return raw\n",
    "        case .server: return L10n.tryAgain  // 서버 원문은 보이지 않는다\n"
    "        case .offline: return L10n.offline\n",
).replace(
    "            throw SignInFailure(message: message(for: error))\n",
    "            log.error(error)\n            throw SignInFailure(message: message(for: error))\n",
)
"""The file as the agent wants it."""

FILES = {scenes.UNPLANNED: BEFORE.encode()}
"""Files of the work tree, by path: a proposed edit is compared with them."""

HOLDS = {
    1: "7 files are valid", 2: "every stage has what it builds on", 3: "approved 1h ago",
    4: "2 in plan, 0 unplanned", 5: "nothing waits", 7: "1 of 1 planned commands ended with 0",
    10: "no human block", 11: "9 entries, signed and whole",
}  # fmt: skip
"""Conditions that hold, with their reasons."""

SEARCH = "search-api"
"""The task that asks a question."""


def busy() -> Scene:
    """Three tasks: a risky edit outside the plan, a question, and one that is done."""
    return scenes.scene(_login(), _search(), scenes.done_task())


def changed() -> Scene:
    """The same, after the agent wrote another request into the same file."""
    after = AFTER.replace("L10n.offline", "L10n.noNetwork")
    return scenes.scene(_login(after, reason=REASON + " 오프라인 문구도 바꾼다."), _search())


def nearly_done() -> Scene:
    """A task that holds but for two sentences that a human must attest."""
    task = make.agent_task()
    rows = (
        *((f"task#expectedBehavior/{n}", text) for n, text in enumerate(task.expected_behavior)),
        *((f"task#requiredEvidence/{n}", text) for n, text in enumerate(task.required_evidence[:3])),
    )
    prose = tuple(_sentence(prose_id, text) for prose_id, text in rows)
    tree = make.changes().tree_digest
    gate = make.gate_report(
        *(make.condition(number, reason=reason) for number, reason in HOLDS.items()),
        make.condition(6, Outcome.PASSED, reason="0 of 1 issues left open", basis=Basis.DECLARED),
        make.condition(8, Outcome.UNKNOWN, reason="2 sentences are not attested", basis=Basis.HUMAN),
        make.condition(9, Outcome.NOT_APPLICABLE, reason="no workflow"),
        make.condition(12, Outcome.NOT_APPLICABLE, reason="no report"),
        prose=prose,
    )
    login = make.task_assessment(
        make.task_snapshot(attested=False, tests=(make.observed_run(tree),)),
        gate=gate,
        stages=make.stages(fix=StageState.NOT_APPLICABLE, gate=StageState.NEEDS_HUMAN),
    )
    return scenes.scene(login)


def tree() -> Scene:
    """No task: the live diff of the work tree."""
    return scenes.empty()


# -- parts -----------------------------------------------------------------------------------------------

REASON = "서버 오류를 사용자 메시지로 변환하기 위해 수정한다."
"""Why the agent asks."""


def _login(after: str = AFTER, reason: str = REASON) -> TaskAssessment:
    """The task whose agent asks for an edit; file and item agree with each other."""
    request = make.tool_request_v2(
        scenes.REQUEST, target_path=scenes.UNPLANNED, reason=reason, cwd=scenes.REPOSITORY, session_id="s-41",
        input={"path": scenes.UNPLANNED},
        proposed_change=ProposedChange(
            path=scenes.UNPLANNED, before=make.digests.text_digest(BEFORE), after=after
        ),
    )  # fmt: skip
    artifact = make.artifact(request, f"tool-requests/{scenes.REQUEST}.json")
    task = scenes.login_task()
    item = replace(
        scenes.edit_request(),
        digest=artifact.digest, reason=reason,
        bound=Bound(
            request=artifact.digest, plan=make.digests.digest(b"plan"), policy=make.POLICY_DIGEST,
            files={scenes.UNPLANNED: make.digests.text_digest(BEFORE)},
        ),
    )  # fmt: skip
    return replace(task, task=_with(task.task, artifact.path, request), pending=(item,))


def _search() -> TaskAssessment:
    """The task whose debate asks a question, with its file."""
    task, item = scenes.search_task(), scenes.escalation()
    document = make.escalation(
        item.item_id, task_id=SEARCH, question=item.title, allow_free_text=True,
        source=EscalationSource(system="debate", ref="round 2"),
        options=tuple(
            EscalationOption(id=one.id, label=one.label, consequence=one.consequence) for one in item.options
        ),
        evidence=(Evidence(kind="execution", ref="artifacts/latency.log", exit_code=1),),
        created_at=make.NOW - timedelta(minutes=1),
    )  # fmt: skip
    assert item.kind is PendingKind.ESCALATION
    return replace(task, task=_with(task.task, item.artifact, document))


def _with(task: TaskSnapshot, path: str, document: Contract) -> TaskSnapshot:
    """A task with one more file."""
    artifacts = {**task.files.artifacts, path: make.artifact(document, path)}
    return replace(task, files=replace(task.files, artifacts=artifacts))


def _sentence(prose_id: str, text: str) -> Prose:
    """A sentence of the task: behaviour waits for a human, evidence is attested already."""
    waits = "expectedBehavior" in prose_id
    outcome = Outcome.UNKNOWN if waits else Outcome.PASSED
    reason = "nobody attested it" if waits else "attested 3m ago"
    return Prose(prose_id, text, make.digests.text_digest(text), outcome, Basis.HUMAN, reason)
