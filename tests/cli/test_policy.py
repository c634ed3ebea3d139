"""``policy list``, ``policy test`` and ``policy check`` as a user runs them."""

from pathlib import Path

from tests.cli.conftest import Cli

GOOD = """
[[rule]]
id = "tests"
decision = "allow"
tool = "shell"
command = "npm test *"
match = ["npm test -- login"]
not_match = ["npm test && rm -rf /"]
expires = 2099-01-01T00:00:00Z

[[rule]]
id = "no-push"
decision = "deny"
tool = "shell"
command = "git push *"
"""
BAD = GOOD.replace('match = ["npm test -- login"]', 'match = ["npm run login"]')


def user(cli: Cli, text: str) -> Path:
    path = cli.folder / "config" / "policy.toml"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(text)
    return path


def repository(cli: Cli, text: str) -> Path:
    path = cli.root / "policy.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_the_list_says_in_words_where_there_is_no_file(cli: Cli):
    assert "there is none" in cli("policy", "list").out
    assert "Span(" not in cli("policy", "list").out


def test_list_says_where_rules_come_from_and_whether_they_count(cli: Cli):
    user(cli, GOOD)
    repository(cli, GOOD.replace("2099", "2020"))
    done = cli("policy", "list", "--json")
    assert done.code == 0, done.err
    rows = [(row["source"], row["id"], row["counts"], row["why"]) for row in done.json["rules"]]
    assert rows == [
        ("user", "tests", True, ""),
        ("user", "no-push", True, ""),
        ("repository", "tests", False, "ended"),
        ("repository", "no-push", True, ""),
    ]
    files = {row["source"]: (row["exists"], row["trusted"]) for row in done.json["files"]}
    assert files == {"user": (True, True), "repository": (True, False)}
    text = cli("policy", "list").out
    assert "not trusted" in text
    assert "until 2099-01-01" in text


def test_a_rule_of_the_repository_that_allows_does_not_count_untrusted(cli: Cli):
    repository(cli, GOOD)
    rows = cli("policy", "list", "--json").json["rules"]
    assert [(row["id"], row["counts"], row["why"]) for row in rows] == [
        ("tests", False, "not trusted"),
        ("no-push", True, ""),
    ]
    assert cli("policy", "test", "npm test", "--json").json["decision"] == "ask"
    assert cli("policy", "test", "git push", "--json").json["source"] == "repository"


def test_test_names_every_part(cli: Cli):
    user(cli, GOOD)
    done = cli("policy", "test", "npm test && cat src/app.py > /dev/null; sudo git push", "--json")
    assert done.code == 0, done.err
    assert (done.json["decision"], done.json["ruleId"]) == ("deny", "no-push")
    got = {part["what"]: (part["decision"], part["source"]) for part in done.json["parts"]}
    assert got["npm test"] == ("allow", "user")
    assert got["cat src/app.py"] == ("allow", "built-in")
    assert got["> /dev/null"] == ("allow", "built-in")
    assert got["git push"] == ("deny", "user")
    text = cli("policy", "test", "npm test").out
    assert text.startswith("allow")
    assert "[user: tests]" in text


def test_test_of_paths_and_folders(cli: Cli):
    def decision(*words: str) -> str:
        return cli("policy", "test", *words, "--json").json["decision"]

    assert decision("--path", "src/app.py", "--tool", "read_file") == "allow"
    assert decision("--path", "src/app.py") == "ask"
    assert decision("--path", ".git/config") == "deny"
    assert decision("--path", str(cli.folder / "state" / "keys" / "human"), "--tool", "read_file") == "deny"
    assert decision("cat app.py", "--cwd", "src") == "allow"
    assert decision("cat ../x", "--cwd", str(cli.work)) == "ask"
    assert decision("ls \x1b[2J") == "ask"
    assert "\x1b" not in cli("policy", "test", "ls \x1b[2J").out


def test_wrong_calls_are_usage_errors(cli: Cli):
    assert cli("policy", "test").code == 2
    assert cli("policy", "test", "ls", "--tool", "read_file").code == 2
    assert cli("policy", "test", "ls", "--tool", "nonsense").code == 2


def test_check_passes_and_fails_with_file_line_field_and_next_step(cli: Cli):
    assert cli("policy", "check").code == 0
    user(cli, GOOD)
    assert cli("policy", "check").code == 0
    path = user(cli, BAD)
    done = cli("policy", "check")
    assert done.code == 1
    assert f"{path}:2 rule.0.match" in done.out
    assert "correct the file" in done.out
    [problem] = cli("policy", "check", "--json").json["problems"]
    assert (problem["line"], problem["field"]) == (2, "rule.0.match")
    assert cli("policy", "test", "npm test", "--json").json["decision"] == "ask"


def test_check_names_errors_of_form_and_dead_patterns(cli: Cli):
    repository(cli, '[[rule]]\nid = "a"\ndecision = "allow"\ntool = "edit_file"\npaths = ["**"]\n')
    done = cli("policy", "check", "--json")
    assert done.code == 1
    assert done.json["problems"][0]["field"] == "rule.0.paths"
    repository(cli, "[[rule]]\nid = 5\n")
    done = cli("policy", "check", "--json")
    assert done.code == 1
    assert done.json["valid"] is False
    assert cli("policy", "test", "ls", "--json").json["decision"] == "ask"


def test_an_open_rule_that_a_lone_line_cannot_hide(cli: Cli):
    user(cli, GOOD)
    for line in ("npm test\nrm -rf /", "npm test $(curl x)", "FOO=1 npm test", "npm test > /etc/x"):
        assert cli("policy", "test", line, "--json").json["decision"] == "ask", line
