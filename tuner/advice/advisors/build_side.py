"""Advisor: build the smaller side of a hash join that built the larger one, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.build_side_swaps import BuildSideSwap
from tuner.advice.candidates.join_hints import choose_hints, hinted_side, side_name
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Evidence, Prediction, Recommendation, Risk
from tuner.model.strategy import Strategy
from tuner.units import format_bytes, format_rows, format_seconds


def advise_build_sides(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each hash join whose other side is much smaller, may be built and can be hinted."""
    if facts.per_join:
        for hint in choose_hints(facts):
            if isinstance(hint.build, BuildSideSwap):
                yield _recommendation(hint.build, hint.prediction)


def _recommendation(swap: BuildSideSwap, prediction: Prediction) -> Recommendation:
    name, other = side_name(swap.build), side_name(swap.built)
    hint = Hint.BROADCAST if swap.join.strategy is Strategy.BROADCAST_HASH else Hint.SHUFFLE_HASH
    return Recommendation(
        actions=(hinted_side(swap, hint),),
        queries=(swap.query.fingerprint,),
        reason=(
            f"build {name} ({format_rows(swap.build.rows or 0)}) instead of {other} "
            f"({format_rows(swap.built.rows or 0)}): a hash relation of at most {format_bytes(swap.relation_bytes)} "
            f"instead of {format_bytes(swap.built_bytes)}; about {format_seconds(prediction.gain)} less"
        ),
        evidence=(
            Evidence("build side rows", swap.build.rows or 0, "rows", name),
            Evidence("rows of the side built so far", swap.built.rows or 0, "rows", other),
            Evidence("predicted hash relation", swap.relation_bytes, "bytes", name),
            Evidence("hash relation so far", swap.built_bytes, "bytes", other),
        ),
        predicted_seconds=prediction,
        risk=Risk.LOW,
        advisor="build_side",
    )
