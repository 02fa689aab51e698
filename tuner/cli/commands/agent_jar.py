"""`spark-tuner agent-jar`: the agent's jar, for those who deploy it themselves."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from tuner.cli.options.output import AsJson
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.errors import RequirementError
from tuner.model.agent_message import EXTENSIONS_CLASS
from tuner.spark.properties import EXTENSIONS, JARS
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.steering.agent.jar import build
from tuner.steering.agent.spark_home import SparkAtHand, require_spark_in, spark_at_hand


def agent_jar(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the jar.")],
    spark_home: Annotated[
        Path | None, typer.Option(help="The Spark it is for: build with the cluster's. [default: the Spark at hand]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build the jar that steers joins inside Spark, to be deployed where your cluster's drivers can read it."""
    spark = require_spark_in(spark_home) if spark_home else _at_hand()
    jar = output.absolute()
    build(spark, jar)
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    conf = {JARS: str(jar), EXTENSIONS: EXTENSIONS_CLASS}
    if as_json:
        facts = {"jar": str(jar), "spark": spark.version, "scala": spark.scala_version, "sha256": digest, "conf": conf}
        typer.echo(msgspec.json.encode(facts).decode())
        return
    out = console()
    print_to_copy(out, [str(jar), f"for Spark {spark.version}, Scala {spark.scala_version}", f"sha256 {digest}", ""])
    how = "deploy it, and set agent_jar (--agent-jar, or [spark_tuner] agent_jar) to its URL; or set for all jobs:"
    print_lines(out, [how])
    print_to_copy(out, (f"{key}={value}" for key, value in conf.items()))


def _at_hand() -> SparkAtHand:
    program = find_spark_submit()
    spark = spark_at_hand(program, environment_for(program))
    if spark is None:
        raise RequirementError(f"{program}: what Spark it starts cannot be told; name its home with --spark-home")
    return spark
