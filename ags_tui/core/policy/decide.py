"""The verdict on one tool call: the order of precedence of ``formats.md`` §6, for each part and the whole."""

from ags_tui.core.light import Sequence, datetime
from ags_tui.core.policy.calls import Ground, Part, Policies, Terms, ToolCall, Verdict
from ags_tui.core.policy.model import Risk
from ags_tui.core.policy.path_calls import path_subjects
from ags_tui.core.policy.rules import Candidate, Context, allows, allows_inner, broken, in_force, tightens
from ags_tui.core.policy.subjects import Ruling, Step, Subject, built_in, deny, highest

_PATH_TOOLS = ("read_file", "edit_file")
_SHELL_TOOLS = ("shell", "run_tests")

_ALSO = 3
"""Most further parts that a reason names."""

NEEDS, NEXT = "needs a human: ", "; decide in ags-tui"
"""What a sentence that asks begins and ends with."""


def decide(
    call: ToolCall, *, ground: Ground, policies: Policies, terms: Terms | None, now: datetime
) -> Verdict:
    """Say what policy makes of a call.

    1 any denial, 2 what always asks, 3 ``ask`` rules, 4 allows that count, 5 what is built in, 6 ask.

    Args:
        call: the call, before it happens.
        ground: the work tree and the folders around it.
        policies: rules in force.
        terms: the plan in force of the session's task; None where there is none.
        now: the time, aware.

    Returns:
        The verdict; it allows only where every part of the call is allowed and nothing is in doubt.
    """
    subjects = _subjects(call, ground, terms)
    risks: list[Risk] = [one.risk for one in subjects if _counts(one)]
    risk = highest(call.risk, terms.risk if terms else "low", *risks)
    judged = [
        (subject, ruling)
        for subject, ruling in zip(
            subjects, _Rulings(call, ground, policies, now, risk).of(subjects), strict=True
        )
        if _counts(subject) or ruling.step <= Step.ASK_RULE
    ]
    parts = tuple(
        Part(subject.what, ruling.decision, ruling.reason, ruling.source, ruling.rule_id)
        for subject, ruling in judged
    )
    subject, ruling = _lead(judged)
    if ruling.decision == "deny":
        risk = highest(risk, subject.risk)
    reason = _sentence(subject, ruling, _also(judged, subject, ruling))
    return Verdict(ruling.decision, reason, ruling.source, ruling.rule_id, risk, parts)


def _counts(subject: Subject) -> bool:
    """Whether a subject is really part of the call; a suspicion only counts where it is denied or asked."""
    return subject.command is None or not subject.command.guess or subject.ruling.step <= Step.ALWAYS_ASK


def _subjects(call: ToolCall, ground: Ground, terms: Terms | None) -> list[Subject]:
    if call.refuse:
        return [Subject(call.name, deny(call.refuse, "cannot-be-gated"), "high")]
    if call.tool in _SHELL_TOOLS:
        if not (call.command or "").strip():
            return [Subject(call.name, deny("the call names no command", "no-subject"))]
        from ags_tui.core.policy.shell_calls import shell_subjects  # only a shell line pays for reading one

        return shell_subjects(call, ground, terms)
    if call.tool in _PATH_TOOLS:
        if not call.paths and call.tool == "edit_file":
            return [Subject(call.name, deny("the call names no file", "no-subject"))]
        return path_subjects(call, ground, terms)
    what = "a tool that reaches outside" if call.tool == "external_api" else "an unknown tool"
    own = Subject(call.name, built_in("ask", f"{call.name} is {what}, and no rule speaks of it", "tool"))
    named = path_subjects(call, ground, terms)
    return [own, *(one for one in named if one.ruling.decision == "deny")]


