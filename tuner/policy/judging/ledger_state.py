"""What the runs so far tell: of the queries of each context, and of where each change stands."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.model.query import total_data_bytes
from tuner.model.run import Run, RunState
from tuner.policy.context import ByContext, context_of
from tuner.policy.evidence.allocation import Allocation, allocated, allocation_history
from tuner.policy.evidence.history import History
from tuner.policy.judging.queries_beside import QueriesBeside
from tuner.policy.measure import Measured, data_bytes_by_query
from tuner.policy.passing_queries import PassingQueries
from tuner.policy.queries_that_read import queries_that_read
from tuner.policy.record import Loss, Record
from tuner.policy.records_by_context import RecordsByContext
from tuner.policy.runs_beside import RunsBeside
from tuner.policy.usable import usable


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Of a change: when the run had ended that failed with it, and what the next one read (0 where unknown), which succeeded
    without it."""

    ended_at: datetime
    input_bytes: int

    def is_known_to(self, run: Run) -> bool:
        """Whether a run began after that: one beside it tells neither for nor against the change."""
        return run.started_at >= self.ended_at


@dataclass(slots=True)
class LedgerState:
    """After a run, and as the judgement of it goes along.

    `measured` are the queries of the latest measured run that read anything, `allocated` the core time that its executors held
    (None: not known, or it follows the clock), `lost_with` the latest run as what a property loses with that is taken out now
    (of a change to joins: `loss`). `proven_out` is proven and not in force in the run that is judged. `met` are the classes of
    values that each change, by its id, acted on; `cleared` the ids of changes without which a job failed in the same way;
    `suspected`, by id, what a failed run made suspect. `is_beside`: the latest measured run was beside an earlier one.
    """

    by_context: RecordsByContext = field(default_factory=RecordsByContext)
    histories: ByContext[History] = field(default_factory=lambda: ByContext(History))
    allocations: ByContext[History] = field(default_factory=lambda: ByContext(allocation_history))
    passing: PassingQueries = field(default_factory=PassingQueries)
    measured: tuple[Measured, ...] = ()
    allocated: Measured | None = None
    lost_with: Loss = field(default_factory=Loss)
    proven_out: list[DecidedChange] = field(default_factory=list)
    met: dict[str, set[str]] = field(default_factory=dict)
    cleared: set[str] = field(default_factory=set)
    suspected: dict[str, Suspicion] = field(default_factory=dict)
    is_beside: bool = False
    _runs_beside: RunsBeside = field(default_factory=RunsBeside)
    _beside: QueriesBeside = field(default_factory=QueriesBeside)
    # By query (fingerprint) the bytes of its input, when it last ran.
    _read: dict[str, int] = field(default_factory=dict)
    # By instance of a mapped task the queries (fingerprints) that its runs had.
    _asked: dict[str, set[str]] = field(default_factory=dict)

    @property
    def records(self) -> dict[str, Record]:
        """As they stand in the context of the latest measured run."""
        return self.by_context.here

    def take_in(self, run: Run) -> Mapping[str, Record] | None:
        """What the next measured run has to read, before anything is learned of it. If its context is another than that of the
        run before: what is known to stand there."""
        if run.outcome is None:
            return None
        context = context_of(run.outcome, run.decision.cuts)
        known = self.by_context.enter(context)
        self.lost_with = Loss(total_data_bytes(run.outcome.queries), context)
        self._read.update(data_bytes_by_query(run.outcome.queries))
        self.measured = queries_that_read(run, self.histories.of(run))
        self.passing.add(run)
        self.is_beside = self._runs_beside.add(run)
        return known

    def learn(self, run: Run) -> None:
        """What that run measured."""
        self._asked.setdefault(run.instance, set()).update(run.fingerprints)
        self.histories.of(run).add(self.measured, beside=self._beside.add(run))
        held, allocations = allocated(run), self.allocations.of(run)
        # What executors hold in a night that found nothing to read says nothing of other nights.
        self.allocated = held if held is not None and not allocations.is_of_nothing(held) else None
        if self.allocated is not None:
            allocations.add([self.allocated])
        for query in self.measured:
            for id_ in query.changes:
                self.met.setdefault(id_, set()).add(query.literals)

    def loss(self, decided: DecidedChange) -> Loss:
        """What a change is lost with that is taken out now."""
        query = decided.change.query if decided.change.is_on_joins else None
        return replace(self.lost_with, input_bytes=self._read.get(query, 0), of_query=True) if query else self.lost_with

    def may_ask(self, run: Run, queries: Collection[str]) -> bool:
        """Whether a run may have had one of these queries (fingerprints): those of an instance of a mapped task that never had
        one are others'."""
        return not (run.instance and queries) or not self._asked.get(run.instance, set()).isdisjoint(queries)

    def trials(self, decided: DecidedChange) -> int:
        """How many trials in a row, the run that is judged included; once it was taken out, or pinned, they count anew."""
        before = self.records.get(decided.id)
        if before is None or before.standing in TAKEN_OUT:
            return 1
        return 1 if before.standing is Standing.PINNED is not decided.standing else before.trials + 1

    def untold(self, run: Run, decided: DecidedChange) -> int:
        """How many of its trials told nothing since the last that counts, the run that is judged included."""
        if decided.standing is not Standing.TRIAL:
            return 0
        before = self.records.get(decided.id)
        so_far = 0 if before is None or before.standing in TAKEN_OUT else before.untold
        return so_far + (run.state is not RunState.FAILED and not usable(run))

    def allocation(self, run: Run, group: Sequence[DecidedChange]) -> Allocation | None:
        """What changes do to the core time that executors hold; None where that is not known, or follows the clock."""
        if self.allocated is None:
            return None
        found = self.allocations.of(run).compared(self.allocated, frozenset(d.id for d in group))
        return Allocation(found) if found else None
