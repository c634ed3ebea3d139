"""Task folders on a real disk: what is read, what stays the same, what is a problem and hides nothing."""

import json
import os
import socket
import stat
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ags_tui.core.contracts.write import to_bytes
from ags_tui.core.digests import digest
from ags_tui.io import file_reads, folder_names, task_files
from ags_tui.io.tasks import TaskReader
from tests import builders

CASES = Path(__file__).parents[1] / "cases"
LATER = 100.0
"""Seconds after which nothing on disk counts as new."""


@pytest.fixture
def root(tmp_path):
    (tmp_path / ".ai" / "tasks").mkdir(parents=True)
    return tmp_path / ".ai"


@pytest.fixture
def task(root):
    """A task folder with a task and a plan."""
    folder = root / "tasks" / "t"
    folder.mkdir()
    put(folder, "task.json", builders.agent_task(id="t"))
    put(folder, "plan.json", builders.agent_plan(task_id="t"))
    return folder


@pytest.fixture
def reader(root):
    return TaskReader(root, root.parent)


def put(folder, path, document, **options):
    data = document if isinstance(document, bytes) else to_bytes(document, **options)
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(data)
    return data


def read(reader, only=None, *, later=LATER):
    return reader.read(only, now=time.time() + later)


def one(reader, task_id="t", **options):
    return next(files for files in read(reader, **options).tasks if files.task_id == task_id)


def told(files):
    return {(problem.code, problem.artifact) for problem in files.problems}


CLAIM = {
    "requestId": "r-1",
    "digest": "sha256:" + "a" * 64,
    "claim": "sha256:" + "b" * 64,
    "takenAt": "2026-07-21T09:00:00Z",
}


def test_every_file_of_the_layout_is_read(reader, task):
    documents = {
        "implementation-result.json": builders.implementation_result(),
        "fix-result.json": builders.implementation_result(),
        "review-result.json": builders.review_result(),
        "test-result.json": builders.run_result(),
        "final-report.json": builders.final_report(),
        "tool-requests/tool-001.json": builders.tool_request("tool-001"),
        "escalations/e-1.json": builders.escalation(escalation_id="e-1", task_id="t"),
        "approval-requests/a-1.json": builders.approval_request(approval_id="a-1", task_id="t"),
    }
    for path, document in documents.items():
        put(task, path, document)
    put(task, "consumptions/r-1.json", json.dumps(CLAIM).encode())
    put(task, "final-report.md", b"# done\n")
    put(task, "log/000000.json", b"{}")
    put(task, "artifacts/deep/x.log", b"log")
    put(task, "workflow/run-1/plan.json", b"{}")
    put(task, "debate/spec/round-01/orchestrator.json", b"{}")
    put(task, ".tmp-1-2", b"half")
    files = one(reader)
    assert files.problems == ()
    assert files.unknown_names == ()
    assert files.being_written == ()
    assert set(files.artifacts) == {"task.json", "plan.json", *documents}
    for path, artifact in files.artifacts.items():
        raw = (task / path).read_bytes()
        assert artifact.raw == raw
        assert artifact.digest == digest(raw)
        assert artifact.path == path
    assert files.artifacts["fix-result.json"].contract == "ImplementationResult"
    assert files.consumptions["r-1"].claim == CLAIM["claim"]
    assert files.consumptions["r-1"].taken_at == builders.NOW
    assert files.report_markdown == digest(b"# done\n")
    assert files.folder == str(task)


def test_versions_and_notes_are_kept(reader, task):
    put(task, "tool-requests/r.json", builders.tool_request_v2("r", task_id="t"))
    data = b"\xef\xbb\xbf" + to_bytes(builders.agent_plan(task_id="t"))
    put(task, "plan.json", data)
    files = one(reader)
    assert files.artifacts["tool-requests/r.json"].version == "2.0.0"
    plan = files.artifacts["plan.json"]
    assert plan.digest == digest(data)
    assert any("byte order mark" in note for note in plan.notes)


def test_the_bom_of_the_case_is_no_hindrance(reader, task):
    put(task, "errors/e.json", (CASES / "134-bom" / "bom.json").read_bytes())
    (problem,) = one(reader).problems
    assert problem.code == "INVALID_CONTRACT"  # read as JSON; only its fields are others


