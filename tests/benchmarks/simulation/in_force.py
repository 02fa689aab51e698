"""What is in force in a run, and on which executions: a change to joins acts on the values that it may act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.benchmarks.simulation.candidate import Candidate, target_of
from tests.benchmarks.simulation.night import Execution, Night
from tuner.model.decision import DecidedChange
from tuner.model.directive_result import DirectiveResult, DirectiveStatus

OTHER_VALUES, TOO_MANY_ROWS = "other values than measured", "too many rows to broadcast"


@dataclass(frozen=True, slots=True)
class InForce:
    """A candidate in force. On joins it acts on executions whose values are of these `classes` (None: of any), and on no others;
    what is asked of the `any_values` columns does not count. `scale` is that of the night's input."""

    candidate: Candidate
    classes: frozenset[str] | None = None
    action_id: str = ""
    any_values: frozenset[str] = frozenset()
    scale: float = 1.0

    def acts_on(self, execution: Execution) -> bool:
        """Whether an execution runs with it, as the agent sees to it (`Pass.isMeasured`)."""
        if execution.query.fingerprint not in self.candidate.factors or self._is_counted_out(execution):
            return False
        return self.classes is None or execution.values.class_beside(self.any_values) in self.classes

    def _is_counted_out(self, execution: Execution) -> bool:
        """Whether Spark counts too many rows to broadcast, as it does where any values of a column may come."""
        return bool(self.any_values) and self.scale * execution.values.rows >= self.candidate.fails_from

    def breaks(self, night: Night) -> bool:
        """Whether an execution that it acts on fails with it."""
        limit = self.candidate.fails_from
        return any(limit <= night.scale * e.values.rows and self.acts_on(e) for e in night.executions)

    def told_of(self, execution: Execution) -> DirectiveResult | None:
        """What a log tells of it: nothing of a property, and nothing of other queries."""
        if not self.candidate.is_on_joins or execution.query.fingerprint not in self.candidate.factors:
            return None
        if self.acts_on(execution):
            return DirectiveResult(self.action_id, DirectiveStatus.APPLIED)
        why = TOO_MANY_ROWS if self._is_counted_out(execution) else OTHER_VALUES
        return DirectiveResult(self.action_id, DirectiveStatus.HELD, why)


def in_force_of(candidates: Iterable[Candidate], decided: Sequence[DecidedChange], scale: float) -> tuple[InForce, ...]:
    """What changes that are in force truly are, in a night of this scale."""
    by_target = {candidate.target: candidate for candidate in candidates}
    found: dict[str, InForce] = {}
    for one in decided:
        for action in one.change.carried_out:
            if candidate := by_target.get(target_of(action)):
                classes = frozenset(one.literals) if candidate.is_on_joins else None
                any_values = frozenset((*one.neutral, *one.fleeting))
                found.setdefault(action.id, InForce(candidate, classes, action.id, any_values, scale))
    return tuple(found.values())


def everywhere(candidates: Iterable[Candidate]) -> tuple[InForce, ...]:
    """These on whatever values."""
    return tuple(InForce(candidate) for candidate in candidates)
