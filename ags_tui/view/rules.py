"""The rules for tool calls: where each comes from, whether it counts, what a line gets from them."""

from collections.abc import Iterator
from datetime import datetime, tzinfo

from ags_tui.core.policy.calls import RememberedRule, Verdict
from ags_tui.core.policy.model import PolicyFile, Rule
from ags_tui.core.rule_making import LIVES, LOOKED_BACK, Base, Preview, Widening
from ags_tui.core.rules_read import RulesRead, silence
from ags_tui.core.wording import counted
from ags_tui.view.content import Fact, TextDocument, text_lines
from ags_tui.view.facts import BLANK, labelled
from ags_tui.view.facts import heading as title_fact
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, blank, fitted, heading, paragraph, spread
from ags_tui.view.text import Line, Span, age, printable

REMEMBERED, FILE = "rule:", "file:"
"""How keys of rows begin: a remembered rule, a policy file."""

_NAMES = {"user": "YOUR FILE", "repository": "REPOSITORY FILE"}

STYLES = {"allow": "ok", "ask": "warn", "deny": "error"}
"""Style of each decision."""

BUILT_IN = (
    ("allow", "tools that only read, and a closed list of commands and options that only read"),
    ("allow", "edits inside a plan that a human approved, and contract files of the session's own task"),
    (
        "ask",
        "always, whatever a rule says: force push, rewritten history, deleting outside, publish, deploy",
    ),
    (
        "ask",
        "other edits, package installs, writes to the network, permissions, unknown tools, lines in doubt",
    ),
    ("deny", "what the plan excludes; policy, logs, keys and state of ags-tui; hooks of agents and of git"),
    ("deny", "driving the terminal, ags-tui itself but for what an agent may ask, interactive shells"),
)
"""What is built in, in short; ``ags-tui policy test`` says it of one line in full."""


def rules_rows(
    rules: RulesRead, width: int, glyphs: Glyphs, *, now: datetime, zone: tzinfo
) -> tuple[Row, ...]:
    """Make the rows of all rules: remembered ones, both files, what is built in.

    Args:
        rules: All rules.
        width: Cells of a line.
        glyphs: Symbols.
        now: For ends and ages.
        zone: Zone of the times that are shown.
    """
    rows = [*_remembered_rows(rules, width, glyphs, now, zone), blank("gap:1")]
    for source in _NAMES:
        rows += [*_file_rows(rules, source, width, glyphs, now), blank(f"gap:{source}")]
    rows.append(
        heading("built-in", Span("BUILT IN", "title"), Span("  denials win, then asks, then allows", "muted"))
    )
    for index, (decision, text) in enumerate(BUILT_IN):
        body = paragraph("", text, width - 8)
        first, *rest = body.lines
        lines = (
            (Span(f"  {decision:<6}", STYLES[decision]), *first),
            *((Span(" " * 8), *one) for one in rest),
        )
        rows.append(Row(f"built-in:{index}", tuple(lines), selectable=False))
    return fitted(rows, width)


def _remembered_rows(
    rules: RulesRead, width: int, glyphs: Glyphs, now: datetime, zone: tzinfo
) -> Iterator[Row]:
    count = f"  {len(rules.remembered)}" if rules.remembered else ""
    yield heading("remembered", Span("REMEMBERED", "title"), Span(count, "muted"))
    if rules.trouble:
        text = f"{glyphs.fail} {rules.trouble}; nothing remembered or trusted counts"
        yield paragraph("trouble", text, width, style="error")
    elif not rules.remembered:
        text = "None. From the decision on an agent's call, Ctrl+R makes one of exactly that call."
        yield paragraph("remembered:none", text, width, style="muted")
    for one in rules.remembered:
        left = (Span("  "), *_rule_spans(one.rule)[:-1])
        until = one.expires.astimezone(zone).strftime("%m-%d %H:%M")
        right: Line = (Span(f"ends in {age(one.expires - now)} ({until})", "muted"),)
        where = f"in {one.cwd}" if one.cwd else "in every folder"
        who = f"for {one.agent}" if one.agent else "for every agent"
        more = f"    {where}, {who}, made {age(now - one.made_at)} ago, {one.rule.rule_id}"
        yield Row(
            f"{REMEMBERED}{one.rule.rule_id}", (spread(left, right, width), (Span(printable(more), "muted"),))
        )


