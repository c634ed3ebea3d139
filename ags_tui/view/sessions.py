"""Sessions of agents' clients: who asks, what it does now, what it touched, and what its calls got."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType

from ags_tui.core.activity import ALARM, APPLIED, ENDED, FAILED, STOP, UNGATED, VERDICT, ActivityLine
from ags_tui.core.assessment import Pending
from ags_tui.core.session_calls import (
    NONE_AWAY,
    PUT_AWAY,
    Away,
    Call,
    SessionSeen,
    calls_of,
    calls_seen,
    touched,
)
from ags_tui.core.wording import counted
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, blank, fitted, heading, middle, paragraph, spread
from ags_tui.view.text import Line, Span, age, clip_line, line_len, printable

LIVE = timedelta(minutes=30)
"""How long after its last event a session still counts as going on."""
SHORT_ID = 8
"""Characters of a session's id that are shown."""
MOST_CALLS = 300
"""Most calls in the list."""

_ROOMY = 70
"""Cells from which on who decided stands beside a call, not below it."""

CALL_KEY = "call:"
"""How keys of call rows begin."""

_SOURCES: Mapping[str, str] = MappingProxyType({
    "built-in": "built in", "plan": "the approved plan", "human": "human", "timeout": "nobody in time",
    "absent": "nobody here", "withdrawn": "taken back", "failure": "could not be asked",
    "remembered": "remembered rule", "user": "your rule", "repository": "repository rule",
})  # fmt: skip

_STATES: Mapping[str, tuple[str, str, str]] = MappingProxyType({
    "allow": ("ok", "ok", "allowed"), "deny": ("fail", "error", "denied"),
    "ask": ("need", "accent", "asks you"),
    "defer": ("arrow", "muted", "its own prompt"), "ungated": ("fail", "error", "PAST THE GATE"),
    PUT_AWAY: ("none", "muted", "past the gate, put away"),
})  # fmt: skip


def short_id(session: str) -> str:
    """Name a session in a few characters."""
    return printable(session[:SHORT_ID])


def name_of(seen: SessionSeen) -> str:
    """Name the client of a session with its model, inert."""
    record = seen.record
    agent = record.agent or next((line.agent for line in reversed(seen.lines) if line.agent), "an agent")
    return printable(f"{agent} {record.model}".strip())


def last_at(seen: SessionSeen) -> datetime | None:
    """When a session did something last."""
    if seen.last is not None:
        return seen.last.at
    try:
        began = datetime.fromisoformat(seen.record.started_at)
    except ValueError:
        return None
    return began if began.tzinfo is not None else None


def is_live(seen: SessionSeen, now: datetime) -> bool:
    """Whether a session seems to go on: it has not ended, and did something not long ago."""
    at = last_at(seen)
    return not seen.record.ended_at and at is not None and now - at < LIVE


# -- heartbeat ---------------------------------------------------------------------------------------


def heartbeats(
    sessions: Iterable[SessionSeen], heard: Mapping[str, datetime], now: datetime, away: Away = NONE_AWAY
) -> tuple[tuple[str, timedelta, bool], ...]:
    """Give for each client that asked lately its name, how long ago, and whether that call passed the gate.

    Args:
        sessions: All sessions.
        heard: When hooks asked here last, by agent.
        now: Now.
        away: Calls past the gate that a human put away: they do not speak for their agent any more.
    """
    newest: dict[str, tuple[datetime, bool]] = {agent: (at, True) for agent, at in heard.items()}
    for seen in sessions:
        call = next((one for one in calls_seen(seen, away) if one.state != PUT_AWAY), None)
        if call is None:
            continue
        agent = seen.record.agent or call.asked.agent or "an agent"
        at = max(line.at for line in seen.lines if line.call_id == call.call_id)
        known = newest.get(agent)
        if known is None or at >= known[0] or call.state == "ungated":
            newest[agent] = (at if known is None else max(at, known[0]), call.state != "ungated")
    found = [(agent, now - at, gated) for agent, (at, gated) in newest.items() if now - at < LIVE]
    return tuple(sorted(found, key=lambda one: one[1]))


