"""What engines of commands share: a command that cannot be edited has its properties by SPARK_SUBMIT_OPTS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_plugin.engines.engine import Additions, LeftAloneError
from tuner.spark.properties import FILES, JARS, REMOTE
from tuner.spark.shell_command import SparkPrograms
from tuner.spark.submit_arguments import SubmitArguments, parse
from tuner.spark.submit_opts import as_options, properties_of

CLASS_PATH = "SPARK_DIST_CLASSPATH"


def given_to(operator: Any, programs: SparkPrograms) -> SubmitArguments | None:
    """What the command gives its Spark program; None where it is none of Spark's, and no author said that it runs Spark.

    Raises LeftAloneError where what is added would not reach one Spark job alone.
    """
    if programs.obstacle:
        raise LeftAloneError(programs.obstacle)
    if programs.found:
        return programs.found[0].given
    return parse(()) if operator._tuner_given.by_author else None


def require_no_server(conf: Mapping[str, str]) -> None:
    """Raises LeftAloneError for a job of Spark Connect."""
    if conf.get(REMOTE):
        raise LeftAloneError(f"{REMOTE} is set, and a Spark Connect server has properties of its own")


def own_properties(options: str | None) -> dict[str, str]:
    """The properties in a SPARK_SUBMIT_OPTS of the author's."""
    return properties_of(options or "")


def added_options(additions: Additions) -> str:
    """SPARK_SUBMIT_OPTS for what is added. Jars get there by other ways, files by none."""
    return as_options({name: value for name, value in additions.properties.items() if name not in (JARS, FILES)})
