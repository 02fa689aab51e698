"""Advisor: build the smaller side of a hash join that built the larger one, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.change import Change, Evidence, Risk
from tuner.model.reason import Reason, ReasonCode


def advise_build_sides(facts: Facts) -> Iterator[Change]:
    """One recommendation for each hash join whose other side is much smaller, may be built and can be hinted."""
    if facts.per_join:
        yield from (_recommendation(swap) for swap in best_hints(facts) if swap.swaps_build_side)


def _recommendation(swap: HintCandidate) -> Change:
    build, built, built_bytes = swap.hinted, swap.other, swap.replaced_bytes
    name, other = side_name(build), side_name(built)
    return Change.of(
        actions=(swap.action,),
        queries=(swap.query.fingerprint,),
        reason=Reason(
            ReasonCode.BUILD_SIDE,
            {
                "side": name,
                "rows": build.rows or 0,
                "relation_bytes": swap.relation_bytes,
                "side_before": other,
                "rows_before": built.rows or 0,
                "relation_bytes_before": built_bytes,
                "gain_seconds": swap.prediction.gain,
            },
        ),
        evidence=(
            Evidence("build side rows", build.rows or 0, "rows", name),
            Evidence("rows of the side built so far", built.rows or 0, "rows", other),
            Evidence("predicted hash relation", swap.relation_bytes, "bytes", name),
            Evidence("hash relation so far", built_bytes, "bytes", other),
            *swap.reached,
        ),
        prediction=swap.prediction,
        risk=Risk.LOW,
        advisor="build_side",
    )
