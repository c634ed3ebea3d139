"""What a look's answers say by themselves: rule files, repositories inside, conflicts, notes."""

from ags_tui.io.git.index import RULE_FILES, IndexFacts
from ags_tui.io.git.nested import Link
from ags_tui.io.git.settings import Settings
from ags_tui.io.git.status import Answer


def rule_files(answer: Answer) -> frozenset[bytes]:
    """Return the ignore and attribute files that git listed, the ignored ones too."""
    names = (*answer.tracked, *answer.untracked, *answer.ignored)
    return frozenset(
        path for path in names if path.endswith(RULE_FILES) and path.rpartition(b"/")[2] in RULE_FILES
    )


def submodules(index: IndexFacts, answer: Answer) -> list[Link]:
    """Return all submodules with what HEAD and the index hold there."""
    found: list[Link] = []
    for path, entry in index.links.items():
        record = answer.tracked.get(path)
        found.append(Link(path, entry, entry) if record is None else Link(path, record.head, record.index))
    return found


def repositories(answer: Answer) -> list[Link]:
    """Return the untracked folders that are repositories."""
    found: list[Link] = []
    for path in answer.nested:
        record = answer.tracked.get(path)
        found.append(Link(path, record.head if record else None))
    return found


def conflicts(answer: Answer) -> tuple[tuple[bytes, str], ...]:
    """Return the unmerged paths with their pair, sorted."""
    return tuple(
        sorted((path, record.conflict) for path, record in answer.tracked.items() if record.conflict)
    )


def complaint(stderr: str) -> str:
    """Return why an answer is not whole: git ends well although it could not read a folder."""
    return f"git status: {stderr}" if stderr else ""


def notes(settings: Settings, index: IndexFacts) -> tuple[str, ...]:
    """Return what a human should know about how the work tree was read."""
    found: list[str] = []
    if not settings.flag("core.filemode", default=True):
        found.append("core.fileMode is false: changes of the executable bit are not seen")
    if not settings.flag("core.symlinks", default=True):
        found.append("core.symlinks is false: links are files that hold their target")
    if settings.flag("core.sparsecheckout", default=False):
        found.append(f"sparse checkout: {len(index.skipped)} tracked files are not in the work tree")
    return tuple(found)