def _file_rows(rules: RulesRead, source: str, width: int, glyphs: Glyphs, now: datetime) -> Iterator[Row]:
    file, name = rules.file(source), _NAMES[source]
    path = rules.user_path if source == "user" else rules.repository_path
    state = _file_state(rules, source, file, glyphs)
    yield Row(
        f"{FILE}{source}",
        (spread((Span(name, "title"),), (state,), width), (Span(f"  {printable(path)}", "muted"),)),
        selectable=source == "repository" and file is not None,
    )
    if file is None:
        return
    for index, problem in enumerate((*file.problems, *(one for own, one in rules.failing if own == source))):
        line = f"line {problem.line}: " if problem.line else ""
        text = f"{glyphs.fail} {line}{problem.message}"
        yield paragraph(f"{source}:problem:{index}", text, width, style="error", limit=3)
    for rule in file.rules:
        why = silence(rules, source, rule, now)
        right: Line = (
            (Span(f"does not count: {why}", "warn"),) if why else (Span(printable(rule.reason), "muted"),)
        )
        yield Row(
            f"{source}:{rule.rule_id}",
            (spread((Span("  "), *_rule_spans(rule, quiet=bool(why))), right, width),),
            selectable=False,
        )


def _file_state(rules: RulesRead, source: str, file: PolicyFile | None, glyphs: Glyphs) -> Span:
    if file is None:
        return Span("there is none", "muted")
    if file.problems:
        return Span(f"{glyphs.fail} broken: only its denials count, everything else asks", "error")
    if source == "user":
        return Span(f"{glyphs.ok} counts", "ok")
    if rules.trusted:
        return Span(f"{glyphs.ok} trusted; Enter takes that back", "ok")
    return Span(f"{glyphs.warn} not trusted: its allows do not count; Enter reads it", "warn")


def _rule_spans(rule: Rule, *, quiet: bool = False) -> Line:
    parts = [rule.command or "", " ".join(rule.paths or ()), f"risk up to {rule.risk_at_most}"]
    if rule.risk_at_most is None:
        parts.pop()
    what = "  ".join(part for part in parts if part) or "everything"
    return (
        Span(f"{rule.decision:<6}", "muted" if quiet else STYLES[rule.decision]),
        Span(printable(f"{rule.tool}  {what}")),
        Span(printable(f"  {rule.rule_id}"), "muted"),
    )


def verdict_rows(line: str, verdict: Verdict, width: int) -> tuple[Row, ...]:
    """Make the rows of what a line gets, part by part."""
    rows = [
        heading("tried", Span("TRIED  ", "title"), Span(printable(line))),
        Row(
            "tried:verdict",
            (
                spread(
                    (Span(f"  {verdict.decision}", STYLES[verdict.decision]),),
                    (Span(f"risk {verdict.risk}", f"risk-{verdict.risk}"),),
                    width,
                ),
            ),
            selectable=False,
        ),
        paragraph("tried:reason", verdict.reason, width, style="muted", indent=2, limit=3),
    ]
    for index, part in enumerate(verdict.parts):
        by = f"{part.source}: {part.rule_id}" if part.rule_id else part.source
        left = (
            Span(f"    {part.decision:<6}", STYLES[part.decision]),
            Span(printable(part.what)),
            Span(f"  {printable(part.reason)}", "muted"),
        )
        rows.append(
            Row(f"tried:{index}", (spread(left, (Span(printable(by), "muted"),), width),), selectable=False)
        )
    rows.append(blank("tried:end"))
    return fitted(rows, width)


# -- trust -------------------------------------------------------------------------------------------


def trust_document(rules: RulesRead, glyphs: Glyphs) -> TextDocument:
    """The repository's policy file whole, with what trusting it means."""
    facts = [
        Fact((Span("Its allow rules count from then on, as long as not one byte of it changes.", "muted"),)),
        Fact((Span("Its ask and deny rules count already.", "muted"),)),
        BLANK,
        *labelled("file", rules.repository_path),
        *labelled("digest", "" if rules.repository is None else rules.repository.digest),
    ]
    failing = [problem for source, problem in rules.failing if source == "repository"]
    for problem in failing:
        facts += [Fact(line, glyphs.fail, 2, "error") for line in text_lines(problem.message, "error")]
    facts.append(BLANK)
    text = rules.repository_text.decode("utf-8", "surrogateescape")
    for number, line in enumerate(text_lines(text), 1):
        facts.append(Fact(line, f"{number:>4}", 6))
    return TextDocument(facts)


