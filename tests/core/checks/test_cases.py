"""Reported bugs whose kind is scope, on the repositories of their cases."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.assessment import StageName, StageState, TaskAssessment, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.io.git import GitDoor
from tests import builders as make
from tests.core.checks.looking import looked_at, of, stage
from tests.io.git import repos

SRC = make.agent_plan(files_to_edit=("src/**",), files_not_to_edit=())


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[list[GitDoor]]:
    found: list[GitDoor] = []
    yield found
    for door in found:
        door.close()


def opened(folder: Path, tmp_path: Path, doors: list[GitDoor]) -> GitDoor:
    doors.append(repos.open_door(folder, tmp_path))
    return doors[-1]


def looked(door: GitDoor, base: str, **fields: Any) -> TaskAssessment:
    """Assess a task of which only the plan is right against what git shows."""
    work = make.implementation_result(changed_files=(), not_changed=())
    repo = door.repo()
    baseline = make.baseline(commit=base, hiding=dict(repo.hiding), hidden_bits=repo.hidden_bits)
    defaults: dict[str, Any] = {"plan": SRC, "implementation": work, "base": baseline, "repo": repo}
    return looked_at(change_set=door.changes(base), **{**defaults, **fields})


def classes(seen: TaskAssessment) -> dict[str, str]:
    return {one.path: one.path_class.value for one in seen.scope.paths}


def test_068_both_ends_of_a_rename_are_in_the_scope_check(tmp_path: Path, doors: list[GitDoor]):
    folder = repos.build_case("068", tmp_path / "repo")
    seen = looked(opened(folder, tmp_path, doors), repos.head(folder))
    assert classes(seen) == {
        "docs/a.py": "unplanned", "docs/d.md": "unplanned", "docs/e.md": "unplanned",
        "src/a.py": "in-scope", "src/d.md": "in-scope", "src/e.md": "in-scope",
    }  # fmt: skip
    assert seen.scope.verdict is Verdict.NEEDS_APPROVAL


def test_070_each_file_of_a_new_folder_is_in_the_scope_check(tmp_path: Path, doors: list[GitDoor]):
    folder = repos.build_case("070", tmp_path / "repo")
    seen = looked(opened(folder, tmp_path, doors), repos.head(folder))
    assert classes(seen) == {
        "docs/x/y/z.txt": "unplanned", "src/new/1.py": "in-scope", "src/new/2.py": "in-scope",
    }  # fmt: skip


def test_030_a_link_out_of_the_tree_is_no_way_into_the_scope(tmp_path: Path, doors: list[GitDoor]):
    folder = repos.build_case("030", tmp_path / "repo")
    seen = looked(opened(folder, tmp_path, doors), repos.head(folder))
    escaping = of(seen, "LINK_ESCAPES")
    assert [one.path for one in escaping] == ["src/out"]
    assert "outside-" in escaping[0].message
    assert classes(seen)["src/inlink"] == "in-scope"
    assert seen.scope.verdict is Verdict.NEEDS_APPROVAL


def test_085_a_merge_with_conflicts_ends_nothing(tmp_path: Path, doors: list[GitDoor]):
    folder = repos.build_case("085", tmp_path / "repo")
    seen = looked(opened(folder, tmp_path, doors), repos.head(folder))
    assert seen.scope.verdict is Verdict.INCONCLUSIVE
    messages = " ".join(one.message for one in of(seen, "GIT_UNKNOWN"))
    assert "A merge is in progress" in messages
    for path in ("src/a.py", "src/del.py", "src/new.py"):
        assert path in messages
    assert seen.gate.outcome is not Outcome.PASSED
    assert stage(seen, StageName.IMPLEMENT).state is StageState.NEEDS_HUMAN


def test_036_a_bare_name_is_one_path_at_the_top():
    plan = make.agent_plan(files_to_edit=("README.md", "src"), files_not_to_edit=())
    changed = [make.change("docs/README.md"), make.change("lib/src/a.py"), make.change("README.md")]
    names = {"README.md": ("README.md", "docs/README.md", "vendor/x/README.md"), "src": ()}
    seen = looked_at(plan=plan, change_set=make.changes(*changed), bare_names=names)
    assert classes(seen) == {
        "README.md": "in-scope",
        "docs/README.md": "unplanned",
        "lib/src/a.py": "unplanned",
    }


def test_a_commit_and_an_amend_of_the_same_bytes_change_no_verdict(tmp_path: Path, doors: list[GitDoor]):
    folder = repos.make(tmp_path / "repo")
    base = repos.head(folder)
    repos.write(folder, "src/a.py", "changed\n")
    repos.write(folder, "src/new.py", "new\n")
    door = opened(folder, tmp_path, doors)
    before = looked(door, base)
    assert before.scope.verdict is Verdict.PASS
    seen = [before.digest]
    repos.git(folder, "add", "-A")
    seen.append(looked(door, base).digest)
    repos.commit(folder, "work")
    seen.append(looked(door, base).digest)
    repos.git(folder, "commit", "-q", "--amend", "-m", "work, in better words")
    seen.append(looked(door, base).digest)
    assert len(set(seen)) == 1
    repos.write(folder, "src/a.py", "changed again\n")
    assert looked(door, base).digest not in seen
