"""Replays logs on Spark, and prints what it finds: `replay_job.py LOGS OUT MASTER ROUND_RUNS [KEY=VALUE]…`."""

from __future__ import annotations

import sys

import msgspec

from tests.pipeline.many_nights import found
from tuner.cli.log_sources import log_sources
from tuner.cli.spark_session import spark_session
from tuner.pipeline.replay import replay_on_spark
from tuner.replay.walk import Walker

if __name__ == "__main__":
    logs, out, master, round_runs, *conf = sys.argv[1:]
    with spark_session(master, conf, "replay") as spark:
        sources, _ = log_sources([logs], out)
        replayed = replay_on_spark(spark, sources, out, Walker(), round_runs=int(round_runs) or None)
        print(msgspec.json.encode((replayed.walked, found(replayed))).decode())
