"""``--reason``: the words that a denial or a block leaves in the log."""

from typing import Annotated

import typer

from ags_tui.cli.failures import UsageProblem

LONGEST = 4000
"""Most characters."""

Reason = Annotated[str, typer.Option("--reason", metavar="WORDS", help="Why; the agent reads it.")]


def given_reason(reason: str) -> str:
    """Check the words.

    Raises:
        UsageProblem: there are none, too many, or they are not UTF-8.
    """
    words = reason.strip()
    if not words:
        raise UsageProblem("--reason is empty; say in a few words why")
    if len(words) > LONGEST:
        raise UsageProblem(f"--reason is longer than {LONGEST} characters; say it shorter")
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise UsageProblem("--reason is not UTF-8") from error
    return words
