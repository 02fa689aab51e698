"""When, where and how a bench or a stream was measured."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.bench.report.finished_bench import FinishedBench, FinishedStream
from tuner.bench.report.markdown import md_list


def how_measured(of: FinishedBench | FinishedStream) -> Iterator[str]:
    """Blocks of Markdown: its time and machine, its command, the defaults of its Spark, its contenders."""
    yield f"{of.started_at} to {of.ended_at}, {of.machine}, airflow-spark-tuner {of.version}."
    yield f"```sh\n{of.command}\n```"
    if of.spark_defaults:
        told = of.spark_defaults.replace("`", "'")
        yield f"Set by spark-defaults.conf, for all: `{told}`."
    yield md_list(f"{contender.name}: {contender.title}" for contender in of.result.contenders)
