"""Advisor: as many shuffle partitions as the bytes ask for, not a fixed 200."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.executions_in_full import executions_for_each
from tuner.advice.candidates.idle_cores import filled_seconds
from tuner.advice.candidates.query_gain import is_worth_it, total_seconds
from tuner.advice.candidates.read_together import read_together
from tuner.advice.candidates.running_together import RunningTogether
from tuner.advice.candidates.shuffle_files import fewer_partitions_ns
from tuner.advice.candidates.small_files import makes_small_files
from tuner.advice.facts import Facts, is_whole
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction, Risk
from tuner.model.query import Query, ShuffleExchange
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.query_work import Resource
from tuner.spark.knobs import COALESCE_INITIAL_PARTITIONS, SHUFFLE_PARTITIONS
from tuner.spark.partition_limits import MOST_PARTITIONS, MOST_WITH_OWN_SIZES
from tuner.spark.settings import Settings

# Bytes of rows for one partition: half of spark.sql.adaptive.advisoryPartitionSizeInBytes (64 MB), since AQE joins
# small neighbours but never splits a partition outside a skewed join; and with room to grow by half.
TARGET_BYTES = 32 << 20
GROWTH = 1.5
# Fewer partitions than this for each core leave cores idle at the end of a stage.
PER_CORE = 4
# No more of the queries' seconds than this is believed to be saved.
MOST_SHARE = 0.5
# What spilling and sorting took, and what more partitions cost, are right within this factor.
UNSURE = 2.0


def advise_shuffle_partitions(facts: Facts) -> Sequence[Change]:
    """At most one recommendation: a count from the bytes of the largest shuffle of all runs, where half will do, none of
    them spilled and all of them are known, or where too few spilled in the latest, or left its cores without tasks.

    Fewer spare more than one sorted file a task does (`tuner.advice.advisors.bypass_merge`).
    """
    return facts.once(_advised)


def most_partitions(current: int) -> int:
    """No more than those of which the driver keeps each one's size, where it does now: AQE sees no skew in others
    (HighlyCompressedMapStatus)."""
    return MOST_WITH_OWN_SIZES if current <= MOST_WITH_OWN_SIZES else MOST_PARTITIONS


def more_segments_seconds(facts: Facts, current: int, wanted: int) -> float:
    """Wall seconds of the segments that all shuffles would write and fetch besides."""
    shuffles = (s for q in facts.succeeded for s in q.shuffles_of(current))
    segments = sum((s.map_tasks or 1) * (wanted - current) for s in shuffles)
    return segments * facts.costs.shuffle_segment / 1e9 / facts.cluster.cores


def predict_more_partitions(before: float, saved: float, added: float) -> Prediction:
    """Seconds after, where more partitions save some and their segments add others, each within a factor of `UNSURE`."""
    low, high = before - UNSURE * saved + added / UNSURE, before - saved / UNSURE + added * UNSURE
    return Prediction(before, before - saved + added, max(0.0, low), high)


def _advised(facts: Facts) -> Sequence[Change]:
    if COALESCE_INITIAL_PARTITIONS in facts.settings or not facts.cluster.cores:
        return ()
    found = _fewer(facts) or _more(facts)
    return (found,) if found else ()


def _fewer(facts: Facts) -> Change | None:
    """What went through shuffles of other numbers is heeded, too: the property may decide these another day."""
    current = _current(facts)
    shuffles = [(q, s) for q in facts.succeeded for s in q.shuffles_of(current) if s.data_bytes is not None]
    largest = max((s.data_bytes or 0 for q in _of_all_runs(facts) for s in q.shuffles if s.adjustable), default=0)
    wanted = _wanted(largest, _most_cores(facts))
    if wanted > current / 2 or _has_lost(facts) or _has_spilled(facts):
        return None
    queries = {q.id: q for q, _ in shuffles}.values()
    before = total_seconds(queries)
    saved = min(_segment_gain(facts, [s for _, s in shuffles], wanted), MOST_SHARE * before)
    if not is_worth_it(saved, queries):
        return None
    prediction = Prediction(before, before - saved, max(0.0, before - 3 * saved), before - 0.2 * saved)
    return _recommendation(facts, shuffles, wanted, largest, 0.0, prediction)


def _more(facts: Facts) -> Change | None:
    """Of as many as the bytes ask for, and of as many as give each core a task or a few, those that gain most."""
    current, largest = _current(facts), _largest_adjusted_bytes(facts)
    most, cores = most_partitions(current), facts.cluster.cores
    by_bytes = min(_wanted(largest, _most_cores(facts)), most)
    counts = {by_bytes, *(n * cores for n in range(1, PER_CORE + 1))}
    found = [
        change
        for wanted in sorted(counts)
        if 2 * current <= wanted <= most
        and (change := _of_more(facts, wanted, largest, spares_spills=wanted >= by_bytes))
    ]
    return max(found, key=lambda change: change.prediction.gain if change.prediction else 0.0, default=None)


def _of_more(facts: Facts, wanted: int, largest: int, *, spares_spills: bool) -> Change | None:
    """For queries whose tasks are smaller then: AQE joins partitions up to so many bytes, as compressed, of whatever number.

    Each of their executions in brief gains what those in full do: their segments cost as much.
    """
    current, merging = _current(facts), Coalescing.of(facts)
    if makes_small_files(facts, current, wanted):
        return None
    shuffles = [
        (q, s)
        for q in facts.succeeded
        # What one task spills is in one partition, however many there are; an execution in brief does not tell.
        if not q.skews and not q.work_in_brief
        for s in _read_by_smaller(q, merging, current, wanted)
    ]
    queries = {q.id: q for q, _ in shuffles}.values()
    names = {q.fingerprint for q in queries}
    affected = (*queries, *(q for q in facts.succeeded if q.work_in_brief and q.fingerprint in names))
    before = total_seconds(affected)
    together, times = facts.once(RunningTogether), executions_for_each(facts.succeeded)
    alone = (q for q in queries if not together.is_shared(q))
    filled = sum(filled_seconds(q, merging, current, wanted) * times[q.fingerprint] for q in alone)
    spared = sum(_spill_seconds(facts, q) * times[q.fingerprint] for q in queries) if spares_spills else 0.0
    saved = min(spared + filled, MOST_SHARE * before)
    added = more_segments_seconds(facts, current, wanted)
    if not is_worth_it(saved - added, affected):
        return None
    prediction = predict_more_partitions(before, saved, added)
    return _recommendation(facts, shuffles, wanted, largest, added, prediction, fills=filled > spared)


def _read_by_smaller(query: Query, merging: Coalescing, current: int, wanted: int) -> Iterable[ShuffleExchange]:
    """Of a query's shuffles that are known, those that twice as many tasks or more would read, each once."""
    known = [s for s in query.shuffles_of(current) if s.data_bytes is not None]
    read = read_together(query, known)
    smaller = (those for those in read if merging.tasks(those, wanted) >= 2 * merging.tasks(those, current))
    return {id(s): s for those in smaller for s in those}.values()


