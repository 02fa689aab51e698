"""What tells that a decision would be made again as it was: digests of all that it rests on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

import tuner
from tuner.advice.steering_reach import Reach
from tuner.cost.learned.named_model import named_model
from tuner.eventlog.properties import redact
from tuner.loop.turn import JobToRun
from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import Decision
from tuner.model.imported_change import ImportedChange
from tuner.model.run import Elsewhere, RunMark, RunState, are_two_tries
from tuner.model.verdict import Verdict
from tuner.policy.asking_elsewhere import asking_elsewhere
from tuner.policy.end_of_run import under_way
from tuner.policy.tried_elsewhere import asked_elsewhere, tried
from tuner.spark.knobs import KNOBS
from tuner.spark.properties import DEPLOY_MODE, MASTER
from tuner.steering.steering_method import SteeringMethod

# Where a run takes place decides on the sizes that it can have.
_OF_PLACE = frozenset({MASTER, DEPLOY_MODE})
# What prices are learned with: another version of it may end at other prices.
_LEARNER = ("numpy", "scipy")


def decision_stamp(
    job: JobToRun,
    way: SteeringMethod,
    reach: Reach,
    advice: str,
    marks: Sequence[RunMark],
    verdicts: Iterable[Verdict],
    imported: Sequence[ImportedChange],
    advised: Iterable[Change],
    decision: Decision,
    elsewhere: Elsewhere,
    now: datetime,
) -> str:
    """A digest of all that the `decision` on a first try rests on, which `advice` is the `advice_stamp` of and `advised` what was
    to choose from; "" where runs that may go on `now`, or other tries of the same run, have a part in it.

    Of properties that no change sets (`tuner.spark.knobs`), but for the master and the deploy mode, only the names count: their
    values may be secrets, which a reader of the store could guess.
    """
    may_change = under_way(marks, now) or any(are_two_tries(mark.key, job.key) for mark in marks)
    is_certain = advice and job.try_number == 1 and not may_change
    if not is_certain:
        return ""
    spark = job.submission.spark
    return _digest(
        advice,
        job.cohort,
        job.mode,
        job.objective,
        job.resources,
        job.memory_limits,
        job.is_mapped,
        way.steering,
        reach,
        spark.version if spark else "",
        job.runtime,
        redact(job.submission.agent_jar),
        _told(job.submission.conf),
        _told(job.user_conf),
        marks,
        list(verdicts),
        list(imported),
        asked_elsewhere(asking_elsewhere(advised, decision), tried(elsewhere.decisions)),
    )


def advice_stamp(marks: Iterable[RunMark], reach: Reach) -> str:
    """A digest of all that prices and advice rest on for a cohort with runs enough of its own; "" where the model cannot be
    read."""
    named = named_model(os.environ)
    try:
        model = sha256(named.read_bytes()).hexdigest() if named else ""
    except OSError:
        return ""
    return _digest(_installed(), model, reach, [mark for mark in marks if is_measured(mark)])


def is_measured(mark: RunMark) -> bool:
    """As `tuner.policy.usable` of the run."""
    return mark.state == RunState.SUCCEEDED and mark.app_id is not None


def are_known(changes: Iterable[Change]) -> bool:
    """Whether what these changes set are properties whose values count; those of an earlier version may set others."""
    actions = (action for change in changes for action in change.actions)
    return all(action.target in KNOBS for action in actions if action.kind is ActionKind.SET_CONF)


def _told(conf: Mapping[str, str]) -> list[tuple[str, str | None]]:
    return sorted((name, value if name in KNOBS or name in _OF_PLACE else None) for name, value in conf.items())


@cache
def _installed() -> str:
    """A digest of this package and of what it learns with, as they are installed."""
    package = Path(tuner.__file__).parent
    versions = [spec.origin and Path(spec.origin).with_name("version.py") for n in _LEARNER if (spec := find_spec(n))]
    learner = [file.read_text() if file and file.is_file() else "" for file in versions]
    return _digest(tuner.__version__, _recorded(package) or _on_disk(package), learner)


def _recorded(package: Path) -> list[str]:
    """The files of an installed wheel with their digests; none where the package is run from its sources."""
    records = package.parent.glob("airflow_spark_tuner-*.dist-info/RECORD")
    lines = [line for record in records for line in record.read_text().splitlines()]
    found = sorted(line for line in lines if line.startswith(f"{package.name}/") and "sha256=" in line)
    return found if any(line.startswith(f"{package.name}/__init__.py,") for line in found) else []


def _on_disk(package: Path) -> list[tuple[str, int, int]]:
    files = (file for pattern in ("*.py", "*.json") for file in package.rglob(pattern))
    return sorted((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


def _digest(*parts: Any) -> str:
    return sha256(msgspec.json.encode(parts)).hexdigest()
