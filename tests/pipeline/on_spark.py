"""Harvests and replays into a directory that nobody else writes to meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from upath import UPath

from tuner.cli.reading.log_sources import log_sources
from tuner.pipeline.hadoop import HadoopDirectory
from tuner.pipeline.harvest import HarvestSummary, harvest
from tuner.pipeline.replay import replay_on_spark
from tuner.pipeline.replayed import SparkReplayed
from tuner.pipeline.sole_writer import sole_writer
from tuner.replay.walk import Walker


def harvested(spark: Any, logs: Path | UPath, out: Path) -> HarvestSummary:
    with sole_writer(HadoopDirectory(spark, str(out))) as writer:
        return harvest(spark, log_sources([str(logs)], str(out))[0], writer)


def replayed(spark: Any, logs: Path, out: Path, walker: Walker | None = None, **more: Any) -> SparkReplayed:
    sources, _ = log_sources([str(logs)], str(out))
    with sole_writer(HadoopDirectory(spark, str(out))) as writer:
        return replay_on_spark(spark, sources, writer, walker or Walker(), **more)
