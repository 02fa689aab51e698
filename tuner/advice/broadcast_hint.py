"""Advisor: broadcast one side of one join, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.builds import Build, build_evidence
from tuner.advice.facts import Facts
from tuner.advice.join_hints import choose_hints, hinted_side, side_name
from tuner.advice.model import Hint, Prediction, Recommendation, Risk
from tuner.units import format_bytes, format_rows, format_seconds


def advise_broadcast_hints(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each sort merge join whose smaller side fits and pays; none where hints cannot reach."""
    if facts.per_join:
        for hint in choose_hints(facts):
            if isinstance(hint.build, Build):
                yield _recommendation(hint.build, hint.prediction)


def _recommendation(build: Build, prediction: Prediction) -> Recommendation:
    side = build.build
    name = side_name(side)
    return Recommendation(
        actions=(hinted_side(build, Hint.BROADCAST),),
        queries=(build.query.fingerprint,),
        reason=(
            f"broadcast {name}: {format_rows(side.rows or 0)}, {format_bytes(side.shuffle_bytes or 0)} were shuffled and "
            f"sorted to meet {format_rows(build.probe.rows or 0)}; about {format_seconds(prediction.gain)} less"
        ),
        evidence=build_evidence(build),
        predicted_seconds=prediction,
        risk=Risk.LOW,
        advisor="broadcast_hint",
    )
