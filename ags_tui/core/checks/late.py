"""An assessment whose gate is worked out at the first look.

A thousand tasks are listed by their stages; of a few a human reads the twelve conditions. So gate, findings
and digest are made when somebody asks for them, from the same frozen facts.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ags_tui.core.assessment import GateReport, TaskAssessment
from ags_tui.core.checks.findings import Finding
from ags_tui.core.snapshot import TaskSnapshot


class LateParts(NamedTuple):
    """What is worked out late."""

    gate: GateReport
    """The gate."""
    findings: tuple[Finding, ...]
    """All findings."""
    digest: str
    """What a finalization is bound to."""


class LateAssessment(TaskAssessment):
    """A ``TaskAssessment`` that fills ``gate``, ``findings`` and ``digest`` by itself."""

    __slots__ = ("_work_out",)
    _work_out: Callable[[], LateParts]

    @classmethod
    def of(cls, task: TaskSnapshot, work_out: Callable[[], LateParts]) -> "LateAssessment":
        """Begin an assessment; :meth:`settle` the other fields before it is given away."""
        late = object.__new__(cls)
        late.settle(task=task, _work_out=work_out)
        return late

    def settle(self, **fields: Any) -> None:  # noqa: ANN401 - the fields of the base class
        """Fill fields, once; nobody else has seen the object yet."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> object:
        """Work out what is missing: Python asks here for slots that were not filled."""
        if name not in LateParts._fields:
            raise AttributeError(name)
        made = self._work_out()
        self.settle(**made._asdict())
        return getattr(made, name)
