"""Random edits: hints see what a full look sees, and the digest depends on the bytes alone."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ags_tui.io.git.changes import same
from tests.io.git.edits import GIT_KINDS, RULE_KINDS, WORK_KINDS, Edit, apply, edits
from tests.io.git.repos import as_committed, commit, git, head, make, open_door

SLOW = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@SLOW
@given(
    st.lists(
        st.lists(edits((*WORK_KINDS, *GIT_KINDS, *RULE_KINDS, "assume", "nest")), max_size=4), max_size=5
    )
)
def test_hints_see_what_a_full_look_sees(rounds: list[list[Edit]]):
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        top = make(tmp / "r")
        base = head(top)
        door = open_door(top, tmp)
        door.changes(base)
        for batch in rounds:
            touched = frozenset[str]().union(*(apply(top, edit) for edit in batch))
            by_hints = door.changes(base, hints=touched)
            other = open_door(top, tmp)
            in_full = other.changes(base)
            assert same(by_hints, in_full), (batch, touched, by_hints.entries, in_full.entries)
            assert door.changes(base, hints=frozenset()) is by_hints
            other.close()
        door.close()


@SLOW
@given(st.lists(edits((*WORK_KINDS, *GIT_KINDS, "ignore", "attributes")), max_size=10))
def test_the_digest_is_over_what_git_would_store_and_over_nothing_else(batch: list[Edit]):
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        top = make(tmp / "r")
        base = head(top)
        for edit in batch:
            apply(top, edit)
        door = open_door(top, tmp)
        before = door.changes(base)
        assert not before.unknown
        assert before.tree_digest == as_committed(top, base, tmp)
        git(top, "add", "-A")
        assert door.changes(base).tree_digest == before.tree_digest, "staging"
        commit(top)
        committed = door.changes(base)
        assert committed.tree_digest == before.tree_digest, "committing"
        git(top, "commit", "-q", "--amend", "--allow-empty", "-m", "again")
        assert door.changes(base) is committed, "amending"
        assert door.changes(base, target="HEAD").tree_digest == before.tree_digest, "the commit itself"
        assert door.changes(base, target="index").tree_digest == before.tree_digest, "the index"
        door.close()
