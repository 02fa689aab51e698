"""`spark-tuner submit`: the loop around spark-submit, without Airflow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from tuner.cli.options.cohort import new_name
from tuner.cli.options.store import Url, store_url
from tuner.cli.process.passed_on import signals_end_with, signals_passed_on
from tuner.cli.reading.statements import read_statements
from tuner.errors import NoHomeError, SparkSubmitError, StoreError, TunerError
from tuner.history.failure import Ending
from tuner.loop.log_lines import report_lines, turn_lines
from tuner.loop.loop import JobToRun, Turn, complete, load_beside, prepare
from tuner.loop.time_limits import MostSeconds, is_limit
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.size_change import MemoryLimits, Resources
from tuner.own_files import data_directory
from tuner.spark.master import waits_for_completion
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.spark.submit_arguments import SubmitArguments, as_arguments, conf_arguments, parse, with_properties_file
from tuner.steering.agent.submission import submission
from tuner.steering.directives import Steering
from tuner.steering.shipped_files import STATEMENTS_FILE, shipped_files
from tuner.steering.sql_directory import sql_directory
from tuner.units import parse_bytes

_MODE = "SPARK_TUNER_MODE"
_MOST_SECONDS = "SPARK_TUNER_MOST_SECONDS"
_Told = TypeVar("_Told")


def _limit(seconds: float | None) -> float | None:
    if seconds is not None and not is_limit(seconds):
        raise typer.BadParameter(f"{seconds:g} is not a number of seconds above 0")
    return seconds


def _seconds(text: str) -> float:
    seconds = float(text)
    if not is_limit(seconds):
        raise ValueError(text)
    return seconds


def _environment(variable: str, read: Callable[[str], _Told], otherwise: _Told | None) -> _Told | None:
    """What a variable says of all jobs of a host, None where it says nothing. A word that it does not take is none to fail them
    all by: it means `otherwise`."""
    text = os.environ.get(variable, "").strip()
    try:
        return read(text) if text else None
    except ValueError:
        meant = "nothing" if otherwise is None else otherwise
        _say([f"spark-tuner: {variable}={text[:50]!r} is none of its values, and taken for {meant}"])
        return otherwise


def _size(text: str) -> int:
    size = parse_bytes(text, "m")
    if size is None or size <= 0:
        raise typer.BadParameter(f"{text!r} is not a size; give one, such as 24g")
    return size


def submit(
    arguments: Annotated[list[str] | None, typer.Argument(help="After --: what you would give spark-submit.")] = None,
    cohort: Annotated[
        str,
        typer.Option(
            callback=new_name, help="The recurring job's name: runs of a cohort learn from each other. [required]"
        ),
    ] = "",
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="observe records, suggest applies what was approved, auto tries what pays. "
            f"[default: {_MODE}, else auto]",
        ),
    ] = None,
    sql: Annotated[Path | None, typer.Option(help="A .sql file to run instead of an application.")] = None,
    steering: Annotated[
        Steering,
        typer.Option(
            help="agent changes single joins inside Spark, conf sets properties and hints in --sql text, off changes nothing."
        ),
    ] = Steering.AGENT,
    agent_jar: Annotated[
        str, typer.Option(help="URL of a deployed agent jar (see agent-jar). [default: built for the Spark at hand]")
    ] = "",
    event_log_base: Annotated[
        str,
        typer.Option(
            help="Directory or URL where event logs go. [default: events in the data directory, ~/.local/share/spark-tuner]"
        ),
    ] = "",
    borrow: Annotated[
        bool,
        typer.Option(
            help="Let a first run have what other cohorts of the store have proven of the queries that they share."
        ),
    ] = True,
    objective: Annotated[
        Objective,
        typer.Option(
            help="What changes are judged by: time, cost (also the core time that executors hold) or balanced (either)."
        ),
    ] = Objective.TIME,
    resources: Annotated[
        Resources,
        typer.Option(
            help="raise gives the run after one that died for want of memory more of it, and from then on as much as worked; "
            "tune also takes executors' memory down where no run came near to what they have, and executors where --objective is "
            "cost or balanced; observe leaves sizes as they are."
        ),
    ] = Resources.RAISE,
    max_executor_memory: Annotated[
        int | None,
        typer.Option(
            parser=_size,
            metavar="SIZE",
            help="The most that an executor's container is raised to. [default: twice its own; on Kubernetes and "
            "standalone clusters 32g at most]",
        ),
    ] = None,
    max_driver_memory: Annotated[
        int | None,
        typer.Option(
            parser=_size,
            metavar="SIZE",
            help="The largest heap that a driver is raised to. [default: its own; in cluster mode twice that, on "
            "Kubernetes and standalone clusters in a container of 32g at most]",
        ),
    ] = None,
    most_seconds_before: Annotated[
        float | None,
        typer.Option(
            callback=_limit,
            help="How long the job waits for its decision. "
            f"[default: {_MOST_SECONDS}_BEFORE, else 2, or 2 % of what its runs take; 10 at most]",
        ),
    ] = None,
    most_seconds_after: Annotated[
        float | None,
        typer.Option(
            callback=_limit,
            help="How long its end waits for its harvest. "
            f"[default: {_MOST_SECONDS}_AFTER, else 5, or 5 % of what it took; 30 at most]",
        ),
    ] = None,
    url: Url = None,
) -> None:
    """Run spark-submit, steered by what earlier runs of the cohort measured.

    Its exit code is spark-submit's; 128 + N where signal N ended that.
    """
    given = parse(arguments or [])
    if not cohort:
        raise typer.BadParameter("give the recurring job a name", param_hint="--cohort")
    if not arguments and sql is None:
        raise typer.BadParameter("give an application after --, as for spark-submit, or --sql FILE")
    if sql is not None and given.application:
        raise typer.BadParameter("give an application or --sql, not both")
    program, statements = find_spark_submit(), read_statements(sql)
    store, base = _store(url), event_log_base or _default_base()
    now = datetime.now(UTC)
    # Before anything starts: where SQL has no place to lie, or no way to its driver, its job cannot.
    with _kept_properties(given) as given, sql_directory() if statements else nullcontext("") as directory:
        submitted = submission(
            program,
            given.properties,
            environ=environment_for(program),
            with_defaults=given.with_defaults,
            agent_jar=agent_jar,
        )
        if statements:
            shipped_files(submitted.conf, STATEMENTS_FILE, given.properties_but_file)
        may_go_on = not waits_for_completion(submitted.conf)
        job = JobToRun(
            cohort=cohort,
            key=f"{cohort}/{now:%Y%m%dT%H%M%S.%f}/1",
            try_number=1,
            mode=mode or _environment(_MODE, Mode, Mode.OBSERVE) or Mode.AUTO,
            user_conf=given.properties,
            event_log_base=base,
            base_is_shared=bool(event_log_base),
            statements=statements,
            steering=steering,
            submission=submitted,
            most_seconds=MostSeconds(
                most_seconds_before or _environment(f"{_MOST_SECONDS}_BEFORE", _seconds, None),
                most_seconds_after or _environment(f"{_MOST_SECONDS}_AFTER", _seconds, None),
            ),
            borrows=borrow,
            objective=objective,
            log_lands_late=may_go_on,
            may_go_on=may_go_on,
            resources=resources,
            memory_limits=MemoryLimits(max_executor_memory, max_driver_memory),
            runs_as=given.proxy_user,
        )
        turn = prepare(job, store)
        _say(turn_lines(turn))
        code = _run(program, turn, given, directory)
    # As a shell tells that a signal ended a program: 137 for SIGKILL.
    told = code if code >= 0 else 128 - code
    with signals_end_with(told):
        _say(report_lines(complete(turn, store, failed=code != 0, ending=Ending(code))))
    raise typer.Exit(told)


@contextmanager
def _kept_properties(given: SubmitArguments) -> Iterator[SubmitArguments]:
    """With a copy of a properties file that can be read but once, as a pipe can, for as long as its job runs."""
    file = given.properties_file
    if file is None or not file.exists() or file.is_file() or file.is_dir():
        yield given
        return
    try:
        made = tempfile.TemporaryDirectory(prefix="spark-tuner-", ignore_cleanup_errors=True)
        copy = Path(made.name, "spark.properties")
        copy.write_bytes(file.read_bytes())
    except OSError as error:
        raise TunerError(
            f"{file}: cannot be copied ({error.strerror}); make room, or give a file in its place"
        ) from error
    with made:
        yield with_properties_file(given, copy)


def _run(program: str, turn: Turn, given: SubmitArguments, directory: str) -> int:
    conf = conf_arguments(turn.conf)
    merged = {**turn.directives.merged, **turn.directives.sizes}
    application: Sequence[str] = given.application
    if turn.job.statements:
        file = _written_statements(turn, directory)
        shipped = shipped_files(
            {**turn.job.submission.conf, **merged}, str(file), {**given.properties_but_file, **merged}
        )
        merged |= shipped
        application = [_sql_runner(), file.name if shipped else str(file)]
    command = [program, *conf, *given.options, *as_arguments(merged), *application]
    try:
        with (
            signals_passed_on() as has_started,
            subprocess.Popen(command, env=environment_for(program)) as process,
        ):
            has_started(process)
            load_beside()
            return process.wait()
    except OSError as error:
        raise SparkSubmitError(f"{program}: {error.strerror}; check SPARK_HOME") from error


def _written_statements(turn: Turn, directory: str) -> Path:
    file = Path(directory, STATEMENTS_FILE)
    try:
        text = json.dumps({"statements": turn.directives.statements or turn.job.statements})
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TunerError(f"{file}: {error.strerror}; make room there, or set TMPDIR to another directory") from error
    return file


def _sql_runner() -> str:
    spec = find_spec("tuner.steering.sql_runner")
    return str(spec.origin if spec else "")


def _store(url: str | None) -> str:
    """The store's URL; "" where there is no place for one: its job runs all the same."""
    try:
        return store_url(url)
    except StoreError:
        return ""


def _default_base() -> str:
    """Where event logs go; "" where there is no place for them."""
    try:
        return str(data_directory(os.environ) / "events")
    except NoHomeError:
        return ""


def _say(lines: Sequence[str]) -> None:
    """What cannot be written, to a full disk or to no reader, is no reason for a job not to run, or to have failed."""
    if sys.stderr is None:  # Closed by who started this.
        return
    try:
        for line in lines:
            print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        # Python writes what is left of it once more when it ends.
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
