"""All that a decision rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tuner.model.action import Action, ActionKind
from tuner.model.change import Recommendation
from tuner.model.decision import Mode
from tuner.model.run import Outcome, Run
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.context import Context, context_of
from tuner.policy.measure import latest_outcome, latest_usable
from tuner.policy.tried_elsewhere import Tried

# What every driver can make a run do: set properties, and rewrite SQL text.
BY_SUBMIT = frozenset({ActionKind.SET_CONF, ActionKind.HINT_JOIN})


@dataclass(frozen=True, slots=True)
class Situation:
    """`runs` are the cohort's, oldest first; the last usable one is what was advised on.

    `outgrown` tells of actions (by id) that no longer fit, and why. `drivable` are the kinds of actions that the driver
    at hand can carry out; the others are left to people. `unsaid` tells of actions (by id) that the driver has no way to
    say, and why. `to_come` is the context of the run to come, where that is known; `elsewhere` tells by lever what trials
    came to in other cohorts.
    """

    mode: Mode
    try_number: int
    runs: Sequence[Run]
    recommendations: Sequence[Recommendation] = ()
    verdicts: Sequence[Verdict] = ()
    earlier_try_failed: bool = False
    outgrown: Mapping[str, str] = field(default_factory=dict)
    drivable: frozenset[ActionKind] = BY_SUBMIT
    unsaid: Mapping[str, str] = field(default_factory=dict)
    to_come: Context | None = None
    elsewhere: Mapping[str, Tried] = field(default_factory=dict)

    @property
    def latest_run(self) -> Run | None:
        """The latest usable run."""
        return latest_usable(self.runs)

    @property
    def latest(self) -> Outcome | None:
        """What the latest usable run measured."""
        return latest_outcome(self.runs)

    @property
    def context(self) -> Context:
        """The context of the run to come: the latest one's where it is not known."""
        return self.to_come or (context_of(self.latest) if self.latest else Context())

    def verdict(self, action: Action, partners: Sequence[Action] = ()) -> Verdict | None:
        """The newest verdict on an action; without one, the newest approval of what belongs together with it."""
        newest = {v.action_id: v for v in self.verdicts}
        if action.id in newest:
            return newest[action.id]
        approvals = [v for p in partners if (v := newest.get(p.id)) and v.ruling in (Ruling.APPROVE, Ruling.PIN)]
        return replace(approvals[-1], ruling=Ruling.APPROVE) if approvals else None
