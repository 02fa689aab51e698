"""The replay of a fleet as one pipeline on Spark: harvest, cohorts, the fleet's own model, the walk of each cohort.

A replay that is killed goes on where it was. A cohort is walked again when its logs, what decides, or the tuner's code have
changed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

import msgspec
from pyspark.sql import SparkSession

import tuner
from tuner.cost.learned.calibrated_model import VARIABLE, configured_model
from tuner.cost.learned.operator_times import OperatorTimes, write_model
from tuner.eventlog.find import LogSource
from tuner.pipeline import batches, walks
from tuner.pipeline.batches import HarvestedLog
from tuner.pipeline.cohorts import Fleet, Place, fleet_of
from tuner.pipeline.fleet_model import FleetModel, fleet_model, where_learning_starts
from tuner.pipeline.harvest import harvest
from tuner.pipeline.replayed import SparkReplayed
from tuner.pipeline.rounds import Walking
from tuner.pipeline.schema import VERSION
from tuner.pipeline.sole_writer import SoleWriter
from tuner.pipeline.walk import walk_cohorts
from tuner.replay.cohort_of import BY_LOG, CohortRules
from tuner.replay.run_selection import EVERYTHING, RunSelection
from tuner.replay.walk import Walker
from tuner.source_digest import source_digest

# Runs that are walked before a round is finished, for each core: a replay that is killed loses no more than this.
ROUND_RUNS = 1_000


def replay_on_spark(
    spark: SparkSession,
    sources: Iterable[LogSource],
    writer: SoleWriter,
    walker: Walker,
    rules: CohortRules = BY_LOG,
    chosen: RunSelection = EVERYTHING,
    *,
    round_runs: int | None = None,
) -> SparkReplayed:
    """Bring the writer's directory up to date with the logs, and replay all that it holds: logs that are gone since, too.

    What it found is read from the directory, for as long as the writer may write there. Raises HarvestError where it cannot
    write, TunerError where SPARK_TUNER_MODEL names no model.
    """
    prior = configured_model()
    directory = writer.directory
    out = directory.location
    harvested = harvest(spark, sources, writer, for_replay=True)
    logs = {log.log: log for some in batches.finished(directory).values() for log in some}
    fleet = fleet_of(spark, out, rules, chosen) if logs else Fleet()
    model = FleetModel(skipped="there is no log to learn from")
    if logs:
        start = where_learning_starts(out)
        model = fleet_model(spark, directory, out, start, _digest(_prices(start), *_versions(sorted(logs), logs)))
        model = replace(model, outdated=sum(log.tables != VERSION for log in logs.values()))
    # Workers may be other machines, without this one's environment and files.
    named = write_model(prior) if os.environ.get(VARIABLE) else None
    digests = _digests(fleet.cohorts, logs, _digest(_prices(prior), msgspec.json.encode(walker)))
    walks.clean(directory, fleet.known)
    before = walks.walked(directory)
    changed = {c: fleet.cohorts[c] for c, now in digests.items() if c not in before or before[c].digest != now}
    if changed:
        step = partial(walk_cohorts, walker=walker, model=named)
        runs = round_runs or ROUND_RUNS * spark.sparkContext.defaultParallelism
        Walking(spark, writer, step, digests).walk(changed, runs)
        walks.clean(directory, fleet.known)
    kept = {cohort: walk for cohort, walk in walks.walked(directory).items() if cohort in fleet.cohorts}
    size = sum(logs[log].size_bytes for log in fleet.logs)
    return SparkReplayed(spark, directory, fleet, kept, size, harvested, model, len(changed))


def _digests(
    cohorts: Mapping[str, tuple[Place, ...]], logs: Mapping[str, HarvestedLog], decided_by: str
) -> dict[str, str]:
    """For each cohort, what changes when its walk would find something else."""
    return {
        cohort: _digest(decided_by, *_versions((place.log for place in places), logs))
        for cohort, places in cohorts.items()
    }


def _versions(names: Iterable[str], logs: Mapping[str, HarvestedLog]) -> Iterator[str]:
    # What an unsettled log's rows are may change without its version: files can come back that were not there.
    found = (logs[name] for name in names)
    return (f"{log.log}\0{log.version}\0{log.settled}\0{log.documents}\0{log.tables}" for log in found)


def _prices(prior: OperatorTimes) -> bytes:
    """The tuner, and what it learns prices from; without scipy it learns none."""
    learns = find_spec("scipy") is not None
    return msgspec.json.encode((tuner.__version__, source_digest(), learns, msgspec.Raw(write_model(prior))))


def _digest(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        encoded = part if isinstance(part, bytes) else part.encode(errors="replace")
        digest.update(b"%d:" % len(encoded) + encoded)
    return digest.hexdigest()[:32]
