"""What the policy decides for one run: changes, and where each stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tuner.model.action import Action
from tuner.model.change import Change
from tuner.model.objective import Objective
from tuner.model.reason import Reason, ReasonCode
from tuner.model.size_change import SizeChange


class Mode(StrEnum):
    OBSERVE = "observe"
    SUGGEST = "suggest"
    AUTO = "auto"


class Standing(StrEnum):
    """Where a change stands in a decision. expired: the agent or Spark did not follow it."""

    PROPOSED = "proposed"
    TRIAL = "trial"
    PROMOTED = "promoted"
    PINNED = "pinned"
    ROLLED_BACK = "rolled_back"
    EXPIRED = "expired"
    HELD = "held"


IN_FORCE = frozenset({Standing.TRIAL, Standing.PROMOTED, Standing.PINNED})
# What was in force and is not to come back by itself.
TAKEN_OUT = frozenset({Standing.ROLLED_BACK, Standing.EXPIRED})


class CohortState(StrEnum):
    """observing: nothing in force. trial: something is on trial. tuned: only what is proven or pinned is in force.

    rolled_back: something was in force and nothing is. held: all there is to change was held back.
    """

    OBSERVING = "observing"
    TRIAL = "trial"
    TUNED = "tuned"
    ROLLED_BACK = "rolled_back"
    HELD = "held"


class LiteralRung(StrEnum):
    """Which values a change acts on: those that it was measured with; these but for columns that move few rows; or these but for
    columns whose values are others in each run."""

    SAME_VALUES = "same_values"
    MOVING_VALUES = "moving_values"
    FLEETING_VALUES = "fleeting_values"


@dataclass(frozen=True, slots=True)
class DecidedChange:
    """A change, where it stands in this run, and why.

    `why` is what it was advised for, or what is known of it since; `held` is what keeps it out of this run, or leaves it to
    people, all the same. `gained_seconds` is what it gained in the latest run that measured it (less than 0: lost), with what
    else was in force on its queries, `gained_between` the least and most of that (None: not measured, or by a version before);
    `measured_ratio` is how many times as long the queries that it names take as without it,
    by all runs (None: no run told, or a version before decided it). `literals` are the classes of the values that its query was
    measured with: on a join it acts on no others, and on none that it is `excluded` from. `neutral` are the columns
    (`FilterCondition.columns`) whose values do not count for these classes, for they were seen to move few rows; nor do those
    of `fleeting` ones, which were others in each run. `lost_with` are the bytes of input of the runs that took it out,
    `lost_reading` those that its query read, where it is to that query's joins. `failed_without`: the last run that left it out
    to compare failed, and none with it has since. `away`: of a change to a join, how many measured runs in a row were without
    its query; `held_runs`: of what is proven, how many have held it.
    """

    change: Change
    standing: Standing
    why: Reason
    held: Reason | None = None
    gained_seconds: float | None = None
    literals: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    fleeting: tuple[str, ...] = ()
    lost_with: tuple[int, ...] = ()
    failed_without: bool = False
    away: int = 0
    held_runs: int = 0
    lost_reading: tuple[int, ...] = ()
    measured_ratio: float | None = None
    gained_between: tuple[float, float] | None = None

    @property
    def rung(self) -> LiteralRung | None:
        """What it stands on; None where it is for no values of a query's."""
        if not self.literals:
            return None
        if self.fleeting:
            return LiteralRung.FLEETING_VALUES
        return LiteralRung.MOVING_VALUES if self.neutral else LiteralRung.SAME_VALUES

    @property
    def acts_on_any_values(self) -> bool:
        """Whether it acts on values of some columns that never ran."""
        return bool(self.neutral or self.fleeting)

    @property
    def id(self) -> str:
        return self.change.id

    @property
    def queries(self) -> tuple[str, ...]:
        return self.change.queries

    @property
    def is_in_force(self) -> bool:
        return self.standing in IN_FORCE


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy chose for one run. `unsteered` is why it chose nothing, where that is not for want of advice.

    `lent` goes along with a first run, of which nobody knows what it will ask: changes to queries that other jobs have shown
    to gain. They are none of its own, and nothing that its readers are shown, until its log tells which of these it ran.
    `objective` is what its changes are judged by. `raises` are what it gets more of memory than its job asks for, `cuts`
    what it gets less of. `submitted` is the shape of the cluster that it is submitted with, but for these cuts, by properties
    (() where nobody kept it): its program may set another. `runtime` is as its job's. `fetched_jar` is the agent's, by a URL
    without credentials, where Spark fetches it before it starts ("" where it does not). `last_read_at` is when the last run began
    that read anything, where the latest one known had read nothing. `steering_off`: its job has steering switched off, so that
    it is decided as in observe, whatever the mode.
    """

    mode: Mode
    changes: tuple[DecidedChange, ...]
    unsteered: Reason | None = None
    lent: tuple[DecidedChange, ...] = ()
    objective: Objective = Objective.TIME
    raises: tuple[SizeChange, ...] = ()
    cuts: tuple[SizeChange, ...] = ()
    submitted: tuple[tuple[str, str], ...] = ()
    runtime: str = ""
    fetched_jar: str = ""
    last_read_at: datetime | None = None
    steering_off: bool = False

    @property
    def sizes(self) -> tuple[SizeChange, ...]:
        """All that the run is to have in place of what its job asks for."""
        return (*self.raises, *self.cuts)

    @property
    def in_force(self) -> tuple[DecidedChange, ...]:
        """The changes that the run is to have."""
        return tuple(decided for decided in self.changes if decided.is_in_force)

    @property
    def left_out_for_long(self) -> frozenset[str]:
        """Ids of what the run is to be without because no run that counts was: one run tells."""
        return frozenset(d.id for d in self.changes if d.held and d.held.code is ReasonCode.LONG_IN_FORCE)

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the run is to do, each once."""
        return tuple(dict.fromkeys(action for decided in self.in_force for action in decided.change.carried_out))

    @property
    def state(self) -> CohortState:
        """Where it leaves its cohort: by what is in force; without any, by what was taken out or held back."""
        standings = {decided.standing for decided in self.changes}
        if Standing.TRIAL in standings:
            return CohortState.TRIAL
        if standings & IN_FORCE:
            return CohortState.TUNED
        if standings & TAKEN_OUT:
            return CohortState.ROLLED_BACK
        return CohortState.HELD if standings == {Standing.HELD} else CohortState.OBSERVING
