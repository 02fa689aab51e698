"""A change that an advisor may think of, with what it truly does and what is foretold of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.benchmarks.simulation.night import Execution
from tuner.model.action import ON_JOINS, Action, ActionKind

Target = tuple[ActionKind, str, str | None]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change with its true effect: `factors` of seconds by fingerprint, of all queries it truly reaches; `by_kind` where it
    is another for a kind of values. What is foretold is that times `foretold_off`.

    `moves` says that the advised number follows the input; executions with `fails_from` times the usual rows fail with it.
    `cpu_off` is by how much its effect on CPU time is another than follows from seconds, `work_off` that on work than CPU time
    says, as logs. Where the input grows past the usual, its effect follows this power of it (`drift`); where another change is
    in force on the same query, its target in `beside` says what both do besides what each does.
    """

    action: Action
    meant_for: tuple[str, ...]
    factors: Mapping[str, float]
    foretold_off: float
    fails_from: float = math.inf
    moves: bool = False
    cpu_off: float = 0.0
    work_off: float = 0.0
    by_kind: Mapping[tuple[str, str], float] = field(default_factory=dict)
    drift: float = 0.0
    beside: Mapping[Target, float] = field(default_factory=dict)

    @property
    def target(self) -> Target:
        return target_of(self.action)

    @property
    def is_on_joins(self) -> bool:
        """Whether it acts on one query, and there by its values."""
        return self.action.kind in ON_JOINS

    def advised(self, scale: float) -> Action:
        """The action as an advisor would put it for an input of this scale."""
        return replace(self.action, value=str(int(int(self.action.value) * scale))) if self.moves else self.action

    def factor(self, execution: Execution) -> float:
        """What it truly multiplies an execution's seconds by."""
        name = execution.query.fingerprint
        usual = self.by_kind.get((name, execution.values.kind)) or self.factors.get(name, 1.0)
        return usual * max(1.0, execution.scale) ** self.drift if name in self.factors else usual

    def foretold(self, execution: Execution) -> float:
        """The factor that an advisor foretells who has seen such an execution without it."""
        return self.factor(execution) * self.foretold_off


def target_of(action: Action) -> Target:
    """What an action changes, whatever its number."""
    return action.kind, action.target, action.query
