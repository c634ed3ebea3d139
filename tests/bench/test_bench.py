"""The benches can be started and their table is right; how fast anything is, is not asked here."""

import os
import time
from collections.abc import Callable

import pytest

from ags_tui.io import workspace
from ags_tui.io.watcher import Watcher
from tests.bench import __main__ as main
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, line, p90_ratio, percentile, ratio, table
from tests.bench.machine import machine
from tests.bench.processor_time import can_measure, processor_time
from tests.bench.programs import awatch_app
from tests.bench.terminal import NothingCame, opened

BENCHES = main.modules()


def test_every_bench_names_its_figures_once():
    assert len(BENCHES) >= 10
    figures = [figure for module in BENCHES.values() for figure in module.FIGURES]
    assert len(figures) == len(set(figures))
    wanted = {f"B{number}" for number in (*range(5, 17), 20)}
    assert wanted <= set(figures)
    assert all(callable(module.run) for module in BENCHES.values())


def test_benches_are_chosen_by_name_or_by_figure():
    assert main.chosen(BENCHES, []) == BENCHES
    assert list(main.chosen(BENCHES, ["B7", "globs"])) == ["latency", "globs"]
    with pytest.raises(SystemExit, match="no bench B99"):
        main.chosen(BENCHES, ["B99"])


def test_the_table_says_what_was_met():
    figures = [
        Figure("B1", "ours", "peer | other", 1.4999, 1.5, p90=2, seen="3 against 2 ms"),
        Figure("B2", "ours", "peer", 1.51, 1.5),
        Figure("B3", "lost files", "none", 0, 0, unit=""),
        Figure("B4", "idle", "limit", 0.0123, 0.5, unit="% of a core"),
        Figure("B5", "a diff", "a short one", 123.4),
        Figure("B6", "idle", "peer", None, 3, seen="not on this system"),
    ]
    assert table(figures).splitlines() == [
        "| id | what | peer or limit in the same run | measured | target | met | seen |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| B1 | ours | peer \\| other | 1.50 × (p90 2 ×) | ≤ 1.50 × | yes | 3 against 2 ms |",
        "| B2 | ours | peer | 1.51 × | ≤ 1.50 × | no |  |",
        "| B3 | lost files | none | 0 | = 0 | yes |  |",
        "| B4 | idle | limit | 0.0123 % of a core | ≤ 0.500 % of a core | yes |  |",
        "| B5 | a diff | a short one | 123 × |  | for information |  |",
        "| B6 | idle | peer | not measured | ≤ 3 × | no | not on this system |",
    ]
    assert line(figures[2]) == "B3 · lost files · none · 0 · = 0 · yes"


def test_ratios_and_percentiles():
    assert percentile([5, 1, 4, 2, 3], 50) == 3
    assert percentile(range(1, 101), 99) == 99
    assert percentile([7], 90) == 7
    assert ratio([2, 4, 100], [1, 2, 3]) == 2
    assert p90_ratio([2, 4, 100], [1, 2, 50]) == 2


def test_sides_take_turns_and_the_first_round_does_not_count():
    order: list[str] = []

    def side(name: str, seconds: list[float]) -> Callable[[], float]:
        def once() -> float:
            order.append(name)
            return seconds.pop(0)

        return once

    taken = in_turns({"a": side("a", [9, 1, 2]), "b": side("b", [9, 3, 4])}, 2)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert taken == {"a": [1, 2], "b": [3, 4]}


def test_a_bench_that_fails_has_its_row_and_stops_no_other(tmp_path, monkeypatch, capsys):
    def broken(_bench: Bench):
        yield Figure("B7", "measured before", "peer", 1, 2)
        raise RuntimeError("no terminal")

    def whole(_bench: Bench):
        yield Figure("B14", "scope", "git", 0.1, 0.5)

    benches = main.chosen(BENCHES, ["latency", "globs"])
    monkeypatch.setattr(benches["latency"], "run", broken)
    monkeypatch.setattr(benches["globs"], "run", whole)
    rows = list(main.measure(Bench(tmp_path), benches))
    assert [row.id for row in rows] == ["B7", *benches["latency"].FIGURES[1:], "B14"]
    assert rows[1].met is False
    assert rows[1].seen == "RuntimeError: no terminal"
    assert "Traceback" in capsys.readouterr().err


def test_the_terminal_knows_when_a_text_came(tmp_path):
    script = r"printf '\033[1mhel\033[38;2;1;2;3mlo\033[0m'; sleep 60"
    with opened(("/bin/sh", "-c", script), tmp_path, tmp_path) as terminal:
        assert terminal.wait_for(b"hello") > terminal.began
        pid = terminal.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_terminal_says_what_came_instead(tmp_path):
    with (
        opened(("/bin/sh", "-c", "echo something else"), tmp_path, tmp_path) as terminal,
        pytest.raises(NothingCame, match="something else"),
    ):
        terminal.wait_for(b"hello")


@pytest.mark.skipif(not can_measure(), reason="needs /proc")
def test_processor_time_counts_children_that_ended_and_that_live(tmp_path):
    burn = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"
    script = f"sh -c '{burn}'; sh -c '{burn}; echo burnt; sleep 60'"
    with opened(("/bin/sh", "-c", script), tmp_path, tmp_path) as terminal:
        terminal.wait_for(b"burnt")
        used = processor_time(terminal.pid)
        end = time.monotonic() + 0.05
        while time.monotonic() < end:
            continue
        assert used > 0.02
        assert processor_time(terminal.pid) == pytest.approx(used, abs=0.02)


def test_the_peer_of_the_watcher_takes_its_place():
    assert issubclass(awatch_app.AwatchWatcher, Watcher)
    assert workspace.Watcher is Watcher


def test_the_machine_is_named():
    assert all(word in machine() for word in ("cores", "Python", "git", "Textual"))
