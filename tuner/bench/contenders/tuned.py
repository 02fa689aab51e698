"""This tuner, run as `SparkTunedOperator` and `spark-tuner submit` run it: decide, run, read the log."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard
from tuner.bench.run_application import Submit, run_application
from tuner.errors import TunerError
from tuner.history.failure import Ending
from tuner.in_own_process import in_own_process
from tuner.loop.log_lines import report_details, report_lines, turn_details, turn_lines
from tuner.loop.loop import complete, prepare
from tuner.loop.next_decision import load_rules
from tuner.loop.time_limits import DEFAULT
from tuner.loop.turn import JobToRun, Turn
from tuner.model.decision import Mode
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.spark.submit_arguments import as_arguments
from tuner.steering.agent.submission import submission

COHORT = "bench"
# With the start of a process, and what it loads.
_MOST_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Tuned:
    """Mode auto from an empty history. It keeps learning in repeats, as it does night after night.

    `history` is a file that several cohorts share; without it, one beside the runs. It waits for the tuner as long as users' jobs
    do, and what is not done by then is not done.
    """

    name: str = "tuner"
    title: str = "airflow-spark-tuner"
    learns: bool = True
    cohort: str = COHORT
    history: Path | None = None

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        program, history = find_spark_submit(), (self.history or work.parent / "history.db").absolute()
        store = f"sqlite:///{history}"
        _as_before(work, history)
        job = JobToRun(
            cohort=self.cohort,
            key=f"{self.cohort}/run-{number:03d}/1",
            try_number=1,
            mode=Mode.AUTO,
            user_conf=dict(setup.conf),
            event_log_base=str(work / "events"),
            most_seconds=DEFAULT,
            submission=submission(program, setup.properties, environ=environment_for(program), with_defaults=True),
        )
        started = time.monotonic()
        turn = prepare(job, store)
        deciding = time.monotonic() - started
        flags = as_arguments(turn.directives.merged)
        ran = run_application(setup, Submit(turn.conf, flags=flags), work, heard)
        completing, said = _completed(turn, store, ran.exit_code)
        return replace(
            ran.as_run(self.name, number),
            tuning_seconds=deciding + completing,
            said=(*turn_lines(turn), *turn_details(turn), *said),
        )


def _completed(turn: Turn, store: str, exit_code: int) -> tuple[float, tuple[str, ...]]:
    """What completing took, and what it says. In a process that ends with it, as a task's does: here, what is late would go on,
    and slow down the next contender."""
    if turn.catching_up:
        turn.catching_up.leave()
        turn = replace(turn, catching_up=None)
    try:
        return in_own_process(_MOST_SECONDS, _complete, turn, store, exit_code)
    except TunerError as error:
        return turn.job.most_seconds.after_run(), (f"could not harvest the run: {error}",)


def _complete(turn: Turn, store: str, exit_code: int) -> tuple[float, tuple[str, ...]]:
    # A driver has loaded these while its job ran.
    load_rules()
    started = time.monotonic()
    report = complete(turn, store, failed=exit_code != 0, ending=Ending(exit_code))
    return time.monotonic() - started, (*report_lines(report), *report_details(report))


def _as_before(work: Path, history: Path) -> None:
    """Restore the history from before this run, if an earlier attempt was interrupted: the bench repeats it."""
    before = work / "history-before.db"
    history.parent.mkdir(parents=True, exist_ok=True)
    if work.exists():
        for leftover in (history, *history.parent.glob(f"{history.name}-*"), work / "events"):
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink(missing_ok=True)
        if before.exists():
            shutil.copyfile(before, history)
        return
    unfinished = work.with_name(f".{work.name}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    if history.exists():
        shutil.copyfile(history, unfinished / before.name)
    unfinished.replace(work)
