"""Patterns: the table of the language, refusals, speed that no pattern can take away, and prose."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wcmatch import fnmatch

from ags_tui.core.globs import (
    Side,
    compile_patterns,
    normalise,
    prose_match,
)
from ags_tui.core.prose import is_dependency_file, names_dependencies

CASES = Path(__file__).parent.parent / "cases"


def allows(pattern: str, path: str, *, ignore_case: bool = False) -> bool:
    return compile_patterns([pattern], side="allow", ignore_case=ignore_case).match(path) is not None


def denies(pattern: str, path: str) -> bool:
    return compile_patterns([pattern], side="deny").match(path) is not None


def codes(pattern: str, side: Side = "allow") -> list[str]:
    return [problem.code for problem in compile_patterns([pattern], side=side).problems]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "lib/src/a.py", False),
        ("src/a.py", "src/a.py/b", False),
        ("src", "src/a.py", False),
        ("src/*", "src/a.py", True),
        ("src/*", "src/sub/a.py", False),
        ("src/*", "src/.env", True),
        ("src/**", "src/sub/.env", True),
        ("src/**", "src", True),
        ("src/**", "srcs/a.py", False),
        ("src/", "src/deep/er/a.py", True),
        ("./src/**", "src/a.py", True),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/x/y/a.py", True),
        ("src/**/a.py", "src/x/y/b/a.pyc", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/.hidden/a.py", True),
        ("*.py", "x/a.py", False),
        ("a?c/x", "abc/x", True),
        ("a?c/x", "ac/x", False),
        ("src/[ab].py", "src/a.py", True),
        ("src/[ab].py", "src/c.py", False),
        ("src/[!ab].py", "src/c.py", True),
        ("src/[]x].py", "src/].py", True),
        ("src/x[*].py", "src/x*.py", True),
        ("src/x[*].py", "src/xy.py", False),
        ("src/{a,b}.py", "src/a.py", False),
        ("src/{a,b}.py", "src/{a,b}.py", True),
        ("src/!(a).py", "src/b.py", False),
        ("src/+(a).py", "src/aa.py", False),
        ("src/**.py", "src/a.py", True),
        ("src/**.py", "src/x/a.py", False),
        ("src/*a*b*c", "src/xaxbxc", True),
        ("src/*a*b*c", "src/xaxcxb", False),
        ("src/*ab*ab", "src/ab", False),
        ("src/*ab*ab", "src/abab", True),
        ("src/a\n*", "src/a\nb", True),
        ("src/a*", "src/a\nb", True),
        ("src/a", "src/a\n", False),
        ("src/*.py", "src/a.py\n", False),
        ("caf\u00e9/x", "cafe\u0301/x", True),
        ("cafe\u0301/*", "caf\u00e9/y", True),
        ("src/a.py", "./src//x/../a.py", True),
        ("src/**", "src/../secret", False),
        ("src/**", "../src/a.py", False),
        ("src/**", "/src/a.py", False),
    ],
)
def test_language(pattern: str, path: str, expected: bool) -> None:
    assert allows(pattern, path) is expected
    if not path.startswith(("/", "..")):
        assert denies(pattern, path) is expected or "/" not in pattern


def test_dead_pattern_table() -> None:
    rows = json.loads((CASES / "034-dead-patterns/globs.json").read_text())
    for pattern, path, expected in rows:
        assert denies(pattern, path) is (expected is True or expected == "say which"), pattern
        on_allow = compile_patterns([pattern], side="allow")
        assert on_allow.problems or on_allow.match(path) == pattern


@pytest.mark.parametrize(
    "pattern", ["", "   ", "/", "//", "./", ".", "..", "../x", "a/../b", "/etc/passwd", "/**"]
)
def test_no_single_meaning_is_refused(pattern: str) -> None:
    assert codes(pattern) == codes(pattern, "deny") == ["AMBIGUOUS_PATTERN"]
    assert not allows(pattern, "etc/passwd")


@pytest.mark.parametrize(
    "pattern",
    ["!src/**", "a\0b", "src\\a.py", "C:/x", "a" * 1025, "/".join(["a"] * 65), "x/" * 65],
)
def test_refused(pattern: str) -> None:
    assert codes(pattern) == ["AMBIGUOUS_PATTERN"]
    assert not allows(pattern, pattern)


def test_limits_are_inclusive() -> None:
    assert codes("a" * 1024) == []
    assert allows("/".join(["a"] * 64), "/".join(["a"] * 64))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("/src/**", "src/a"), ("src\\a.py", "src/a.py"), ("src//a.py", "src/a.py"), ("src/./a.py", "src/a.py")],
)
def test_a_badly_written_deny_still_denies(pattern: str, path: str) -> None:
    assert denies(pattern, path)
    assert codes(pattern, "deny")
    assert not allows(pattern, path)


@pytest.mark.parametrize("pattern", ["~/**", "src//a.py", "//x", "src/./a.py", "src/.", "src/[z-a]/x"])
def test_what_can_never_match_is_reported(pattern: str) -> None:
    assert codes(pattern, "deny") in (["DEAD_PATTERN"], ["AMBIGUOUS_PATTERN"])
    assert codes(pattern, "allow") == codes(pattern, "deny")


@pytest.mark.parametrize(
    "pattern", ["**", "*", "**/*", "*/**", "./**", "**/**/*", "*.*", "**/[!.]*", "??*", "**/", "*/"]
)
def test_catch_alls(pattern: str) -> None:
    assert codes(pattern, "allow") == ["OVERBROAD_PATTERN"]
    assert codes(pattern, "deny") == []
    assert not allows(pattern, "a.b")
    assert denies(pattern, "a.b")


@pytest.mark.parametrize("pattern", ["*.py", "src/**", "**/테스트/*", "a*", "__init__"])
def test_particular_patterns_are_not_catch_alls(pattern: str) -> None:
    assert codes(pattern, "allow") == []


def test_bare_names() -> None:
    allow = compile_patterns(["README.md", "src", "src/a.py", "*.txt"], side="allow")
    assert allow.bare == ("README.md", "src")
    assert allow.match("README.md") is None
    assert allow.match("docs/README.md") is None
    assert allow.match("lib/src/a.py") is None
    deny = compile_patterns(["README.md", "src"], side="deny")
    assert deny.match("docs/README.md") == "README.md"
    assert deny.match("lib/src/a.py") == "src"
    assert deny.match("lib/srcs/a.py") is None


def test_the_first_pattern_as_written_is_named() -> None:
    patterns = compile_patterns(["./src/*.py", "src/a.py", "src/**"], side="deny")
    assert patterns.match("src/a.py") == "./src/*.py"
    assert patterns.match("src/b.c") == "src/**"


def test_sibling_folders_stay_out() -> None:
    rows = json.loads((CASES / "032-sibling-prefix/paths.json").read_text())
    inside = compile_patterns([rows["root"].strip("/") + "/**"], side="allow")
    for path, expected in rows["check"]:
        relative = path.removeprefix("/")
        assert (inside.match(relative) is not None) is (expected == "in"), path


def test_case() -> None:
    assert not allows("Src/*.PY", "src/a.py")
    assert allows("Src/*.PY", "src/A.py", ignore_case=True)
    assert allows("src/[A-F]*.py", "SRC/cd.py", ignore_case=True)
    assert allows("Straße/x", "STRASSE/X", ignore_case=True)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("./a//b/./c/../d/", "a/b/d"),
        ("a/../../b", "../b"),
        ("/a/../..", "/.."),
        ("e\u0301", "\u00e9"),
        ("", ""),
    ],
)
def test_normalise(path: str, expected: str) -> None:
    assert normalise(path) == expected


def test_no_pattern_can_freeze_it() -> None:
    hostile = [f"{'**/a/' * 30}*{'a*' * 100}{index}" for index in range(200)]
    patterns = compile_patterns(hostile, side="deny")
    started = time.process_time()
    assert patterns.match("a/" * 1500 + "a" * 255) is None
    assert patterns.match("a/" * 40 + "a" * 250 + "7") == hostile[7]
    assert time.process_time() - started < 5, "a backtracking matcher needs years here"


def test_too_many_wildcards_are_refused_not_dropped_silently() -> None:
    patterns = compile_patterns([f"d{index}/*" for index in range(1500)], side="deny")
    assert patterns.match("d1023/x") == "d1023/*"
    assert patterns.match("d1024/x") is None
    assert {problem.index for problem in patterns.problems} == set(range(1024, 1500))


SEGMENT = st.text(alphabet="ab*?[]!-.^", min_size=1, max_size=9)
NAME = st.text(alphabet="ab*?[]!-.^", min_size=1, max_size=9)


@given(SEGMENT, NAME)
@example("[", "[")
@example("[!]", "[!]")
@example("[a*]b", "*b")
@example("a*[*]*b", "ax*yb")
def test_one_segment_means_what_wcmatch_says(pattern: str, name: str) -> None:
    flags = fnmatch.DOTMATCH | fnmatch.FORCEUNIX | fnmatch.CASE
    if pattern.startswith("!") or not pattern.strip("./") or not name.strip("."):
        return
    assert denies(f"x/{pattern}", f"x/{name}") is fnmatch.fnmatch(name, pattern, flags=flags)


PARTS = st.lists(st.sampled_from(["a", "b", "c", "*", "?", "**", "a*"]), min_size=1, max_size=6)


def naive(pattern: list[str], path: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return naive(pattern[1:], path) or (bool(path) and naive(pattern, path[1:]))
    return bool(path) and fnmatch.fnmatch(path[0], pattern[0]) and naive(pattern[1:], path[1:])


@given(
    st.lists(PARTS, min_size=1, max_size=5),
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6)),
)
def test_many_patterns_match_like_one_at_a_time(patterns: list[list[str]], paths: list[list[str]]) -> None:
    texts = ["/".join(["r", *parts]) for parts in patterns]
    together = compile_patterns(texts, side="deny")
    for path in paths:
        expected = next(
            (t for t, p in zip(texts, patterns, strict=True) if naive(["r", *p], ["r", *path])), None
        )
        assert together.match("/".join(["r", *path])) == expected


@given(st.text(max_size=30), st.text(max_size=30))
def test_anything_is_answered(pattern: str, path: str) -> None:
    for side in ("allow", "deny"):
        compile_patterns([pattern], side=side).match(path)
    prose_match(pattern, path)


@pytest.mark.parametrize(
    ("sentence", "path", "expected"),
    [
        ("NetworkClient 수정", "Sources/Net/NetworkClient.swift", True),
        ("NetworkClient를 수정하지 않는다", "NetworkClient.swift", True),
        ("NetworkClient 수정", "Sources/NetworkClient/Retry.swift", True),
        ("NetworkClient 수정", "NetworkClientTests.swift", False),
        ("NetworkClient 수정", "MyNetworkClient.swift", False),
        ("networkclient 수정", "NetworkClient.swift", True),
        ("DesignSystem 수정", "DesignSystem/Button.swift", True),
        ("DesignSystem 수정", "DesignSystemButton.swift", True),
        ("DesignSystem 수정", "design-system/button.css", True),
        ("the design system must not change", "src/DesignSystem/a.ts", True),
        ("AuthRepository 수정이 필요할 경우 중단한다.", "Sources/AuthRepository.swift", True),
        ("AuthRepository 수정이 필요할 경우 중단한다.", "AuthErrorMapper.swift", False),
        ("auth_error_mapper 수정", "AuthErrorMapper.swift", True),
        ("인증 API 계약 변경", "Sources/API/x.swift", False),
        ("Do not touch any test file", "test/file.py", False),
        ("stop if tests fail with an error", "tests/error/with.py", False),
        ("do not touch src/test/", "src/test/a.py", True),
        ("do not touch `Auth/Login.swift`.", "Sources/Auth/Login.swift", True),
        ("Login.swift 수정 금지", "Sources/Login.swift", True),
        ("Login.swift 수정 금지", "Sources/Login.kt", False),
        ("DesignSystem/** 수정", "DesignSystem/deep/x", True),
        ("payment 수정", "src/payment.py", True),
        ("payment 수정", "src/payments.py", False),
        ("", "a", False),
        (".github/workflows 수정", ".github/workflows/ci.yml", True),
        ("do not touch ./src/login.", "src/login/a.py", True),
    ],
)
def test_prose(sentence: str, path: str, expected: bool) -> None:
    assert prose_match(sentence, path) is expected


def test_no_sentence_can_freeze_it() -> None:
    started = time.process_time()
    for unit in ("a", "a/", "a.", "a-", "A", "/", ".", "가a", "a b ", "~*"):
        prose_match(unit * 200_000, "src/a.py")
        names_dependencies(unit * 200_000)
    assert time.process_time() - started < 20, "a backtracking search needs hours here"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("신규 라이브러리 추가", True),
        ("신규 의존성이 필요할 경우 중단한다.", True),
        ("no new dependencies", True),
        ("add a Library", True),
        ("packages", True),
        ("NetworkClient 수정", False),
        ("packages/ui 수정", False),
    ],
)
def test_dependency_words(sentence: str, expected: bool) -> None:
    assert names_dependencies(sentence) is expected


@pytest.mark.parametrize(
    "path", ["package.json", "a/b/Cargo.lock", "requirements-dev.txt", "requirements/base.txt", "x.csproj"]
)
def test_dependency_files(path: str) -> None:
    assert is_dependency_file(path)


@pytest.mark.parametrize(
    "path", ["src/package.py", "docs/requirements.md", "lock", "requirements/readme.md", "yarn.lock/x"]
)
def test_other_files(path: str) -> None:
    assert not is_dependency_file(path)
