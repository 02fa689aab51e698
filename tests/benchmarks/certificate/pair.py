"""One night of a job, steered and not, one after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.certificate.trap import Night, Trap
from tuner.history.store import Store
from tuner.model.query import Query
from tuner.model.run import Run

APPLICATION = Path(__file__).with_name("application.py")
CONF = {
    "spark.master": "local[2]",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
}
STEERED, TWIN = "steered", "twin"
# A job that takes longer than this hangs.
MOST_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Executed:
    """One query of one run: `cpu_seconds` of executors, None where the log does not tell."""

    query: str
    values: str
    seconds: float
    cpu_seconds: float | None
    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a job: whether it succeeded, how many changes were in force, and what it executed."""

    succeeded: bool
    in_force: int
    seconds: float
    executed: tuple[Executed, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A night's runs. `data` counts the changes of the data so far; `again` are more runs of the twin where one was in doubt."""

    trap: str
    night: int
    data: int
    steered: Ran
    twin: Ran
    again: tuple[Ran, ...] = field(default=())

    def as_line(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def of_line(cls, line: str) -> Pair:
        read: dict[str, Any] = json.loads(line)
        return cls(
            **{
                **read,
                "steered": _ran(read["steered"]),
                "twin": _ran(read["twin"]),
                "again": tuple(map(_ran, read["again"])),
            }
        )


def run_job(trap: Trap, night: Night, folder: Path, which: str, number: int) -> Ran:
    """The job of one night; `folder` holds its tables. The twin is observed, by the same command."""
    work = folder / which
    work.mkdir(exist_ok=True)
    tables = folder / "missing" if number < 0 else folder / "tables"
    texts = [(name, text.format(**values)) for values in night.values for name, text in trap.queries.items()]
    values = [json.dumps(dict(v), sort_keys=True) for v in night.values for _ in trap.queries]
    wanted, report = work / "wanted.json", work / "report.json"
    report.unlink(missing_ok=True)
    wanted.write_text(
        json.dumps({"name": trap.name, "folder": str(tables), "tables": trap.tables, "queries": texts}), "utf-8"
    )
    store, mode = f"sqlite:///{work}/history.db", ["--mode", "auto"]
    if which == TWIN:
        mode = ["--mode", "observe", "--steering", "off"]
    program = Path(sys.executable).with_name("spark-tuner")
    command = [str(program), "submit", "--cohort", trap.name, "--db", store, *mode]
    command += [
        "--event-log-base",
        str(work / "events"),
        "--most-seconds-before",
        "60",
        "--most-seconds-after",
        "60",
        "--",
    ]
    command += ["--driver-memory", night.driver_memory]
    command += [flag for key, value in CONF.items() for flag in ("--conf", f"{key}={value}")]
    command += ["--conf", f"spark.sql.warehouse.dir={work}/warehouse", str(APPLICATION), str(wanted), str(report)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    started = time.monotonic()
    with (work / f"log-{abs(number)}.txt").open("wb") as log:
        done = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False, timeout=MOST_SECONDS)
    took = time.monotonic() - started
    with Store.open(store) as history:
        run = history.runs(trap.name, 1)[-1]
    in_force = len(run.decision.in_force)
    if done.returncode or not report.exists():
        return Ran(False, in_force, took, failure=run.failure.words if run.failure else f"exit {done.returncode}")
    return Ran(True, in_force, took, tuple(_executed(json.loads(report.read_text("utf-8")), values, run)))


def _executed(report: Sequence[Mapping[str, Any]], values: Sequence[str], run: Run) -> list[Executed]:
    measured: dict[str, list[Query]] = {}
    for query in run.outcome.queries if run.outcome else ():
        measured.setdefault(query.description, []).append(query)
    found = []
    for told, of in zip(report, values, strict=True):
        known = measured.get(told["name"], [])
        query = known.pop(0) if known else None
        cpu = query.executor_cpu_ms / 1e3 if query else None
        seconds = query.seconds if query else told["seconds"]
        found.append(Executed(told["name"], of, seconds, cpu, told["rows"], told["digest"]))
    return found


def _ran(read: dict[str, Any]) -> Ran:
    return Ran(**{**read, "executed": tuple(Executed(**one) for one in read["executed"])})
