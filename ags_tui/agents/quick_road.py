"""The hook's process: bytes in, one verdict out, as quickly as Python starts. ``hook`` starts it.

With a TUI open it hands the bytes to the decision server over a socket and writes what comes back. Without
one it enables the installed packages and judges in ``agents.slow_road``. Whatever goes wrong on either road
is a denial in the client's own form: JSON on stdout, exit code 2 and a reason on stderr, because clients let
a call through when a hook crashes.

Nothing is imported here but what is built in and, guarded, ``_socket``: every tool call pays for it. Nothing
is read from the environment but ``AGS_TASK``, which the server checks.
"""

import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from _socket import socket as Socket
else:
    import _signal

WIRE = b"AGS1"
"""First word of each message; equal to ``wire.WIRE``, as the two bounds are."""
MAX_PAYLOAD = 64 * 1024 * 1024
MAX_REPLY = 16 * 1024 * 1024
DEADLINE_S = 3_300.0
"""How long a call may wait for its verdict; shorter than the time limit that ``connect`` gives the client."""

AGENTS = ("claude-code", "codex", "gemini")
STOPS = ("Stop", "SubagentStop", "AfterAgent")
"""Events at which the agent wants to end its turn."""
AFTERWARDS = (
    "PostToolUse", "PostToolUseFailure", "PostToolBatch", "AfterTool", "SessionStart", "SessionEnd",
    "Notification", "PreCompact", "PostCompact", "PreCompress", "SubagentStart", "Interrupt",
)  # fmt: skip
"""Events at which nothing can be held: a denial there would only hide a result from the model."""

OPTIONS = ("--state", "--config", "--deadline", "--event", "--sockets")
"""All take a value. ``--event`` is the client's name of the event; tests alone name a folder of sockets."""

_TYPE, _FOLDER, _FILE, _SOCKET = 0o170000, 0o040000, 0o100000, 0o140000
_OTHERS = 0o077
_CHECK_S = 1.0
_READ = 1 << 18
_LONGEST_HEAD = 64
_lost: set[int] = set()
_stdout = [1]

Answer = tuple[int, bytes, bytes]
"""Exit code, stdout, stderr."""


class NoVerdict(Exception):
    """The server gave no verdict. ``code``: ``absent``, ``stale``, ``unsound`` or ``no-verdict``."""

    def __init__(self, code: str, text: str) -> None:
        """Keep what ``agents.offline`` and the reader of stderr are told."""
        super().__init__(text)
        self.code = code


class Refused(Exception):
    """The call is denied here; the text says why."""


def main(words: list[str]) -> None:
    """Answer one call and end the process.

    Args:
        words: The agent, then options; unknown ones are for ``agents.offline``.
    """
    agent, event, payload = words[0] if words else "", "", b""
    try:
        _open_all()
        options = _options(words)
        event, seconds = options.get("--event", ""), _deadline(options)
        _watch(agent, event, seconds or DEADLINE_S)
        payload = _read_all()  # always first, and whole
        if agent not in AGENTS:
            raise Refused("usage: ags-tui hook claude-code|codex|gemini [--state DIR] [--config DIR]")
        if not seconds:
            raise Refused("--deadline wants a positive number of seconds")
        answer = _judged(agent, payload, options, words[1:])
    except Refused as error:
        answer = denial(agent, event, payload, str(error))
    except BaseException as error:  # noqa: BLE001 (a crash would let the call through)
        answer = denial(agent, event, payload, f"ags-tui failed ({type(error).__name__}: {error})")
    _finish(agent, answer)


def denial(agent: str, event: str, payload: bytes, reason: str) -> Answer:
    """Refuse in the client's form, without reading the payload.

    A stop is refused once: with ``stop_hook_active`` the agent goes on only because one was, and a second
    refusal that nobody can lift would keep it going for ever. Text inside a JSON string cannot look like that
    key, for its quotes are escaped there.

    Args:
        agent: ``claude-code``, ``codex`` or ``gemini``; others get exit code 2 and the reason on stderr.
        event: The client's name of the event; empty where it is not known: a tool call is assumed.
        payload: What the client wrote.
        reason: Why; anything but plain ASCII is replaced.
    """
    said = "".join(one if " " <= one <= "~" and one not in '"\\' else "?" for one in reason[:600])
    said = said or "ags-tui could not judge this call"
    told = f"{said}\n".encode("ascii")
    again = b'"stop_hook_active":true' in payload or b'"stop_hook_active": true' in payload
    if event in AFTERWARDS or (event in STOPS and again):
        return 0, b"", told
    code = 2
    if agent == "gemini":
        form = f'{{"decision":"deny","reason":"{said}"}}'
    elif agent not in AGENTS:
        form = ""
    elif event == "PermissionRequest":
        # Claude Code ignores exit code 2 here and reads the document; Codex reads either.
        code = 0 if agent == "claude-code" else 2
        decision = f'"decision":{{"behavior":"deny","message":"{said}"}}'
        form = f'{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest",{decision}}}}}'
    elif event in ("", "PreToolUse"):
        decision = f'"permissionDecision":"deny","permissionDecisionReason":"{said}"'
        form = f'{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{decision}}}}}'
    else:
        form = f'{{"decision":"block","reason":"{said}"}}'
    return code, f"{form}\n".encode("ascii") if form else b"", told


