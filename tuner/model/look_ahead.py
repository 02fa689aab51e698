"""The decision for a job's next run, made when the run before it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.model.action import Action
from tuner.model.change import Change
from tuner.model.decision import Decision


@dataclass(frozen=True, slots=True)
class LookAhead:
    """What was decided for a run that would start now, and what it takes to carry that out: of a mapped task whose instances ask
    queries of their own for one `instance` (`Origin.instance`), else ("") for any.

    `stamp` is a digest of all that the decision rests on: it holds for as long as that is the same; "" never. `message` is
    what the agent is told, `skipped` what it cannot be told, each with why; `names` what the queries that the decision
    changes are called, by fingerprint. `spark_version` is that of the latest run that measured anything, `own_runs` how many
    did, `has_learner` whether there was anything to learn prices with. `prices` and what was `advised` by them hold for as long
    as `advice_stamp` is the same, whatever was decided. `no_agent` says why it is without the agent, where runs have shown that
    they cannot have it, `beside` what its extension is named beside, where they have shown that it must be.
    """

    stamp: str
    decision: Decision
    spark_version: str = ""
    own_runs: int = 0
    has_learner: bool = False
    message: str = ""
    skipped: tuple[tuple[Action, str], ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, float] = field(default_factory=dict)
    advised: tuple[Change, ...] = ()
    advice_stamp: str = ""
    instance: str = ""
    no_agent: str = ""
    beside: str | None = None

    def is_for(self, instance: str) -> bool:
        """Whether it is for this instance, too; of a task that is not mapped ""."""
        return self.instance in ("", instance)
