"""What came of a run's changes, as soon as it is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.model.verdict import Verdict
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.comparisons import compare
from tuner.policy.context import ByContext
from tuner.policy.effect import Effect
from tuner.policy.evidence.comparison import Comparison
from tuner.policy.evidence.history import History
from tuner.policy.judging.queries_beside import QueriesBeside
from tuner.policy.ledger import read_ledger
from tuner.policy.literal_classes import with_literal_classes
from tuner.policy.measure import Measured
from tuner.policy.queries_that_read import queries_that_read
from tuner.policy.record import Record
from tuner.policy.usable import usable


@dataclass(frozen=True, slots=True)
class Judgement:
    """`records` are of the changes that were decided to be in force, and of those that it was without and took out for that, with
    their standing after the run; `total` is of
    all `queries` they touched, and of those `not_named` that their properties moved beside these, against what they would have
    taken without any of them (None: not measured)."""

    records: tuple[Record, ...]
    total: Comparison | None = None
    queries: int = 0
    not_named: int = 0

    @property
    def gained_seconds(self) -> float | None:
        """Less than 0 where the run lost."""
        return self.total.gain if self.total else None


def judge(run: Run, history: Sequence[Run], verdicts: Sequence[Verdict] = ()) -> Judgement:
    """Judge a run that has ended. `history` is the cohort's, oldest first; the run may stand in it, and others after it."""
    position = next((n for n, past in enumerate(history) if past.key == run.key), len(history))
    *earlier, run = with_literal_classes([*history[:position], run])
    records = read_ledger([*earlier, run], verdicts)
    mine = (record for d in run.decision.in_force if (record := records.get(d.id)))
    borne_out = (record for d in run.decision.changes if (record := records.get(d.id)) and _is_borne_out(d, record))
    return Judgement((*mine, *borne_out), *_total(run, earlier))


def _is_borne_out(decided: DecidedChange, record: Record) -> bool:
    """Whether a run was without a change that had seemed to lose, and took it out."""
    was_doubted = decided.standing is Standing.HELD and decided.held and decided.held.code is ReasonCode.HELD_OUT
    return bool(was_doubted and record.standing is Standing.ROLLED_BACK and record.why.code is ReasonCode.SLOWER)


def _total(run: Run, earlier: Sequence[Run]) -> tuple[Comparison | None, int, int]:
    changes = changes_in_effect(run) if usable(run) else []
    if not changes or run.outcome is None:
        return None, 0, 0
    histories, beside = ByContext(History), QueriesBeside()
    queries: tuple[Measured, ...] = ()
    for one in (*filter(usable, earlier), run):
        if one.outcome:
            queries = queries_that_read(one, histories.of(one))
            histories.of(one).add(queries, beside=beside.add(one))
    found = compare(queries, histories.of(run), changes)
    effect = Effect.of_all(found)
    return (effect.total if effect.comparisons else None), len(effect.comparisons), len(found.moved)
