"""The key registry: one source for bindings, bar, help, palette and README."""

import pytest

from ags_tui.app import keys
from ags_tui.app.key_rules import Facts, why_off
from ags_tui.app.screens.main import MainScreen


def test_ids_are_unique_and_every_key_has_words() -> None:
    assert len({key.id for key in keys.KEYS}) == len(keys.KEYS)
    for key in keys.KEYS:
        assert key.keys, key.id
        assert key.label, key.id
        assert key.tooltip.endswith("."), key.id
        assert key.group in keys.GROUPS, key.id


def test_the_palette_reads_tooltips_as_markup_so_they_hold_none() -> None:
    assert [key.id for key in keys.KEYS if "[" in key.tooltip or "[" in key.label] == []


def test_no_key_means_two_things_but_n_during_a_search() -> None:
    seen: dict[str, list[str]] = {}
    for key in keys.KEYS:
        if key.bound:
            for name in key.keys:
                seen.setdefault(name, []).append(key.id)

    assert {name: ids for name, ids in seen.items() if len(ids) > 1} == {"N": ["search-previous", "new-task"]}


def test_no_binding_approves() -> None:
    approving = [key for key in keys.KEYS if key.id == "decision.approve"]

    assert [key.bound for key in approving] == [False]
    assert "ctrl+o" not in [name for key in keys.KEYS if key.bound for name in key.keys]


def test_whatever_opens_or_decides_has_a_way_that_a_hangul_layout_leaves_alone() -> None:
    def reachable(name: str) -> bool:
        return len(name) > 1 or not name.isalpha()

    stuck = [
        key.id
        for key in keys.KEYS
        if key.bound and key.group in (keys.DECIDE, keys.WORK) and not any(map(reachable, key.keys))
    ]
    assert stuck == []


def test_every_binding_of_the_main_screen_runs_by_its_id() -> None:
    bound = {binding.id: binding for binding in keys.bindings()}

    assert set(bound) == {key.id for key in keys.KEYS if key.bound}
    assert all(binding.action == f"do('{key_id}')" for key_id, binding in bound.items())
    assert all(binding.tooltip for binding in bound.values())


def test_every_id_has_something_to_do() -> None:
    from ags_tui.app.look import Look
    from ags_tui.app.state import ShellState

    screen = MainScreen(Look(), ShellState())

    assert set(screen.dispatch.actions) == {key.id for key in keys.KEYS if key.bound}


def test_the_bar_is_in_order_and_complete() -> None:
    assert {key.id for key in keys.KEYS if key.bar} == set(keys.BAR_ORDER)


@pytest.mark.parametrize(
    ("name", "long", "short"),
    [
        ("ctrl+d", "Ctrl+D", "^d"), ("question_mark", "?", "?"), ("escape", "Esc", "Esc"), ("G", "G", "G"),
        ("f1", "F1", "F1"), ("slash", "/", "/"), ("space", "Space", "Space"), ("down", "↓", "↓"),
    ],
)  # fmt: skip
def test_keys_are_named_for_humans(name: str, long: str, short: str) -> None:
    assert keys.shown(name) == long
    assert keys.shown(name, short=True) == short


def test_the_table_names_every_key_once() -> None:
    table = keys.table_markdown()

    for key in keys.KEYS:
        assert table.count(f"| {key.tooltip} |") == sum(other.tooltip == key.tooltip for other in keys.KEYS)
    assert "| `a` `Ctrl+A` | Open the decision screen; nothing is approved yet. |" in table
    assert [line for line in table.splitlines() if line.startswith("**")] == [f"**{g}**" for g in keys.GROUPS]


# -- rebinding -------------------------------------------------------------------------------------------


