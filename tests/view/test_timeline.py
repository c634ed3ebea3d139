"""Rows of the log."""

from datetime import UTC, timedelta, timezone

from ags_tui.core.assessment import Prose
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.ends import LEFT, SETTLED_OTHERWISE
from ags_tui.view.about import subjects_of
from ags_tui.view.events import words
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from ags_tui.view.timeline import entry_rows, timeline_rows
from tests import builders as make


def texts(rows) -> list[str]:
    return [" ".join(plain(line).split()) for row in rows for line in row.lines]


ENTRIES = (
    make.entry("baseline", "recorded", "baseline", sequence=0, source="system"),
    make.entry("tool-request", "denied", "tool-002", sequence=4, reason="범위 밖\x1b[2J"),
    make.entry("plan", "approved", "plan", sequence=5, counted=False, signer="system"),
)


def test_newest_first_with_who_what_and_the_words() -> None:
    shown = texts(timeline_rows(make.log_state(ENTRIES), 60, UNICODE, UTC))

    assert shown == [
        "LOG ✔ intact 3 entries",
        "◆ 07-21 08:57 plan approved plan 000005",
        "does not count: not signed by a human key",
        "◆ 07-21 08:57 tool-request denied tool-002 000004",
        "범위 밖\\x1b[2J",
        "· 07-21 08:57 baseline recorded baseline 000000",
    ]


def test_a_request_that_a_rule_settled_was_not_taken_back_by_anybody() -> None:
    why = "a remembered rule let it through: npm ci: remembered"
    settled, left = (
        make.entry("request", "withdrawn", f"call-{n}", sequence=n, source="system", data={"why": told})
        for n, told in ((4, SETTLED_OTHERWISE + why), (5, f"{LEFT}; the call was denied (when_absent)"))
    )
    shown = texts(timeline_rows(make.log_state((settled, left)), 80, UNICODE, UTC))

    assert shown[1:] == [
        "· 07-21 08:57 request withdrawn call-5 000005",
        "ags-tui was left; the call was denied (when_absent)",
        "· 07-21 08:57 request settled call-4 000004",
        why,
    ]
    assert words(settled.entry) == f"request settled: {why}"


def test_times_are_shown_in_the_zone_of_the_reader() -> None:
    shown = texts(timeline_rows(make.log_state(ENTRIES), 60, UNICODE, timezone(timedelta(hours=9))))

    assert "07-21 17:57" in shown[1]


def test_a_log_that_does_not_hold_says_so_first() -> None:
    finding = make.finding("LOG_TAMPERED", "Entry 000003 does not follow entry 000002.")
    broken = make.log_state(ENTRIES, integrity=Outcome.FAILED, findings=(finding,), torn=(6,))
    shown = texts(timeline_rows(broken, 90, UNICODE, UTC))

    assert shown[0] == "LOG ✖ not intact"
    assert shown[1] == "LOG_TAMPERED: Entry 000003 does not follow entry 000002."
    assert shown[2].startswith("Entry 000006 is torn")


def test_an_unknown_key_is_not_intact() -> None:
    foreign = make.log_state(ENTRIES, integrity=Outcome.UNKNOWN)

    assert "not trusted here" in texts(timeline_rows(foreign, 90, UNICODE, UTC))[0]


def test_one_entry_shows_every_field() -> None:
    entry = make.entry("tool-request", "approved", "tool-002", sequence=4, data={"shownLines": 12})
    shown = "\n".join(texts(entry_rows(entry, 100, UTC)))

    for text in (
        "tool-request approved",
        "human kim via tui",
        "shownLines 12",
        "signature ed25519:AAAA",
        "000004",
    ):
        assert text in shown


def test_rows_never_exceed_the_width() -> None:
    for width in (12, 30, 52):
        rows = timeline_rows(make.log_state(ENTRIES), width, UNICODE, UTC)
        assert all(line_len(line) <= width for row in rows for line in row.lines)


def test_a_narrow_column_keeps_what_and_on_what_instead_of_the_date() -> None:
    shown = texts(timeline_rows(make.log_state(ENTRIES), 48, UNICODE, UTC))

    assert "◆ 08:57 tool-request denied tool-002 000004" in shown


def test_an_entry_says_what_it_is_about_where_its_id_does_not() -> None:
    request = make.tool_request_v2(
        "tool-002", tool="edit_file", target_path="docs/a.md", proposed_change=None
    )
    artifact = make.artifact(request, "tool-requests/tool-002.json")
    sentence = Prose(
        "task#expectedBehavior/0",
        "It\x1b works.",
        make.digests.digest(b"x"),
        Outcome.PASSED,
        Basis.HUMAN,
        "kim",
    )
    task = make.task_assessment(
        make.task_snapshot(attested=False, more={artifact.path: request}),
        gate=make.gate_report(prose=(sentence,)),
    )
    entries = (
        make.entry("tool-request", "denied", "tool-002", artifact.digest, sequence=4),
        make.entry("attest", "attested", sentence.prose_id, sentence.digest, sequence=5),
        make.entry(
            "tool-request", "denied", "tool-003", make.digests.digest(b"9"), sequence=6, data={"path": "b.md"}
        ),
    )
    log = make.log_state(entries)
    shown = texts(timeline_rows(log, 90, UNICODE, UTC, subjects_of(task)))

    assert "◆ 07-21 08:57 tool-request denied tool-002 edit_file docs/a.md 000004" in shown
    assert "It\\x1b works." in " ".join(shown)
    assert "◆ 07-21 08:57 tool-request denied tool-003 b.md 000006" in shown
    narrow = texts(timeline_rows(log, 52, UNICODE, UTC, subjects_of(task)))
    assert narrow[narrow.index("◆ 08:57 tool-request denied tool-002 000004") + 1] == "edit_file docs/a.md"
