"""Whether a human may change what a call of a client would run, and what there is to change."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ags_tui.core.assessment import Pending, TaskAssessment
    from ags_tui.core.contracts.base import Contract


class Obeys(Protocol):
    """Tells whether a client runs another input than the one that it asked for."""

    def __call__(self, agent: str, *, shell: bool) -> bool:
        """Ask."""
        ...


def input_shape(
    item: "Pending", document: "Contract", task: "TaskAssessment | None", obeys: Obeys
) -> tuple[str, str] | str:
    """Give a file name and the text that may be changed, or say why there is none (empty: no client asks).

    Args:
        item: The request.
        document: Its contract.
        task: Its task.
        obeys: Knows the clients.
    """
    from ags_tui.core.contracts.tool_request import ToolRequestV2
    from ags_tui.core.effective import editable

    if not isinstance(document, ToolRequestV2) or not document.session_id:
        return ""
    shape = editable(document)
    if shape is None:
        return "What this tool gets has no text to change; the request is shown read-only."
    agent = document.agent.partition(" ")[0]
    if not obeys(agent, shell=document.proposed_change is None):
        return f"{agent} runs only what it asked for; the request is shown read-only."
    stem, _, number = item.item_id.rpartition(".")
    names = () if task is None else task.task.files.artifacts
    if number.isdigit() and sum(name.startswith(f"tool-requests/{stem}.") for name in names) > 1:
        return "One call changes several files here, so none of them alone; the request is shown read-only."
    return shape
