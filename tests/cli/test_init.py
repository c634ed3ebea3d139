"""``init`` and ``schema``: idempotent, nothing outside the root, nothing of the user's changed."""

import os
from pathlib import Path

from ags_tui.core.policy.parse import parse_policy
from tests.cli.conftest import Cli


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git/" not in f"{path.relative_to(folder)}/"
    }


def test_skeleton_is_complete_and_only_below_the_root(cli: Cli):
    before = everything(cli.work)
    done = cli("init", cwd=cli.work / "src")
    assert done.code == 0
    after = everything(cli.work)
    assert {name: data for name, data in after.items() if not name.startswith(".ai/")} == before
    assert (cli.root / "tasks").is_dir()
    assert "tasks/session-*" in (cli.root / ".gitignore").read_text().splitlines()
    assert parse_policy((cli.root / "policy.toml").read_bytes()).problems == ()
    assert (cli.root / "contracts" / "AgentPlan" / "2.0.0.schema.json").is_file()
    assert cli.git("status", "--porcelain", "--untracked-files=all").count("tasks/") == 0


def test_second_run_changes_nothing(cli: Cli):
    cli("init")
    before = everything(cli.root)
    document = cli("init", "--json").json
    assert {row["outcome"] for row in document["files"]} == {"kept"}
    assert everything(cli.root) == before


def test_own_files_stay_and_old_schema_copies_are_renewed(cli: Cli):
    cli("init")
    (cli.root / "policy.toml").write_text("# mine\n[limits]\nwhen_absent = 3\n")
    (cli.root / ".gitignore").write_text("mine\n")
    copy = cli.root / "contracts" / "AgentTask" / "1.0.0.schema.json"
    right = copy.read_bytes()
    copy.write_text("{}")
    done = cli("init", "--json")
    assert (cli.root / ".gitignore").read_text() == "mine\n"
    assert (cli.root / "policy.toml").read_text().startswith("# mine")
    assert copy.read_bytes() == right
    assert any(problem.startswith("policy.toml:3:") for problem in done.json["problems"])
    assert "policy.toml:3:" in done.err


def test_link_instead_of_the_root_is_refused(cli: Cli, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    cli.root.symlink_to(elsewhere)
    done = cli("init")
    assert done.code == 1
    assert "link" in done.err
    assert not list(elsewhere.iterdir())


def test_link_inside_the_root_leads_nowhere(cli: Cli, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    cli.root.mkdir()
    (cli.root / "contracts").symlink_to(elsewhere)
    assert cli("init").code == 1
    assert not list(elsewhere.iterdir())


def test_outside_a_repository_is_2(cli: Cli, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    done = cli("init", "-C", tmp_path / "elsewhere")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_root_can_be_chosen_by_option_and_by_setting(cli: Cli):
    assert cli("init", "--root", "agents").code == 0
    assert (cli.work / "agents" / "policy.toml").is_file()
    (cli.folder / "config").mkdir()
    (cli.folder / "config" / "config.toml").write_text('version = 1\n[roots]\n"*" = ".agents"\n')
    assert cli("init").code == 0
    assert (cli.work / ".agents" / "policy.toml").is_file()
    assert not cli.root.exists()


def test_a_new_policy_beside_tasks_says_that_approvals_are_asked_again(cli: Cli):
    (cli.root / "tasks" / "login").mkdir(parents=True)
    done = cli("init")
    assert done.code == 0
    assert "requests that were approved and not used yet are asked again" in done.out + done.err
    assert cli("init", "--json").json["askedAgain"] == "", "the policy is an old one now"


def test_environment_chooses_no_root_and_no_repository(cli: Cli, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    cli.environment.update({
        "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "AGS_TUI_ROOT": "/tmp/no",
    })  # fmt: skip
    assert cli("init").code == 0
    assert (cli.root / "policy.toml").is_file()
    assert not list(other.iterdir())


def test_unwritable_repository_is_explained(cli: Cli):
    if os.geteuid() == 0:
        (cli.work / ".ai").write_text("a file")
    else:
        cli.work.chmod(0o500)
    done = cli("init")
    cli.work.chmod(0o700)
    assert done.code == 1
    assert done.err.count("\n") == 1


def test_schemas_are_written_where_asked(cli: Cli):
    done = cli("schema", "--out", "here/schemas", "--json")
    assert done.code == 0
    files = done.json["files"]
    assert "AgentPlan/2.0.0.schema.json" in files
    for name in files:
        assert (cli.work / "here" / "schemas" / name).is_file()
    (cli.work / "file").write_text("")
    assert cli("schema", "--out", "file").code == 2
    assert cli("schema", "--out", "file/below").code == 1
