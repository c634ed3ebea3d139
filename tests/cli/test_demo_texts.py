"""The demo in both languages: valid contracts of one shape, a program that runs, the locale."""

import json
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.message import Message

from ags_tui.app.messages import Narrated
from ags_tui.cli.demo import play, program, project
from ags_tui.cli.demo.desk import Layout
from ags_tui.cli.demo.narrator import narrated
from ags_tui.cli.demo.stage import set_stage
from ags_tui.cli.demo.texts import ENGLISH, KOREAN, LANGUAGES, TEXTS, Texts, language_of
from ags_tui.core.assessment import TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.contracts.parse import Parsed, parse_contract


def documents(texts: Texts) -> dict[str, tuple[str, Any]]:
    """All that is written in a language, with its contract."""
    files = [project.changed("login/errors.py", texts.changed[0])]
    return {
        "task": ("AgentTask", project.task(texts)),
        "plan": ("AgentPlan", project.plan(texts)),
        "widened": ("AgentPlan", project.plan(texts, widened=True)),
        "implementation": (
            "ImplementationResult",
            project.implementation(files, steps=[], risks=[texts.risk]),
        ),
        "review": ("ReviewResult", project.first_review(texts)),
        "not run": ("TestResult", project.tests_not_run(texts.not_run)),
    }


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    return [shape(one) for one in value] if isinstance(value, list) else type(value).__name__


def test_both_languages_write_valid_contracts_of_one_shape():
    english, korean = documents(ENGLISH), documents(KOREAN)
    assert shape({name: one for name, (_, one) in english.items()}) == shape(
        {name: one for name, (_, one) in korean.items()}
    )
    for contract, document in (*english.values(), *korean.values()):
        raw = json.dumps(document).encode()
        assert isinstance(parse_contract(raw, contract=contract, artifact="x.json"), Parsed)
    assert ENGLISH.says.keys() == KOREAN.says.keys()
    assert ENGLISH.options.keys() == KOREAN.options.keys()
    assert all(english.count("{}") == KOREAN.says[key].count("{}") for key, english in ENGLISH.says.items())


def judged(top: Path, language: str) -> TaskAssessment:
    """The task when the planner has written its plan."""
    workspace = set_stage(top, language)
    folder = Layout(top).repository / ".ai" / "tasks" / project.TASK_ID
    (folder / "plan.json").write_text(json.dumps(project.plan(TEXTS[language])), encoding="utf-8")
    assessment = assess(workspace.read(), datetime.now(UTC))
    return next(task for task in assessment.tasks if task.task_id == project.TASK_ID)


def test_the_checks_read_both_languages_alike(tmp_path: Path):
    found = [
        judged(tmp_path / language, language) for language in LANGUAGES if not (tmp_path / language).mkdir()
    ]
    findings, prose = (
        [[(one.code, one.artifact, one.path) for one in task.findings] for task in found],
        [[(one.prose_id, one.outcome, one.basis) for one in task.gate.prose] for task in found],
    )
    assert findings[0] == findings[1]
    assert prose[0] == prose[1]
    assert [one.item_id for one in found[0].pending] == ["plan"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answer", ["separate", "same", 'say "please", \\ later'])
def test_the_program_passes_its_tests_with_any_answer(tmp_path: Path, language: str, answer: str):
    texts = TEXTS[language]
    files = program.files(texts)
    tests = program.tests_same(texts) if answer == "same" else program.TESTS_FIRST
    files |= {
        "login/errors.py": program.ERRORS_SECOND,
        "login/messages.py": program.messages_with_timeout(texts, answer),
        "tests/test_errors.py": tests + program.test_unknown(texts),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "unittest", "discover", "-s", "tests", "-q"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Ran 4 tests" in done.stderr


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE"}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "ko_KR.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "ko", "LANG": "C"}, "ko"),
    ],
)
def test_the_language_is_that_of_the_locale(environment: dict[str, str], language: str):
    assert language_of(environment) == language


class App:
    """Takes messages as a running app does."""

    is_running = True

    def __init__(self) -> None:
        self.said: list[str] = []
        self.news = threading.Semaphore(0)

    def post_message(self, message: Message) -> bool:
        assert isinstance(message, Narrated)
        self.said.append(message.text)
        self.news.release()
        return True


class Director:
    """The agents, as a process."""

    code: int | None = None

    def poll(self) -> int | None:
        return self.code


@pytest.mark.parametrize(("code", "last"), [(0, "ended"), (1, "stopped")])
def test_what_the_agents_say_and_that_they_have_ended_reaches_the_screen(
    tmp_path: Path, code: int, last: str
):
    layout, app, director = Layout(tmp_path), App(), Director()
    layout.language.write_text("en\n")
    with narrated(app, layout, director):  # type: ignore[arg-type]
        layout.journal.write_text("planner: one\nplanner: two\n")
        assert app.news.acquire(timeout=20)
        assert app.news.acquire(timeout=20)
        director.code = code
        assert app.news.acquire(timeout=20)
    assert app.said == ["planner: one", "planner: two", ENGLISH.says[last].format(layout.journal)]


def test_what_is_left_is_called_as_the_demo_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    called = tmp_path / "ags-tui"
    called.write_text("#!/bin/sh\n")
    called.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(called)])
    monkeypatch.setenv("PATH", "/nowhere")
    assert play._program() == str(called)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert play._program() == "ags-tui"
    monkeypatch.setattr(sys, "argv", ["/nowhere/__main__.py"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert play._program() == "ags-tui"
