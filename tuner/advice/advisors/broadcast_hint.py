"""Advisor: broadcast one side of one join, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.broadcast_builds import Build, build_evidence
from tuner.advice.candidates.join_hints import choose_hints, hinted_side, side_name
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Prediction, Recommendation, Risk
from tuner.units import format_bytes, format_rows, format_seconds


def advise_broadcast_hints(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each sort merge join whose smaller side fits and pays, and for each that AQE turned late; none
    where hints cannot reach."""
    if facts.per_join:
        for hint in choose_hints(facts):
            if isinstance(hint.build, Build):
                yield _recommendation(hint.build, hint.prediction)


def _reason(build: Build, gain: float) -> str:
    side, name, gained = build.build, side_name(build.build), f"about {format_seconds(gain)} less"
    size = f"{format_rows(side.rows or 0)}, {format_bytes(side.shuffle_bytes or 0)}"
    met = format_rows(build.probe.rows or 0)
    if build.was_late:
        moved = format_bytes((side.shuffle_bytes or 0) + (build.probe.shuffle_bytes or 0))
        return f"broadcast {name} at once: {size}; AQE did, to meet {met}, when {moved} had been shuffled; {gained}"
    return f"broadcast {name}: {size} were shuffled and sorted to meet {met}; {gained}"


def _recommendation(build: Build, prediction: Prediction) -> Recommendation:
    return Recommendation(
        actions=(hinted_side(build, Hint.BROADCAST),),
        queries=(build.query.fingerprint,),
        reason=_reason(build, prediction.gain),
        evidence=build_evidence(build),
        predicted_seconds=prediction,
        risk=Risk.LOW,
        advisor="broadcast_hint",
    )
