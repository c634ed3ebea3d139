"""The git hooks that ``connect git`` writes: their text, and how exactly that text is known again.

They call the gate and hide nothing, so they are left out of what can hide a change. Only the bytes say so,
never a name or a mark in a file: those anybody can write.
"""

import os
import shlex
import sys
from collections.abc import Mapping

from ags_tui.core.digests import digest
from ags_tui.io.places import Places

HOOKS = ("pre-commit", "pre-push")
"""What is written."""
KEPT = ".before-ags-tui"
"""Ending of the name under which an earlier hook is kept."""
MARK = "# written by: ags-tui connect git"
"""The line by which a hook of any version of this program is found, to be replaced or taken out."""

_HEAD = """#!/bin/sh
{mark} (taken out by: ags-tui connect git --remove)
before="$0{kept}"
gate() {{ {gate} "$@" >&2; }}
"""
_PRE_COMMIT = """if [ -x "$before" ]; then "$before" "$@" || exit; fi
case "${GIT_INDEX_FILE##*/}" in
'' | index) gate --index ;;
*) gate --tree "$(git write-tree)" ;; # git commit -a, or of single files, has an index of its own
esac
"""
_PRE_PUSH = """pushed=$(cat)
if [ -x "$before" ]; then printf '%s\\n' "$pushed" | "$before" "$@" || exit; fi
printf '%s\\n' "$pushed" | while read -r _ commit _ _; do
    case "$commit" in
    *[!0]*) gate --tree "$commit" || exit ;;
    esac # nothing, or zeros: a branch that is deleted
done
"""


def hook_text(name: str, places: Places, python: str = sys.executable) -> bytes:
    """Give what a hook holds.

    Args:
        name: One of ``HOOKS``.
        places: The user's folders.
        python: The interpreter that runs the gate.
    """
    words = (
        os.path.abspath(python), "-I", "-m", "ags_tui", "--state", os.path.abspath(places.state_dir),
        "--config", os.path.abspath(places.config_dir), "gate",
    )  # fmt: skip
    head = _HEAD.format(mark=MARK, kept=KEPT, gate=shlex.join(words))
    return (head + (_PRE_COMMIT if name == "pre-commit" else _PRE_PUSH)).encode()


def own_hooks(places: Places) -> Mapping[str, frozenset[str]]:
    """Give the digests that our hooks have by name, for this installation and these folders of the user.

    Args:
        places: The user's folders.
    """
    folder = os.path.dirname(os.path.abspath(sys.executable))
    major, minor = sys.version_info[:2]
    # one installation starts its interpreter by several names that stand side by side
    names = ("python", f"python{major}", f"python{major}.{minor}")
    pythons = {sys.executable, *(os.path.join(folder, name) for name in names)}
    return {name: frozenset(digest(hook_text(name, places, one)) for one in pythons) for name in HOOKS}


def without_own(hooks: Mapping[str, str], own: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Leave out our hooks; an earlier hook that stands behind one of them counts under its own name again.

    Args:
        hooks: Digests of files by name, hooks among them.
        own: Digests of our hooks by the same names.
    """
    found = dict(hooks)
    for name, digests in own.items():
        if found.get(name) in digests:
            del found[name]
            if (kept := found.pop(name + KEPT, None)) is not None:
                found[name] = kept
    return found