def test_the_users_keys_replace_ours() -> None:
    registry, problems = keys.with_overrides({"approve": "A, ctrl+j", "search": "?"} | {"help": "f1"})

    assert problems == ()
    assert registry["approve"].keys == ("A", "ctrl+j")
    assert registry["search"].keys == ("question_mark",)
    assert keys.keymap(registry) == {"approve": "A,ctrl+j", "search": "question_mark", "help": "f1"}


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"aprove": "A"}, "no such key id"),
        ({"decision.approve": "y"}, "fixed"),
        ({"approve": " "}, "names no key"),
        ({"approve": "d"}, "already means “deny”"),
        ({"approve": "A", "deny": "A"}, "already means “approve”"),
    ],
)
def test_overrides_that_cannot_be_are_refused_and_said(overrides: dict[str, str], said: str) -> None:
    registry, problems = keys.with_overrides(overrides)

    assert len(problems) == 1
    assert said in problems[0]
    assert all(registry[key.id].keys for key in keys.KEYS)


def test_two_keys_may_be_swapped() -> None:
    registry, problems = keys.with_overrides({"approve": "d", "deny": "a"})

    assert problems == ()
    assert registry["approve"].keys == ("d",)
    assert registry["deny"].keys == ("a",)


def test_a_lone_comma_is_the_comma_key() -> None:
    registry, problems = keys.with_overrides({"approve": ",", "settings": "S"})

    assert problems == ()
    assert registry["approve"].keys == ("comma",)


# -- when a key is off -----------------------------------------------------------------------------------

READY = Facts(
    tasks=1, task=True, item="tool-request", prose=True, tests=True, path=True, diff=True, readable=True,
    search=True, openable=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("key_id", "facts", "said"),
    [
        ("approve", Facts(tasks=1, task=True), "No request waits here"),
        ("approve", Facts(item="escalation"), "answered, not approved: r"),
        ("approve", Facts(item="finalization"), "screen of its own: F"),
        ("approve", Facts(item="tool-request", malformed="empty command"), "only be denied: empty command"),
        ("approve", Facts(passed="expired"), "expired; x puts it away"),
        ("approve", Facts(item="tool-request", recording=True), "being recorded"),
        ("deny", Facts(item="escalation"), "answered, not denied: r"),
        ("deny", Facts(item="finalization"), "block it: b"),
        ("answer", Facts(item="tool-request"), "No escalation waits here"),
        ("finalize", Facts(), "no task yet: N"),
        ("finalize", Facts(tasks=2), "Select a task"),
        ("block", Facts(tasks=1, task=True, frozen=True), "finalized or closed"),
        ("lift", Facts(tasks=1, task=True), "No block"),
        ("attest", Facts(tasks=1, task=True), "no sentence"),
        ("tests", Facts(tasks=1, task=True), "no test command"),
        ("dismiss", Facts(item="tool-request"), "Only expired or withdrawn"),
        ("search-next", Facts(), "/ searches"),
        ("reviewed", Facts(), "4 shows them"),
        ("copy", Facts(), "nothing to copy"),
        ("edit", Facts(), "nothing to open in an editor"),
        ("demo", Facts(tasks=1), "only where there is no task"),
        ("open", Facts(), "nothing to open"),
        ("next-hunk", Facts(), "No diff"),
    ],
)
def test_a_key_that_is_off_says_why_and_what_to_do(key_id: str, facts: Facts, said: str) -> None:
    assert said in why_off(key_id, facts)


@pytest.mark.parametrize(
    "key_id", ["approve", "deny", "block", "finalize", "attest", "tests", "edit", "copy", "help"]
)
def test_what_can_act_is_on(key_id: str) -> None:
    assert why_off(key_id, READY) == ""


def test_a_malformed_request_can_still_be_denied() -> None:
    assert why_off("deny", Facts(item="tool-request", malformed="empty command")) == ""


def test_every_deciding_key_is_off_while_a_decision_is_recorded() -> None:
    recording = Facts(tasks=1, task=True, item="tool-request", recording=True, blocked=True, passed="expired")

    assert [key.id for key in keys.KEYS if key.group == keys.DECIDE and not why_off(key.id, recording)] == []
