"""A task that is played: files are written, this program looks, a human decides; only the disk is faked.

Contracts are read by the real parser, the log is a real chain that the real replay judges, and decisions are
the real drafts of what the assessment put into the inbox.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ags_tui.core import drafts
from ags_tui.core.assessment import Pending, TaskAssessment
from ags_tui.core.checks.assess import Assessor
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.parse import Parsed, parse_contract
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import blob_id, digest
from ags_tui.core.drafts import Viewing
from ags_tui.core.layout import place_of
from ags_tui.core.observations import due
from ags_tui.core.planned_tests import RunFacts, run_draft
from ags_tui.core.snapshot import (
    Artifact,
    Change,
    Changes,
    EvidenceFile,
    LoadProblem,
    PolicyState,
    Repo,
    Snapshot,
    TaskFiles,
    TaskSnapshot,
    TreeEntry,
)
from ags_tui.core.subjects import bare_names_of, named_files
from tests import builders as make
from tests.logs import NOW, Chain

Tree = dict[str, str]


@dataclass
class Play:
    """One task in a work tree."""

    base: Tree
    tree: Tree = field(default_factory=dict[str, str])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    evidence: set[str] = field(default_factory=set[str])
    chain: Chain = field(default_factory=Chain.begun)
    now: datetime = NOW + timedelta(minutes=1)
    head: str = "c" * 40
    assessor: Assessor = field(default_factory=Assessor)
    runs: int = 0
    kept: dict[str, Contract] = field(default_factory=dict[str, Contract])
    hiding: dict[str, str] = field(default_factory=dict[str, str])
    written: dict[str, float] = field(default_factory=dict[str, float])

    @classmethod
    def begun(cls, base: Tree) -> "Play":
        """A task on a clean tree."""
        return cls(base=dict(base), tree=dict(base))

    # -- agents ------------------------------------------------------------------------------------------

    def write(self, path: str, document: Contract | Mapping[str, Any] | bytes) -> TaskAssessment:
        """An agent writes a contract file; this program looks."""
        if isinstance(document, bytes):
            self.files[path] = document
        elif isinstance(document, Contract):
            self.files[path] = make.contract_bytes(document)
        else:
            self.files[path] = json.dumps(document, ensure_ascii=False).encode()
        self.written[path] = self.now.timestamp()
        return self.look()

    def edit(self, path: str, text: str | None) -> TaskAssessment:
        """An agent edits a file of the work tree; None deletes it."""
        if text is None:
            del self.tree[path]
        else:
            self.tree[path] = text
        return self.look()

    # -- this program ------------------------------------------------------------------------------------

    def look(self) -> TaskAssessment:
        """Record what is due, then assess."""
        for _ in range(20):
            snapshot = self.snapshot()
            found = due(snapshot.tasks[0], snapshot, self.now)
            if not found:
                return self.assessor.assess(snapshot, self.now).tasks[0]
            for draft in found:
                self.record(draft)
        raise AssertionError("observations never end")

    def record(self, draft: Draft) -> None:
        """Put a draft into the log, as ``io.log`` would."""
        human = draft.source == "human" and draft.via == "tui"
        self.chain.clock = max(self.chain.clock, self.now - timedelta(seconds=1))
        self.chain.add(
            draft.kind, draft.verdict, draft.subject_id, draft.subject_digest, human=human,
            source=draft.source, via=draft.via, reason=draft.reason, data=dict(draft.data),
            expires_at=draft.expires_at, bound=None if draft.bound == Bound() else draft.bound,
        )  # fmt: skip
        self.now = max(self.now, self.chain.clock)

    def run_tests(self, command: str, exit_code: int = 0) -> TaskAssessment:
        """This program runs a planned command."""
        self.runs += 1
        tree = self.changes().tree_digest
        log = f"artifacts/check-{self.runs}.log"
        run = RunFacts(command, self.runs, exit_code, 4200, log, digest(b"log"), tree, tree)
        self.record(run_draft(make.TASK_ID, run, "", via="tui"))
        return self.look()

    # -- the human ---------------------------------------------------------------------------------------

    def inbox(self, item_id: str) -> Pending:
        """One item of the inbox."""
        items = self.look().pending
        found = [one for one in items if one.item_id == item_id]
        assert found, [one.item_id for one in items]
        return found[0]

    def approve(self, item_id: str) -> TaskAssessment:
        """The human approves an item."""
        self.record(drafts.approve(self.inbox(item_id), Viewing()))
        return self.look()

    def deny(self, item_id: str, reason: str = "no") -> TaskAssessment:
        """The human denies an item."""
        self.record(drafts.deny(self.inbox(item_id), reason))
        return self.look()

    def answer(self, item_id: str, option: str) -> TaskAssessment:
        """The human answers a question."""
        self.record(drafts.answer(self.inbox(item_id), Viewing(), option=option))
        return self.look()

    def amend(self, item_id: str) -> TaskAssessment:
        """The human allows the path of an item for the task."""
        self.record(drafts.amend_plan(self.inbox(item_id), self.look(), Viewing()))
        return self.look()

    def attest_all(self) -> TaskAssessment:
        """The human vouches for every sentence that nobody has shown."""
        seen = self.look()
        for prose in seen.gate.prose:
            if prose.outcome.value != "passed":
                self.record(drafts.attest(seen, prose, Viewing()))
        return self.look()

    def finalize(self) -> TaskAssessment:
        """The human finalizes."""
        self.record(drafts.finalize(self.look(), Viewing()))
        return self.look()

    # -- the disk ----------------------------------------------------------------------------------------

    def changes(self) -> Changes:
        """What git would show."""
        rows: list[Change] = []
        for path in sorted(self.base.keys() | self.tree.keys()):
            old, new = self.base.get(path), self.tree.get(path)
            if old != new:
                rows.append(Change(path, _entry(old), _entry(new), untracked=old is None))
        return make.changes(*rows) if rows else make.no_changes()

    def snapshot(self) -> Snapshot:
        """Read everything."""
        artifacts: dict[str, Artifact] = {}
        problems: list[LoadProblem] = []
        for path, raw in sorted(self.files.items()):
            place = place_of(path)
            assert place is not None
            assert place.contract is not None, path
            read = parse_contract(raw, contract=place.contract, artifact=path)
            if isinstance(read, LoadProblem):
                problems.append(read)
            else:
                artifacts[path] = _artifact(path, raw, place.contract, read, self.written.get(path, 0.0))
                self.kept[digest(raw)] = read.document
        files = TaskFiles(
            make.TASK_ID, "/w/app/.ai/tasks/" + make.TASK_ID, artifacts, tuple(problems),
            evidence={name: EvidenceFile(name, "task", 10) for name in self.evidence},
        )  # fmt: skip
        names = bare_names_of(files, {})
        task = TaskSnapshot(
            files=files,
            log=self.chain.state(),
            changes=self.changes(),
            baseline_relation="ancestor",
            bare_names={name: self._found(name) for name in names},
            recorded=dict(self.kept),
            file_digests={path: self._digest(path) for path in named_files(files)},
        )
        return Snapshot(self.now, "/w/app/.ai", self._repo(), (task,), PolicyState(make.POLICY_DIGEST))

    def _repo(self) -> Repo:
        return Repo("/w/app", head=self.head, hiding=dict(self.hiding))

    def _found(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.base if path.rpartition("/")[2] == name))

    def _digest(self, path: str) -> str:
        text = self.tree.get(path)
        return "absent" if text is None else digest(text.encode())


def _entry(text: str | None) -> TreeEntry | None:
    return None if text is None else TreeEntry("100644", blob_id(text.encode()))


def _artifact(path: str, raw: bytes, contract: str, read: Parsed, modified_at: float) -> Artifact:
    return Artifact(path, digest(raw), raw, modified_at, contract, read.version, read.document, read.notes)
