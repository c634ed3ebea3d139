"""Policy files: strict, with the line of each error; a broken file never allows."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.policy.model import EffectiveLimits, Limits, PolicyFile, combine_limits
from ags_tui.core.policy.parse import parse_policy
from ags_tui.io.init_folder import POLICY
from ags_tui.io.places import Places
from ags_tui.io.policy_files import read_policy, read_policy_files

CASES = Path(__file__).parents[1] / "cases" / "144-broken-policy"

RULE = """\
[[rule]]
id = "tests"
decision = "allow"
tool = "shell"
command = "npm test *"
"""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(state=tmp_path / "state", config=tmp_path / "config")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree" / ".ai"
    folder.mkdir(parents=True)
    return folder


def only_problem(text: str) -> tuple[int | None, str, str]:
    file = parse_policy(text.encode())
    assert len(file.problems) == 1, file.problems
    problem = file.problems[0]
    return problem.line, problem.field, problem.message


def test_whole_rule_is_read():
    text = RULE + (
        'paths = ["src/**"]\nrisk_at_most = "medium"\nreason = "unit tests"\n'
        'match = ["npm test -- login"]\nnot_match = ["npm test && rm -rf /"]\n'
        "expires = 2026-12-31T00:00:00+09:00\n\n[limits]\nrequest_timeout_s = 60\n"
        'when_absent = "defer"\nmax_schema_attempts = 3\n'
    )
    file = parse_policy(text.encode())
    assert file.problems == ()
    (rule,) = file.rules
    assert (rule.rule_id, rule.decision, rule.tool, rule.command) == ("tests", "allow", "shell", "npm test *")
    assert rule.paths == ("src/**",)
    assert rule.risk_at_most == "medium"
    assert rule.match == ("npm test -- login",)
    assert rule.not_match == ("npm test && rm -rf /",)
    assert rule.expires == datetime(2026, 12, 30, 15, tzinfo=UTC)
    assert rule.line == 1
    assert file.limits == Limits(60, "defer", 3)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('decision = "perhaps"', "rule.0.decision"),
        ('tool = "rm"', "rule.0.tool"),
        ('paths = "src/**"', "rule.0.paths"),
        ("paths = []", "rule.0.paths"),
        ('match = ["", "x"]', "rule.0.match"),
        ('risk_at_most = "tiny"', "rule.0.risk_at_most"),
        ("expires = 2026-12-31", "rule.0.expires"),
        ("expires = 2026-12-31T00:00:00", "rule.0.expires"),
        ("expires = 0001-01-01T00:00:00+14:00", "rule.0.expires"),
        ('command = "  "', "rule.0.command"),
        ("surprise = 1", "rule.0.surprise"),
    ],
)
def test_wrong_value_names_its_line(line: str, field: str):
    key = line.partition(" ")[0]
    kept = [row for row in RULE.splitlines() if not row.startswith(f"{key} =")]
    found = only_problem("\n".join([*kept, line]) + "\n")
    assert found[:2] == (len(kept) + 1, field)


def test_missing_key_names_the_line_of_its_rule():
    assert only_problem('\n[[rule]]\nid = "a"\ntool = "shell"\n') == (
        2,
        "rule.0.decision",
        "'decision' is missing",
    )


def test_lines_are_right_after_multi_line_texts_and_arrays():
    text = (
        '[[rule]]\nid = "a"\ndecision = "deny"\ntool = "shell"\nreason = """\nid = 3\n[[rule]]\n"""\n'
        'match = [\n  "a",\n]\n' + RULE + 'extra = "x"\n'
    )
    assert only_problem(text)[:2] == (17, "rule.1.extra")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("request_timeout_s = 0", "limits.request_timeout_s"),
        ("request_timeout_s = true", "limits.request_timeout_s"),
        ("request_timeout_s = 1e3", "limits.request_timeout_s"),
        ('when_absent = "allow"', "limits.when_absent"),
        ("max_schema_attempts = 99", "limits.max_schema_attempts"),
        ("unknown = 1", "limits.unknown"),
    ],
)
def test_wrong_limit_names_its_line(line: str, field: str):
    assert only_problem(f"[limits]\n{line}\n")[:2] == (2, field)


def test_two_rules_with_one_id_are_refused():
    assert only_problem(RULE + RULE)[1:] == ("rule.1.id", "the id 'tests' is used twice")


def test_denies_of_a_broken_file_stay():
    file = parse_policy((CASES / "unknown-key.toml").read_bytes())
    assert [rule.rule_id for rule in file.denies] == ["push"]
    assert [(p.line, p.field) for p in file.problems] == [(12, "rule.1.path")]


def test_deny_that_cannot_be_read_is_no_rule():
    file = parse_policy(b'[[rule]]\nid = "a"\ndecision = "deny"\ntool = "edit_file"\npaths = "x"\n')
    assert file.rules == ()
    assert file.problems


def test_what_init_writes_is_valid():
    file = parse_policy(POLICY.encode())
    assert file.problems == ()
    assert [rule.decision for rule in file.rules] == ["deny"]
    assert file.limits == Limits(3600, "deny", 2)


def test_commented_rule_that_init_writes_is_valid():
    start = POLICY.index("# [[rule]]")
    example = POLICY[start : POLICY.index("\n\n", start)].replace("# ", "")
    file = parse_policy(example.encode())
    assert file.problems == ()
    assert file.rules[0].match == ("npm test -- login",)


@pytest.mark.parametrize("case", sorted(CASES.glob("*.toml")), ids=lambda p: p.stem)
def test_broken_file_of_either_place_is_a_problem_with_its_line(case: Path, root: Path, places: Places):
    for path in (root / "policy.toml", places.config / "policy.toml"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(case.read_bytes())
        state = read_policy(root, places)
        assert state.problems
        assert all(problem.line for problem in state.problems)
        assert all(problem.code == "INVALID_POLICY" for problem in state.problems)
        files = read_policy_files(root, places)
        file = files.repository or files.user
        assert isinstance(file, PolicyFile)
        assert not [rule for rule in file.denies if rule.decision == "allow"]
        path.unlink()


def test_missing_file_is_no_problem(root: Path, places: Places):
    state = read_policy(root, places)
    assert state.problems == ()
    assert state.request_timeout_s == 3600


def test_digest_changes_with_each_file(root: Path, places: Places):
    digests = [read_policy(root, places).digest]
    (root / "policy.toml").write_text(RULE)
    digests.append(read_policy(root, places).digest)
    places.config.mkdir()
    (places.config / "policy.toml").write_text(RULE)
    digests.append(read_policy(root, places).digest)
    (root / "policy.toml").unlink()
    digests.append(read_policy(root, places).digest)
    assert len(set(digests)) == 4


def test_link_and_pipe_in_the_repository_are_problems_and_do_not_hang(
    root: Path, places: Places, tmp_path: Path
):
    target = tmp_path / "elsewhere.toml"
    target.write_text(RULE)
    (root / "policy.toml").symlink_to(target)
    (problem,) = read_policy(root, places).problems
    assert "link" in problem.message
    (root / "policy.toml").unlink()
    os.mkfifo(root / "policy.toml")
    (problem,) = read_policy(root, places).problems
    assert "regular" in problem.message


def test_repository_only_tightens():
    user = Limits(request_timeout_s=100, when_absent="defer", max_schema_attempts=2)
    looser = Limits(request_timeout_s=900, when_absent="defer", max_schema_attempts=9)
    tighter = Limits(request_timeout_s=10, when_absent="deny", max_schema_attempts=1)
    assert combine_limits(user, looser) == EffectiveLimits(100, "defer", 2)
    assert combine_limits(user, tighter) == EffectiveLimits(10, "deny", 1)
    assert combine_limits(None, Limits(when_absent="defer")) == EffectiveLimits()


def test_oversized_deep_and_non_utf8_files_are_problems():
    assert parse_policy(b"#" * (1024 * 1024 + 1)).problems
    assert parse_policy(b"a = " + b"[" * 100_000).problems
    assert parse_policy(b"a = " + b"1" * 5000).problems
    file = parse_policy(b"a = 1\nb = '\xff'\n")
    assert file.problems[0].line == 2


@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes):
    file = parse_policy(data)
    assert file.problems or file.rules == ()
