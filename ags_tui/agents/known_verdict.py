"""A verdict that was given before, for exactly the same call on exactly the same ground.

``core.policy.decide`` is a function of the call, the rules, the terms and of where paths lead. The slow road
keeps its verdict together with all of that: what the client wrote (but for ids and words), the files that
rules and terms were read from, and each path that was resolved with where it led. Here all of it is compared
again. Whatever is not the same, or not understood, is judged as if nothing were kept. Calls that lean on a
signed decision are never kept.

Every call of a tool without a TUI pays for what is imported here: only what Python has built in.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
import _json
import marshal
import os
import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Answer = tuple[int, bytes, bytes]

FOLDER = "verdicts"
"""Folder of the state directory, with a folder a session."""
VERSION = 1
"""Of the shape of what is kept."""
LARGEST = 65_536
"""Longest payload, and longest kept verdict, bytes."""

_IDS = ("tool_use_id", "prompt_id", "turn_id")
_EVENTS = ("PreToolUse", "BeforeTool")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class _Context:
    """What the scanner of ``_json`` wants to know; keys that come twice are not understood."""

    strict = True
    object_hook = None
    memo: "dict[str, str]" = {}  # noqa: RUF012 (part of the scanner's protocol)

    @staticmethod
    def object_pairs_hook(pairs: "list[tuple[str, Any]]") -> "dict[str, Any]":
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key twice")
        return found

    @staticmethod
    def parse_constant(name: str) -> "Any":  # noqa: ANN401
        raise ValueError(name)

    parse_float = float
    parse_int = int


def known(tree: str, agent: str, payload: bytes, given: str) -> "Answer | None":
    """Answer a call that was judged before; None where it has to be judged.

    Args:
        tree: ``DEV-INO`` of the work tree in which the hook stands, which has no server.
        agent: ``claude-code``, ``codex`` or ``gemini``.
        payload: What the client wrote.
        given: The state folder as the hook's arguments name it; empty where they do not.
    """
    started = time.monotonic()
    try:
        state, task = state_folder(given), os.environ.get("AGS_TASK", "")
        call = read_call(agent, payload, task)
        if call is None:
            return None
        kept = _kept(f"{state}/{FOLDER}/{call[0]}/{call[1]}.json")
        if kept is None or kept["tree"] != tree or not _holds(kept):
            return None
        _write_down(state, call, kept, started)
        code, out, err = kept["reply"]
        return int(code), out.encode("ascii"), err.encode("utf-8")
    except (OSError, ValueError, KeyError, TypeError, StopIteration, RecursionError, AttributeError):
        return None


def state_folder(given: str) -> str:
    """The state folder, as ``io.places`` finds it.

    Args:
        given: As the hook's arguments name it; empty where they do not.
    """
    if given:
        return os.path.abspath(given)
    import pwd

    below = (
        "Library/Application Support/ags-tui/state" if sys.platform == "darwin" else ".local/state/ags-tui"
    )
    return f"{pwd.getpwuid(posix.getuid()).pw_dir}/{below}"


def read_call(agent: str, payload: bytes, task: str) -> "tuple[str, str, str, str] | None":
    """Read what tells one call from another.

    Args:
        agent: Which client.
        payload: What it wrote.
        task: ``AGS_TASK``.

    Returns:
        Session, key, id of the call and of the turn; None where it is not such a call.
    """
    if len(payload) > LARGEST:
        return None
    fields, end = _scan(payload.decode("utf-8").strip(" \t\r\n"))
    if not isinstance(fields, dict) or not end or fields.get("hook_event_name") not in _EVENTS:
        return None
    session = fields.get("session_id")
    if not isinstance(session, str) or not session or session[0] == "." or not _NAME.issuperset(session):
        return None
    ids: dict[str, str] = {}
    for name in (*_IDS, "timestamp"):
        value = fields.pop(name, "")
        if not isinstance(value, str) or len(value) > 256 or not value.isprintable():
            return None
        value.encode("utf-8")
        ids[name] = value
    given = fields.get("tool_input")
    if not isinstance(given, dict) or (not ids["tool_use_id"] and agent != "gemini"):
        return None
    words = given.pop("description", "")
    if not isinstance(words, str):
        return None
    words.encode("utf-8")
    shape = ("tool_use_id" in ids and bool(ids["tool_use_id"]), bool(ids["prompt_id"]), bool(ids["turn_id"]))
    key = _digest(marshal.dumps((VERSION, agent, task, shape, fields), 2))
    return session, key, ids["tool_use_id"], ids["turn_id"] or ids["prompt_id"]


def program() -> "list[list[Any]]":
    """What tells this program from another version of it."""
    from ags_tui.io.stamps import stamp_of

    own = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    rooms = ("core/policy", "core/shell", "agents", "core")
    return stamp_of(
        [f"{own}/__init__.py", *(f"{own}/{room}" for room in rooms), f"{own}/core/policy/decide.py"]
    )


def _scan(text: str) -> "tuple[Any, bool]":
    try:
        value, end = _json.make_scanner(_Context())(text, 0)  # pyright: ignore
    except SystemError as error:
        raise ValueError("not JSON") from error  # it cannot find its own error while json is not imported
    return value, end == len(text)


def _digest(data: bytes) -> str:
    if sys.version_info >= (3, 12):
        import _sha2 as sha
    else:
        import _sha256 as sha
    return str(sha.sha256(data).hexdigest())[:40]


def _kept(path: str) -> "dict[str, Any] | None":
    try:
        descriptor = posix.open(path, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        facts = posix.fstat(descriptor)
        if facts.st_uid != posix.geteuid() or facts.st_mode & 0o022 or facts.st_size > LARGEST * 4:
            return None
        data = posix.read(descriptor, LARGEST * 4)
    finally:
        posix.close(descriptor)
    value, whole = _scan(data.decode("ascii").strip())
    return value if whole and isinstance(value, dict) and value.get("version") == VERSION else None


def _holds(kept: "dict[str, Any]") -> bool:
    """Whether everything is as it was."""
    from ags_tui.io.stamps import stamp_of

    top = kept["top"]
    facts = posix.stat(top)
    if f"{facts.st_dev}-{facts.st_ino}" != kept["tree"]:
        return False
    if any(os.path.realpath(path) != real for path, real in kept["reals"]):
        return False
    if any(os.path.lexists(f"{folder}/.git") for folder in kept["between"]) or not os.path.lexists(
        f"{top}/.git"
    ):
        return False
    if not all(os.path.isdir(path) for path in kept["folders"]) or any(map(os.path.lexists, kept["absent"])):
        return False
    files, folders = kept["files"]
    return stamp_of(files, folders) == kept["stamp"] and program() == kept["program"]


def _write_down(
    state: str, call: "tuple[str, str, str, str]", kept: "dict[str, Any]", started: float
) -> None:
    """Append the line of this verdict to the activity log of its session, as ``io.activity`` does.

    Raises:
        OSError: It is not on disk as a whole: then it has to be judged, which says so.
    """
    folder = f"{state}/activity"
    for path in (state, folder):
        facts = posix.stat(path)
        if facts.st_uid != posix.geteuid() or facts.st_mode & 0o022:
            raise OSError(path)
    now = time.time()
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    call_id = call[2] or f"{kept['callPrefix']}-{posix.urandom(6).hex()}"
    parts = [
        f'{{"at":"{moment}.{int(now % 1 * 1e6):06d}Z"',
        f'"callId":{_json.encode_basestring_ascii(call_id)}',
        *([f'"turn":{_json.encode_basestring_ascii(call[3])}'] if call[3] else []),
        f'"ms":{int((time.monotonic() - started) * 1000)}',
        kept["line"],
    ]
    data = (",".join(parts) + "}\n").encode("ascii")
    flags = posix.O_RDWR | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC
    descriptor = posix.open(f"{folder}/{kept['file']}", flags, 0o600)
    try:
        size = posix.fstat(descriptor).st_size
        if size and posix.pread(descriptor, 1, size - 1) != b"\n":
            data = b"\n" + data
        if posix.write(descriptor, data) != len(data):
            raise OSError("the disk is full")
    finally:
        posix.close(descriptor)
