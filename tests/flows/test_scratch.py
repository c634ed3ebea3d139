"""Processes that come and go at once do not stumble over each other's folders."""

import os
import threading
from pathlib import Path

from ags_tui.io.git.isolated import PREFIX
from tests.io.git.repos import make, open_door


def test_folders_that_vanish_during_the_sweep_are_no_fault(tmp_path: Path):
    work = make(tmp_path / "repo")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    over = threading.Event()

    def come_and_go() -> None:
        number = 0
        while not over.is_set():
            number += 1
            folder = scratch / f"{PREFIX}{os.getpid()}-{number % 50}"
            folder.mkdir(exist_ok=True)
            folder.rmdir()

    others = [threading.Thread(target=come_and_go) for _ in range(1)]
    for other in others:
        other.start()
    try:
        for _ in range(20):
            open_door(work, tmp_path).close()
    finally:
        over.set()
        for other in others:
            other.join()
