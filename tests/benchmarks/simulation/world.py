"""A cohort as it truly is: what its queries take each night, and what each change would make of that."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.benchmarks.simulation.scenario import Scenario
from tuner.model.action import Action, ActionKind

Target = tuple[ActionKind, str, str | None]


@dataclass(frozen=True, slots=True)
class SimulatedQuery:
    """A query between two nights (`until` is the first without it). `seconds` are those of the usual input on the usual machine,
    `fixed_share` of which do not follow the input.

    It keeps `busy_cores` busy on average, which compute for `cpu_share` of that time. Stages with `untouched_share` of its
    work do the same whatever is in force.
    """

    fingerprint: str
    seconds: float
    input_bytes: int
    fixed_share: float
    since: int
    until: int
    busy_cores: float = 4.0
    cpu_share: float = 0.8
    untouched_share: float = 0.25


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change with its true and its foretold effect. `factors` are by fingerprint, of all queries it truly reaches.

    `moves` says that the advised number follows the input; runs with `fails_from` times the usual input fail with it. `cpu_off`
    and `work_off` are by how much its effect on CPU time and on work is another than that on seconds, as a log of factors.
    """

    action: Action
    meant_for: tuple[str, ...]
    factors: Mapping[str, float]
    foretold: float
    fails_from: float = math.inf
    moves: bool = False
    cpu_off: float = 0.0
    work_off: float = 0.0

    @property
    def target(self) -> Target:
        return target_of(self.action)

    def advised(self, scale: float) -> Action:
        """The action as an advisor would put it for an input of this scale."""
        return replace(self.action, value=str(int(int(self.action.value) * scale))) if self.moves else self.action


@dataclass(frozen=True, slots=True)
class Night:
    """What happens in one night, whatever is in force. `scale` is that of the input, `chance` each query's noise.

    `machine` and `chance` multiply seconds, `cpu_machine` and `cpu_chance` CPU time.

    A run that `fails` by itself, or by a change, does so after `got_to` of its seconds; one that `loses_log` tells nothing.
    `words`, between 0 and 1, chooses what a failure says of its cause: 1 for nothing.
    """

    number: int
    scale: float
    machine: float
    chance: Mapping[str, float]
    start_up_seconds: float
    spark_version: str = "4.0.1"
    cores: int = 8
    fails: bool = False
    got_to: float = 1.0
    loses_log: bool = False
    words: float = 1.0
    cpu_machine: float = 1.0
    cpu_chance: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class World:
    """One cohort, drawn from (seed, number) alone."""

    number: int
    scenario: Scenario
    queries: tuple[SimulatedQuery, ...]
    candidates: tuple[Candidate, ...]
    nights: tuple[Night, ...]

    def seconds(self, night: Night, in_force: Collection[Candidate] = ()) -> dict[str, float]:
        """True seconds of each query of a night, by fingerprint, with these changes in force."""
        found: dict[str, float] = {}
        for query in self.queries:
            if query.since <= night.number < query.until:
                load = query.fixed_share + (1 - query.fixed_share) * night.scale
                took = query.seconds * load * night.machine * night.chance[query.fingerprint]
                for candidate in in_force:
                    took *= candidate.factors.get(query.fingerprint, 1.0)
                found[query.fingerprint] = took + (0.0 if found else night.start_up_seconds)
        return found

    def at(self, night: Night) -> list[SimulatedQuery]:
        """The queries that run in a night."""
        return [q for q in self.queries if q.since <= night.number < q.until]

    def in_force(self, actions: Sequence[Action]) -> list[Candidate]:
        """What these actions truly are."""
        targets = {target_of(action) for action in actions}
        return [candidate for candidate in self.candidates if candidate.target in targets]


def target_of(action: Action) -> Target:
    """What an action changes, whatever its number."""
    return action.kind, action.target, action.query


def breaks(night: Night, in_force: Collection[Candidate]) -> bool:
    """Whether a change makes the run fail that night."""
    return any(candidate.fails_from <= night.scale for candidate in in_force)
