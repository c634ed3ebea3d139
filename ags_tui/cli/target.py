"""``--tree REV`` and ``--index``: which tree is assessed."""

from typing import Annotated

import typer

from ags_tui.cli.failures import UsageProblem

WORK_TREE = "work-tree"
"""The files on disk."""
INDEX = "index"
"""What is staged."""

Tree = Annotated[
    str | None, typer.Option("--tree", metavar="REV", help="Assess this commit instead of the work tree.")
]
Index = Annotated[bool, typer.Option("--index", help="Assess what is staged instead of the work tree.")]


def chosen_target(tree: str | None, index: bool) -> str:
    """The tree that is meant, as ``io.workspace`` names it.

    Raises:
        UsageProblem: both were given, or the revision cannot be one.
    """
    if tree is not None and index:
        raise UsageProblem("--tree and --index exclude each other; give one of them")
    if tree is None:
        return INDEX if index else WORK_TREE
    if not tree or tree.startswith("-") or tree in (WORK_TREE, INDEX):
        raise UsageProblem(f"--tree {tree}: is no revision; give a commit, branch or tag")
    return tree