def heartbeat_spans(beats: Sequence[tuple[str, timedelta, bool]], room: int, glyphs: Glyphs) -> Line:
    """Draw the heartbeats into so many cells, in the longest form that fits; nothing where none does.

    Args:
        beats: From :func:`heartbeats`.
        room: Cells.
        glyphs: Symbols.
    """
    for form in (_long_beat, _beat, _short_beat):
        spans: list[Span] = []
        for agent, since, gated in beats:
            spans += form(printable(agent), age(since), gated, glyphs)
        if spans and line_len(tuple(spans)) <= room:
            return tuple(spans)
    return ()


def _long_beat(agent: str, since: str, gated: bool, glyphs: Glyphs) -> list[Span]:
    word = Span("gated", "muted") if gated else Span(f"{glyphs.fail} not gated", "error")
    return [Span(f"{agent}: last call {since} ago, ", "muted"), word, Span("   ")]


def _beat(agent: str, since: str, gated: bool, glyphs: Glyphs) -> list[Span]:
    if not gated:
        return [Span(f"{agent} {since} ", "muted"), Span(f"{glyphs.fail} not gated", "error"), Span("  ")]
    return [Span(f"{agent} {since} gated  ", "muted")]


def _short_beat(agent: str, since: str, gated: bool, glyphs: Glyphs) -> list[Span]:
    word = Span(f"{agent} {since}", "muted") if gated else Span(f"{glyphs.fail} {agent} not gated", "error")
    return [word, Span("  ")]


# -- sessions ----------------------------------------------------------------------------------------


def session_rows(
    sessions: Sequence[SessionSeen],
    pending: Iterable[Pending],
    width: int,
    glyphs: Glyphs,
    *,
    now: datetime,
    top: str = "",
    away: Away = NONE_AWAY,
) -> tuple[Row, ...]:
    """Make the rows that say who works in a task: client, session, folder, what it does now, what it touched.

    Args:
        sessions: Sessions of the task.
        pending: What waits in the task; counted by session.
        width: Cells of a line.
        glyphs: Symbols.
        now: For ages.
        top: Top of the work tree, left out of folders.
        away: Calls past the gate that a human put away.
    """
    if not sessions:
        return ()
    items = tuple(pending)
    live = sum(is_live(seen, now) for seen in sessions)
    rows = [
        heading("sessions", Span("SESSIONS", "title"), Span(f"  {live} of {len(sessions)} active", "muted"))
    ]
    for seen in sessions:
        told = doing(seen, away)
        rows += _session(seen, _waiting(seen, items), width, glyphs, now=now, top=top, told=told)
    return (*fitted(rows, width), blank("sessions:end"))


def _waiting(seen: SessionSeen, items: Iterable[Pending]) -> int:
    """Count the requests of a session among what waits."""
    calls = (call for call in calls_of(seen.lines) if call.state == "ask")
    asked = {name for call in calls for name in call.asked.request.split()}
    return sum(item.item_id in asked for item in items)


def _session(
    seen: SessionSeen, waits: int, width: int, glyphs: Glyphs, *, now: datetime, top: str, told: Line
) -> Iterator[Row]:
    key, record = f"session:{seen.record.session}", seen.record
    live = is_live(seen, now)
    place = _place(record.cwd, top)
    left: Line = (
        Span(f"{glyphs.active if live else glyphs.none} ", "accent" if live else "muted"),
        Span(name_of(seen)),
        Span(f"  {short_id(record.session)}{f'  in {place}' if place else ''}", "muted"),
    )
    right: Line = (
        (Span(f"{counted(waits, 'call')} wait{'s' if waits == 1 else ''}", "warn"),) if waits else ()
    )
    at = last_at(seen)
    since = "" if at is None else f"{age(now - at)} ago"
    lines = [spread(left, right, width)]
    lines.append(spread((Span("  "), *told), (Span(since, "muted"),), width))
    paths = touched(seen)
    if paths:
        names = ", ".join(middle(printable(_inside(path, top)), 40, glyphs.more) for path in paths[:4])
        more = f" and {len(paths) - 4} more" if len(paths) > 4 else ""
        lines.append(clip_line((Span(f"  touched {names}{more}", "muted"),), width))
    yield Row(key, tuple(lines), selectable=False)


