"""A spark-submit without a Spark: notes how it was called, and leaves a small event log where it is told to.

The Airflow that runs it may be another than the tests': standard library only.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from pathlib import Path


def main(words: list[str]) -> None:
    conf = dict(value.split("=", 1) for flag, value in pairwise(words) if flag == "--conf")
    with Path(os.environ["FAKE_SPARK_SUBMIT_NOTES"]).open("a", encoding="utf-8") as notes:
        notes.write(json.dumps({"command": words, "conf": conf}) + "\n")
    if directory := conf.get("spark.eventLog.dir"):
        start_ms = 1_700_000_000_000
        events = [
            {"Event": "SparkListenerLogStart", "Spark Version": "4.0.1"},
            {"Event": "SparkListenerApplicationStart", "App Name": "etl", "App ID": "local-1", "Timestamp": start_ms},
            {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": {"spark.master": "local[2]", **conf}},
            {"Event": "SparkListenerApplicationEnd", "Timestamp": start_ms + 500},
        ]
        text = "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
        Path(directory.removeprefix("file://"), "local-1").write_text(text, encoding="utf-8")


def install(directory: Path) -> Path:
    """Make the program, for this Python, in a directory to be put on PATH. Returns the file of its notes."""
    program = directory / "spark-submit"
    program.write_text(f"#!{sys.executable}\n" + Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    program.chmod(0o755)
    return directory / "notes.jsonl"


if __name__ == "__main__":
    main(sys.argv[1:])
