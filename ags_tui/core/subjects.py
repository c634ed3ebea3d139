"""Which work-tree files a request is about: its target, and local files that its command runs.

A decision is bound to their bytes too: a script that changes between approval and run is another command.
"""

import posixpath
import shlex
from collections.abc import Mapping

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.human import ApprovalRequest
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.globs import compile_patterns
from ags_tui.core.snapshot import TaskFiles

_RUNNERS: Mapping[str, tuple[str, ...]] = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "npm": ("package.json",),
    "npx": ("package.json",),
    "yarn": ("package.json",),
    "pnpm": ("package.json",),
    "just": ("justfile", "Justfile"),
    "cargo": ("Cargo.toml", "build.rs"),
    "tox": ("tox.ini",),
}
"""Files that a program reads without being told, by program name."""

MOST_NAMES = 64
"""Most files that one request binds."""


def files_of_request(request: ToolRequest) -> tuple[str, ...]:
    """Paths that a request names, relative to the work tree, in the order of their naming.

    Whether they exist is not known here: what does not exist is bound as ``absent``.
    """
    named: dict[str, None] = {}
    if request.target_path:
        named.setdefault(request.target_path)
    if isinstance(request, ToolRequestV2) and request.proposed_change is not None:
        named.setdefault(request.proposed_change.path)
    for name in files_of_command(request.command or ""):
        named.setdefault(name)
    paths = (inside(name) for name in named)
    return tuple(dict.fromkeys(path for path in paths if path is not None))[:MOST_NAMES]


def files_of_command(command: str) -> tuple[str, ...]:
    """Words of a command that may be local files, and the files that its program reads by itself."""
    try:
        words = shlex.split(command, comments=False, posix=True)
    except ValueError:
        words = command.split()
    found: dict[str, None] = {}
    for word in words[: MOST_NAMES * 4]:
        for file in _RUNNERS.get(posixpath.basename(word), ()):
            found.setdefault(file)
        if _may_be_file(word):
            found.setdefault(word)
    return tuple(found)


def inside(name: str) -> str | None:
    """A relative path in its plain form; None where it leaves the work tree or is no file name."""
    if not name or name.startswith(("/", "~")) or "\0" in name:
        return None
    path = posixpath.normpath(name)
    return None if path in (".", "..") or path.startswith("../") else path


def named_files(files: TaskFiles) -> tuple[str, ...]:
    """Paths that the requests of a task name, sorted."""
    named: set[str] = set()
    for artifact in files.artifacts.values():
        document = artifact.document
        if isinstance(document, ToolRequest):
            named.update(files_of_request(document))
        elif isinstance(document, ApprovalRequest) and document.subject.path:
            path = inside(document.subject.path)
            named.update(() if path is None else (path,))
    return tuple(sorted(named))


def bare_names_of(files: TaskFiles, recorded: Mapping[str, Contract]) -> tuple[str, ...]:
    """Bare names that plans of a task may edit (today's and those that the log kept), sorted."""
    plan = files.artifacts.get("plan.json")
    documents = [*recorded.values(), *([plan.document] if plan is not None else [])]
    plans = (document for document in documents if isinstance(document, AgentPlan))
    bare = (compile_patterns(plan.files_to_edit, side="allow").bare for plan in plans)
    return tuple(sorted({name for names in bare for name in names}))


def _may_be_file(word: str) -> bool:
    if word.startswith("-") or "=" in word or "://" in word:
        return False
    return "/" in word or posixpath.splitext(word)[1] not in ("", ".")
