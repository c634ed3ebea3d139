"""Trust in the repository's policy file: the whole file first, then the one key that trusts these bytes."""

from dataclasses import replace

from ags_tui.app.look import Look
from ags_tui.app.screens.coded import CodedScreen
from ags_tui.core.decisions import Draft
from ags_tui.core.drafts import Viewing
from ags_tui.core.rules_read import RulesRead
from ags_tui.core.tree_rules import trust_policy
from ags_tui.view.rules import trust_document


class TrustScreen(CodedScreen[Draft]):
    """Dismisses with the draft that trusts exactly the bytes that were shown, or None."""

    heading = "Trust this policy file?"
    verb = "trust these bytes"

    def __init__(self, rules: RulesRead, look: Look, *, tty: str = "") -> None:
        """Make the screen.

        Args:
            rules: With the file's bytes.
            look: How the shell looks.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.rules_read = rules

    def on_mount(self) -> None:
        """Show the file."""
        self.fill(trust_document(self.rules_read, self.look.glyphs))

    def obstacle(self) -> str:
        """A file that is broken, or that changed while it was read, is not trusted."""
        file = self.rules_read.repository
        if file is not None and file.problems:
            return "the file is broken; correct it first"
        return (
            "" if self.rules_read.repository_text else "the file changed while it was read; open this again"
        )

    def commit(self, viewing: Viewing) -> Draft | None:
        """Trust the bytes that were shown."""
        file = self.rules_read.repository
        if file is None:
            return None
        draft = trust_policy(self.rules_read.key, file.digest, self.rules_read.repository_path)
        return replace(draft, data={**draft.data, **viewing.data})
