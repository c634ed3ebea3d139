"""A proposed edit is compared with the file as it is, not as it was when the agent asked."""

import pytest
from textual.message import Message

from ags_tui.app.messages import DiffFailed, DiffLoaded, DiffWanted, Proposal
from ags_tui.app.recording import Clerk
from ags_tui.core.digests import ABSENT, digest
from ags_tui.core.failures import AgsError
from tests.app import driver

PATH = "src/app.py"
ASKED = b"one\n"


def answer(files: dict[str, bytes], proposal: Proposal) -> Message:
    said: list[Message] = []
    Clerk(driver.door(files=files), said.append).diff(DiffWanted(("key",), None, PATH, proposal))
    (message,) = said
    return message


@pytest.mark.parametrize(
    ("files", "before", "kind", "changed"),
    [
        ({PATH: ASKED}, digest(ASKED), "modified", False),
        ({PATH: b"other\n"}, digest(ASKED), "modified", True),
        ({}, digest(ASKED), "added", True),
        ({}, ABSENT, "added", False),
        ({PATH: ASKED}, ABSENT, "modified", True),
    ],
)
def test_a_file_that_changed_since_is_said(files: dict[str, bytes], before: str, kind: str, changed: bool):
    message = answer(files, Proposal(PATH, before, "two\n"))
    assert isinstance(message, DiffLoaded)
    (file,) = message.files
    assert file.kind == kind
    assert bool(message.note) is changed


def test_a_deletion_is_proposed_without_a_text():
    message = answer({PATH: ASKED}, Proposal(PATH, digest(ASKED), None))
    assert isinstance(message, DiffLoaded)
    assert message.files[0].kind == "deleted"


def test_a_file_that_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch):
    def refuse(_door: driver.FakeDoor, _path: str) -> bytes | None:
        raise AgsError("it is a link")

    monkeypatch.setattr(driver.FakeDoor, "work_file", refuse)
    message = answer({}, Proposal(PATH, ABSENT, "two\n"))
    assert isinstance(message, DiffFailed)
    assert message.reason == "it is a link"
