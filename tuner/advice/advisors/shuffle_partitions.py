"""Advisor: as many shuffle partitions as the bytes ask for, not a fixed 200."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tuner.advice.candidates.query_gain import is_worth_it, total_seconds
from tuner.advice.candidates.shuffle_files import fewer_partitions_ns
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction, Risk
from tuner.model.query import Query, ShuffleExchange
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import COALESCE_INITIAL_PARTITIONS, SHUFFLE_PARTITIONS

# Bytes of rows for one partition: half of spark.sql.adaptive.advisoryPartitionSizeInBytes (64 MB), since AQE joins
# small neighbours but never splits a partition outside a skewed join; and with room to grow by half.
TARGET_BYTES = 32 << 20
GROWTH = 1.5
# Fewer partitions than this for each core leave cores idle at the end of a stage.
PER_CORE = 4
MAX_PARTITIONS = 20_000


def advise_shuffle_partitions(facts: Facts) -> Sequence[Change]:
    """At most one recommendation: a count from the largest shuffle's bytes, where half will do, or too few spilled.

    Fewer spare more than one sorted file a task does (`tuner.advice.advisors.bypass_merge`).
    """
    return facts.once(_advised)


def _advised(facts: Facts) -> Sequence[Change]:
    shuffles = [(q, s) for q in facts.succeeded for s in q.shuffles if s.adjustable and s.data_bytes is not None]
    if not shuffles or COALESCE_INITIAL_PARTITIONS in facts.settings or not facts.cluster.cores:
        return ()
    current = _current(facts)
    # A query that failed is counted for its bytes: it may have failed of them.
    largest = max(s.data_bytes or 0 for q in facts.queries for s in q.shuffles if s.adjustable)
    wanted = _wanted(largest, facts.cluster.cores)
    queries = {q.id: q for q, _ in shuffles}.values()
    spilled = sum(q.spilled_bytes for q in queries)
    if wanted <= current / 2 and not spilled:
        gain = _segment_gain(facts, [s for _, s in shuffles], current, wanted)
    elif wanted >= current * 2 and spilled:
        gain = _spill_gain(facts, spilled)
    else:
        return ()
    if not is_worth_it(gain, queries):
        return ()
    return (_recommendation(shuffles, current, wanted, largest, gain),)


def _current(facts: Facts) -> int:
    return max(1, facts.settings[SHUFFLE_PARTITIONS])


def _wanted(largest_bytes: int, cores: int) -> int:
    """Partitions for the largest shuffle, a multiple of the cores."""
    needed = max(PER_CORE * cores, math.ceil(largest_bytes * GROWTH / TARGET_BYTES))
    return min(MAX_PARTITIONS, math.ceil(needed / cores) * cores)


def _segment_gain(facts: Facts, shuffles: Iterable[ShuffleExchange], current: int, wanted: int) -> float:
    """Wall seconds of the segments (map task times partition) that would no longer be written and fetched, and their files."""
    fewer = (s for s in shuffles if s.partitions <= current)
    return sum(fewer_partitions_ns(facts, s, wanted) for s in fewer) / 1e9 / facts.cluster.cores


def _spill_gain(facts: Facts, spilled_bytes: int) -> float:
    """Wall seconds to write and read back what spilled."""
    costs = facts.costs
    return spilled_bytes * (costs.shuffle_write + costs.shuffle_read) / 1e9 / facts.cluster.cores


def _recommendation(
    shuffles: list[tuple[Query, ShuffleExchange]], current: int, wanted: int, largest: int, gain: float
) -> Change:
    affected = {q.id: q for q, _ in shuffles}
    before = total_seconds(affected.values())
    gain = min(gain, 0.5 * before)
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, SHUFFLE_PARTITIONS.property, str(wanted)),),
        queries=tuple(dict.fromkeys(q.fingerprint for q in affected.values())),
        reason=Reason(
            ReasonCode.SHUFFLE_PARTITIONS,
            {
                "partitions": wanted,
                "partitions_before": current,
                "largest_bytes": largest,
                "partition_bytes": largest / current,
                "gain_seconds": gain,
            },
        ),
        evidence=(
            Evidence("largest shuffle", largest, "bytes"),
            Evidence("shuffles", len(shuffles), "shuffles"),
            Evidence("bytes a partition", largest / current, "bytes", f"with {current}"),
            Evidence("bytes a partition", largest / wanted, "bytes", f"with {wanted}"),
        ),
        prediction=Prediction(before, before - gain, max(0.0, before - 3 * gain), before - 0.2 * gain),
        risk=Risk.LOW if wanted < current else Risk.MEDIUM,
        advisor="shuffle_partitions",
    )
