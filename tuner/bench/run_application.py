"""Starts the bench's application with spark-submit, and reads what it measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.progress import Heard
from tuner.errors import TunerError
from tuner.spark.knobs import DRIVER_MEMORY
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.spark.submit_arguments import conf_arguments

APPLICATION = Path(__file__).with_name("application.py")
# An application starts and lists files before its first query.
_START_SECONDS = 600.0
# A query that is cancelled takes a while to end, and so does an application.
_GRACE_SECONDS = 120.0
# Statistics of all columns of a table take longer than any query; a table of less is given up by nobody.
_ANALYZE_SECONDS = 3600.0
_HELD = "allocated_core_seconds"
_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Submit:
    """How to start one application. `conf` holds for all queries, `query_conf` for one query each, by name.

    `flags` are spark-submit's own. `catalog` is the directory of a catalog with statistics; without it, tables are
    temporary views. `must_run`: no other run means anything where not one of its queries ends.
    """

    conf: Mapping[str, str] = field(default_factory=dict)
    query_conf: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    flags: Sequence[str] = ()
    catalog: Path | None = None
    analyze: bool = False
    must_run: bool = False


@dataclass(frozen=True, slots=True)
class Ran:
    """What an application measured of the queries it ran, and how it ended. `allocated_core_seconds` are cores times seconds that
    its executors were held, busy or idle (None: it did not tell). `ended` says how, where it did not end well."""

    queries: tuple[QueryTime, ...]
    seconds: float
    exit_code: int
    allocated_core_seconds: float | None = None
    ended: str = ""

    def as_run(self, contender: str, number: int) -> BenchRun:
        """The run of a contender that it was, without what tuning took."""
        return BenchRun(
            contender,
            number,
            self.queries,
            application_seconds=self.seconds,
            allocated_core_seconds=self.allocated_core_seconds,
            exit_code=self.exit_code,
        )


def run_application(setup: Setup, submit: Submit, work: Path, heard: Heard = lambda query: None) -> Ran:
    """Run the application in its own directory `work`; its output goes to `work/spark.log`. `heard` is told of each query as
    it ends.

    If it dies, the queries that are left are in the result with the reason, the first of them with what it took until then.
    TunerError if no query ended of one that must run, or analyses.
    """
    work.mkdir(parents=True, exist_ok=True)
    options, results, log = work / "options.json", work / "results.jsonl", work / "spark.log"
    results.unlink(missing_ok=True)
    options.write_text(json.dumps(_options(setup, submit)), encoding="utf-8")
    program = find_spark_submit()
    command = [program, *conf_arguments(_conf(setup, submit, work)), *submit.flags]
    command += [str(APPLICATION), str(options), str(results)]
    started = time.monotonic()
    written = _Written(results)
    look = partial(_tell, written, heard)
    patience = _patience(setup, submit)
    code = _run(command, environment_for(program), work, log, patience, look)
    seconds = time.monotonic() - started
    found, held = _read(results)
    ended = _how_ended(code, patience.next if found else patience.first)
    if not found and (submit.must_run or submit.analyze):
        raise TunerError(f"{ended} before its first {'table' if submit.analyze else 'query'} was done; read {log}")
    missing = [] if submit.analyze else _missing(setup, found, seconds, f"{ended}; read {log}")
    return Ran((*found, *missing), seconds, -signal.SIGKILL if code is None else code, held, ended if code != 0 else "")


def _how_ended(code: int | None, waited_seconds: float) -> str:
    if code is None:
        return f"the bench ended the application after {waited_seconds:.0f} s of silence"
    return f"the application ended with code {code}"


def _options(setup: Setup, submit: Submit) -> dict[str, Any]:
    return {
        "tables": str(setup.workload.tables.absolute()),
        "catalog": submit.catalog is not None,
        "analyze": submit.analyze,
        "timeout_seconds": setup.timeout_seconds,
        "queries": [
            {"name": name, "sql": text, "conf": dict(submit.query_conf.get(name, {}))}
            for name, text in setup.workload.queries.items()
        ],
    }


def _conf(setup: Setup, submit: Submit, work: Path) -> dict[str, str]:
    own = {
        "spark.master": setup.master,
        DRIVER_MEMORY.property: setup.driver_memory,
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": (work / "warehouse").as_uri(),
    }
    return {**own, **_catalog_conf(submit.catalog), **setup.workload.conf, **setup.conf, **submit.conf}


def _catalog_conf(catalog: Path | None) -> dict[str, str]:
    """A catalog that outlives its application: Hive's, in a Derby database of its own."""
    if catalog is None:
        return {}
    database = catalog.absolute() / "metastore"
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": (catalog.absolute() / "warehouse").as_uri(),
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={database};create=true",
    }


@dataclass(frozen=True, slots=True)
class _Patience:
    """Seconds in which an application must write its first line, and then the next one each time, or end."""

    first: float
    next: float


def _patience(setup: Setup, submit: Submit) -> _Patience:
    seconds = max(setup.timeout_seconds, _ANALYZE_SECONDS) if submit.analyze else setup.timeout_seconds
    return _Patience(_START_SECONDS + seconds, _GRACE_SECONDS + seconds)


def _run(
    command: Sequence[str],
    environ: Mapping[str, str],
    work: Path,
    log: Path,
    patience: _Patience,
    look: Callable[[], bool],
) -> int | None:
    """Its exit code, None where it had to be ended; `look` is called now and then, and once it has ended: it tells whether there
    are new lines."""
    with log.open("wb") as output:
        # A process group of its own: an interrupted bench leaves no Spark behind.
        process = subprocess.Popen(
            command, env={**environ, "SPARK_LOCAL_IP": "127.0.0.1"}, cwd=work, stdout=output, stderr=output,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            return _waited(process, patience, look)
        finally:
            look()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _waited(process: subprocess.Popen[bytes], patience: _Patience, look: Callable[[], bool]) -> int | None:
    until = time.monotonic() + patience.first
    while (left := until - time.monotonic()) > 0:
        try:
            return process.wait(min(_LOOK_SECONDS, left))
        except subprocess.TimeoutExpired:
            if look():
                until = time.monotonic() + patience.next
    return None


class _Written:
    """The lines that an application adds to its results while it runs."""

    def __init__(self, results: Path) -> None:
        self._results, self._read_bytes = results, 0

    def new_lines(self) -> list[dict[str, Any]]:
        if not self._results.exists():
            return []
        with self._results.open("rb") as file:
            file.seek(self._read_bytes)
            found = file.read()
        whole = found[: found.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        return [json.loads(line) for line in whole.splitlines()]


def _tell(written: _Written, heard: Heard) -> bool:
    """Whether there was anything to tell."""
    lines = written.new_lines()
    for line in lines:
        if _HELD not in line:
            heard(QueryTime(**line))
    return bool(lines)


def _read(results: Path) -> tuple[list[QueryTime], float | None]:
    """The queries, and core-seconds held, which an application that came to its end tells last."""
    if not results.exists():
        return [], None
    lines = results.read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines if line.endswith("}")]
    held = next((line[_HELD] for line in told if _HELD in line), None)
    return [QueryTime(**line) for line in told if _HELD not in line], held


def _missing(setup: Setup, found: Sequence[QueryTime], seconds: float, why: str) -> Iterator[QueryTime]:
    """Those that did not end. The first of them was under way: what the application took is lost with it."""
    ended = {query.name for query in found}
    lost = max(0.0, seconds - sum(query.seconds for query in found))
    for name in setup.workload.queries:
        if name not in ended:
            yield QueryTime(name, lost, error=why)
            lost = 0.0
