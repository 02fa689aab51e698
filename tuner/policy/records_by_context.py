"""The records of a cohort's changes in each context that it ran in: what is proven in one is on trial in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.balance import Balance
from tuner.policy.context import ByContext, Context
from tuner.policy.record import Record


@dataclass(slots=True)
class RecordsByContext:
    """`here` are those of one context, by id; those of others are as they last stood there."""

    context: Context = field(default_factory=Context)
    here: dict[str, Record] = field(default_factory=dict)
    _elsewhere: ByContext[dict[str, Record]] = field(default_factory=lambda: ByContext(dict))

    def enter(self, context: Context) -> Mapping[str, Record] | None:
        """Makes the records `here` those of a context, as they last stood there; what was proven, but never there, is on trial
        again. Returns those that this tells of; None where it is not another context."""
        difference = context.difference(self.context)
        before = dict(self.here)
        if difference:
            self._elsewhere.at(self.context).update(before)
            there = self._elsewhere.at(context)
            self.here = {id_: _as_there(record, there.pop(id_, None), difference) for id_, record in before.items()}
        self.context = context
        return {id_: record for id_, record in self.here.items() if record is not before[id_]} if difference else None

    def record_in(self, context: Context, record: Record) -> None:
        """Say where a change stands in another context than this."""
        self._elsewhere.at(context)[record.decided.id] = record

    def is_out_elsewhere(self, id_: str) -> bool:
        """Whether a change was taken out in another context."""
        return any((record := there.get(id_)) is not None and record.is_out for there in self._elsewhere)

    def leave_unproven(self, known: Mapping[str, Record]) -> None:
        """What a run had as proven that was decided for another context is not proven in its own by that: it stands as it did
        (`known`, as `enter` returned it)."""
        for id_, before in known.items():
            record = self.here[id_]
            if record.standing is Standing.PROMOTED and record.decided.standing is Standing.PROMOTED:
                self.here[id_] = replace(record, standing=before.standing, why=before.why, trials=before.trials)


def as_known(decided: DecidedChange, known: Mapping[str, Record]) -> DecidedChange:
    """What a run had on trial that was decided for another context is none where it is proven."""
    before = known.get(decided.id)
    if before is None or (decided.standing, before.standing) != (Standing.TRIAL, Standing.PROMOTED):
        return decided
    return replace(decided, standing=before.standing, why=before.why)


def _as_there(record: Record, there: Record | None, difference: str) -> Record:
    """`there` is the record as it last stood in the context. What a person pinned is so in any."""
    if record.standing is Standing.PINNED:
        return record
    if there is not None and there.standing is not Standing.PINNED:
        trials = 0 if there.standing is Standing.PROMOTED else there.trials
        return replace(there, decided=record.decided, losses=record.losses, trials=trials)
    # What it came to elsewhere was none of its trials here.
    record = replace(record, balance=Balance(), trials=0, untold=0)
    if record.standing is Standing.PROMOTED:
        why = Reason(ReasonCode.NEW_TRIAL, {"difference": difference})
        return replace(record, standing=Standing.TRIAL, why=why, held_out=None, doubt=None)
    return replace(record, doubt=None) if record.doubt else record