def test_an_unchanged_folder_is_the_same_object(reader, root, task):
    put(root / "tasks" / "u", "task.json", builders.agent_task(id="u"))
    first = read(reader)
    assert [files.task_id for files in first.tasks] == ["t", "u"]
    again = read(reader)
    assert all(a is b for a, b in zip(first.tasks, again.tasks, strict=True))
    put(task, "plan.json", builders.agent_plan(task_id="t", summary="another"))
    third = read(reader)
    assert third.tasks[0] is not first.tasks[0]
    assert third.tasks[0].artifacts["task.json"] is first.tasks[0].artifacts["task.json"]
    assert third.tasks[0].artifacts["plan.json"] is not first.tasks[0].artifacts["plan.json"]
    assert third.tasks[1] is first.tasks[1]


def test_the_same_bytes_written_anew_change_nothing(reader, task):
    first = one(reader)
    for path in ("plan.json", "task.json"):
        data = (task / path).read_bytes()
        (task / "new").write_bytes(data)
        (task / "new").rename(task / path)
    assert one(reader) is first


def test_only_the_named_folders_are_looked_into(reader, root, task):
    put(root / "tasks" / "u", "task.json", builders.agent_task(id="u"))
    first = read(reader)
    put(task, "plan.json", b"{}")
    put(root / "tasks" / "u", "task.json", b"{}")
    second = read(reader, frozenset({"u"}))
    assert second.tasks[0] is first.tasks[0]
    assert told(second.tasks[1]) == {("INVALID_CONTRACT", "task.json")}
    assert told(read(reader, frozenset({"t", "none"})).tasks[0]) == {("INVALID_CONTRACT", "plan.json")}


def test_a_folder_that_vanished_is_gone_whatever_was_asked(reader, root, task):
    put(root / "tasks" / "u", "task.json", builders.agent_task(id="u"))
    read(reader)
    subprocess.run(["rm", "-r", str(task)], check=True)
    assert [files.task_id for files in read(reader, frozenset()).tasks] == ["u"]
    subprocess.run(["rm", "-r", str(root)], check=True)
    assert read(reader, frozenset()).tasks == ()
    put(task, "task.json", builders.agent_task(id="t"))
    assert set(one(reader).artifacts) == {"task.json"}


def test_an_edit_that_keeps_size_and_time_is_seen(reader, task):
    first = one(reader)
    facts = (task / "plan.json").stat()
    data = (task / "plan.json").read_bytes()
    other = data.replace(b"low", b"LOW", 1) if b"low" in data else data.replace(b"t", b"T", 1)
    assert len(other) == len(data)
    (task / "plan.json").write_bytes(other)
    os.utime(task / "plan.json", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert one(reader) is not first


def test_an_edit_within_one_tick_of_the_clock_is_seen(reader, task, monkeypatch):
    def coarse(facts):
        return file_reads.Stamp(facts.st_ino, 10**9, 10**9, facts.st_size)

    monkeypatch.setattr(folder_names, "stamp_of", coarse)
    monkeypatch.setattr(file_reads, "stamp_of", coarse)
    first = reader.read(now=1.5).tasks[0]
    data = (task / "plan.json").read_bytes()
    put(task, "plan.json", data.replace(b'"t"', b'"u"'))
    second = reader.read(now=2.0).tasks[0]
    assert second is not first
    assert told(second) == {("ID_MISMATCH", "plan.json")}


@pytest.mark.parametrize(
    "data", [b"{", b"", b'{"a": 1, "a": 2}', b"[NaN]", b"\xff\xfe{}", b"[" * 200, b"nonsense"]
)
def test_a_broken_file_hides_nothing_else(reader, task, data):
    put(task, "plan.json", data)
    files = one(reader)
    assert told(files) == {("INVALID_JSON", "plan.json")}
    assert files.problems[0].digest == digest(data)
    assert set(files.artifacts) == {"task.json"}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.binary(max_size=200))
def test_no_bytes_raise_or_hide(root, data):
    folder = root / "tasks" / "t"
    put(folder, "task.json", builders.agent_task(id="t"))
    for path in ("plan.json", "consumptions/c.json", "tool-requests/r.json", "final-report.md"):
        put(folder, path, data)
    files = one(TaskReader(root, root.parent))
    assert "task.json" in files.artifacts
    assert {problem.artifact for problem in files.problems} >= {"plan.json", "consumptions/c.json"}


