"""Which work-tree files a request is about: its target, and local files that its command runs.

A decision is bound to their bytes too: a script that changes between approval and run is another command.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.human import ApprovalRequest
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.edits_shown import at_least_unshown
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

MOST_NAMES = 256
"""Most files that one request binds; a request that names more can only be denied."""
LONGEST_COMMAND = 128 * 1024
"""Longest argument that Linux hands to a program, so no shell takes a longer line."""
LONGEST_READ = 128 * 1024
"""Most characters of a request that a human is asked to read outside a diff."""

_INTERPRETER = re.compile(r"(?:ba|da|z|k|fi)?sh|python[0-9.]*|node|deno|bun|ruby|perl|php|source|\.")
"""Programs whose next word is a script, whatever it is called."""
_NO_SCRIPT = frozenset({"-c", "-e", "-m"})
"""Options after which no script is named."""
_WORD = re.compile(r"""(?:[^\s'"\\;|&()<>`]++|'[^']*+'|"(?:[^"\\]++|\\.)*+"|\\.)++""", re.DOTALL)
_QUOTED = re.compile(r"""'[^']*+'|"(?:[^"\\]++|\\.)*+"|\\.""", re.DOTALL)
_FROM_FILE = re.compile("(?<!<)<(?!<)")
_BREAKS = re.compile(r"[\s;|&()<>`'\"]")


def files_of_request(request: ToolRequest, top: str = "") -> tuple[str, ...]:
    """Paths that a request names, relative to the work tree, in the order of their naming.

    Whether they exist is not known here: what does not exist is bound as ``absent``. A relative name in a
    command counts from the folder of the call, and from the top where that is another one.

    Args:
        request: The request.
        top: Absolute path of the work tree; empty where it does not matter.
    """
    newer = request if isinstance(request, ToolRequestV2) else None
    named = [request.target_path or ""]
    if newer is not None and newer.proposed_change is not None:
        named.append(newer.proposed_change.path)
    words = files_of_command(request.command or "")
    if newer is not None and top and newer.cwd not in ("", top):
        named += [posixpath.join(newer.cwd, word) for word in words]
    paths = (inside(name, top) for name in (*named, *words))
    return tuple(dict.fromkeys(path for path in paths if path is not None))


def binds_too_much(request: ToolRequest) -> str:
    """Why a decision could not be bound to all that a request names; empty where it can."""
    if len(request.command or "") > LONGEST_COMMAND:
        return f"its command is longer than {LONGEST_COMMAND // 1024} KiB, which no shell takes"
    if len(files_of_request(request)) > MOST_NAMES:
        return f"it names more than {MOST_NAMES} files, too many to be bound to"
    return ""


def reads_too_long(request: Contract, unshown: Mapping[str, Any] | None = None) -> str:
    """Why nobody would read a request to its end; empty where a human can.

    The text of a proposed change is shown as a diff, so it does not count, nor do the texts of the input that
    are exactly what the diff shows. Which these are only the reader of the file knows: here those that can
    be are not counted, and the decision screen, which shows the others, counts with ``unshown``.

    Args:
        request: The request.
        unshown: What its diff does not show of its input; None where the diff was not made.
    """
    document: dict[str, Any] = request.model_dump(mode="json", by_alias=True)
    change = request.proposed_change if isinstance(request, ToolRequestV2) else None
    if isinstance(request, ToolRequestV2) and change is not None:
        document["proposedChange"] = change.path
        if unshown is not None:
            document["input"] = unshown
        elif request.tool == "edit_file":
            document["input"] = at_least_unshown(request.input)
    return too_long(len(json.dumps(document, ensure_ascii=False)))


def too_long(characters: int) -> str:
    """Say that so many characters are too many to be read; empty where they are not."""
    return f"it is too long to be read: {characters:,} characters" if characters > LONGEST_READ else ""


def files_of_approval(request: ApprovalRequest) -> tuple[str, ...]:
    """The path that a request for an approval names, from the top; nothing where it leaves the work tree."""
    path = inside(request.subject.path) if request.subject.path else None
    return () if path is None else (path,)


def files_of_command(command: str) -> tuple[str, ...]:
    """Words of a command that may be local files, and the files that its program reads by itself.

    Linear in the length of the command; nothing of what is longer than any shell takes.
    """
    if len(command) > LONGEST_COMMAND:
        return ()
    found: dict[str, None] = {}
    script = False
    read = _read_by_an_interpreter(command)
    for word in _words(command):
        for file in _RUNNERS.get(posixpath.basename(word), ()):
            found.setdefault(file)
        if _may_be_file(word) or ((script or word in read) and word[0] not in "-$"):
            found.setdefault(word)
        script = _INTERPRETER.fullmatch(posixpath.basename(word)) is not None or (
            script and word[0] == "-" and word not in _NO_SCRIPT
        )
    return tuple(found)


def _read_by_an_interpreter(command: str) -> frozenset[str]:
    """Words that may name the script where an interpreter reads it from a pipe or a file: any of them.

    The text of a here-document is in the command itself and names nothing.
    """
    line = command.partition("\n")[0] if "<<" in command else command
    matches = list(_WORD.finditer(line))
    words = [_QUOTED.sub(_unquoted, match.group()) for match in matches]
    pipe = line.find("|")
    for number, word in enumerate(words):
        if _INTERPRETER.fullmatch(posixpath.basename(word)) is None:
            continue
        last = number + 1 == len(words)
        gap = line[matches[number].end() : len(line) if last else matches[number + 1].start()]
        after = "" if last or gap.strip(" \t") else words[number + 1]
        piped = 0 <= pipe < matches[number].start()
        own = after and (not after.startswith("-") or after in _NO_SCRIPT)
        if _FROM_FILE.search(gap) or (piped and not own):
            return frozenset(filter(None, words))
    return frozenset()


def _words(command: str, depth: int = 2) -> Iterator[str]:
    """The words of a shell line without its quotes and operators; what is quoted is looked into, too."""
    for match in _WORD.finditer(command):
        word = _QUOTED.sub(_unquoted, match.group())
        if word:
            yield word
            if depth and word != match.group() and _BREAKS.search(word):
                yield from _words(word, depth - 1)


def _unquoted(match: re.Match[str]) -> str:
    text = match.group()
    return text[1:] if text[0] == "\\" else text[1:-1]


def inside(name: str, top: str = "") -> str | None:
    """A path in its plain form, relative to the work tree; None where it leaves it or is no file name.

    Args:
        name: Relative path, or an absolute one below ``top``.
        top: Absolute path of the work tree; empty where absolute paths do not matter.
    """
    if top and name.startswith(top.rstrip("/") + "/"):
        name = name[len(top.rstrip("/")) + 1 :]
    if not name or name.startswith(("/", "~")) or "\0" in name:
        return None
    path = posixpath.normpath(name)
    return None if path in (".", "..") or path.startswith("../") else path


def named_files(files: TaskFiles, top: str = "") -> tuple[str, ...]:
    """Paths that the requests of a task name, sorted; without those of requests that name too many.

    Args:
        files: The task folder.
        top: Absolute path of the work tree.
    """
    named: set[str] = set()
    for artifact in files.artifacts.values():
        document = artifact.document
        if isinstance(document, ToolRequest):
            named.update(() if binds_too_much(document) else files_of_request(document, top))
        elif isinstance(document, ApprovalRequest):
            named.update(files_of_approval(document))
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
