"""What can go wrong with git, in words for the human."""

from ags_tui.core.failures import AgsError


class GitError(AgsError):
    """Git cannot be used or did not answer."""


class NotARepository(GitError):
    """The folder is not a work tree that can be supervised; the message says why and what to do."""


class GitFailed(GitError):
    """One question to git was not answered; what it was about is unknown, never "no changes"."""
