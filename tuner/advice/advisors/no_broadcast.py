"""Advisor: forbid a broadcast that Spark chose, where shuffling takes less or its hash relation is over the cap."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.broadcast_removals import is_over_cap
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Evidence, Recommendation, Risk
from tuner.units import format_bytes, format_rows, format_seconds


def advise_no_broadcasts(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each broadcast that is dearer than a shuffle; only the agent can forbid one."""
    for candidate in best_hints(facts):
        if candidate.hint is Hint.NO_BROADCAST:
            yield _recommendation(facts, candidate)


def _recommendation(facts: Facts, candidate: HintCandidate) -> Recommendation:
    side, name, cap = candidate.hinted, side_name(candidate.hinted), facts.cap.query_bytes
    size, saved, added = candidate.relation_bytes, candidate.saved_seconds, candidate.added_seconds
    over = f", over the {format_bytes(cap)} that memory has for it" if is_over_cap(facts, candidate) else ""
    return Recommendation(
        actions=(candidate.action,),
        queries=(candidate.query.fingerprint,),
        reason=(
            f"do not broadcast {name}: collecting, hashing and sending {format_rows(side.rows or 0)} took "
            f"{format_seconds(saved)} for a hash relation of {format_bytes(size)}{over}; shuffling "
            f"both sides is priced at {format_seconds(max(0.0, added))}; about "
            f"{format_seconds(candidate.prediction.gain)} less"
        ),
        evidence=(
            Evidence("broadcast rows", side.rows or 0, "rows", name),
            Evidence("hash relation", size, "bytes", name),
            Evidence("collecting, hashing and sending it", saved, "seconds", name),
            Evidence("shuffling and merging instead", added, "seconds", "both sides, priced"),
            Evidence("probe side rows", candidate.other.rows or 0, "rows", side_name(candidate.other)),
            Evidence("most a query may broadcast", cap, "bytes"),
        ),
        predicted_seconds=candidate.prediction,
        risk=Risk.MEDIUM,
        advisor="no_broadcast",
    )
