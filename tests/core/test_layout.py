"""Every name of formats.md §1, and what only looks like one."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.layout import (
    Place,
    is_known_folder,
    is_own_temporary,
    known_in_root,
    place_of,
    valid_id,
    valid_task_id,
)

KNOWN = [
    ("task.json", Place("AgentTask", None, "contract")),
    ("plan.json", Place("AgentPlan", None, "contract")),
    ("implementation-result.json", Place("ImplementationResult", None, "contract")),
    ("fix-result.json", Place("ImplementationResult", None, "contract")),
    ("review-result.json", Place("ReviewResult", None, "contract")),
    ("test-result.json", Place("TestResult", None, "contract")),
    ("final-report.json", Place("FinalReport", None, "contract")),
    ("final-report.md", Place(None, None, "report")),
    ("tool-requests/tool-001.json", Place("ToolRequest", "tool-001", "contract")),
    ("approval-requests/a.json", Place("ApprovalRequest", "a", "contract")),
    ("escalations/E.1.json", Place("Escalation", "E.1", "contract")),
    ("handoffs/handoff-001.json", Place("AgentHandoff", "handoff-001", "contract")),
    ("errors/1.json", Place("AgentError", "1", "contract")),
    ("consumptions/tool-001.json", Place(None, "tool-001", "consumption")),
    ("log/000000.json", Place("LogEntry", "000000", "log")),
    ("artifacts/test.log", Place(None, None, "evidence")),
    ("artifacts/deep/한글 이름 #1.png", Place(None, None, "evidence")),
    ("workflow/run-1/plan.json", Place("WorkflowPlan", "run-1", "workflow")),
    ("workflow/run-1/results/0001.json", Place("StageResult", "run-1", "workflow")),
    ("workflow/run-1/receipts/000001.json", Place("WorkflowReceipt", "run-1", "workflow")),
    ("debate/spec/round-01/orchestrator.json", Place("OrchestratorDecision", "orchestrator", "debate")),
    ("debate/build/round-10/backend.proposer.json", Place(None, "backend.proposer", "debate")),
    ("debate/transcript.jsonl", Place(None, None, "debate")),
    ("debate/review-package.json", Place(None, None, "debate")),
    ("debate/review-package.md", Place(None, None, "debate")),
    (".tmp-123-4", Place(None, None, "temporary")),
    ("log/.tmp-123-4", Place(None, None, "temporary")),
    ("workflow/run-1/receipts/.tmp-1-0", Place(None, None, "temporary")),
]

UNKNOWN = [
    "", ".", "..", "/task.json", "task.json/", "./task.json", "a//b", "../x/task.json",
    "Plan.json", "plan.json~", ".plan.json.tmp", "4913", "plan.json.swp", "state.json", "plan.jsonc",
    "tool-requests/plan.json/x", "plan/plan.json", "task.json/x", "tool-requests/.json",
    "tool-requests/-x.json", "tool-requests/x.JSON", "tool-requests/x.txt", "tool-requests/도구.json",
    "tool-requests/a/b.json", "tool-requests/" + "a" * 161 + ".json", "Tool-requests/a.json",
    "log/0.json", "log/0000000.json", "log/00000a.json", "log/٠٠٠٠٠٠.json", "log/000000.json.bak",
    "log/notes.md", "log/a/000000.json", "errors/log/000000.json",
    "workflow/plan.json", "workflow/.x/plan.json", "workflow/r/results/1.json",
    "workflow/r/receipts/0001.json", "workflow/r/x.json", "workflow/r/results/0001.json/x",
    "debate/spec/round-1/a.json", "debate/plan/round-01/a.json", "debate/spec/a.json",
    "debate/spec/round-01/a.md", "debate/x.json",
    "consumptions/x", "artifacts/../plan.json", "artifacts/a//b", "artifacts", "log", "src/.tmp-1-2",
    "plan.json\0",
]  # fmt: skip


@pytest.mark.parametrize(("relative", "place"), KNOWN)
def test_every_name_has_its_place(relative, place):
    assert place_of(relative) == place
    assert known_in_root(f"tasks/로그인-오류/{relative}")


@pytest.mark.parametrize("relative", UNKNOWN)
def test_an_unknown_name_or_a_wrong_place_is_none(relative):
    assert place_of(relative) is None
    assert not known_in_root(f"tasks/t/{relative}")


@pytest.mark.parametrize("relative", [
    "policy.toml", ".gitignore", "contracts/AgentPlan/1.0.0.schema.json", ".tmp-9-9",
    "tasks/session-1/plan.json",
])  # fmt: skip
def test_known_in_the_root(relative):
    assert known_in_root(relative)


@pytest.mark.parametrize("relative", [
    "", "policy.toml/", "Policy.toml", "run.sh", "tasks", "tasks/", "tasks/t", "tasks/t/", "tasks/plan.json",
    "tasks/.hidden/plan.json", "contracts/AgentPlan/1.0.schema.json", "contracts/AgentPlan/evil.py",
    "contracts/x.py", "../policy.toml", "tasks/../policy.toml", "tasks/t/../t/plan.json", ".gitattributes",
    "tasks/" + unicodedata.normalize("NFD", "한글") + "/plan.json",
])  # fmt: skip
def test_not_known_in_the_root_counts_for_scope(relative):
    assert not known_in_root(relative)


@pytest.mark.parametrize("name", [
    "T-1", "t-1", "login-error-message", "로그인-오류-메시지", "修正_1", "हिन्दी", "ไฟล์", "قضية-٣", "a" * 128,
    "한" * 42,     "1", "_x", "-x", "x.",
])  # fmt: skip
def test_task_ids(name):
    assert valid_task_id(name)


@pytest.mark.parametrize("name", [
    "", ".", "..", ".x", "a/b", "a b", "a\n", "a\0", "a\x1b[0m", "a" * 129, "한" * 43, "x\u202ey", "x\u200by",
    unicodedata.normalize("NFD", "한글"), unicodedata.normalize("NFD", "é"), "\u0301x", "x-\u0301",
    "\u3164", "가\u115f", "a\ufe0f", "a\u034f", "²", "Ⅳ", "\udce9", "a\\b", "a:b", "a*", "🙂",
])  # fmt: skip
def test_not_task_ids(name):
    assert not valid_task_id(name)


def test_ids_are_ascii():
    for name in ("tool-001", "A" * 160, "0._-"):
        assert valid_id(name)
    for name in ("", "-x", ".x", "_x", "A" * 161, "a/b", "가", "a\n", "a b"):
        assert not valid_id(name)


def test_own_temporaries():
    assert is_own_temporary(".tmp-1-0")
    for name in (".tmp-1", ".tmp-x-1", "tmp-1-1", ".tmp-1-1.json", ".tmp-1-1\n", ".tmp-١-1"):
        assert not is_own_temporary(name)


@pytest.mark.parametrize("relative", [
    "", "log", "tool-requests", "artifacts", "artifacts/a/b", "workflow", "workflow/r", "workflow/r/results",
    "debate", "debate/spec", "debate/spec/round-03", "consumptions",
])  # fmt: skip
def test_known_folders(relative):
    assert is_known_folder(relative)


@pytest.mark.parametrize("relative", [
    "src", "log/x", "tool-requests/a", "workflow/r/x", "debate/x", "debate/spec/1", "artifacts/..",
    "/", "Log",
])  # fmt: skip
def test_unknown_folders(relative):
    assert not is_known_folder(relative)


@given(st.text(max_size=40))
def test_any_text_gives_an_answer_and_a_task_id_is_one_plain_segment(text):
    place_of(text)
    known_in_root(text)
    if valid_task_id(text):
        assert "/" not in text
        assert text.isprintable()
        assert unicodedata.is_normalized("NFC", text)


@given(
    st.lists(
        st.sampled_from(["log", "artifacts", "workflow", "r", "plan.json", "..", "", "tasks", "x"]),
        max_size=5,
    )
)
def test_a_known_file_lies_in_a_known_folder(parts):
    relative = "/".join(parts)
    if place_of(relative) is not None:
        assert is_known_folder(relative.rpartition("/")[0])
