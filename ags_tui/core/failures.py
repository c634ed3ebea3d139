"""The root of the exception tree: what this program can explain to the human who runs it."""


class AgsError(Exception):
    """A failure with a message for a human: what happened, and the next step."""