def _open_all() -> None:
    """Fill closed standard descriptors, lest a socket becomes "stdout"."""
    for descriptor in (0, 1, 2):
        try:
            posix.fstat(descriptor)
        except OSError:
            _lost.add(descriptor)
            posix.open("/dev/null", posix.O_RDWR)  # the lowest free number is this one


def _options(words: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, word in enumerate(words[1:], 2):
        name, equals, value = word.partition("=")
        if name in OPTIONS:
            found[name] = value if equals else "".join(words[number : number + 1])
    return found


def _deadline(options: dict[str, str]) -> float:
    """Seconds; 0 where no sense can be made of them."""
    try:
        seconds = float(options.get("--deadline", DEADLINE_S))
    except ValueError:
        seconds = 0.0
    return seconds if 0 < seconds <= 1_000_000 else 0.0


def _watch(agent: str, event: str, seconds: float) -> None:
    """Look once a second whether the client is gone or the deadline is over; SIGINT is a denial too.

    The handler ends the process itself: an exception could come to code that swallows it.
    """
    parent, end = posix.getppid(), time.monotonic() + seconds

    def look(number: int, _frame: object) -> None:
        if number == _signal.SIGINT:
            _finish(agent, denial(agent, event, b"", "ags-tui was interrupted before there was a verdict"))
        if posix.getppid() != parent:
            posix._exit(2)  # pyright: ignore[reportPrivateUsage]
        if time.monotonic() >= end:
            _finish(agent, denial(agent, event, b"", f"nobody decided within {seconds:g} s, so it is denied"))

    _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, look)
    _signal.signal(_signal.SIGALRM, look)
    _signal.setitimer(_signal.ITIMER_REAL, min(_CHECK_S, seconds), min(_CHECK_S, seconds))


def _read_all() -> bytes:
    """Read stdin to its end, also what is too long: a client whose write fails goes its own way."""
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            part = posix.read(0, _READ)
        except BlockingIOError:
            posix.set_blocking(0, True)
            continue
        if not part:
            break
        size += len(part)
        if size <= MAX_PAYLOAD:
            parts.append(part)
        else:
            parts.clear()
    if not size:
        raise Refused("the client wrote nothing to ags-tui hook, so there is nothing to allow")
    if size > MAX_PAYLOAD:
        raise Refused(f"the call is longer than {MAX_PAYLOAD} bytes, more than ags-tui reads")
    return b"".join(parts)


def _judged(agent: str, payload: bytes, options: dict[str, str], words: list[str]) -> Answer:
    """Ask the server of the work tree that we stand in; where there is none, judge in this process."""
    try:
        tree = tree_of(posix.getcwdb())
    except OSError:
        tree = ""  # deleted, or not to be looked into
    try:
        return _ask(tree, agent, payload, options)
    except NoVerdict as error:
        missing = error
    if sys.flags.no_site:
        # our own package comes before one of that name elsewhere
        sys.path.append(__file__.rpartition("/ags_tui/agents/")[0])
    if missing.code in ("absent", "stale"):
        from ags_tui.agents.known_verdict import known

        if (given := known(tree, agent, payload, options.get("--state", ""))) is not None:
            return given
    _keep_stdout()
    _enable_packages()
    from ags_tui.agents import slow_road

    if missing.code == "absent":
        # some clients start hooks elsewhere, and an agent does not leave its gate by changing the folder
        other = slow_road.tree_of(agent, payload, options.get("--state"), options.get("--config"))
        try:
            return _ask("" if other == tree else other, agent, payload, options)
        except NoVerdict as error:
            missing = error
    return slow_road.judged(agent, payload, missing.code, str(missing), words)


def _keep_stdout() -> None:
    """Keep the real stdout for the answer alone: what packages print goes to stderr."""
    if 1 not in _lost:
        _stdout[0] = posix.dup(1)
        posix.dup2(2, 1)


def _enable_packages() -> None:
    if sys.flags.no_site:
        import site

        site.main()


def tree_of(folder: bytes) -> str:
    """Name the work tree that holds a folder by device and inode; empty where there is none.

    Raises:
        OSError: A folder on the way up cannot be looked into.
    """
    folder = folder.rstrip(b"/")
    while True:
        try:
            kind = posix.stat(folder + b"/.git").st_mode & _TYPE
        except (FileNotFoundError, NotADirectoryError):
            kind = 0
        if kind in (_FOLDER, _FILE):
            facts = posix.stat(folder or b"/")
            return f"{facts.st_dev}-{facts.st_ino}"
        if b"/" not in folder:
            return ""
        folder = folder.rpartition(b"/")[0]


