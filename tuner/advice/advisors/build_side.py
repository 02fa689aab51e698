"""Advisor: build the smaller side of a hash join that built the larger one, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.build_side_swaps import built_relation_bytes
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.change import Evidence, Recommendation, Risk
from tuner.units import format_bytes, format_rows, format_seconds


def advise_build_sides(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each hash join whose other side is much smaller, may be built and can be hinted."""
    if facts.per_join:
        yield from (_recommendation(facts, swap) for swap in best_hints(facts) if swap.swaps_build_side)


def _recommendation(facts: Facts, swap: HintCandidate) -> Recommendation:
    build, built, built_bytes = swap.hinted, swap.other, built_relation_bytes(facts, swap)
    name, other = side_name(build), side_name(built)
    return Recommendation(
        actions=(swap.action,),
        queries=(swap.query.fingerprint,),
        reason=(
            f"build {name} ({format_rows(build.rows or 0)}) instead of {other} "
            f"({format_rows(built.rows or 0)}): a hash relation of at most {format_bytes(swap.relation_bytes)} "
            f"instead of {format_bytes(built_bytes)}; about {format_seconds(swap.prediction.gain)} less"
        ),
        evidence=(
            Evidence("build side rows", build.rows or 0, "rows", name),
            Evidence("rows of the side built so far", built.rows or 0, "rows", other),
            Evidence("predicted hash relation", swap.relation_bytes, "bytes", name),
            Evidence("hash relation so far", built_bytes, "bytes", other),
        ),
        predicted_seconds=swap.prediction,
        risk=Risk.LOW,
        advisor="build_side",
    )
