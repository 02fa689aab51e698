"""`spark-tuner replay`: what the tuner would have done, on any pile of event logs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tuner.cli.as_text.fleet_model import fleet_model_lines
from tuner.cli.as_text.write_page import check_page
from tuner.cli.options.cohort import CohortGlob
from tuner.cli.options.logs import Paths, Processes
from tuner.cli.options.output import AsJson, CoreHourPrice
from tuner.cli.options.replay import By, Carrier, Months, Pattern, Since, SqlText, chosen, cohort_rules
from tuner.cli.options.spark import Conf, Master, Out, check_spark_options
from tuner.cli.process.spark_session import spark_session
from tuner.cli.reading.log_sources import log_sources, on_stderr
from tuner.cli.reading.replay_failures import told_failures
from tuner.cli.terminal.console import console
from tuner.errors import RequirementError
from tuner.history.asked_cohorts import ALL
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.problems import Problems
from tuner.words.counts import counted

if TYPE_CHECKING:
    from tuner.eventlog.find import LogSource
    from tuner.pipeline.replayed import SparkReplayed
    from tuner.replay.cohort_of import CohortRules
    from tuner.replay.replayed import Replayed
    from tuner.replay.run_selection import RunSelection
    from tuner.replay.walk import Walker

# Cohorts that are looked at closer, in a store and in a report: those that take most core-hours.
KEPT_COHORTS = 50


def replay(
    paths: Paths,
    as_json: AsJson = False,
    cohort: CohortGlob = ALL,
    cohort_pattern: Pattern = None,
    since: Since = None,
    months: Months = None,
    mode: Annotated[Mode, typer.Option(help="Decide as in this mode.")] = Mode.AUTO,
    steering: Carrier = By.AGENT,
    sql: SqlText = False,
    objective: Annotated[
        Objective,
        typer.Option(help="Judge changes by this: time, cost (also the core time that executors hold) or balanced."),
    ] = Objective.TIME,
    core_hour_price: CoreHourPrice = None,
    backtest: Annotated[
        bool, typer.Option("--backtest", help="List each prediction beside what a later run then took.")
    ] = False,
    resources: Annotated[
        bool, typer.Option("--resources", help="Tell what cohorts ask for of memory and cores, and never use.")
    ] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page of HTML, all in one file.")] = None,
    db: Annotated[
        str | None, typer.Option("--db", metavar="URL", help="Put the runs into this store, for `spark-tuner ui --db`.")
    ] = None,
    processes: Processes = None,
    spark: Master = None,
    out: Out = None,
    conf: Conf = None,
) -> None:
    """Walk the runs of recurring jobs in time order and decide at each as a live run would, knowing only the past."""
    # Rules that only a replay needs: no other command waits for them.
    from tuner.cli.as_json.replay import replay_lines
    from tuner.cli.as_text.replay import show_replay
    from tuner.cli.reading.replaying import replayed_here
    from tuner.replay.report.requirement import require_report
    from tuner.replay.walk import Walker

    check_spark_options(spark, out, conf, processes)
    if report is not None:
        require_report()
        check_page(report)
    if db is not None:
        _check_store(db)
    walker = Walker(mode, agent=steering is By.AGENT, text=sql, objective=objective)
    rules = cohort_rules(cohort_pattern)
    sources, failures = log_sources(paths, out)
    which = chosen(cohort, since, months)
    if spark is not None and out is not None:
        replaying = _on_spark(sources, walker, rules, which, (spark, out, conf or ()))
    else:
        replaying = replayed_here(sources, walker, rules, which, processes)
    with replaying as found:
        if as_json:
            for line in replay_lines(found, core_hour_price):
                typer.echo(line)
        else:
            show_replay(console(), found, backtest=backtest, core_hour_price=core_hour_price, resources=resources)
        if db is not None or report is not None:
            _keep(found, db, report, core_hour_price)
        failures += told_failures(sources, found.summary, which)
        if failures or not found.summary.cohorts:
            raise typer.Exit(1)


def _check_store(url: str) -> None:
    """Before logs are read for hours. Raises StoreError."""
    from tuner.history.store import Store

    Store.open(url).close()


def _keep(found: Replayed, db: str | None, report: Path | None, core_hour_price: float | None) -> None:
    """The cohorts that take most core-hours in a store, and the report that is made of it."""
    from tuner.history.store import Store
    from tuner.history.url import parse, shown
    from tuner.replay.report.write import write_report
    from tuner.replay.store_cohort import store_cohort

    problems = Problems()
    with (
        tempfile.TemporaryDirectory(prefix="spark-tuner-") as directory,
        Store.open(db or f"sqlite:///{directory}/replay.db") as store,
    ):
        for cohort in sorted(found.summary.cohorts, key=lambda c: -c.core_hours)[:KEPT_COHORTS]:
            store_cohort(store, cohort, found, problems)
        if report is not None:
            write_report(report, found, store, core_hour_price=core_hour_price)
            print(f"report: {report}", file=sys.stderr)
        if db is not None:
            on_stderr(f"in the store {shown(parse(db))}: `spark-tuner status --db URL`, or ui, shows it")
            if (left_out := len(found.summary.cohorts) - KEPT_COHORTS) > 0:
                on_stderr(
                    f"the store has the {KEPT_COHORTS} cohorts that take most core-hours, not {counted(left_out, 'other')}; "
                    "choose with --cohort, or put all into one with `spark-tuner import`"
                )
    for line in problems.found:
        on_stderr(line)


@contextmanager
def _on_spark(
    sources: Sequence[LogSource],
    walker: Walker,
    rules: CohortRules,
    which: RunSelection,
    spark: tuple[str, str, Sequence[str]],
) -> Iterator[Replayed]:
    master, out, conf = spark
    try:
        from tuner.pipeline.hadoop import HadoopDirectory
        from tuner.pipeline.replay import replay_on_spark
        from tuner.pipeline.sole_writer import sole_writer
    except ImportError as error:
        raise RequirementError(
            f"replay --spark needs PySpark and PyArrow ({error}); pip install 'airflow-spark-tuner[pipeline]'"
        ) from None
    with (
        spark_session(master, conf, "spark-tuner replay") as session,
        sole_writer(HadoopDirectory(session, out)) as writer,
    ):
        found = replay_on_spark(session, sources, writer, walker, rules, which)
        for line in _work(found):
            on_stderr(line)
        try:
            yield found
        finally:
            found.close()


def _work(found: SparkReplayed) -> Iterator[str]:
    """What a replay on Spark did, and what it has learned on the way."""
    harvest = found.harvest
    yield f"{harvest.read} logs read, {harvest.unchanged} unchanged; {found.walked} of {len(found.walks)} cohorts walked"
    yield from fleet_model_lines(found.model)
