"""Replays logs on Spark, and prints what it finds: `replay_job.py LOGS OUT MASTER ROUND_RUNS [KEY=VALUE]…`."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from tests.pipeline.many_nights import found
from tests.pipeline.on_spark import replayed
from tuner.cli.process.spark_session import spark_session

if __name__ == "__main__":
    logs, out, master, round_runs, *conf = sys.argv[1:]
    with spark_session(master, conf, "replay") as spark:
        replay = replayed(spark, Path(logs), Path(out), round_runs=int(round_runs) or None)
        print(msgspec.json.encode((replay.walked, found(replay))).decode())
