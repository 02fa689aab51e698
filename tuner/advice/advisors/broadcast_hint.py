"""Advisor: broadcast one side of one join, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.broadcast_candidates import broadcast_evidence
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.change import Recommendation, Risk
from tuner.units import format_bytes, format_rows, format_seconds


def advise_broadcast_hints(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each sort merge join whose smaller side fits and pays, and for each that AQE turned late; none
    where hints cannot reach."""
    if facts.per_join:
        yield from (_recommendation(candidate) for candidate in best_hints(facts) if candidate.is_new_broadcast)


def _reason(candidate: HintCandidate) -> str:
    side, other = candidate.hinted, candidate.other
    name, gained = side_name(side), f"about {format_seconds(candidate.prediction.gain)} less"
    size = f"{format_rows(side.rows or 0)}, {format_bytes(side.shuffle_bytes or 0)}"
    met = format_rows(other.rows or 0)
    if candidate.is_late_broadcast:
        moved = format_bytes((side.shuffle_bytes or 0) + (other.shuffle_bytes or 0))
        return f"broadcast {name} at once: {size}; AQE did, to meet {met}, when {moved} had been shuffled; {gained}"
    return f"broadcast {name}: {size} were shuffled and sorted to meet {met}; {gained}"


def _recommendation(candidate: HintCandidate) -> Recommendation:
    return Recommendation(
        actions=(candidate.action,),
        queries=(candidate.query.fingerprint,),
        reason=_reason(candidate),
        evidence=broadcast_evidence(candidate),
        predicted_seconds=candidate.prediction,
        risk=Risk.LOW,
        advisor="broadcast_hint",
    )
