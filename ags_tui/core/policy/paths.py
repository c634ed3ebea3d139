"""Where a path leads: inside the work tree or not, what is protected, what a plan says of it."""

import posixpath
import unicodedata

from ags_tui.core.light import Iterable, Iterator, Literal, lru_cache
from ags_tui.core.policy.calls import Ground
from ags_tui.core.records import Record
from ags_tui.core.shell.marks import CWD, HOME, UNKNOWN

Access = Literal["read", "write"]
"""What is done to a path."""

_PROC = r"/proc/[^/]+/(?:task/[^/]+/)?(cwd|root)(?=/|$)"
_TERMINAL = ("/dev/tty", "/dev/vcs", "/dev/pty", "/dev/pts/", "/dev/input/")
_TERMINALS = frozenset({"/dev/pts", "/dev/console", "/dev/input", "/dev/uinput", "/dev/ptmx"})
_HARMLESS_WRITES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_HARMLESS_READS = ("/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/opt/homebrew/", "/Library/Developer/")
_HARMLESS_FILES = frozenset({"/dev/null", "/dev/stdin", "/etc/os-release", "/proc/cpuinfo", "/proc/meminfo"})
_AGENTS = frozenset({".claude", ".codex", ".gemini"})
_GLOB = frozenset("*?[")
_SETTINGS = {
    ".claude": ("settings", "hooks", "managed-settings"),
    ".codex": ("hooks", "config", "rules"),
    ".gemini": ("settings", "hooks", "policies", "extensions"),
}
_WRITABLE_KINDS = ("contract", "report", "evidence", "debate")
_OWN = "it belongs to ags-tui itself (its state, keys, configuration or program)"


class Facts(Record):
    """What is known of a path without asking any rule."""

    given: str
    """As the call gives it. Raw text."""
    lexical: str
    """Absolute, ``.`` and ``..`` folded, links not resolved."""
    real: str
    """Absolute, links resolved."""
    inside: str | None
    """Relative to the top of the work tree, links resolved; None where it leads out."""
    shown: tuple[str, ...]
    """Every relative form of it inside the tree, for patterns that deny."""

    @property
    def forms(self) -> tuple[str, ...]:
        """Both absolute forms, folded as names are compared for denying."""
        return tuple(dict.fromkeys((fold(self.lexical), fold(self.real))))


class _Folders(Record):
    """Folders of the ground, folded, as given and with links resolved."""

    own: tuple[str, ...]
    roots: tuple[str, ...]
    git_dirs: tuple[str, ...]
    homes: tuple[str, ...]
    top: str


@lru_cache(maxsize=64)
def _folders(ground: Ground) -> _Folders:
    def both(*paths: str) -> tuple[str, ...]:
        found: list[str] = []
        for path in paths:
            found.append(fold(path).rstrip("/"))
            try:
                found.append(fold(ground.real(path)).rstrip("/"))
            except (OSError, ValueError, RuntimeError):
                continue
        return tuple(dict.fromkeys(found))

    return _Folders(
        both(*ground.own),
        both(ground.root),
        both(*ground.git_dirs),
        both(ground.home),
        ground.real(ground.top),
    )


def fold(text: str) -> str:
    """The widest form in which two names may be the same file: case, composition, invisible characters."""
    if text.isascii():
        return text.lower()
    visible = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", visible).casefold())


def absolute(shape: str, cwd: str, ground: Ground) -> str:
    """The absolute path that a shape names, seen from one folder."""
    path = shape.replace(HOME, ground.home).replace(CWD, cwd)
    path = path if path.startswith("/") else f"{cwd}/{path}"
    if "/proc/" not in posixpath.normpath(path):
        return path
    import re  # as below: it costs a hook half of the bare start of Python, and few paths need it

    for _ in range(8):
        proc = re.match(_PROC, posixpath.normpath(path).replace("//", "/"))
        if not proc:
            break
        path = posixpath.normpath(path).replace("//", "/")
        path = (cwd if proc[1] == "cwd" else "") + path[proc.end() :] or "/"
    return path


