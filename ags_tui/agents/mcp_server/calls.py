"""One call of a tool: every end is an answer, also that this program itself has failed."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from ags_tui.agents.mcp_server.answers import Answer, refusal, success
from ags_tui.agents.mcp_server.desk import Desk
from ags_tui.agents.mcp_server.tools import TOOLS
from ags_tui.core.failures import AgsError
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.io.git.failures import GitFailed

Crash = Callable[[Exception, str], str]
"""Takes an own failure and the name of the tool; leaves a crash file and gives one line about it."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Carries out calls; may be used from any number of threads."""

    desk: Desk
    """Where the tools work."""
    crash: Crash
    """What is done about a failure of this program itself."""

    def steps(self, name: str, arguments: Mapping[str, Any] | None) -> Generator[float, None, Answer]:
        """Call a tool, step by step.

        Args:
            name: The tool, whatever the client sent.
            arguments: Its arguments.

        Yields:
            Seconds to pause before the next step.

        Returns:
            The answer.
        """
        tool = TOOLS.get(name)
        if tool is None:
            details = {"tool": name, "known": list(TOOLS)}
            return refusal(WorkflowRefused("INVALID_INPUT", f"There is no tool {name[:200]}.", details))
        try:
            return success((yield from tool.steps(self.desk, dict(arguments or {}))))
        except WorkflowRefused as refused:
            return refusal(refused)
        except GitFailed as error:
            self.desk.forget()
            return _explained(error, str(error))
        except AgsError as error:
            return _explained(error, str(error))
        except OSError as error:
            return _explained(error, f"The file system refused: {error.strerror or type(error).__name__}.")
        except Exception as error:  # noqa: BLE001  an own failure is an answer and a file; the server lives on
            self.desk.forget()
            return _explained(error, f"ags-tui itself failed: {self.crash(error, f'mcp {name}')}")


def _explained(error: Exception, message: str) -> Answer:
    return refusal(WorkflowRefused("INVALID_INPUT", message, {"cause": type(error).__name__}))
