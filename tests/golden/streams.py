"""Writes the golden log of a stream that is stopped in mid-batch anew: `python -m tests.golden.streams`.

It is of stream_app.py on the Spark at hand, with as little of the machine as those of deaths.py have.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import zstandard

from tests.golden.deaths import NEUTRAL, neutral
from tuner.spark.spark_submit import environment_for, find_spark_submit

LOG = Path(__file__).parent / "streams" / "stopped.zstd"
APP = Path(__file__).with_name("stream_app.py")
_CONF = {
    "spark.ui.enabled": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.sql.shuffle.partitions": "4",
}


def main() -> None:
    program = find_spark_submit()
    with tempfile.TemporaryDirectory() as directory:
        logs = Path(directory, "logs")
        logs.mkdir()
        conf = {**_CONF, "spark.eventLog.dir": logs.as_uri()}
        arguments = [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]
        command = [program, "--master", "local[2]", *arguments, str(APP), directory]
        subprocess.run(command, env={**os.environ, **environment_for(program), **NEUTRAL}, check=True)
        (log,) = (file for file in logs.rglob("*") if file.name.startswith(("local-", "events_")))
        text = log.read_text().replace(directory, "/jobs")
        LOG.parent.mkdir(exist_ok=True)
        LOG.write_bytes(zstandard.ZstdCompressor(19).compress("".join(map(neutral, text.splitlines())).encode()))


if __name__ == "__main__":
    main()