def _largest_adjusted_bytes(facts: Facts) -> int:
    """Those of the largest shuffle that had as many partitions as the property said, the runs before included: a Sunday's are not
    a Monday's. A query that failed is counted: it may have failed of them."""
    before = ((past.queries, max(1, Settings(past.conf)[SHUFFLE_PARTITIONS])) for past in facts.earlier)
    runs = (*before, (facts.queries, _current(facts)))
    return max(
        (s.data_bytes or 0 for queries, number in runs for q in queries for s in q.shuffles_of(number)), default=0
    )


def _has_lost(facts: Facts) -> bool:
    """Whether a run's log leaves open how much went through a shuffle: where Spark drops events, it may be the largest."""
    return any(s.lost and s.adjustable for q in _of_all_runs(facts) if is_whole(q) for s in q.shuffles)


def _most_cores(facts: Facts) -> int:
    """Those that any run had: dynamic allocation gives no more than there are tasks for."""
    return max(cluster.cores for cluster in (facts.cluster, *(past.cluster for past in facts.earlier)))


def _has_spilled(facts: Facts) -> bool:
    """Whether a query whose partitions the property decides has spilled after its shuffles in any run."""
    return any(_spilled_after_shuffles(q) for q in _of_all_runs(facts) if any(s.adjustable for s in q.shuffles))


def _of_all_runs(facts: Facts) -> Iterator[Query]:
    return (q for queries in facts.of_all_runs for q in queries)


def _current(facts: Facts) -> int:
    return max(1, facts.settings[SHUFFLE_PARTITIONS])


def _wanted(largest_bytes: int, cores: int) -> int:
    """Partitions for the largest shuffle, a multiple of the cores."""
    needed = max(PER_CORE * cores, math.ceil(largest_bytes * GROWTH / TARGET_BYTES))
    return min(MOST_PARTITIONS, math.ceil(needed / cores) * cores)


def _segment_gain(facts: Facts, shuffles: Iterable[ShuffleExchange], wanted: int) -> float:
    """Wall seconds of the segments (map task times partition) that would no longer be written and fetched, and their files."""
    return sum(fewer_partitions_ns(facts, s, wanted) for s in shuffles) / 1e9 / facts.cluster.cores


def _spill_seconds(facts: Facts, query: Query) -> float:
    """Wall seconds to write and read back what spilled."""
    return _spilled_after_shuffles(query) * facts.costs.spill / 1e9 / facts.cluster.cores


def _spilled_after_shuffles(query: Query) -> float:
    """Bytes on disks; the tasks of a scan get no less by more partitions. All of a query's where its stages are not known."""
    if query.work is None:
        return query.spilled_bytes
    reading = (stage.amounts for stage in query.work.stages if stage.amounts.get(Resource.SHUFFLE_READ))
    return sum(amounts.get(Resource.SPILL, 0.0) for amounts in reading)


def _recommendation(
    facts: Facts,
    shuffles: list[tuple[Query, ShuffleExchange]],
    wanted: int,
    largest: int,
    added: float,
    prediction: Prediction,
    *,
    fills: bool = False,
) -> Change:
    current = _current(facts)
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, SHUFFLE_PARTITIONS.property, str(wanted)),),
        queries=tuple(dict.fromkeys(q.fingerprint for q, _ in shuffles)),
        reason=Reason(
            ReasonCode.SHUFFLE_PARTITIONS,
            {
                "partitions": wanted,
                "partitions_before": current,
                "largest_bytes": largest,
                "partition_bytes": largest / current,
                "gain_seconds": prediction.gain,
                **({"cores": facts.cluster.cores} if fills else {}),
            },
        ),
        evidence=(
            Evidence("largest shuffle", largest, "bytes"),
            Evidence("shuffles", len(shuffles), "shuffles"),
            Evidence("bytes a partition", largest / current, "bytes", f"with {current}"),
            Evidence("bytes a partition", largest / wanted, "bytes", f"with {wanted}"),
            *((Evidence("more segments in all shuffles", added, "seconds"),) if added else ()),
        ),
        prediction=prediction,
        risk=Risk.LOW if wanted < current else Risk.MEDIUM,
        advisor="shuffle_partitions",
    )