def test_a_fresh_half_is_being_written_and_the_last_good_stays(reader, task):
    good = one(reader, later=0)
    data = (task / "plan.json").read_bytes()
    put(task, "plan.json", data[:40])
    result = read(reader, later=0)
    files = result.tasks[0]
    assert files.problems == ()
    assert files.being_written == ("plan.json",)
    assert files.artifacts["plan.json"] is good.artifacts["plan.json"]
    assert result.looks_again == pytest.approx((task / "plan.json").stat().st_mtime + task_files.PATIENCE)
    assert one(reader, later=1) is files
    broken = read(reader, later=2.1)
    assert told(broken.tasks[0]) == {("INVALID_JSON", "plan.json")}
    assert broken.tasks[0].being_written == ()
    assert "plan.json" not in broken.tasks[0].artifacts
    assert broken.looks_again is None
    put(task, "plan.json", data[:50])
    again = one(reader, later=0)
    assert again.being_written == ("plan.json",)
    assert "plan.json" not in again.artifacts, "what was told as broken does not come back as it was before"
    put(task, "plan.json", data)
    assert set(one(reader, later=0).artifacts) == {"task.json", "plan.json"}


def test_a_fresh_half_without_a_good_one_before_is_no_error_yet(reader, task):
    put(task, "review-result.json", b'{"verdict": ')
    files = one(reader, later=0)
    assert files.problems == ()
    assert files.being_written == ("review-result.json",)
    assert "review-result.json" not in files.artifacts


def test_whole_json_that_is_no_contract_is_told_at_once(reader, task):
    put(task, "plan.json", b'{"taskId": "t"}')
    files = one(reader, later=0)
    assert told(files) == {("INVALID_CONTRACT", "plan.json")}
    assert files.problems[0].fields


def test_a_slow_writer_never_shows_an_error(reader, task, tmp_path):
    new = to_bytes(builders.agent_plan(task_id="t", summary="the new scope"))
    (tmp_path / "new.json").write_bytes(new)
    good = one(reader, later=0).artifacts["plan.json"]
    script = [sys.executable, str(CASES / "094-half-written" / "slow-writer.py"), str(task / "plan.json")]
    writer = subprocess.Popen([*script, str(tmp_path / "new.json"), "0.06"])
    seen: set[tuple[bool, bool]] = set()
    while writer.poll() is None:
        files = one(reader, later=0)
        assert files.problems == ()
        plan = files.artifacts["plan.json"]
        assert plan is good or plan.raw == new
        seen.add((plan is good, "plan.json" in files.being_written))
    assert writer.returncode == 0
    assert (True, True) in seen, "the half was met"
    files = one(reader, later=0)
    assert files.artifacts["plan.json"].raw == new
    assert files.being_written == ()


def test_a_time_in_the_future_does_not_excuse_a_broken_file_for_ever(reader, task):
    put(task, "plan.json", b"{")
    future = time.time() + 10_000
    os.utime(task / "plan.json", (future, future))
    assert one(reader, later=0).being_written == ("plan.json",)
    assert one(reader, later=1.9).being_written == ("plan.json",)
    assert told(one(reader, later=2.1)) == {("INVALID_JSON", "plan.json")}


def test_a_file_that_changes_while_it_is_read_is_read_again(reader, task, monkeypatch):
    new = to_bytes(builders.agent_plan(task_id="t", summary="new"))
    real, changes = os.read, []

    def read_and_change(descriptor, size):
        data = real(descriptor, size)
        if b"filesToEdit" in data and not changes:
            changes.append(1)
            (task / "plan.json").write_bytes(new)
        return data

    monkeypatch.setattr(file_reads.os, "read", read_and_change)
    files = one(reader)
    assert changes
    assert files.artifacts["plan.json"].raw == new


def test_a_file_that_never_rests_is_being_written(reader, task, monkeypatch):
    good = one(reader)
    real = os.read

    def read_and_grow(descriptor, size):
        data = real(descriptor, size)
        if b"filesToEdit" in data:
            with (task / "plan.json").open("ab") as file:
                file.write(b" ")
        return data

    (task / "plan.json").touch()
    with monkeypatch.context() as patch:
        patch.setattr(file_reads.os, "read", read_and_grow)
        result = read(reader)
    files = result.tasks[0]
    assert files.being_written == ("plan.json",)
    assert files.artifacts["plan.json"] is good.artifacts["plan.json"]
    assert result.looks_again is not None
    after = one(reader)
    assert after.being_written == ()
    assert after.artifacts["plan.json"].raw == (task / "plan.json").read_bytes()


