"""What the built-ins and the plan say of a path that a call reads or writes."""

from ags_tui.core.light import Sequence
from ags_tui.core.policy.calls import Ground, Terms, ToolCall
from ags_tui.core.policy.paths import Access, Facts, contract_file, facts_of, harmless, protected, relative
from ags_tui.core.policy.subjects import Subject, built_in, deny
from ags_tui.core.records import replace
from ags_tui.core.shell.marks import HOME, UNKNOWN

_NEW_OR_CHANGED = frozenset({"create", "update"})
_REMOVED = frozenset({"delete", "rename"})


def path_subjects(call: ToolCall, ground: Ground, terms: Terms | None) -> list[Subject]:
    """The paths of a call that reads or edits files."""
    access: Access = "read" if call.tool == "read_file" else "write"
    cwd = call.cwd or ground.top
    named = call.paths or (("",) if access == "read" else ())
    found = [
        judge_path(one, access, _meant(one, cwd, ground), ground, terms) for one in (p or cwd for p in named)
    ]
    if call.removes and terms and terms.operations is not None and not terms.operations >= _REMOVED:
        asked = built_in(
            "ask", "it deletes or moves files, which the plan does not allow", "operations", "plan"
        )
        found = [replace(one, ruling=asked) if one.ruling.rule_id == "in-plan" else one for one in found]
    return found


def _meant(path: str, cwd: str, ground: Ground) -> tuple[Facts, ...]:
    """A path as a client may take it: some make the home folder of a tilde, others a name."""
    plain = facts_of(path, path, cwd, ground)
    if not path.startswith("~"):
        return (plain,)
    return (
        plain,
        facts_of(path, HOME + path[1:] if path[1:2] in ("", "/") else f"{HOME}/../{path[1:]}", cwd, ground),
    )


def judge_path(
    what: str, access: Access, facts: Sequence[Facts], ground: Ground, terms: Terms | None
) -> Subject:
    """Say what is built in for one path.

    Args:
        what: how it is shown.
        access: what is done to it.
        facts: the path, from every folder that it may count from.
        ground: the work tree.
        terms: the plan in force.
    """
    known = tuple(facts)
    subject = Subject(what, built_in("ask", "", ""), "medium", access=access, facts=known)
    for one in known:
        reason = protected(one, access, ground, whole=access == "write")
        if reason:
            ruling = deny(f"{one.given} must not be {_verb(access)}: {reason}", "protected-path")
            return replace(subject, ruling=ruling, risk="critical")
        pattern = _excluded(one, terms) if access == "write" else None
        if pattern:
            reason = f"the plan excludes {one.given} (filesNotToEdit: {pattern})"
            return replace(subject, ruling=deny(reason, "files-not-to-edit", "plan"), risk="high")
    if not known:
        return replace(subject, ruling=built_in("ask", f"where {what} leads is not known", "unknown-path"))
    return _read(subject) if access == "read" else _write(subject, ground, terms)


def _verb(access: Access) -> str:
    return "read" if access == "read" else "changed"


def _excluded(facts: Facts, terms: Terms | None) -> str | None:
    if terms is None:
        return None
    return next((found for form in facts.shown if (found := terms.deny.match(form))), None)


def _read(subject: Subject) -> Subject:
    if all(is_open(one, "read") for one in subject.facts):
        return replace(subject, ruling=built_in("allow", "reading in the work tree", "read"), risk="low")
    ruling = built_in("ask", f"{subject.name} lies outside of the work tree", "outside")
    return replace(subject, ruling=ruling, risk="high")


def is_open(facts: Facts, access: Access) -> bool:
    """Whether the built-ins let a path be read, or written, without a plan."""
    if UNKNOWN in facts.lexical or harmless(facts, access):
        return harmless(facts, access)
    return access == "read" and facts.inside is not None and bool(facts.shown)


def strays(facts: Facts, ground: Ground) -> bool:
    """Whether a pattern of the shell names a link that leads out of the work tree, or that cannot be told."""
    if ground.wild is None or not any(one in facts.real for one in "*?[") or harmless(facts, "read"):
        return False
    try:
        found = ground.wild(facts.real)
        if found is None:
            return True
        top = ground.real(ground.top)
        return any(relative(ground.real(one), top, ground.ignore_case) is None for one in found)
    except (OSError, ValueError, RuntimeError):
        return True


def _write(subject: Subject, ground: Ground, terms: Terms | None) -> Subject:
    if all(harmless(one, "write") for one in subject.facts):
        return replace(subject, ruling=built_in("allow", "it keeps nothing", "no-file"), risk="low")
    if all(contract_file(one, ground) for one in subject.facts):
        ruling = built_in("allow", "a contract file of the session's own task", "own-contract")
        return replace(subject, ruling=ruling, risk="low")
    if any(one.inside is None for one in subject.facts):
        ruling = built_in("ask", f"{subject.name} lies outside of the work tree", "outside")
        return replace(subject, ruling=ruling, risk="high")
    if terms is None:
        return replace(subject, ruling=built_in("ask", f"no plan covers a change of {subject.name}", "edit"))
    if not all(_planned(one, terms) for one in subject.facts):
        return replace(
            subject, ruling=built_in("ask", f"{subject.name} is not in the plan", "unplanned", "plan")
        )
    if not terms.approved:
        return replace(subject, ruling=built_in("ask", "no human has approved the plan", "plan-open", "plan"))
    if terms.operations is not None and not terms.operations >= _NEW_OR_CHANGED:
        reason = "the plan allows only: " + (", ".join(sorted(terms.operations)) or "nothing")
        return replace(subject, ruling=built_in("ask", reason, "operations", "plan"))
    ruling = built_in("allow", "inside the plan that a human approved", "in-plan", "plan")
    return replace(subject, ruling=ruling, risk="low")


def _planned(facts: Facts, terms: Terms) -> bool:
    """Whether a path is in the plan by its name and by where its links lead."""
    return bool(facts.shown) and all(terms.allow.match(form) is not None for form in facts.shown)
