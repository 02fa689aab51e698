"""Advisor: broadcast from the start what AQE broadcast in time, but might have come too late for."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.broadcast_candidates import broadcast_evidence
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.secured_broadcasts import chance, late_seconds, least_shuffle_bytes
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.change import Change, Evidence, Risk
from tuner.model.reason import Number, Reason, ReasonCode


def advise_secured_broadcasts(facts: Facts) -> Iterator[Change]:
    """One recommendation for each join that a run had as a broadcast by chance; none where hints cannot reach."""
    if facts.per_join:
        yield from (_recommendation(facts, candidate) for candidate in best_hints(facts) if candidate.is_secured)


def _recommendation(facts: Facts, candidate: HintCandidate) -> Change:
    side, other, join = candidate.hinted, candidate.other, candidate.join
    seen, probe = chance(facts, candidate.query, join), candidate.side.other
    numbers: dict[str, Number] = {
        "side": side_name(side),
        "rows": side.rows or 0,
        "bytes": side.shuffle_bytes or 0,
        "other_rows": other.rows or 0,
        "least_shuffle_bytes": least_shuffle_bytes(join, probe),
        "runs": seen.runs,
        "timely_runs": seen.runs - seen.late,
        "late_seconds": late_seconds(facts, join, probe),
    }
    return Change.of(
        actions=(candidate.action,),
        queries=(candidate.query.fingerprint,),
        reason=Reason(ReasonCode.SECURED_BROADCAST, numbers),
        evidence=(
            *broadcast_evidence(candidate),
            Evidence("broadcast late", seen.late, "runs", side_name(side)),
            Evidence("broadcast in time", seen.runs - seen.late, "runs", side_name(side)),
        ),
        prediction=candidate.prediction,
        risk=Risk.LOW,
        advisor="secured_broadcast",
        secures=True,
    )
