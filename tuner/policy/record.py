"""Where a change stands after the runs so far, and what it was taken out with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.model.reason import Reason
from tuner.policy.awaited_run import AwaitedRun
from tuner.policy.balance import Balance
from tuner.policy.context import Context

# A rolled back change may be tried again when inputs have grown or shrunk by this factor.
INPUT_CHANGE = 2.0


@dataclass(frozen=True, slots=True)
class Loss:
    """What a change was rolled back or expired with: input bytes (0 where unknown), and the context. `of_query`: the bytes are
    those of the query whose joins it is for, else those of the whole run."""

    input_bytes: int = 0
    context: Context = field(default_factory=Context)
    of_query: bool = False

    def is_past(self, input_bytes: int, context: Context) -> bool:
        """Whether it says nothing of a run with such inputs, in such a context. Where nothing was read, or counted, it says
        nothing of one that reads anything."""
        if context.difference(self.context):
            return True
        if not self.input_bytes:
            return input_bytes > 0
        sizes = (input_bytes, self.input_bytes)
        return min(sizes) > 0 and max(sizes) >= INPUT_CHANGE * min(sizes)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A loss that one night showed: `why` the run after it is to be without the change, and what it was lost with."""

    why: Reason
    loss: Loss


@dataclass(frozen=True, slots=True)
class Record:
    """A change's standing after the runs so far, why, and the seconds it gained in its latest measured run, with the least and
    most that this may be; `ratio` is how many times as long its queries take as without it, by all runs then.

    `losses` are those it was taken out after, `judged_at` is when the latest of its runs ended. `held_out`: why the
    next run is to be without it, to tell what it does. `doubt` is a loss that one night showed: another one takes it out, or the
    run without it. `unmeasured` says, by query, how often in a row that had values which never ran without it. `idle` runs in a
    row had none of its queries. `untold` runs have tried it since its last trial that counts, and told nothing: their logs never
    came, or break off. `awaits` is what ends its being `held_out`. `balance` is what all nights with it come to.
    `unfollowed_until` is when the first run has ended since which no plan followed it. `held_runs` is as the change has it.
    """

    decided: DecidedChange
    standing: Standing
    why: Reason
    trials: int = 0
    gain_seconds: float | None = None
    gain_between: tuple[float, float] | None = None
    ratio: float | None = None
    losses: tuple[Loss, ...] = ()
    judged_at: datetime | None = None
    held_out: Reason | None = None
    doubt: Doubt | None = None
    unmeasured: Mapping[str, int] = field(default_factory=dict)
    idle: int = 0
    untold: int = 0
    balance: Balance = field(default_factory=Balance)
    awaits: AwaitedRun = field(default_factory=AwaitedRun)
    unfollowed_until: datetime | None = None
    held_runs: int = 0

    @property
    def is_out(self) -> bool:
        """Whether it was taken out of force."""
        return self.standing in TAKEN_OUT

    @property
    def now(self) -> DecidedChange:
        """The change as it stands after the runs so far."""
        found = replace(self.decided, standing=self.standing, why=self.why, held=None, gained_seconds=self.gain_seconds)
        found = replace(found, lost_with=self._lost_with(of_query=False), lost_reading=self._lost_with(of_query=True))
        found = replace(found, measured_ratio=self.ratio, held_runs=self.held_runs, gained_between=self.gain_between)
        return replace(found, standing=Standing.HELD, held=self.held_out) if self.held_out else found

    def _lost_with(self, *, of_query: bool) -> tuple[int, ...]:
        mine = {loss.input_bytes for loss in self.losses if loss.of_query is of_query}
        return tuple(sorted(mine)) if self.is_out else ()