def test_a_file_that_vanishes_before_it_is_opened_is_absent(reader, task, monkeypatch):
    real = task_files.read_at

    def vanish(folder, name, expected):
        if name == "plan.json":
            (task / name).unlink()
        return real(folder, name, expected)

    monkeypatch.setattr(task_files, "read_at", vanish)
    files = one(reader)
    assert set(files.artifacts) == {"task.json"}
    assert files.problems == ()


def test_what_is_no_regular_file_never_blocks_and_is_named(reader, task):
    os.mkfifo(task / "review-result.json")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(task)  # the path of a socket is short
        try:
            listening.bind("test-result.json")
        finally:
            os.chdir(here)
        (task / "final-report.json").mkdir()
        if os.geteuid() == 0:
            os.mknod(task / "fix-result.json", stat.S_IFCHR | 0o600, os.makedev(1, 5))
        files = one(reader)
    words = {problem.artifact: problem.message for problem in files.problems}
    assert "a pipe" in words["review-result.json"]
    assert "a socket" in words["test-result.json"]
    assert "not a name" in words["final-report.json/"] or "wrong place" in words["final-report.json/"]
    if os.geteuid() == 0:
        assert "a device" in words["fix-result.json"]
    assert set(files.artifacts) == {"task.json", "plan.json"}


def test_links_are_never_followed(reader, root, task, tmp_path):
    outside = tmp_path / "outside"
    put(outside, "plan.json", builders.agent_plan(task_id="t"))
    put(outside, "requests/r.json", builders.tool_request("r"))
    (task / "plan.json").unlink()
    (task / "plan.json").symlink_to(outside / "plan.json")
    (task / "tool-requests").symlink_to(outside / "requests")
    (task / "review-result.json").symlink_to("nowhere")
    (root / "tasks" / "linked").symlink_to(outside)
    result = read(reader)
    (files,) = result.tasks
    assert set(files.artifacts) == {"task.json"}
    assert told(files) == {
        ("UNREADABLE", "plan.json"), ("UNREADABLE", "review-result.json"), ("UNKNOWN_NAME", "tool-requests"),
    }  # fmt: skip
    assert all("link" in problem.message for problem in files.problems if problem.code == "UNREADABLE")
    assert told(result) == {("UNKNOWN_NAME", "tasks/linked")}


def test_a_folder_swapped_for_a_link_after_the_look_is_not_followed(reader, task, tmp_path, monkeypatch):
    put(task, "tool-requests/r.json", builders.tool_request("r"))
    put(tmp_path / "outside", "r.json", builders.tool_request("r", command="rm -rf /"))
    real = task_files.collect

    def swap(folder):
        names = real(folder)
        (task / "tool-requests").rename(tmp_path / "away")
        (task / "tool-requests").symlink_to(tmp_path / "outside")
        return names

    monkeypatch.setattr(task_files, "collect", swap)
    assert "tool-requests/r.json" not in one(reader).artifacts


@pytest.mark.parametrize("how", ["file", "link", "missing"])
def test_a_tasks_folder_that_is_none(tmp_path, how):
    root = tmp_path / ".ai"
    root.mkdir()
    put(tmp_path / "outside" / "t", "task.json", builders.agent_task(id="t"))
    if how == "file":
        (root / "tasks").write_text("x")
    elif how == "link":
        (root / "tasks").symlink_to(tmp_path / "outside")
    result = read(TaskReader(root, tmp_path))
    assert result.tasks == ()
    assert told(result) == (set() if how == "missing" else {("UNREADABLE", "tasks")})


def test_no_root_is_no_task(tmp_path):
    reader = TaskReader(tmp_path / ".ai", tmp_path)
    assert read(reader) == read(reader)
    assert read(reader).tasks == ()
    assert reader.names() == ()
    assert reader.outline() == ()
    assert reader.signatures() == {}