def facts_of(given: str, shape: str, cwd: str, ground: Ground) -> Facts:
    """Look at a path.

    Args:
        given: the path as written.
        shape: what it names, see ``core.shell.model``.
        cwd: absolute folder from which it counts.
        ground: the work tree.
    """
    path = absolute(shape, cwd, ground)
    lexical = posixpath.normpath(path)
    lexical = "/" + lexical.lstrip("/")
    try:
        real = lexical if UNKNOWN in path else ground.real(path)
        top = _folders(ground).top
    except (OSError, ValueError, RuntimeError):
        return Facts(given, lexical, lexical, None, ())
    told = "/proc/" not in shape and not _climbs(path)
    inside = relative(real, top, ground.ignore_case) if told else None
    forms = (relative(lexical, ground.top, True), relative(lexical, top, True), inside)
    return Facts(given, lexical, real, inside, tuple(dict.fromkeys(one for one in forms if one is not None)))


def _is_wild(path: str) -> bool:
    return not _GLOB.isdisjoint(path)


def _fits(name: str, pattern: str) -> bool:
    """Whether a pattern of the shell names this."""
    if not _is_wild(pattern):
        return name == pattern
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def _climbs(path: str) -> bool:
    """Whether a path goes up again from what a pattern names, so that nobody knows from where."""
    _, *behind = path.split("/..")
    return bool(behind) and _is_wild(path.rpartition("/..")[0])


def relative(path: str, folder: str, ignore_case: bool) -> str | None:
    """A path relative to a folder, component by component; None where it is not in it."""
    folder = folder.rstrip("/")
    left, right = (fold(path), fold(folder)) if ignore_case else (path, folder)
    if left == right:
        return ""
    if not left.startswith(right + "/"):
        return None
    return path.split("/", folder.count("/") + 1)[-1]


def protected(facts: Facts, access: Access, ground: Ground, *, whole: bool = False) -> str:
    """Why a path must not be touched by any call; empty where it may.

    Args:
        facts: the path.
        access: what is done to it.
        ground: the work tree.
        whole: whether a folder named here would be removed, moved or replaced with all that is in it.
    """
    for form in facts.forms:
        if _owned(form, ground):
            return _OWN
        if form in _TERMINALS or form.startswith(_TERMINAL):
            return "it is a terminal, and text there can press keys"
        if access == "write":
            reason = _configuration(form, ground, whole) or _records(form, ground, whole)
            if reason:
                return reason
    return ""


def _owned(form: str, ground: Ground) -> bool:
    folders = _folders(ground)
    for folder in folders.own:
        if _under(form, folder) or (_is_wild(form) and _glob_reaches(form, folder)):
            # A work tree without .ai/ keeps its tasks in the state folder: those are not ours alone.
            return not any(_under(root, folder) and _under(form, root + "/tasks") for root in folders.roots)
    return False


def _under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _glob_reaches(pattern: str, path: str) -> bool:
    """Whether a pattern of the shell can name a path or something in it."""
    parts, wanted = pattern.split("/"), path.split("/")
    return len(parts) >= len(wanted) and all(
        _fits(name, part) for part, name in zip(parts, wanted, strict=False)
    )


def _configuration(form: str, ground: Ground, whole: bool) -> str:
    """Configuration of git and of agents: what runs, or what lets things run."""
    segments = form.strip("/").split("/")
    for index, segment in enumerate(segments):
        rest = segments[index + 1 :]
        # a pattern of the shell names what begins with a dot only where it says that dot
        if (
            segment == ".git" or (segment[:1] == "." and _is_wild(segment) and _fits(".git", segment))
        ) and _git_setting(rest, whole):
            return "it is a hook or the configuration of git, which runs programs"
        if segment in _AGENTS and _agent_setting(segment, rest, whole):
            return "it configures the hooks of an agent"
    for folder in _folders(ground).git_dirs:
        below = relative(form, folder, False)
        if below is not None and _git_setting(below.split("/") if below else [], whole):
            return "it is a hook or the configuration of git, which runs programs"
    below = next((one for one in (relative(form, home, False) for home in _folders(ground).homes) if one), "")
    first = below.split("/")[0]
    if first in _AGENTS or first in (".claude.json", ".gitconfig"):
        return "it is the user's own configuration of an agent or of git"
    return ""


