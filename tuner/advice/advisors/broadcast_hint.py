"""Advisor: broadcast one side of one join, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.broadcast_candidates import broadcast_evidence, is_counted
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.change import Change, Risk
from tuner.model.reason import Reason, ReasonCode
from tuner.model.strategy import Strategy


def advise_broadcast_hints(facts: Facts) -> Iterator[Change]:
    """One recommendation for each join of two shuffled sides whose smaller side fits and pays, and for each that AQE turned late;
    none where hints cannot reach."""
    if facts.per_join:
        new = (c for c in best_hints(facts) if c.is_new_broadcast and not c.is_secured)
        yield from (_recommendation(candidate) for candidate in new)


def _recommendation(candidate: HintCandidate) -> Change:
    side, other = candidate.hinted, candidate.other
    return Change.of(
        actions=(candidate.action,),
        queries=(candidate.query.fingerprint,),
        reason=Reason(
            ReasonCode.BROADCAST_HINT,
            {
                "side": side_name(side),
                "rows": side.rows or 0,
                "bytes": candidate.data_bytes,
                "other_rows": other.rows or 0,
                "shuffled_bytes": (side.shuffle_bytes or 0) + (other.shuffle_bytes or 0),
                "by_aqe": candidate.is_late_broadcast,
                "is_counted": is_counted(side),
                "is_sorted": candidate.join.strategy is not Strategy.SHUFFLED_HASH,
                "gain_seconds": candidate.prediction.gain,
            },
        ),
        evidence=broadcast_evidence(candidate),
        prediction=candidate.prediction,
        risk=Risk.LOW,
        advisor="broadcast_hint",
    )
