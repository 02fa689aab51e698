"""Logs of recurring jobs, in the layouts and the states that logs come in, and their replay in this process."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec

from tests.eventlog.samples import (
    application_end,
    application_start,
    environment,
    log_start,
    with_field,
    write,
)
from tests.nightly import START_MS, Spark
from tests.replay.test_live_histories import DAY_MS, Nights
from tests.replay.test_logged_run import ENDINGS
from tuner.eventlog.find import find_logs
from tuner.replay.cohort_of import BY_LOG, CohortRules
from tuner.replay.cohort_replay import LoggedRun, ReplayedRun, ReplaySummary
from tuner.replay.local import LocalReplay
from tuner.replay.replayed import Replayed
from tuner.replay.run_selection import EVERYTHING, RunSelection
from tuner.replay.walk import Walker
from tuner.spark.run_tags import COHORT
from tuner.steering.submit_conf import EVENT_LOG_DIR

from .fleet import lines_of, write_fleet, write_rolled

GOLDEN = Path(__file__).parents[1] / "golden" / "logs"


class Found(msgspec.Struct):
    """All that a replay finds, by value; `logged` of some of its cohorts."""

    summary: ReplaySummary
    runs: tuple[ReplayedRun, ...]
    logged: dict[str, tuple[LoggedRun, ...]]


def night(
    directory: Path, cohort: str, number: int, seconds: float = 7, *, broadcast: bool = False, **more: object
) -> None:
    """A run that nothing steered; where it broadcasts, because somebody set the threshold."""
    directory.mkdir(parents=True, exist_ok=True)
    conf = {EVENT_LOG_DIR: directory.as_uri(), COHORT: cohort, "spark.master": "local[2]"}
    if broadcast:
        conf["spark.sql.autoBroadcastJoinThreshold"] = "20m"
    spark = Spark(seconds, broadcast=broadcast, start_ms=START_MS + number * DAY_MS, **more)  # type: ignore[arg-type]
    spark.write(conf, f"local-{cohort}-{number}")


def ends(directory: Path, cohort: str, *, cut: bool = False) -> None:
    """Runs a millisecond apart of all the ways to end that their queries do not tell, in the order of ENDINGS."""
    for number, (work, _) in enumerate(ENDINGS.values()):
        app_id = f"local-{cohort}-{number:02}"
        start = with_field(application_start(app_id), ("Timestamp",), 1000 + number)
        last = [] if cut else [application_end()]
        write(directory / app_id, [log_start(), start, environment(**{COHORT: cohort}), *work, *last])


def write_nights(root: Path) -> Path:
    """Cohorts of different lengths: steered ones, changed by hand, failed, broken off, there twice, of many files; among
    the logs of a fleet that is none too clean.
    """
    write_fleet(root / "fleet")
    for number in range(6):
        night(root, "etl.daily", number, 7 + number % 3 / 10)
    for number in range(4):
        night(root, "etl.by_hand", number, 4 if number > 1 else 7, broadcast=number > 1)
    night(root, "etl.broken", 0, error="org.apache.spark.SparkException: out of memory")
    night(root, "etl.broken", 1, ended=False)
    night(root, "etl.broken", 2, cut=700)
    night(root, "etl.broken", 3)
    ends(root, "etl.ends")
    ends(root, "etl.ends_cut", cut=True)
    (root / "copies").mkdir()
    shutil.copy(root / "local-etl.daily-2", root / "copies")
    live = Nights(root.parent / "live", cohort="etl.live")
    for _ in range(4):
        live.run(7, 4)
    shutil.copytree(root.parent / "live" / "events", root / "live")
    write_rolled(root / "eventlog_v2_rolled", lines_of(next((GOLDEN / "4.3.0" / "adaptive-single-lz4").iterdir())), 4)
    for name in ("reuse", "failures", "commands"):
        shutil.copytree(GOLDEN / "4.3.0" / name, root / name)
    return root


def found_here(root: Path, walker: Walker, rules: CohortRules = BY_LOG, chosen: RunSelection = EVERYTHING) -> Found:
    """What the replay in this process finds."""
    replay = LocalReplay(walker, rules, chosen)
    replay.read(find_logs(root))
    list(replay.walk())
    return found(replay)


def found(replay: Replayed) -> Found:
    """By value and with the names that logs have when their applications have ended."""
    summary = replay.summary
    unread = (replace(u, log=u.log.removesuffix(".inprogress")) for u in summary.unread)
    cohorts = sorted(c.cohort for c in summary.cohorts if c.cohort.startswith("etl"))[:3]
    return Found(
        replace(summary, unread=tuple(sorted(unread, key=lambda u: u.log))),
        _ended(replay.runs()),
        {cohort: _ended(replay.logged(cohort)) for cohort in cohorts},
    )


def _ended(runs: Iterable[ReplayedRun] | Iterable[LoggedRun]) -> tuple[object, ...]:
    return tuple(replace(run, log=run.log.removesuffix(".inprogress")) for run in runs)
