"""Makers of logs: chains of entry files for the pure core, and task folders with keys for real ones."""

import hashlib
import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ags_tui.core.contracts.log_entry import Actor, BoundDigests, LogEntry, Subject
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_entries import LogFile, bound_digests, encode_entry, read_entry, signed_bytes
from ags_tui.core.log_rules import RollbackMark, replay
from ags_tui.core.log_state import LogState, Signer
from ags_tui.io.keys import Keys
from ags_tui.io.places import Places
from tests.leftovers import FAST_PREFIX

NOW = datetime(2026, 7, 21, 9, 0, tzinfo=UTC)
"""The frozen clock."""
TASK_ID = "login-error-message"
"""Task of the chains."""
LOG_ID = "log-1"
"""Id of the chains."""
BASELINE: Mapping[str, Any] = {
    "head": "b" * 40, "unborn": False, "files": [], "hiding": {}, "hiddenBits": [], "late": False,
}  # fmt: skip
"""Facts of a clean baseline."""
NO_BOUND = BoundDigests(request=None, plan=None, policy=None, files=())
SIGNERS: Mapping[str, Signer] = {"human-key": "human", "system-key": "system"}
"""Trusted keys of the chains."""


def signature(key_id: str, payload: bytes) -> str:
    """Stand-in for a signature: nobody forges it in a test that does not mean to."""
    return "ed25519:" + hashlib.sha256(key_id.encode() + b"\0" + payload).hexdigest()


def signer_of(raw: bytes) -> Signer:
    """Whose key signed the entry in these bytes, as ``io.keys`` would say."""
    read = read_entry(raw)
    if read.entry is None or not (read.entry.key_id or read.entry.signature):
        return "none"
    known = SIGNERS.get(read.entry.key_id)
    if known is None:
        return "unknown"
    return known if signature(read.entry.key_id, read.signed) == read.entry.signature else "invalid"


def log_file(name: str, raw: bytes) -> LogFile:
    """A file with its signer looked up."""
    return LogFile(name, raw, signer_of(raw))


@dataclass
class Chain:
    """A log that grows entry by entry; everything is right unless a field says otherwise."""

    raws: list[bytes] = field(default_factory=list[bytes])
    clock: datetime = NOW

    @classmethod
    def begun(cls, **data: Any) -> "Chain":
        """A chain with its baseline."""
        chain = cls()
        chain.add("baseline", "recorded", "baseline", data={**BASELINE, **data})
        return chain

    def add(
        self, kind: str, verdict: str, subject_id: str = "", subject_digest: str = "", **fields: Any
    ) -> str:
        """Add an entry; returns the digest of its bytes."""
        self.clock += timedelta(seconds=1)
        raw = self.make(kind, verdict, subject_id, subject_digest, **fields)
        self.raws.append(raw)
        return digest(raw)

    def make(
        self, kind: str, verdict: str, subject_id: str = "", subject_digest: str = "", **fields: Any
    ) -> bytes:
        """Make the next entry without adding it."""
        human = fields.pop("human", (kind, verdict) not in SYSTEM)
        key_id = fields.pop("key_id", "human-key" if human else "system-key")
        source = fields.pop("source", "human" if human else "system")
        via = fields.pop("via", "tui")
        bound = fields.pop("bound", None)
        defaults: dict[str, Any] = {
            "log_id": LOG_ID,
            "sequence": len(self.raws),
            "previous_digest": digest(self.raws[-1]) if self.raws else None,
            "task_id": TASK_ID,
            "kind": kind,
            "verdict": verdict,
            "subject": Subject(id=subject_id or kind, digest=subject_digest),
            "bound": NO_BOUND if bound is None else bound_digests(bound),
            "actor": Actor(source=source, name="kim", via=via, rule_id=None),
            "reason": "",
            "data": {},
            "expires_at": None,
            "decided_at": self.clock,
            "key_id": key_id,
            "signature": "",
        }
        entry = LogEntry(**{**defaults, **fields})
        if not key_id:
            return encode_entry(entry)
        return encode_entry(entry.model_copy(update={"signature": signature(key_id, signed_bytes(entry))}))

    def observe(self, path: str, raw: bytes = b"", *, subject_digest: str = "", **data: Any) -> str:
        """Add an observation of a contract."""
        value = subject_digest or digest(raw)
        return self.add(
            "observation", "recorded", path, value, data={"valid": True, "treeDigest": "", **data}
        )

    @property
    def files(self) -> list[LogFile]:
        """The files of the folder."""
        return [log_file(f"{number:06d}.json", raw) for number, raw in enumerate(self.raws)]

    @property
    def mark(self) -> RollbackMark:
        """What a machine remembers that has seen all of it."""
        return RollbackMark(LOG_ID, len(self.raws) - 1, digest(self.raws[-1]))

    def state(self, **options: Any) -> LogState:
        """The chain, replayed."""
        return replay(self.files, TASK_ID, **options)


SYSTEM = frozenset({
    ("baseline", "recorded"), ("observation", "recorded"),
    ("request", "consumed"), ("request", "expired"), ("request", "withdrawn"),
})  # fmt: skip
"""What only this program writes."""


@dataclass(frozen=True)
class Desk:
    """A task folder with the keys and places of one user."""

    folder: Path
    keys: Keys
    places: Places

    @property
    def log(self) -> Path:
        """The log folder."""
        return self.folder / "log"

    def names(self) -> list[str]:
        """Names in the log folder."""
        return sorted(path.name for path in self.log.iterdir())


@contextmanager
def fast_folder() -> Generator[Path]:
    """A temporary folder where a sync costs nothing, if the machine has one."""
    memory = "/dev/shm"
    base = memory if os.access(memory, os.W_OK | os.X_OK) else None
    with tempfile.TemporaryDirectory(prefix=f"{FAST_PREFIX}{os.getpid()}-", dir=base) as folder:
        yield Path(folder)


def places_in(top: Path) -> Places:
    """State and configuration below a folder."""
    return Places(state=top / "state", config=top / "config")


def desk(top: Path, task_id: str = TASK_ID) -> Desk:
    """A task folder without a log yet."""
    folder = top / "tasks" / task_id
    folder.mkdir(parents=True, exist_ok=True)
    places = places_in(top)
    return Desk(folder, Keys.open(places), places)


def baseline_draft(task_id: str = TASK_ID, **fields: Any) -> Draft:
    """What begins a log."""
    defaults: dict[str, Any] = {"source": "system", "via": "tui", "data": BASELINE}
    return Draft(task_id, "baseline", "recorded", "baseline", "", **{**defaults, **fields})


def block_draft(reason: str = "not yet", task_id: str = TASK_ID, **fields: Any) -> Draft:
    """A human blocks the task."""
    return Draft(task_id, "block", "blocked", "task", "", reason=reason, **fields)


def approve_draft(request_id: str, request: bytes, task_id: str = TASK_ID, **fields: Any) -> Draft:
    """A human approves a tool request of these bytes."""
    value = digest(request)
    bound = fields.pop("bound", Bound(request=value))
    return Draft(task_id, "tool-request", "approved", request_id, value, bound=bound, **fields)