# -- remembering -------------------------------------------------------------------------------------


def remember_document(
    base: Base,
    chosen: Widening,
    rule: RememberedRule | None,
    preview: Preview | None,
    *,
    problem: str = "",
) -> TextDocument:
    """The rule that is about to be made, in words, with what it does and would have done.

    Args:
        base: The call that it is made from.
        chosen: How it was widened.
        rule: The rule; None where none can be made.
        preview: What it would have done; None while it is looked up.
        problem: Why there is no rule or preview.
    """
    target = base.targets[chosen.target]
    facts = [title_fact("THE CALL"), *labelled("asks for", base.call.command or target.what, "title")]
    facts += labelled("in", base.call.cwd)
    facts += labelled("by", base.call.agent or "an agent")
    facts += [BLANK, title_fact("THE RULE")]
    if len(base.targets) > 1:
        text = f"{chosen.target + 1} of {len(base.targets)} that ask: {target.what}"
        facts += labelled("about part", text)
    if rule is None:
        facts += labelled("none", problem, "error")
        return TextDocument(facts)
    facts += _rule_facts(rule, chosen)
    facts += [BLANK, title_fact("WHAT IT DOES")]
    if problem:
        facts += labelled("unknown", problem, "error")
    elif preview is None:
        facts += labelled("", "looking through the past 30 days…", "muted")
    else:
        facts += _preview_facts(preview)
    return TextDocument(facts)


def _rule_facts(rule: RememberedRule, chosen: Widening) -> Iterator[Fact]:
    own = rule.rule
    if own.command is not None and own.tool in ("shell", "run_tests"):
        yield from labelled("allows command", own.command, "title")
    elif own.command is not None:
        yield from labelled("allows tool", f"{own.command}, whatever is given to it", "title")
    if own.paths is not None:
        verb = {"edit_file": "allows edits of", "read_file": "allows reading"}.get(own.tool, "allows files")
        yield from labelled(verb, "\n".join(own.paths), "title")
    yield from labelled("in", rule.cwd or "every folder", "" if rule.cwd else "warn")
    yield from labelled("for", rule.agent or "every agent", "" if rule.agent else "warn")
    yield from labelled("risk up to", own.risk_at_most or "any")
    yield from labelled("ends after", life_words(chosen.life))


def life_words(life: int) -> str:
    """Name a life of a rule."""
    hours = int(LIVES[life].total_seconds() // 3600)
    return counted(hours // 24, "day") if hours >= 48 else counted(hours, "hour")


def _preview_facts(preview: Preview) -> Iterator[Fact]:
    verdict = preview.verdict
    if verdict.decision == "allow":
        yield from labelled("this call", "is allowed with it, at once", "ok")
    else:
        yield from labelled("this call", f"still gets {verdict.decision}: {verdict.reason}", "warn")
    days = LOOKED_BACK.days
    many = f"{'more than ' if preview.cut else ''}{counted(preview.looked_at, 'call')}"
    seen = f"of {many} in the past {days} days"
    if not preview.looked_at:
        yield from labelled("would match", f"nothing: there was no call in the past {days} days")
        return
    parts = [f"{preview.matched} {seen}"]
    if preview.approved:
        parts.append(f"{preview.approved} of them you let run")
    yield from labelled("would match", "; ".join(parts), "warn" if preview.denied else "")
    if preview.denied:
        yield from labelled("of these denied", f"{preview.denied}: the rule would have let them run", "error")
    for index, example in enumerate(preview.examples):
        yield from labelled("" if index else "such as", example, "muted")


def remember_keys(base: Base, chosen: Widening) -> str:
    """The keys that change the rule; our own words."""
    target = base.targets[chosen.target]
    words = ["Esc back"]
    if target.steps:
        words.append(f"+/- width {chosen.steps}/{target.steps}")
    words += ["f folder", "a agent", f"h {life_words(chosen.life)}"]
    if len(base.targets) > 1:
        words.append("[ ] part")
    return "  ".join(words)
