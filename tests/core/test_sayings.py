"""What a contract says, in a few words."""

import pytest

from ags_tui.core.contracts.base import Contract
from ags_tui.core.sayings import LONGEST, saying
from tests import builders as make


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (make.review_result(), "pass, no issues"),
        (
            make.review_result(verdict="needs_changes", issues=(make.review_issue(),)),
            "needs_changes, 1 issue",
        ),
        (make.implementation_result(), "completed, 2 files"),
        (make.run_result(), "claimed passed, exit code 0"),
        (make.run_result(commands=()), "claimed passed, no evidence"),
        (make.run_result(commands=(make.command_result(exit_code=None),)), "claimed passed, no evidence"),
        (make.run_result(status="not_run"), "not run"),
        (make.tool_request(target_path="a.py"), "edit_file a.py"),
        (make.agent_task(), ""),
    ],
)
def test_the_verdict_is_in_words(document: Contract, words: str) -> None:
    assert saying(document) == words


def test_a_plan_says_what_is_new() -> None:
    first = make.agent_plan(files_to_edit=("a.py", "b.py"))
    assert saying(first) == "edits a.py, b.py"
    wider = make.agent_plan(files_to_edit=("a.py", "c.py"))
    assert saying(wider, first, version=2) == "version 2: adds c.py, drops b.py"
    many = make.agent_plan(files_to_edit=tuple(f"{name}.py" for name in "abcde"))
    assert saying(many) == "edits a.py, b.py, c.py and 2 more"


def test_it_is_short_and_one_line() -> None:
    plan = make.agent_plan(files_to_edit=("a\n" + "x" * 5000,))
    assert len(saying(plan)) == LONGEST
    assert "\n" not in saying(plan)
