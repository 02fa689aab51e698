"""Advisor: forbid a broadcast that Spark chose, where shuffling takes less or its hash relation is over the cap."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.broadcast_removals import BroadcastRemoval
from tuner.advice.candidates.join_hints import choose_hints, hinted_side, side_name
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Evidence, Prediction, Recommendation, Risk
from tuner.units import format_bytes, format_rows, format_seconds


def advise_no_broadcasts(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each broadcast that is dearer than a shuffle; only the agent can forbid one."""
    for hint in choose_hints(facts):
        if isinstance(hint.build, BroadcastRemoval):
            yield _recommendation(facts, hint.build, hint.prediction)


def _recommendation(facts: Facts, found: BroadcastRemoval, prediction: Prediction) -> Recommendation:
    side, name, cap = found.build, side_name(found.build), facts.cap.query_bytes
    size = side.broadcast_bytes or 0
    over = f", over the {format_bytes(cap)} that memory has for it" if found.is_over else ""
    return Recommendation(
        actions=(hinted_side(found, Hint.NO_BROADCAST),),
        queries=(found.query.fingerprint,),
        reason=(
            f"do not broadcast {name}: collecting, hashing and sending {format_rows(side.rows or 0)} took "
            f"{format_seconds(found.broadcast_seconds)} for a hash relation of {format_bytes(size)}{over}; shuffling "
            f"both sides is priced at {format_seconds(max(0.0, found.shuffle_seconds))}; about "
            f"{format_seconds(prediction.gain)} less"
        ),
        evidence=(
            Evidence("broadcast rows", side.rows or 0, "rows", name),
            Evidence("hash relation", size, "bytes", name),
            Evidence("collecting, hashing and sending it", found.broadcast_seconds, "seconds", name),
            Evidence("shuffling and merging instead", found.shuffle_seconds, "seconds", "both sides, priced"),
            Evidence("probe side rows", found.probe.rows or 0, "rows", side_name(found.probe)),
            Evidence("most a query may broadcast", cap, "bytes"),
        ),
        predicted_seconds=prediction,
        risk=Risk.MEDIUM,
        advisor="no_broadcast",
    )
