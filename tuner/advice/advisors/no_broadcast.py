"""Advisor: forbid a broadcast that Spark chose, where shuffling takes less or its hash relation is over the cap."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.broadcast_removals import is_over_cap
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Change, Evidence, Risk
from tuner.model.reason import Reason, ReasonCode


def advise_no_broadcasts(facts: Facts) -> Iterator[Change]:
    """One recommendation for each broadcast that is dearer than a shuffle; only the agent can forbid one."""
    for candidate in best_hints(facts):
        if candidate.hint is Hint.NO_BROADCAST:
            yield _recommendation(facts, candidate)


def _recommendation(facts: Facts, candidate: HintCandidate) -> Change:
    side, name, cap = candidate.hinted, side_name(candidate.hinted), facts.cap.query_bytes
    size, saved, added = candidate.relation_bytes, candidate.saved_seconds, candidate.added_seconds
    return Change.of(
        actions=(candidate.action,),
        queries=(candidate.query.fingerprint,),
        reason=Reason(
            ReasonCode.NO_BROADCAST,
            {
                "side": name,
                "rows": side.rows or 0,
                "broadcast_seconds": saved,
                "relation_bytes": size,
                "most_bytes": cap if is_over_cap(facts, candidate) else None,
                "shuffle_seconds": max(0.0, added),
                "gain_seconds": candidate.prediction.gain,
            },
        ),
        evidence=(
            Evidence("broadcast rows", side.rows or 0, "rows", name),
            Evidence("hash relation", size, "bytes", name),
            Evidence("collecting, hashing and sending it", saved, "seconds", name),
            Evidence("shuffling and merging instead", added, "seconds", "both sides, priced"),
            Evidence("probe side rows", candidate.other.rows or 0, "rows", side_name(candidate.other)),
            Evidence("most a query may broadcast", cap, "bytes"),
            *candidate.reached,
        ),
        prediction=candidate.prediction,
        risk=Risk.MEDIUM,
        advisor="no_broadcast",
    )