def test_an_oversized_file_is_not_read(reader, task, monkeypatch):
    with (task / "plan.json").open("wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    real = os.read

    def bounded(descriptor, size):
        assert size < 1024 * 1024
        return real(descriptor, size)

    monkeypatch.setattr(file_reads.os, "read", bounded)
    (problem,) = one(reader).problems
    assert problem.code == "UNREADABLE"
    assert "16,777,217 bytes" in problem.message
    assert problem.digest is None


def test_a_folder_full_of_bulk_is_bounded(reader, task, monkeypatch):
    monkeypatch.setattr(task_files, "MAX_TASK_BYTES", 6_000)
    for number in range(40):
        put(task, f"tool-requests/r{number:02}.json", builders.tool_request(f"r{number:02}"))
    files = one(reader)
    assert sum(len(artifact.raw) for artifact in files.artifacts.values()) <= 6_000
    assert files.problems
    assert {problem.code for problem in files.problems} == {"UNREADABLE"}
    assert len(files.problems) + len(files.artifacts) == 42


def test_names_without_a_place_are_told_after_a_while_and_bounded(reader, task):
    put(task, "Plan.JSON~", b"x")
    put(task, "errors/plan/x.json", b"x")
    put(task, "sub/plan.json", b"x")
    put(task, "log/notes.md", b"x")
    put(task, "log/000000.json", b"x")
    young = read(reader, later=0)
    assert young.tasks[0].problems == ()
    assert young.tasks[0].unknown_names == ()
    assert young.looks_again is not None
    files = one(reader)
    assert set(files.unknown_names) == {"Plan.JSON~", "errors/plan/", "sub/", "log/notes.md"}
    assert told(files) == {("UNKNOWN_NAME", name) for name in files.unknown_names}
    for number in range(100):
        put(task, f"junk-{number}", b"x")
    files = one(reader)
    assert len(files.unknown_names) == 104
    assert len(files.problems) == task_files.MAX_UNKNOWN_SHOWN + 1


def test_a_flood_of_names_is_bounded(reader, task, monkeypatch):
    monkeypatch.setattr(folder_names, "MAX_NAMES", 50)
    monkeypatch.setattr(folder_names, "MAX_UNKNOWN", 30)
    for number in range(100):
        put(task, f"junk-{number}", b"x")
    files = one(reader)
    assert len(files.unknown_names) <= 30
    assert ("UNREADABLE", "") in told(files)


def test_names_that_are_no_text_are_named_and_break_nothing(reader, root, task):
    os.mkdir(os.fsencode(root / "tasks") + b"/t\xe9")
    (task / "tool-requests").mkdir()
    with open(os.fsencode(task / "tool-requests") + b"/caf\xe9.json", "wb") as file:
        file.write(b"{}")
    result = read(reader)
    assert [problem.code for problem in result.problems] == ["ID_MISMATCH"]
    assert result.tasks[0].unknown_names == ("tool-requests/caf\udce9.json",)


def test_a_folder_in_another_normal_form_is_named_with_the_next_step(reader, root, task):
    name = unicodedata.normalize("NFD", "로그인")
    put(root / "tasks" / name, "task.json", builders.agent_task(id=name))
    if name not in os.listdir(root / "tasks"):
        pytest.skip("this file system composes names")
    (problem,) = read(reader).problems
    assert problem.code == "ID_MISMATCH"
    assert "로그인" in problem.next_step
    assert reader.names() == ("t",)


def test_a_folder_named_in_any_script_is_a_task(reader, root):
    put(root / "tasks" / "로그인-오류", "task.json", builders.agent_task(id="로그인-오류"))
    assert set(one(reader, "로그인-오류").artifacts) == {"task.json"}


def test_names_that_differ_in_case_stay_apart_and_are_named(reader, root):
    subprocess.run(
        ["/bin/sh", str(CASES / "147-case-collision" / "make.sh"), str(root / "tasks")], check=True
    )
    if len(os.listdir(root / "tasks")) == 1:
        pytest.skip("this file system does not tell case apart")
    put(root / "tasks" / "T-1", "plan.json", builders.agent_plan(task_id="T-1"))
    result = read(reader)
    assert [files.task_id for files in result.tasks] == ["T-1", "t-1"]
    upper = result.tasks[0]
    assert set(upper.artifacts) == {"plan.json"}
    assert upper.unknown_names == ("Plan.json",)
    assert ("NAME_COLLISION", "Plan.json") in told(upper)
    assert {problem.code for problem in result.problems} == {"NAME_COLLISION"}
    pair = next(problem for problem in upper.problems if problem.code == "NAME_COLLISION")
    assert "Plan.json and plan.json" in pair.message


MISMATCHES = {
    "task.json": builders.agent_task(id="other"),
    "plan.json": builders.agent_plan(task_id="other"),
    "tool-requests/a.json": builders.tool_request("b"),
    "tool-requests/c.json": builders.tool_request_v2("c", task_id="other"),
    "escalations/a.json": builders.escalation(escalation_id="b", task_id="t"),
    "escalations/c.json": builders.escalation(escalation_id="c", task_id="other"),
    "approval-requests/a.json": builders.approval_request(approval_id="b", task_id="t"),
    "handoffs/a.json": builders.handoff(handoff_id="b", task_id="t"),
    "consumptions/x.json": json.dumps(CLAIM).encode(),
}


@pytest.mark.parametrize("path", MISMATCHES)
def test_an_id_that_differs_from_its_name_is_a_problem(reader, task, path):
    data = put(task, path, MISMATCHES[path])
    files = one(reader)
    (problem,) = files.problems
    assert (problem.code, problem.artifact, problem.digest) == ("ID_MISMATCH", path, digest(data))
    assert problem.field in {"id", "taskId", "requestId", "escalationId", "approvalId", "handoffId"}
    assert path not in files.artifacts
    assert files.consumptions == {}


@pytest.mark.parametrize(("field", "value"), [
    ("digest", "abc"), ("claim", 5), ("takenAt", "yesterday"), ("takenAt", "2026-07-21T09:00:00"),
    ("takenAt", None), ("takenAt", "2026-07-21"), ("extra", 1), ("digest", None),
])  # fmt: skip
def test_a_claim_that_is_none_is_a_problem(reader, task, field, value):
    put(task, "consumptions/r-1.json", json.dumps({**CLAIM, field: value}).encode())
    files = one(reader)
    assert told(files) == {("INVALID_CONTRACT", "consumptions/r-1.json")}
    assert files.consumptions == {}


def test_evidence_is_found_in_the_task_folder_first_then_in_the_work_tree(reader, task, tmp_path):
    names = (
        "artifacts/a.log",
        "artifacts/b.log",
        "artifacts/none.log",
        "/etc/passwd",
        "../../secret",
        "a/../../x",
    )
    put(
        task,
        "test-result.json",
        builders.run_result(artifacts=(*names, "artifacts/linked", "linked/x", "artifacts")),
    )
    put(task, "artifacts/a.log", b"12345")
    put(tmp_path, "artifacts/a.log", b"1")
    put(tmp_path, "artifacts/b.log", b"12")
    put(tmp_path, ".ai/secret", b"x")
    (task / "artifacts" / "linked").symlink_to(task / "plan.json")
    (tmp_path / "linked").symlink_to(tmp_path / "artifacts")
    put(tmp_path, "artifacts/x", b"x")
    files = one(reader)
    found = {name: (one.location, one.size) for name, one in files.evidence.items() if name in names}
    assert found == {"artifacts/a.log": ("task", 5), "artifacts/b.log": ("work-tree", 2)}
    assert not {"artifacts/linked", "linked/x", "artifacts"} & set(files.evidence)


def test_evidence_that_comes_later_is_seen_although_no_contract_changed(reader, task):
    put(task, "test-result.json", builders.run_result(artifacts=("artifacts/a.log",)))
    before = one(reader)
    assert "artifacts/a.log" not in before.evidence
    put(task, "artifacts/a.log", b"x")
    after = one(reader)
    assert "artifacts/a.log" in after.evidence
    assert all(after.artifacts[path] is artifact for path, artifact in before.artifacts.items())
    assert one(reader) is after


FORBIDDEN = """
import os, sys, time
from pathlib import Path
from ags_tui.io.tasks import TaskReader
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
root = Path(sys.argv[1])
read = TaskReader(root, root.parent).read(now=time.time() + 100)
for files in read.tasks:
    print(files.task_id, sorted(files.artifacts), sorted((p.code, p.artifact) for p in files.problems))
"""


def test_what_may_not_be_read_is_named_and_hides_nothing_else(root, task, tmp_path):
    put(root / "tasks" / "u", "task.json", builders.agent_task(id="u"))
    put(task, "tool-requests/r.json", builders.tool_request("r"))
    put(task, "errors/e.json", b"{}")
    for path in (*tmp_path.parents, tmp_path):
        if path.stat().st_uid == os.geteuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    (task / "plan.json").chmod(0)
    (task / "tool-requests").chmod(0)
    (root / "tasks" / "u").chmod(0)
    try:
        done = subprocess.run(
            [sys.executable, "-c", FORBIDDEN, str(root)],
            capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
        )  # fmt: skip
    finally:
        (task / "tool-requests").chmod(0o755)
        (root / "tasks" / "u").chmod(0o755)
    if "ModuleNotFoundError" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip("this checkout cannot be read by another user")
    assert done.stdout.splitlines() == [
        "t ['task.json'] [('INVALID_CONTRACT', 'errors/e.json'), ('UNREADABLE', 'plan.json'), "
        "('UNREADABLE', 'tool-requests')]",
        "u [] [('UNREADABLE', '')]",
    ]
