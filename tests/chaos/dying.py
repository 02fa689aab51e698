"""A driver of the loop in a process of its own, killed where it is told to be; what it had submitted by then."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.chaos.steps import Steps, kill
from tests.nightly import START_MS, Nightly, Spark
from tuner.eventlog.location import local_path
from tuner.loop.loop import Turn, complete

# The modules are loaded once, in a process that does nothing else: from it the drivers are forked.
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "tests.chaos.dying",
        "alembic.command",
        "sqlalchemy.dialects.sqlite",
        "scipy.optimize",
        "tuner.advice.advise",
        "tuner.advice.insights.join_order",
        "tuner.cost.learned.calibrated_model",
        "tuner.loop.run_details",
    ]
)
DAY_MS = 86_400_000


@dataclass
class Cohort(Nightly):
    """A nightly job whose store may be elsewhere than in a file."""

    store: str = ""

    @property
    def url(self) -> str:
        return self.store or super().url

    def spark(self, turn: Turn) -> Spark:
        """The job as it runs, faster where it is steered, later each night."""
        in_force = bool(turn.decision.in_force)
        night, try_number = (int(part) for part in turn.job.key.split("/")[-2:])
        return Spark(4.0 if in_force else 7.0, broadcast=in_force, start_ms=START_MS + night * DAY_MS + try_number)

    def run(self, key: str) -> Any:
        turn = self.prepare(key)
        self.spark(turn).run(turn)
        return complete(turn, self.url, failed=False)


@dataclass(frozen=True, slots=True)
class Death:
    """How a driver ended: its exit code (-9: killed), the last step it came to, and the action ids it had submitted the
    job with (None: it had not)."""

    exit_code: int | None
    step: str
    submitted: list[str] | None


def drive(cohort: Cohort, key: str, fatal: int, victim: int | None = None) -> Death:
    """A run of the job; at its driver's step `fatal`, counted from 1, the process `victim` is killed, or the driver."""
    notes = cohort.root / "notes"
    notes.unlink(missing_ok=True)
    exit_code = in_process(_drive, cohort, key, fatal, notes, victim)
    told = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
    steps = [line["step"] for line in told if "step" in line]
    submitted = [line["submitted"] for line in told if "submitted" in line]
    return Death(exit_code, steps[-1] if steps else "", submitted[-1] if submitted else None)


def in_process(work: Callable[..., None], *arguments: Any) -> int | None:
    """The exit code of a process that did this (-9: killed)."""
    process = _CONTEXT.Process(target=work, args=arguments)
    process.start()
    process.join(60)
    return process.exitcode


def _drive(cohort: Cohort, key: str, fatal: int, notes: Path, victim: int | None) -> None:
    with notes.open("w", buffering=1) as noted:

        def at_step(number: int, name: str) -> None:
            noted.write(json.dumps({"step": name}) + "\n")
            if number == fatal:
                kill(victim)

        steps = Steps(at_step)
        steps.watch(cohort.root)
        turn = cohort.prepare(key)
        steps.take("before the job")
        noted.write(json.dumps({"submitted": [decided.id for decided in turn.decision.in_force]}) + "\n")
        spark = cohort.spark(turn)
        with steps.paused():
            replace(spark, ended=False).run(turn)
        steps.take("in the job")
        with steps.paused():
            spark.run(turn)
            directory = local_path(turn.event_log_dir)
            assert directory is not None
            for unfinished in directory.glob("*.inprogress"):
                unfinished.unlink()
        steps.take("after the job")
        complete(turn, cohort.url, failed=False)