def _ask(tree: str, agent: str, payload: bytes, options: dict[str, str]) -> Answer:
    import _socket

    if not tree:
        raise NoVerdict("absent", "no work tree")
    user = posix.geteuid()
    given = options.get("--sockets")
    worst = NoVerdict("absent", "no TUI is open on this work tree")
    for folder in (given,) if given else folders(user):
        place = f"{folder}/{tree}.sock"
        try:
            if not _sound(folder, place, user):
                continue
            server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            server.connect(place)
        except NoVerdict as error:
            worst = error
        except ConnectionRefusedError:
            worst = worst if worst.code == "unsound" else NoVerdict("stale", f"nobody listens at {place}")
        except OSError as error:
            worst = NoVerdict("unsound", f"{place}: {error}")
        else:
            if _peer(server) == user:
                return _exchange(server, _head(agent, payload, options) + payload)
            worst = NoVerdict("unsound", f"{place} is served by another user")
    raise worst


def folders(user: int) -> tuple[str, str]:
    """Where the sockets of a user may lie; equal to ``sockets.folders``."""
    return f"/run/user/{user}/ags-tui", f"/tmp/ags-tui-{user}"


def _sound(folder: str, place: str, user: int) -> bool:
    """Whether there is a socket, in a folder that only we can enter.

    Raises:
        NoVerdict: Something else lies there.
    """
    for path, kind, name in ((folder, _FOLDER, "folder"), (place, _SOCKET, "socket")):
        try:
            facts = posix.lstat(path)
        except FileNotFoundError:
            return False
        if facts.st_mode & _TYPE != kind:
            raise NoVerdict("unsound", f"{path} is no {name}")
        if facts.st_uid != user:
            raise NoVerdict("unsound", f"{path} belongs to another user")
        if facts.st_mode & _OTHERS:
            raise NoVerdict("unsound", f"{path} is open to other users")
    return True


def _peer(server: "Socket") -> int:
    """User at the other end. Linux: pid, uid, gid; macOS: version, uid, groups; four bytes each."""
    import _socket

    if sys.platform == "linux":
        facts = server.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    else:
        facts = server.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED
    return int.from_bytes(facts[4:8], sys.byteorder)


def _head(agent: str, payload: bytes, options: dict[str, str]) -> bytes:
    """``AGS1 AGENT EVENT LENGTH deadline=SECONDS [task=ID]`` and a line feed."""
    event = options.get("--event", "")
    if not (event.isascii() and event.isalnum() and len(event) <= 64):
        event = "-"
    head = f"{agent} {event} {len(payload)} deadline={int(_deadline(options))}".encode("ascii")
    task = posix.environ.get(b"AGS_TASK", b"")
    if 0 < len(task) <= 128 and task.translate(None, b"._-").isalnum():
        head += b" task=" + task
    return WIRE + b" " + head + b"\n"


def _exchange(server: "Socket", message: bytes) -> Answer:
    """Send the call and wait for the whole reply.

    The sending side stays open: that it ends tells the server that we are gone.
    """
    try:
        server.sendall(message)
        data = b""
        while b"\n" not in data and len(data) < _LONGEST_HEAD and (part := server.recv(_READ)):
            data += part
        head, _, body = data.partition(b"\n")
        words = head.split(b" ")
        if len(words) == 4 and words[0] == WIRE and all(word.isdigit() for word in words[1:]):
            code, out, err = (int(word) for word in words[1:])
            parts, missing = [body], out + err - len(body)
            while code <= 255 and 0 < missing <= MAX_REPLY and (part := server.recv(_READ)):
                parts.append(part)
                missing -= len(part)
            if code <= 255 and not missing:
                body = b"".join(parts)
                return code, body[:out], body[out:]
    except OSError:
        pass
    raise NoVerdict("no-verdict", "the TUI went away or answered what is no verdict")


def _write(descriptor: int, data: bytes) -> bool:
    """Write all of it; False where that cannot be done."""
    if data and descriptor in _lost:
        return False
    while data:
        try:
            data = data[posix.write(descriptor, data) :]
        except BlockingIOError:
            posix.set_blocking(descriptor, True)
        except OSError:
            return False
    return True


def _finish(agent: str, answer: Answer) -> None:
    """Write stdout, then stderr, and end at once.

    An answer that cannot be written is a denial. Codex and Gemini take exit code 2 without a reason for a
    failed hook and go on: where only stdout can be written, its document denies with exit code 0.
    """
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    code, out, err = answer
    written = _write(_stdout[0], out)
    if not written:
        code, err = 2, err or b"ags-tui: the verdict could not be written, so it is a denial\n"
    if not _write(2, err) and code == 2 and written and out and agent != "claude-code":
        code = 0
    posix._exit(code)  # pyright: ignore[reportPrivateUsage]
