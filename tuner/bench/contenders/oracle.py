"""An optimizer that knows the true rows of every join: how much better orders and strategies could gain at most."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.oracle.oracle_words import result_lines
from tuner.bench.oracle.set_counts import CountLimits
from tuner.bench.oracle.steered_by_oracle import OracleSteering, steered_by_oracle
from tuner.bench.progress import Heard
from tuner.bench.run_application import Submit, run_application
from tuner.errors import TunerError
from tuner.eventlog.locate import locate
from tuner.model.application import Application
from tuner.model.decision import Decision, Mode
from tuner.plan.queries import queries
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.spark.submit_arguments import as_arguments
from tuner.steering.agent.handover import Handover, hand_over
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.route import NoRoute, Route, agent_route
from tuner.steering.agent.submission import submission
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED, observing_conf

_COHORT = "bench-oracle"


@dataclass(frozen=True, slots=True)
class Oracle:
    """Counts the rows of every set of relations once, by running them; each run then has the orders, broadcasts and hints that
    the tuner's prices choose with these. It learns nothing from its runs."""

    name: str = "oracle"
    title: str = "an oracle: true rows of every join"
    learns: bool = False
    limits: CountLimits = field(default_factory=CountLimits)

    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        """One run by default, which tells the joins; their rows are counted over the workload's tables.

        The seconds of that run's queries, of counting and of choosing are tuning. Raises TunerError where the run leaves no log.
        """
        route = _route(setup)
        ran = run_application(setup, Submit(_observed(work, 0), must_run=True), _cleared(work))
        started = time.monotonic()
        steering = steered_by_oracle(setup.workload, _application(work, 0), self.limits)
        if steering.message and not route.submission.agent_jar and route.submission.spark is not None:
            agent_jar(route.submission.spark)
        _kept(work).write_bytes(msgspec.json.encode(steering))
        return replace(
            ran.as_run(self.name, 0),
            queries=(),
            tuning_seconds=sum(query.seconds for query in ran.queries) + time.monotonic() - started,
            said=steering.said,
        )

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        steering = _steering(work)
        added = hand_over(_route(setup), steering.message) if steering.message else Handover()
        conf = {**_observed(work, number), **added.conf}
        ran = run_application(setup, Submit(conf, flags=as_arguments(added.merged)), _cleared(work), heard)
        return replace(ran.as_run(self.name, number), said=(*steering.said, *_said(work, number)))


def _route(setup: Setup) -> Route:
    program = find_spark_submit()
    found = agent_route(submission(program, setup.properties, environ=environment_for(program), with_defaults=True))
    if isinstance(found, NoRoute):
        raise TunerError(f"the oracle's orders reach no run: {found.why}; leave it out of --contenders")
    return found


def _cleared(work: Path) -> Path:
    """Without the log of an attempt that was interrupted, and with a directory for the next one."""
    shutil.rmtree(_events(work), ignore_errors=True)
    _events(work).mkdir(parents=True)
    return work


def _events(work: Path) -> Path:
    return work / "events"


def _key(number: int) -> str:
    return f"{_COHORT}/run-{number:03d}/1"


def _observed(work: Path, number: int) -> Mapping[str, str]:
    """What makes a run leave the log that the tuner's runs leave, so that both bear the same."""
    place = {EVENT_LOG_ENABLED: "true", EVENT_LOG_DIR: _events(work).absolute().as_uri()}
    return observing_conf(_COHORT, _key(number), place, Decision(Mode.AUTO, ()))


def _application(work: Path, number: int) -> Application:
    return locate(str(_events(work)), _key(number), 0.0)


def _said(work: Path, number: int) -> tuple[str, ...]:
    """What became of what was chosen, as the run's log tells."""
    try:
        return tuple(result_lines(queries(_application(work, number))))
    except TunerError as error:
        return (f"what became of its choices is not known: {error}",)


def _kept(work: Path) -> Path:
    """Beside the runs: rows are counted once."""
    return work.parent / "steering.json"


def _steering(work: Path) -> OracleSteering:
    try:
        return msgspec.json.decode(_kept(work).read_bytes(), type=OracleSteering)
    except (OSError, msgspec.MsgspecError) as error:
        raise TunerError(
            f"{_kept(work)}: what the oracle chose cannot be read ({error}); remove {work.parent}, and it counts again"
        ) from error