def doing(seen: SessionSeen, away: Away = NONE_AWAY) -> Line:
    """Say what a session does now: its last event in words; what was put away is not loud."""
    if seen.record.ended_at:
        return (Span("has ended", "muted"),)
    line = seen.last
    if line is None:
        return (Span("has called no tool yet", "muted"),)
    told = _event(line)
    looked_at = line.event == UNGATED and (line.task or seen.record.task, line.call_id) in away
    return tuple(Span(span.text, "muted") for span in told) if looked_at else told


def _event(line: ActivityLine) -> Line:
    what = f" {printable(line.command or ' '.join(line.paths))}"
    name = printable(line.name)
    if line.event == VERDICT:
        word, style = {
            "allow": ("runs ", ""), "deny": ("was denied ", "error"), "ask": ("waits for you: ", "accent"),
            "defer": ("asks at its own prompt: ", "muted"),
        }.get(line.decision, ("", ""))  # fmt: skip
        return (Span(word, style), Span(name), Span(what, "muted"))
    if line.event in (APPLIED, ENDED):
        return (Span("thinks; last "), Span(name), Span(what, "muted"))
    if line.event == FAILED:
        return (Span("failed: ", "warn"), Span(name), Span(what, "muted"))
    if line.event == UNGATED:
        return (Span("ran past the gate: ", "error"), Span(name), Span(what, "muted"))
    if line.event == STOP:
        held = line.decision == "deny"
        text = "was held at the end of its turn" if held else "ended its turn"
        return (Span(text, "warn" if held else "muted"), Span(f"  {printable(line.reason)}", "muted"))
    if line.event == ALARM:
        return (Span("its settings were changed", "error"),)
    return (Span(printable(line.event), "muted"),)


def _place(cwd: str, top: str) -> str:
    inside = _inside(cwd, top)
    return "" if inside in ("", ".") else printable(inside)


def _inside(path: str, top: str) -> str:
    """A path without the top of the work tree before it."""
    if top and path == top:
        return "."
    return path[len(top) + 1 :] if top and path.startswith(f"{top}/") else path


# -- calls -------------------------------------------------------------------------------------------


def call_key(call: Call) -> str:
    """Give the identity of a call row."""
    return f"{CALL_KEY}{call.session}/{call.call_id}"


def call_of_key(sessions: Iterable[SessionSeen], key: str, away: Away = NONE_AWAY) -> Call | None:
    """Find the call of a row."""
    calls = (call for seen in sessions for call in calls_seen(seen, away))
    return next((call for call in calls if call_key(call) == key), None)


def call_rows(
    sessions: Sequence[SessionSeen],
    width: int,
    glyphs: Glyphs,
    *,
    now: datetime,
    top: str = "",
    away: Away = NONE_AWAY,
) -> tuple[Row, ...]:
    """Make the rows of the last calls of some sessions, newest first.

    Args:
        sessions: The sessions.
        width: Cells of a line.
        glyphs: Symbols.
        now: For ages.
        top: Top of the work tree, left out of paths.
        away: Calls past the gate that a human put away.
    """
    calls = [call for seen in sessions for call in calls_seen(seen, away)]
    calls.sort(key=lambda call: call.at, reverse=True)
    several = len(sessions) > 1
    words = _summary(calls)
    rows = [heading("calls", Span("CALLS", "title"), Span(f"  {words}" if words else "", "muted"))]
    rows += [_call_row(call, width, glyphs, now=now, top=top, several=several) for call in calls[:MOST_CALLS]]
    if not calls:
        text = (
            "No call of an agent has come through the hooks of its client yet. ags-tui run claude-code "
            "starts one with its hooks; ags-tui connect sets them up for good."
        )
        rows.append(paragraph("calls:none", text, width, style="muted"))
    return fitted(rows, width)


