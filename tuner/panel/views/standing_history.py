"""Since when a change stands where it stands, and where it stood before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from tuner.loop.outlook import tells_standings
from tuner.model.decision import DecidedChange, Standing
from tuner.model.trial import standing_of
from tuner.model.verdict import Verdict
from tuner.panel.facts import CohortFacts
from tuner.policy.held_out import is_held_out


@dataclass(frozen=True, slots=True)
class StandsSince:
    """`since` is None where no decision tells; `before` where it stood nowhere, or none tells."""

    since: datetime | None = None
    before: Standing | None = None


@dataclass(frozen=True, slots=True)
class StandingHistory:
    """The decisions of a cohort's runs that tell, newest first, each with when it was made; `made_at` is when the outlook was."""

    decisions: Sequence[tuple[datetime, Mapping[str, DecidedChange]]]
    made_at: datetime | None

    @classmethod
    def of(cls, facts: CohortFacts) -> Self:
        runs = [run for run in reversed(facts.runs) if tells_standings(run)]
        made = [(run.started_at, {d.id: d for d in run.decision.changes}) for run in runs]
        # Runs that nobody decided on, as logs that were read in later, tell of no change of standing.
        told = any(changes for _, changes in made)
        return cls(made if told else (), facts.outlook_as_made[1] if facts.outlook_as_made and told else None)

    def of_trial(self, trial: Sequence[DecidedChange], said: Sequence[Verdict | None]) -> StandsSince:
        """Of what is tried together; `said` are the verdicts on it."""
        ids, now = [decided.id for decided in trial], standing_of(trial)
        since = None
        for made_at, changes in self.decisions:
            then = [changes[id_] for id_ in ids if id_ in changes]
            if now is not Standing.HELD and any(map(is_held_out, then)):
                # For that one run, to compare.
                continue
            before = standing_of(then) if then else None
            if before is not now:
                return StandsSince(since or self._ruled_at(said), before)
            since = made_at
        # As far back as the runs in view go.
        return StandsSince()

    def _ruled_at(self, said: Sequence[Verdict | None]) -> datetime | None:
        """When the outlook came to be what it is for a change: as it was made, or by what a person said since."""
        return max((at for at in (self.made_at, *(v.at for v in said if v)) if at is not None), default=None)
