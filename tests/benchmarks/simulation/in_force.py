"""What is in force in a run, and on which executions: a change to joins acts on the values that it may act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.benchmarks.simulation.candidate import Candidate, target_of
from tests.benchmarks.simulation.night import Execution, Night
from tuner.model.decision import DecidedChange
from tuner.model.directive_result import DirectiveResult, DirectiveStatus

OTHER_VALUES = "other values than measured"


@dataclass(frozen=True, slots=True)
class InForce:
    """A candidate in force. On joins it acts on executions whose values are of these `classes` (None: of any), and on no others;
    what is asked of the `neutral` columns does not count."""

    candidate: Candidate
    classes: frozenset[str] | None = None
    action_id: str = ""
    neutral: frozenset[str] = frozenset()

    def acts_on(self, execution: Execution) -> bool:
        """Whether an execution runs with it, as the agent sees to it (`Pass.isMeasured`)."""
        if execution.query.fingerprint not in self.candidate.factors:
            return False
        return self.classes is None or execution.values.class_beside(self.neutral) in self.classes

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
        return DirectiveResult(self.action_id, DirectiveStatus.HELD, OTHER_VALUES)


def in_force_of(candidates: Iterable[Candidate], decided: Sequence[DecidedChange]) -> tuple[InForce, ...]:
    """What changes that are in force truly are."""
    by_target = {candidate.target: candidate for candidate in candidates}
    found: dict[str, InForce] = {}
    for one in decided:
        for action in one.change.carried_out:
            if candidate := by_target.get(target_of(action)):
                classes = frozenset(one.literals) if candidate.is_on_joins else None
                found.setdefault(action.id, InForce(candidate, classes, action.id, frozenset(one.neutral)))
    return tuple(found.values())


def everywhere(candidates: Iterable[Candidate]) -> tuple[InForce, ...]:
    """These on whatever values."""
    return tuple(InForce(candidate) for candidate in candidates)