class _Rulings:
    """Holds the rules against the subjects of one call."""

    def __init__(self, call: ToolCall, ground: Ground, policies: Policies, now: datetime, risk: Risk) -> None:
        self._context = Context(call, ground, risk)
        self._policies = policies
        found = tuple(in_force(call, policies, now))
        self._denies = [one for one in found if one.rule.decision == "deny"]
        self._asks = [one for one in found if one.rule.decision == "ask"]
        self._allows = [one for one in found if one.rule.decision == "allow"]
        self._failing: frozenset[str] | None = None

    def of(self, subjects: Sequence[Subject]) -> list[Ruling]:
        found = [self._one(subject, subjects) for subject in subjects]
        problems = [source for source, _ in broken(self._policies)]
        if problems:
            reason = f"the {problems[0]} policy file is broken, so everything waits for a human; correct it"
            asked = Ruling(Step.ASK_RULE, "ask", reason, problems[0], "broken-file")
            found = [one if one.step <= Step.ALWAYS_ASK else asked for one in found]
        return found

    def _one(self, subject: Subject, subjects: Sequence[Subject]) -> Ruling:
        if subject.ruling.step == Step.DENY:
            return subject.ruling
        for candidate in self._denies:
            if tightens(candidate.rule, subject, self._context):
                return _of(candidate, Step.DENY)
        if subject.ruling.step == Step.ALWAYS_ASK:
            return subject.ruling
        for candidate in self._asks:
            if tightens(candidate.rule, subject, self._context):
                return _of(candidate, Step.ASK_RULE)
        if subject.ruling.rule_id == "line":
            return subject.ruling
        return self._allowed(subject, subjects) or subject.ruling

    def _allowed(self, subject: Subject, subjects: Sequence[Subject]) -> Ruling | None:
        if not self._allows or (subject.command is not None and subject.command.guess):
            return None
        outer, offset = _outer(subject, subjects)
        for candidate in self._allows:
            inner = outer is not None and allows_inner(candidate.rule, outer, offset, self._context)
            if not inner and not allows(candidate.rule, subject, self._context):
                continue
            if candidate.source in self._failing_sources():
                reason = f"rule {candidate.rule.rule_id} would allow it, but a self-test of its file fails"
                return Ruling(Step.BUILT_IN, "ask", reason, candidate.source, candidate.rule.rule_id)
            return _of(candidate, Step.ALLOW_RULE)
        return None

    def _failing_sources(self) -> frozenset[str]:
        """Sources of which a self-test fails; asked only where an allow would count."""
        if self._failing is None:
            from ags_tui.core.policy.self_tests import failing_sources

            self._failing = failing_sources(self._policies, self._context.ground)
        return self._failing


def _outer(subject: Subject, subjects: Sequence[Subject]) -> tuple[Subject | None, int]:
    command = subject.command
    if command is None or command.outer is None:
        return None, 0
    return next((one for one in subjects if one.number == command.outer), None), command.offset


def _of(candidate: Candidate, step: int) -> Ruling:
    rule = candidate.rule
    reason = rule.reason or f"rule {rule.rule_id} says so"
    return Ruling(step, rule.decision, reason, candidate.source, rule.rule_id)


def _lead(judged: Sequence[tuple[Subject, Ruling]]) -> tuple[Subject, Ruling]:
    """The part that decides: the first that is denied, else the first question, else what allows."""
    for decision in ("deny", "ask"):
        of_kind = [one for one in judged if one[1].decision == decision]
        if of_kind:
            return min(of_kind, key=lambda one: one[1].step)
    return min(judged, key=lambda one: one[1].step)


def _also(judged: Sequence[tuple[Subject, Ruling]], lead: Subject, decided: Ruling) -> str:
    """The other parts that got what decided, shortly; empty where there is none, or all is allowed."""
    if decided.decision == "allow":
        return ""
    names = dict.fromkeys(one.name for one, ruling in judged if ruling.decision == decided.decision)
    others = [name for name in names if name not in lead.name]
    if not others:
        return ""
    told = ", ".join(_short(name, 40) for name in others[:_ALSO])
    more = f" and {len(others) - _ALSO} more" if len(others) > _ALSO else ""
    return f" (also {told}{more})"


def _short(name: str, length: int) -> str:
    return name if len(name) <= length else f"{name[: length - 1]}…"


def _sentence(subject: Subject, ruling: Ruling, also: str) -> str:
    """What, why and the next step, in one sentence."""
    what = "" if _says(subject, ruling) else f"{_short(subject.name, 120)}: "
    where = ("" if ruling.source == "built-in" else f" ({ruling.source} policy)") + also
    if ruling.decision == "allow":
        return f"{what}{ruling.reason}{where}"
    if ruling.decision == "deny":
        return f"denied: {what}{ruling.reason}{where}; do without it, or ask the human to do it"
    return f"{NEEDS}{what}{ruling.reason}{where}{NEXT}"


def _says(subject: Subject, ruling: Ruling) -> bool:
    """Whether the reason names the subject itself: what is built in for paths and tools does."""
    if subject.command is not None or ruling.source not in ("built-in", "plan") or ruling.decision == "allow":
        return False
    names = (subject.name, *(one.given for one in subject.facts))
    return any(f" {one} " in f" {ruling.reason} " for one in names if one)


def plain_reason(verdict: Verdict, command: str | None) -> str:
    """Say why a human must decide, where command and human are there to be seen already.

    Args:
        verdict: a verdict that asks.
        command: the command line that stands beside it; None where none does.
    """
    reason = verdict.reason.removeprefix(NEEDS).removesuffix(NEXT)
    return reason.removeprefix(f"{command.strip()}: ") if command and command.strip() else reason
