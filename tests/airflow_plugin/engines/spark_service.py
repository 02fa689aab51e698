"""What stands in for a service that runs Spark jobs: it runs what a request says with a spark-submit of this machine.

Most tests have one that leaves an event log without Spark (tests/airflow_plugin/logging_spark.py).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import time
from typing import Any

from tests.airflow_plugin import logging_spark
from tests.nightly import Spark
from tuner.spark.spark_submit import environment_for


@dataclass
class SparkService:
    """`submitted` holds the properties of each job that it ran, jars among them; `refuses` says why it takes a job not."""

    submitted: list[dict[str, str]] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    refuses: Callable[[Mapping[str, str]], bool] = lambda _: False
    # What the application is given, as logging_spark takes it; None: no log is left.
    how: str | None = "ok"
    # Whether logs hold the sizes of relations that the agent's hints need.
    tells_sizes: bool = False
    # A real spark-submit and its application.
    command: list[str] = field(default_factory=list)
    # The last job that it ran.
    has_succeeded: bool = True

    def takes(self, conf: Mapping[str, str]) -> bool:
        """Whether a job with these properties is let in."""
        if self.refuses(conf):
            self.refused.append(dict(conf))
            return False
        return True

    def run(self, conf: Mapping[str, str]) -> bool:
        """Run a job with these properties; whether it succeeded."""
        self.has_succeeded = self._runs(conf)
        return self.has_succeeded

    def _runs(self, conf: Mapping[str, str]) -> bool:
        self.submitted.append(dict(conf))
        if self.how is None or (not self.command and "spark.eventLog.dir" not in conf):
            return self.how in (None, "ok")
        if self.tells_sizes:
            app_id = f"local-{len(self.submitted)}"
            Spark(start_ms=int(time() * 1000)).write({"spark.driver.memory": "4g", **conf}, app_id)
            return True
        arguments = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
        if self.command:
            program, *application = self.command
            command, environment = [program, *arguments, *application], environment_for(program)
            return subprocess.run(command, check=False, env=environment, stdout=sys.stderr).returncode == 0
        return logging_spark.main([*arguments, self.how]) == 0

    @property
    def last(self) -> dict[str, str]:
        return self.submitted[-1]


def lists_joined(
    conf: Mapping[str, Any], jars: list[str] | None = None, files: list[str] | None = None
) -> dict[str, str]:
    """Properties of a request whose jars and files stand beside them."""
    beside = {"spark.jars": jars, "spark.files": files}
    return {**{k: str(v) for k, v in conf.items()}, **{k: ",".join(v) for k, v in beside.items() if v}}
