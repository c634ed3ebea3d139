"""Where a named path leads: by components, through links, never by prefix."""

import json
from pathlib import Path

import pytest

from ags_tui.core.checks.targets import inside_tree, through_links
from tests import builders as make
from tests.core.checks.looking import item, looked_at

CASES = Path(__file__).resolve().parents[2] / "cases"
PREFIX = json.loads((CASES / "032-sibling-prefix" / "paths.json").read_text(encoding="utf-8"))
LINKS = json.loads((CASES / "030-symlink-dir" / "paths.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("path", "where"), PREFIX["check"])
def test_a_sibling_is_not_inside(path: str, where: str):
    assert (inside_tree(path, PREFIX["root"]) is not None) is (where == "in")


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("a/b", "a/b"),
        ("./a//b/", "a/b"),
        ("a/../b", "b"),
        ("a/../../b", None),
        ("..", None),
        ("~/x", None),
        ("", None),
        ("a\0b", None),
        ("//w/app/a", "a"),
        ("/w/app", ""),
        ("/", None),
    ],
)
def test_forms_of_a_path(path: str, inside: str | None):
    assert inside_tree(path, "/w/app/") == inside


def test_the_top_may_be_the_root():
    assert inside_tree("/a/b", "/") == "a/b"


@pytest.mark.parametrize(("path", "where"), LINKS["check"])
def test_a_request_is_judged_by_where_links_lead(path: str, where: str):
    """The links of case 030: one leaves the work tree, one leaves the scope, one stays."""
    links = {"src/out": "/elsewhere", "src/docslink": "../docs", "src/inlink": "real"}
    changed = [
        make.change(
            name, None, target, mode="120000", link_target=target, link_escapes=target.startswith("/")
        )
        for name, target in links.items()
    ]
    plan = make.agent_plan(files_to_edit=tuple(LINKS["scope"]), files_not_to_edit=())
    seen = looked_at(
        plan=plan, change_set=make.changes(*changed),
        more={"tool-requests/tool-001.json": make.tool_request(target_path=path)},
    )  # fmt: skip
    pending = item(seen, "tool-001")
    in_scope = pending.path_class is not None and pending.path_class.value == "in-scope"
    assert in_scope is (where == "in")
    escaping = [one for one in seen.scope.findings if one.code == "LINK_ESCAPES"]
    assert [one.path for one in escaping] == ["src/out"]


@pytest.mark.parametrize(
    ("path", "links", "leads"),
    [
        ("a/b", {}, "a/b"),
        ("a/b", {"a": "c"}, "c/b"),
        ("a/b", {"a": "c", "c": "d"}, "d/b"),
        ("x/a/b", {"x/a": "../y"}, "y/b"),
        ("a", {"a": "../out"}, None),
        ("a/b", {"a": "/w/app/c"}, "c/b"),
        ("a/b", {"a": "/etc"}, None),
        ("a", {"a": "b", "b": "a"}, None),
        ("a/b", {"a": "a/b"}, None),
        ("ab/c", {"a": "/etc"}, "ab/c"),
        ("a/b", {"a": "."}, "b"),
    ],
)
def test_links(path: str, links: dict[str, str], leads: str | None):
    assert through_links(path, links, "/w/app") == leads