def _git_setting(rest: list[str], whole: bool) -> bool:
    if not rest:
        return whole
    if rest[-1] in ("commondir", "gitdir"):  # they say where its configuration lies
        return True
    return "hooks" in rest or rest[-1] in ("config", "config.worktree") or any(map(_wild_setting, rest[-1:]))


def _wild_setting(name: str) -> bool:
    return _is_wild(name) and any(_fits(one, name) for one in ("hooks", "config"))


def _agent_setting(agent: str, rest: list[str], whole: bool) -> bool:
    if not rest:
        return whole
    names = _SETTINGS[agent]
    if _is_wild(rest[0]):
        return any(_fits(f"{name}.json", rest[0]) for name in names)
    return rest[0].startswith(names)


def _records(form: str, ground: Ground, whole: bool) -> str:
    """Policy and logs of the root folder."""
    found = [relative(form, root, False) for root in _folders(ground).roots]
    below = next((one for one in found if one is not None), None)
    if below is None:
        return ""
    parts = below.split("/") if below else []
    if not parts or parts == ["tasks"]:
        return "it holds the tasks and their logs" if whole else ""
    if _fits("policy.toml", parts[0]):
        return "only a human writes policy"
    if parts[0] == "tasks" and len(parts) == 2:
        return "it is a task folder with its log" if whole else ""
    if parts[0] == "tasks" and len(parts) > 2 and _fits("log", parts[2]):
        return "the log of a task is written by ags-tui alone"
    return ""


def contract_file(facts: Facts, ground: Ground) -> bool:
    """Whether a path is a file that agents write in the session's own task folder."""
    if ground.task_folder is None:
        return False
    try:
        folder = ground.real(ground.task_folder)
    except (OSError, ValueError, RuntimeError):
        return False
    below = relative(facts.real, folder, False)
    if not below:
        return False
    from ags_tui.core.layout import place_of  # only what lies there pays for it

    place = place_of(below)
    return place is not None and place.kind in _WRITABLE_KINDS


def harmless(facts: Facts, access: Access) -> bool:
    """Whether a path outside of the tree may be read, or written, by anyone: system files, ``/dev/null``."""
    if access == "write":
        return facts.lexical in _HARMLESS_WRITES
    same = facts.real.startswith(_HARMLESS_READS) and facts.lexical.startswith(_HARMLESS_READS)
    return same or facts.lexical in _HARMLESS_FILES


def candidates(text: str) -> Iterator[str]:
    """Every part of an argument that may be a path: ``--out=x``, ``-ox``, ``@x``, ``a:b``, ``file://x``."""
    yield text
    if text.startswith("-") and len(text) > 2 and not text.startswith("--"):
        yield text[2:]
    import re

    for cut in re.split(r"[=:,@]", text)[1:]:
        if cut:
            yield cut
    if "://" in text:
        yield text.partition("://")[2]


def any_protected(
    shapes: Iterable[str], cwds: Iterable[str], access: Access, ground: Ground, *, whole: bool
) -> tuple[str, str]:
    """The first argument that names something protected, and why; two empty texts for none."""
    folders = tuple(cwds)
    for shape in shapes:
        for text in dict.fromkeys(candidates(shape)):
            for cwd in folders:
                facts = facts_of(text, text, cwd, ground)
                reason = protected(facts, access, ground, whole=whole)
                if reason:
                    return text, reason
    return "", ""
