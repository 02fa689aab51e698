"""Advisor: hash one side of one sort merge join instead of sorting both, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.hash_candidates import hash_evidence
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.side_name import side_name
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Change, Risk
from tuner.model.reason import Reason, ReasonCode


def advise_shuffle_hashes(facts: Facts) -> Iterator[Change]:
    """One recommendation for each sort merge join that a shuffled hash join beats, and that no broadcast gains more."""
    if facts.per_join:
        for candidate in best_hints(facts):
            if candidate.hint is Hint.SHUFFLE_HASH and not candidate.swaps_build_side:
                yield _recommendation(facts, candidate)


def _recommendation(facts: Facts, candidate: HintCandidate) -> Change:
    build, probe, cap = candidate.hinted, candidate.other, facts.task_cap_bytes
    return Change.of(
        actions=(candidate.action,),
        queries=(candidate.query.fingerprint,),
        reason=Reason(
            ReasonCode.SHUFFLE_HASH,
            {
                "side": side_name(build),
                "rows": build.rows or 0,
                "other_rows": probe.rows or 0,
                "relation_bytes": candidate.relation_bytes,
                "most_bytes": cap,
                "gain_seconds": candidate.prediction.gain,
            },
        ),
        evidence=hash_evidence(facts, candidate),
        prediction=candidate.prediction,
        risk=Risk.MEDIUM,
        advisor="shuffle_hash",
    )
