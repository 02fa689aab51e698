"""Advisor: hash one side of one sort merge join instead of sorting both, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.hash_builds import HashBuild, hash_evidence
from tuner.advice.candidates.join_hints import choose_hints, hinted_side, side_name
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Prediction, Recommendation, Risk
from tuner.units import format_bytes, format_rows, format_seconds


def advise_shuffle_hashes(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each sort merge join that a shuffled hash join beats, and that no broadcast gains more."""
    if facts.per_join:
        for hint in choose_hints(facts):
            if isinstance(hint.build, HashBuild):
                yield _recommendation(hint.build, hint.prediction, facts.task_cap_bytes)


def _recommendation(build: HashBuild, prediction: Prediction, cap: int) -> Recommendation:
    name = side_name(build.build)
    return Recommendation(
        actions=(hinted_side(build, Hint.SHUFFLE_HASH),),
        queries=(build.query.fingerprint,),
        reason=(
            f"hash {name} instead of sorting both sides: {format_rows(build.build.rows or 0)} meet "
            f"{format_rows(build.probe.rows or 0)}, at most {format_bytes(build.task_bytes)} in a task that may hash "
            f"{format_bytes(cap)}; about {format_seconds(prediction.gain)} less"
        ),
        evidence=hash_evidence(build, cap),
        predicted_seconds=prediction,
        risk=Risk.MEDIUM,
        advisor="shuffle_hash",
    )
