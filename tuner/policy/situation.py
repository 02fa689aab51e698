"""All that a decision rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Mode
from tuner.model.objective import Objective
from tuner.model.reason import Reason
from tuner.model.run import Outcome, Run
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.awaited_values import SOON_RUNS, Awaited, awaited_values
from tuner.policy.context import Context, context_of
from tuner.policy.instances import are_of_others, latest_of_instance, queries_of_others
from tuner.policy.literal_classes import LiteralClasses, literal_classes, with_literal_classes
from tuner.policy.rulings import Rulings
from tuner.policy.tried_elsewhere import Tried

# What every driver can make a run do: set properties, and rewrite SQL text.
BY_SUBMIT = frozenset({ActionKind.SET_CONF, ActionKind.HINT_JOIN})


@dataclass(frozen=True, slots=True)
class Situation:
    """`runs` are the cohort's, oldest first; the last usable one is what the `advised` changes rest on, of a mapped task that of
    this `instance` (`latest_of_instance`); `of_others` are the queries of its other instances (`queries_of_others`).

    `earlier_try_failed`: a try of this run that carried changes failed, and they may have made that. `drivable` are the kinds
    of actions that the driver at hand can carry out; the others are left to people. By the id of a change: `oversized`, what
    it builds has grown too large; `overruled`, the user's own settings speak against it; `undirectable`, the agent has no way
    to be told of it; `worse_on_other_days`, it may act on days that were never measured, and would be slower with the rows of
    one that was; `unlike`, it was imported, and proven with other inputs or in another context. `to_come` is the context of
    the run to come, where that is known; `elsewhere` tells by kind of change what trials came to in other cohorts. `classes`
    are those of the values that the runs' queries had: the runs hold them in place of their ids. `awaited` are, by the id of
    a change to a join, the values that it was meant for and has not met since. `may_try_again`: of late only retries could be
    measured (`only_retries_tell`), and another one is left after this run. `now` is when it is decided (None: not known).
    """

    mode: Mode
    try_number: int
    runs: Sequence[Run]
    advised: Sequence[Change] = ()
    verdicts: Sequence[Verdict] = ()
    earlier_try_failed: bool = False
    drivable: frozenset[ActionKind] = BY_SUBMIT
    oversized: Mapping[str, Reason] = field(default_factory=dict)
    overruled: Mapping[str, Reason] = field(default_factory=dict)
    undirectable: Mapping[str, Reason] = field(default_factory=dict)
    worse_on_other_days: Mapping[str, Reason] = field(default_factory=dict)
    unlike: Mapping[str, Reason] = field(default_factory=dict)
    to_come: Context | None = None
    elsewhere: Mapping[str, Tried] = field(default_factory=dict)
    classes: LiteralClasses | None = None
    objective: Objective = Objective.TIME
    instance: str = ""
    may_try_again: bool = False
    now: datetime | None = None
    of_others: frozenset[str] = field(init=False)
    awaited: Mapping[str, Awaited] = field(init=False)
    rulings: Rulings = field(init=False)

    def __post_init__(self) -> None:
        if self.classes is None:
            object.__setattr__(self, "classes", literal_classes(self.runs))
            object.__setattr__(self, "runs", with_literal_classes(self.runs, self.classes))
        object.__setattr__(self, "of_others", queries_of_others(self.runs, self.instance))
        object.__setattr__(self, "awaited", awaited_values(self.runs))
        decided = (d.change for run in self.runs for d in run.decision.changes)
        object.__setattr__(self, "rulings", Rulings.of(self.verdicts, (*decided, *self.advised)))

    @property
    def latest_run(self) -> Run | None:
        """The latest usable run."""
        return latest_of_instance(self.runs, self.instance)

    @property
    def latest(self) -> Outcome | None:
        """What the latest usable run measured."""
        return latest.outcome if (latest := self.latest_run) else None

    @property
    def context(self) -> Context:
        """The context of the run to come: the latest one's where it is not known."""
        if self.to_come:
            return self.to_come
        latest = self.latest_run
        return context_of(latest.outcome, latest.decision.cuts) if latest and latest.outcome else Context()

    def is_of_others(self, change: Change) -> bool:
        """Whether a change is for queries that other instances of the task ask, and this one does not."""
        return are_of_others(change.queries, self.of_others)

    def is_far_off(self, decided: DecidedChange) -> bool:
        """Whether the values that a change to a join is for have not come for so long that nothing is to wait for it."""
        awaited = self.awaited.get(decided.id)
        return bool(awaited and awaited.runs >= SOON_RUNS and awaited.literals.issuperset(decided.literals))

    def is_fleeting(self, change: Change) -> bool:
        """Whether a change is to joins of a query whose values are others in each run."""
        return bool(self.classes and change.is_on_joins and change.query in self.classes.fleeting)

    def verdict(self, change: Change) -> Verdict | None:
        """The newest verdict on a change; without one, the newest approval of the change that it needs."""
        own = self.rulings.on(change)
        if own is not None or not change.needs:
            return own
        needed = self.rulings.on_id(change.needs)
        return replace(needed, ruling=Ruling.APPROVE) if needed is not None and needed.is_asked_for else None

    def is_asked_for(self, change: Change) -> bool:
        """Whether a person has approved or pinned it."""
        verdict = self.verdict(change)
        return verdict is not None and verdict.is_asked_for
