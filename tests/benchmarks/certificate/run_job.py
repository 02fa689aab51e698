"""A job's run as its owner has it: spark-submit, by itself or through spark-tuner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.benchmarks.certificate.pair import Executed, Ran
from tests.benchmarks.certificate.trap import Night, Trap
from tuner.history.store import Store
from tuner.model.directive_result import DirectiveStatus
from tuner.model.run import Run

APPLICATION = Path(__file__).with_name("application.py")
CONF = {
    "spark.master": "local[2]",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.log.level": "WARN",
}
# A job that takes longer than this hangs.
MOST_SECONDS = 900


def run_job(trap: Trap, night: Night, tables: Path, work: Path, store: Path | None) -> Ran:
    """The job of one night over the tables, in the folder `work`; steered by what `store` knows, or without one by nothing."""
    work.mkdir(exist_ok=True)
    wanted, report, log = (work / name for name in ("wanted.json", "report.json", "log.txt"))
    report.unlink(missing_ok=True)
    texts = [(name, text.format(**values)) for values in night.values for name, text in trap.queries.items()]
    names = sorted(folder.name for folder in tables.parent.glob("tables/*") if folder.is_dir())
    asked = {"name": trap.name, "folder": str(tables), "tables": names, "queries": texts}
    wanted.write_text(json.dumps(asked), encoding="utf-8")
    conf = {**CONF, **trap.conf, "spark.sql.warehouse.dir": f"{work}/warehouse"}
    job = ["--driver-memory", night.driver_memory]
    job += [flag for key, value in conf.items() for flag in ("--conf", f"{key}={value}")]
    job += [str(APPLICATION), str(wanted), str(report)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    started = time.monotonic()
    with log.open("wb") as out:
        code = _run([*_program(trap, work, store), *job], environment, out.fileno())
    took = time.monotonic() - started
    run = _last_run(trap, store) if store else None
    changes = tuple(sorted(one.change.id for one in run.decision.in_force)) if run else ()
    if code or not report.exists():
        return Ran(False, changes, took, failure=_failure(run, log) or f"exit {code}")
    values = [json.dumps(dict(given), sort_keys=True) for given in night.values for _ in trap.queries]
    told = json.loads(report.read_text("utf-8"))
    reached = _changes_by_query(run) if run else {}
    executed = tuple(
        Executed(values=of, changes=next(reached[one["query"]], ()) if run else (), **one)
        for one, of in zip(told, values, strict=True)
    )
    return Ran(True, changes, took, executed)


def _changes_by_query(run: Run) -> Mapping[str, Iterator[tuple[str, ...]]]:
    """By the name of a query, for each of its executions in turn the ids of the changes that reached it."""
    properties = {one.change.id for one in run.decision.in_force if not one.change.is_on_joins}
    changes = {action.id: one.change.id for one in run.decision.in_force for action in one.change.actions}
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for query in run.outcome.queries if run.outcome else ():
        applied = {changes[told.action_id] for told in query.directives if told.status is DirectiveStatus.APPLIED}
        found[query.description].append(tuple(sorted(applied | properties)))
    return defaultdict(lambda: iter(()), {name: iter(each) for name, each in found.items()})


def _program(trap: Trap, work: Path, store: Path | None) -> Sequence[str]:
    bin_ = Path(sys.executable).parent
    if store is None:
        return (str(bin_ / "spark-submit"),)
    limits = ("--most-seconds-before", "60", "--most-seconds-after", "60")
    places = ("--db", f"sqlite:///{store}", "--event-log-base", str(work / "events"))
    return (str(bin_ / "spark-tuner"), "submit", "--cohort", trap.name, *places, *limits, "--")


def _run(command: Sequence[str], environment: dict[str, str], out: int) -> int | str:
    try:
        return subprocess.run(
            command, env=environment, stdout=out, stderr=out, check=False, timeout=MOST_SECONDS
        ).returncode
    except subprocess.TimeoutExpired:
        return f"none after {MOST_SECONDS} s"


def _last_run(trap: Trap, store: Path) -> Run | None:
    with Store.open(f"sqlite:///{store}") as history:
        runs = history.runs(trap.name, 1)
    return runs[-1] if runs else None


def _failure(run: Run | None, log: Path) -> str:
    """For a person: the store's words, else the log's line that names an exception."""
    if run and run.failure:
        return run.failure.words
    lines = log.read_text("utf-8", errors="replace").splitlines()
    return next((line.strip()[:200] for line in lines if "Exception" in line or "OutOfMemory" in line), "")
