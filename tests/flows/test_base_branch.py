"""CI on a fresh machine: a log must begin with the entries that it has on the base branch."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli, Done
from tests.flows.stage import TASK, Stage

OTHER = "other"


@dataclass
class Ci:
    """A repository whose base branch holds two logs, and a machine that knows only whom it trusts."""

    stage: Stage
    elsewhere: Cli
    trust: Path

    def __call__(self, *words: str | Path, base: str | None = "base") -> Done:
        more = () if base is None else ("--base", base)
        return self.elsewhere(*words, "--trust", self.trust, *more)

    def log(self, task_id: str = TASK) -> list[Path]:
        return sorted((self.stage.folder(task_id) / "log").iterdir())

    def commit(self) -> None:
        self.stage.git("add", "-A")
        self.stage.git("commit", "-q", "--allow-empty", "-m", "more")


@pytest.fixture
def ci(stage: Stage, tmp_path: Path) -> Ci:
    """On the branch ``change``, which begins where ``base`` is."""
    stage.new_task()
    stage.new_task(OTHER)
    state = stage.cli.folder / "state"
    shutil.copytree(state, tmp_path / "state", ignore=shutil.ignore_patterns("git"))
    shutil.copytree(stage.folder(), tmp_path / "task")
    assert stage.cli("block", TASK, "--reason", "legal").code == 0
    trust = tmp_path / "trusted-keys"
    trust.write_text(stage.cli("config", "keys").out)
    (tmp_path / "elsewhere").mkdir()
    made = Ci(stage, Cli(tmp_path / "elsewhere", stage.work, stage.cli.zygote), trust)
    stage.git("checkout", "-q", "-b", "base")
    made.commit()
    stage.git("checkout", "-q", "-b", "change")
    return made


def rung(done: Done, task_id: str = TASK) -> tuple[str, list[str]]:
    """Outcome and messages of condition 11 of a task."""
    task = next(one for one in done.json["tasks"] if one["taskId"] == task_id)
    row: dict[str, Any] = next(one for one in task["gate"]["conditions"] if one["name"] == "log")
    return row["outcome"], [one["message"] for one in row["findings"]]


def test_a_longer_log_and_a_new_task_change_nothing(ci: Ci):
    assert ci.stage.cli("block", TASK, "--reason", "more").code == 0
    ci.stage.new_task("new")
    ci.commit()
    assert ci("verify").code == 0
    for words in ((), ("--tree", "HEAD"), ("--index",)):
        done = ci("gate", "--json", *words)
        assert [rung(done, name)[0] for name in (TASK, OTHER, "new")] == ["passed"] * 3
        assert done.json == {**ci("gate", "--json", *words, base=None).json, "takenAt": done.json["takenAt"]}


def drop_the_last(ci: Ci) -> str:
    last = ci.log()[-1]
    last.unlink()
    return f"entry {int(last.stem)} of base is missing in "


def fork(ci: Ci) -> str:
    """Go on from before the block with the same keys: the chain and every signature hold."""
    before = ci.trust.parent
    shutil.rmtree(ci.stage.folder())
    shutil.copytree(before / "task", ci.stage.folder())
    assert Cli(before, ci.stage.work, ci.stage.cli.zygote)("block", TASK, "--reason", "harmless").code == 0
    return "is not the one of base"


def take_all(ci: Ci) -> str:
    for path in ci.log():
        path.unlink()
    return "the log of base is missing in "


@pytest.mark.parametrize("attack", [drop_the_last, fork, take_all])
def test_a_log_that_does_not_extend_the_base_was_tampered_with(ci: Ci, attack: Callable[[Ci], str]):
    why = attack(ci)
    ci.commit()
    assert ci("verify", base=None).code == 0, "nothing but the base can tell"
    done = ci("verify", "--json")
    assert (done.code, done.json["outcome"]) == (1, "failed")
    rows = {one["taskId"]: one for one in done.json["tasks"]}
    assert (rows[TASK]["integrity"], rows[OTHER]["integrity"]) == ("failed", "passed")
    assert rows[TASK]["findings"][0]["code"] == "LOG_TAMPERED"
    assert why in rows[TASK]["findings"][0]["message"]
    assert ci("verify", OTHER).code == 0
    for words in ((TASK,), (TASK, "--tree", "HEAD"), ("--index", TASK)):
        judged = ci("gate", "--json", *words)
        assert judged.code == 1
        outcome, messages = rung(judged)
        assert outcome == "failed"
        assert why in messages[0]
    assert rung(ci("gate", OTHER, "--json"), OTHER)[0] == "passed"


def test_a_task_that_is_gone_or_has_another_name_counts_too(ci: Ci):
    ci.stage.folder().rename(ci.stage.folder("renamed"))
    ci.commit()
    for words in (("verify",), ("verify", TASK), ("gate",), ("gate", TASK), ("gate", "--finalized")):
        done = ci(*words)
        assert (done.code, "LOG_TAMPERED" in done.out) == (1, True), words
        assert "no open tasks" not in done.out
        assert "LOG_TAMPERED" in ci(*words, "--json").out
    assert ci("gate", "nobody").code == 2
    assert ci("verify", OTHER).code == 0


def test_what_would_be_merged_counts_and_what_is_judged_too(ci: Ci):
    """Only the commit, only the index, or only the files on disk differ from the base."""
    last = ci.log()[-1]
    raw = last.read_bytes()
    last.unlink()
    assert "in the work tree" in rung(ci("gate", TASK, "--tree", "HEAD", "--json"))[1][0]
    ci.stage.git("add", "-A")
    last.write_bytes(raw)
    assert rung(ci("gate", TASK, "--json"))[0] == "passed"
    assert "in the index" in rung(ci("gate", TASK, "--index", "--json"))[1][0]
    ci.stage.git("commit", "-q", "-m", "staged")
    assert rung(ci("gate", TASK, "--json"))[0] == "passed"
    assert "in change" in rung(ci("gate", TASK, "--tree", "change", "--json"))[1][0]


def test_a_link_to_the_same_bytes_is_no_entry(ci: Ci):
    last = ci.log()[-1]
    kept = ci.stage.work / "kept.json"
    kept.write_bytes(last.read_bytes())
    last.unlink()
    last.symlink_to(kept)
    ci.commit()
    last.unlink()
    last.write_bytes(kept.read_bytes())
    assert rung(ci("gate", TASK, "--json"))[0] == "passed"
    assert "is not the one" in rung(ci("gate", TASK, "--tree", "HEAD", "--json"))[1][0]


@pytest.mark.parametrize("base", ["nowhere", "-q", "", "HEAD:README.md", "--output=x", "base\n", "0" * 40])
@pytest.mark.parametrize("command", ["verify", "gate"])
def test_an_unknown_base_is_a_wrong_call(ci: Ci, command: str, base: str):
    done = ci.elsewhere(command, f"--base={base}")
    assert (done.code, done.err.count("\n"), "--base" in done.err) == (2, 1, True), done


def test_a_root_that_no_commit_holds_is_a_wrong_call(ci: Ci, tmp_path: Path):
    done = ci("verify", "--root", tmp_path / "outside")
    assert (done.code, "outside the work tree" in done.err) == (2, True)


def test_the_trust_file_holds_public_keys_alone_and_nothing_is_made_for_it(ci: Ci):
    none = ci.elsewhere("config", "keys")
    assert (none.code, none.out, "no keys yet" in none.err) == (1, "", True)
    rows = [line.split(maxsplit=3) for line in ci.trust.read_text().splitlines()]
    assert sorted(row[0] for row in rows) == ["human", "system"]
    assert ci.stage.cli("config", "keys", "--json").json["keys"] == ci.trust.read_text().splitlines()
