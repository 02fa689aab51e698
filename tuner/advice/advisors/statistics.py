"""Advisor: statistics of tables, where the planner would then have chosen a cheaper join than by the size of files.

What the orders of joins gain by statistics is `advise_cbo`'s to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tuner.advice.candidates.analyze_actions import (
    analyze_actions,
    analyze_evidence,
    catalog_tables,
    seconds_once,
    seconds_per_run,
)
from tuner.advice.candidates.broadcast_candidates import broadcast_candidates, predict_broadcasts
from tuner.advice.candidates.cbo_conf import CboConf
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.query_gain import capped
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction, Risk
from tuner.model.query import TableRead
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.relation import short_name
from tuner.spark.join_selection.selection_conf import read_conf
from tuner.spark.knobs import CBO

MIN_GAIN_SECONDS = 0.5
# By how much an estimate with statistics may exceed what was measured and still be believed to stay under the
# threshold: Spark's estimates of TPC-DS's joins with statistics of all columns are off by 1.97 at the median
# (tests/benchmarks/cardinality_q_error.py); sides of one table, which alone are looked at here, by less.
_ESTIMATE_ERROR = 2.0


def advise_statistics(facts: Facts) -> Iterator[Change]:
    """The tables whose statistics would have made sort merge joins broadcast ones, if that pays for gathering them."""
    tables = catalog_tables(facts)
    if not tables or CboConf.read(facts.conf).enabled:
        return
    builds = _misjudged(facts, tables)
    if not builds:
        return
    analyzed = [
        tables[name] for name in sorted({r for b in builds for side in (b.hinted, b.other) for r in side.relations})
    ]
    predicted = _predicted(facts, builds)
    per_run = seconds_per_run(analyzed, facts)
    if predicted.gain >= max(MIN_GAIN_SECONDS, per_run) and predicted.high + per_run < predicted.before:
        yield _recommendation(facts, builds, analyzed, predicted)


def _misjudged(facts: Facts, tables: Mapping[str, TableRead]) -> list[HintCandidate]:
    """The better side of each join that statistics would have had broadcast: one filtered table, small as measured."""
    threshold = read_conf(facts.conf, facts.spark_version).threshold(measured=False)
    best: dict[tuple[int, str, int], HintCandidate] = {}
    for build in broadcast_candidates(facts):
        key = (build.query.id, build.join.signature, build.join.occurrence)
        if _would_be_broadcast(build, threshold, tables) and (key not in best or build.gain > best[key].gain):
            best[key] = build
    return list(best.values())


def _would_be_broadcast(build: HintCandidate, threshold: int, tables: Mapping[str, TableRead]) -> bool:
    side = build.hinted
    known = set(side.relations) | set(build.other.relations)
    estimate = side.estimated_bytes
    return (
        not build.is_vetoed
        and build.gain > 0
        and len(side.relations) == 1
        and known <= tables.keys()
        and side.shuffle_bytes is not None
        and estimate is not None
        and side.shuffle_bytes * _ESTIMATE_ERROR <= threshold < estimate
    )


def _predicted(facts: Facts, builds: Sequence[HintCandidate]) -> Prediction:
    before = sum({b.query.id: b.query.seconds for b in builds}.values())
    gain = capped(sum(b.gain for b in builds), before)
    return predict_broadcasts(facts, before, gain, builds)


def _recommendation(
    facts: Facts, builds: Sequence[HintCandidate], tables: Sequence[TableRead], predicted: Prediction
) -> Change:
    worst = max(builds, key=lambda b: b.gain)
    estimate = worst.hinted.estimated_bytes or 0
    name = short_name(worst.hinted.relations[0])
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, CBO.property, "true"), *analyze_actions(tables)),
        queries=tuple(dict.fromkeys(b.query.fingerprint for b in builds)),
        reason=Reason(
            ReasonCode.STATISTICS,
            {
                "side": name,
                "estimated_bytes": estimate,
                "measured_bytes": worst.hinted.shuffle_bytes or 0,
                "joins": len(builds),
                "gain_seconds": predicted.gain,
                "analyze_seconds": seconds_once(tables, facts),
            },
        ),
        evidence=(
            Evidence("planner's estimate", estimate, "bytes", name),
            Evidence("measured", worst.hinted.shuffle_bytes or 0, "bytes", name),
            Evidence("joins that would be planned otherwise", len(builds), "joins"),
            *analyze_evidence(tables, facts),
        ),
        prediction=predicted,
        risk=Risk.MEDIUM,
        advisor="statistics",
    )
