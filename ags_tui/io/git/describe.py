"""From a look to the description of the repository."""

from dataclasses import fields

from ags_tui.core.snapshot import Repo
from ags_tui.io.git.changes import text
from ags_tui.io.git.located import Located
from ags_tui.io.git.spots import View

BITS_LIMIT = 10_000
"""Most paths with hidden bits that are listed."""


def describe(located: Located, view: View, operation: str) -> Repo:
    """Return the repository as a look found it.

    In a sparse checkout skipped files are the intent of the checkout (its patterns are among the hiding
    rules), so that only assume-unchanged counts as hidden there.

    Args:
        located: the repository.
        view: the look.
        operation: merge, rebase and the like in progress.
    """
    sparse = view.settings.flag("core.sparsecheckout", default=False)
    bits = sorted({*view.index.assumed, *(() if sparse else view.index.skipped)})
    return Repo(
        located.top,
        git_dir=located.git_dir,
        common_dir=located.common_dir,
        head=view.head.commit,
        branch=view.head.branch,
        operation=operation,
        conflicts=tuple((text(path), pair) for path, pair in view.conflicts),
        ignore_case=view.settings.flag("core.ignorecase", default=False),
        hiding=view.hiding,
        hidden_bits=tuple(text(path) for path in bits[:BITS_LIMIT]),
        unknown=view.unknown,
        notes=view.notes,
    )


def equal(one: Repo, other: Repo) -> bool:
    """Whether two descriptions say the same, so that the older object can be kept."""
    return all(getattr(one, field.name) == getattr(other, field.name) for field in fields(Repo))
