"""The final report as Markdown: made from the contract alone, so that both always say the same."""

import re

from ags_tui.core.contracts.report import FinalReport

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~])")
_MARKER = re.compile(r"^(\d*)([-+=.)])")


def render_markdown(report: FinalReport) -> str:
    """Render a report; texts of agents stay text, whatever marks they hold."""
    verdict = report.verdict.capitalize()
    lines = [
        "# Final Report",
        "",
        "## Verdict",
        "",
        verdict,
        "",
        "## Summary",
        "",
        _inert(report.summary),
        "",
    ]
    lines += _list("Files Changed", report.changed_files)
    lines += ["## Validation", "", *_validation(report), ""]
    lines += ["## Review", "", *_review(report), ""]
    lines += _list("Remaining Risks", report.risks)
    lines += _list("Not Changed", report.not_changed)
    lines += _list("For Human Review", report.human_review_targets)
    return "\n".join(lines).rstrip("\n") + "\n"


def _validation(report: FinalReport) -> list[str]:
    stated = report.validation
    lines = [f"- Tests executed: {'yes' if stated.tests_executed else 'no'}"]
    lines.append(f"- Result: {'passed' if stated.passed else 'not passed'}")
    return lines + [f"- Command: {_inert(command)}" for command in stated.commands]


def _review(report: FinalReport) -> list[str]:
    counts = report.review
    return [
        f"- Unresolved critical issues: {counts.unresolved_critical}",
        f"- Unresolved high issues: {counts.unresolved_high}",
    ]


def _list(title: str, items: tuple[str, ...]) -> list[str]:
    rows = [f"- {_inert(item)}" for item in items] or ["- none"]
    return [f"## {title}", "", *rows, ""]


def _inert(text: str) -> str:
    """A text on one line without any meaning to Markdown; what cannot be seen becomes its code point."""
    flat = " ".join(text.split())
    if not flat.isprintable():
        flat = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in flat)
    return _MARKER.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", flat))