def _summary(calls: Sequence[Call]) -> str:
    words = (
        ("allow", "allowed"), ("deny", "denied"), ("ask", "asking"), ("ungated", "past the gate"),
        (PUT_AWAY, "put away"),
    )  # fmt: skip
    counts = {state: sum(call.state == state for call in calls) for state, _ in words}
    return ", ".join(f"{counts[state]} {word}" for state, word in words if counts[state])


def _call_row(call: Call, width: int, glyphs: Glyphs, *, now: datetime, top: str, several: bool) -> Row:
    """Draw a call: what it got, what it is, how old; who decided and why, beside it where there is room."""
    glyph, style, word = _STATES.get(call.state, ("unknown", "warn", call.state))
    source, since, short = provenance(call), age(now - call.at), width < _ROOMY
    who = f"{short_id(call.session)}  " if several and not short else ""
    what = printable(call.asked.command or " ".join(_inside(path, top) for path in call.asked.paths))
    if call.asked.paths and not call.asked.command:
        what = middle(what, 60, glyphs.more)
    left: Line = (
        Span(f"{getattr(glyphs, glyph)} {word}  ", style), Span(printable(call.asked.name)),
        Span(f"  {what}", "muted"),
    )  # fmt: skip
    beside = "" if short or not source else f"{source} {glyphs.dot} "
    lines = [spread(left, (Span(f"{who}{beside}{since}", "muted"),), width)]
    told = [source] if short else []
    told += [printable(_why(call))] if call.state != "allow" or call.effect == FAILED else []
    below = f" {glyphs.dot} ".join(one for one in told if one)
    if below:
        lines.append(clip_line((Span(f"    {below}", "muted"),), width))
    return Row(call_key(call), tuple(lines))


def provenance(call: Call) -> str:
    """Say who decided a call: a human, a rule, a timeout, what is built in. Inert."""
    word = _SOURCES.get(call.source, call.source)
    rule = call.asked.rule_id if call.source in ("user", "repository", "remembered") else ""
    return printable(f"{word} {rule}".strip())


def _why(call: Call) -> str:
    if call.state in ("ungated", PUT_AWAY):
        return "it happened, and no verdict let it"
    failed = "failed; " if call.effect == FAILED else ""
    return f"{failed}{call.asked.reason}"


def detail_rows(call: Call, width: int, glyphs: Glyphs, now: datetime) -> tuple[Row, ...]:
    """Make the rows of one call in full."""
    asked = call.asked
    _, style, word = _STATES.get(call.state, ("unknown", "warn", call.state))
    fields = (
        ("verdict", word), ("by", provenance(call)), ("rule", asked.rule_id), ("because", asked.reason),
        ("tool", f"{asked.name} ({asked.tool})"), ("command", asked.command),
        ("paths", "\n".join(asked.paths)),
        ("in", asked.cwd), ("risk", asked.risk), ("then", call.effect),
        ("when", f"{age(now - call.at)} ago; answered in {asked.ms} ms"), ("agent", asked.agent),
        ("session", call.session), ("task", asked.task), ("request", asked.request), ("call", call.call_id),
        ("input", asked.input_digest),
    )  # fmt: skip
    return fitted(
        [
            paragraph(
                f"field:{name}",
                f"{name:<9} {text}",
                width,
                style=style if name == "verdict" else "",
                limit=40,
            )
            for name, text in fields
            if text
        ],
        width,
    )
