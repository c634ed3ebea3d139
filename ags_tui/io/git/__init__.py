"""The one door to git: what changed, always right or unknown, with nothing of the repository executed.

How that is held (``design.md`` §5, invariants 6 and 7):

* Lists, diffs and objects are read by git children that never see the repository's configuration. They run in
  a **git folder of our own** (``isolated``) that borrows the repository's objects and index and holds an
  allow-list of settings; filters, hooks, fsmonitor, textconv, pagers and whatever git learns next do not
  exist there.
* The children that must read the real configuration (``git config --list``, ``git rev-parse``) run nothing
  from it and get every known switch turned off besides.
* No child takes a lock or writes into the repository; none inherits ``GIT_*``.
* What files hold is hashed by us (``contents``), as git would store it.
"""

from ags_tui.io.git.door import GitDoor
from ags_tui.io.git.failures import GitError, GitFailed, NotARepository

__all__ = ["GitDoor", "GitError", "GitFailed", "NotARepository"]
