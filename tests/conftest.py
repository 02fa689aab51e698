"""What several test folders share: TPC-DS tables and queries, a spark-submit that records what it does, a cluster."""

from __future__ import annotations

import gc
import logging
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.made_stores import make_at_once
from tests.spark_archive import LAUNCHER_OPTIONS, driver_options, java_options
from tuner import side_by_side

TPCDS_SCALE = 0.01
# Tests share their machine: what most are about is not how long a decision takes there.
os.environ["SPARK_TUNER_MOST_SECONDS_BEFORE"] = os.environ["SPARK_TUNER_MOST_SECONDS_AFTER"] = "60"
os.environ["SPARK_SUBMIT_OPTS"] = driver_options()
# Of the Java that puts the driver's command together.
os.environ["SPARK_LAUNCHER_OPTS"] = LAUNCHER_OPTIONS
# Nor is it in how many processes; those that are say so.
side_by_side.ALONE_SECONDS = float("inf")
make_at_once()
# How wide the terminal of whoever runs the tests is, is not what they are about.
os.environ.pop("COLUMNS", None)
# Set by .ci/nightly: more queries of TPC-DS, more examples of each property.
AT_LENGTH = os.environ.get("SPARK_TUNER_TESTS") == "nightly"
_TESTS = Path(__file__).parent
_MASTER = re.compile(r"spark://[\w.]+:\d+")


# What a test needs, by the fixture that brings it or the folder that is about it.
_NEED_OF_FIXTURE = {
    "spark_submit": "spark",
    "spark_cluster": "spark",
    "migrated_airflow": "airflow",
    "postgres_server": "postgres",
    "chromium": "browser",
}
_NEED_OF_FOLDER = {"airflow_plugin": "airflow", "chaos": "processes"}
_NEEDS = {"spark", "airflow", "postgres", "browser", "processes", "sockets"}

# A commit is judged by the same examples each time; new ones are looked for at night.
settings.register_profile(
    "commit", max_examples=50, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("nightly", settings.get_profile("commit"), max_examples=500, derandomize=False)
settings.load_profile("nightly" if AT_LENGTH else "commit")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each test gets its tier from what it needs: `unit` needs nothing but this process.

    What takes longest comes first, so that workers end together.
    """
    needs_of = {item: _needs(item) for item in items}
    for item, needs in needs_of.items():
        for need in needs:
            item.add_marker(need)
        if "nightly" not in needs:
            item.add_marker("contract" if needs else "unit")
    items.sort(key=lambda item: _place(needs_of[item]))


def _needs(item: pytest.Item) -> set[str]:
    needs = {mark.name for mark in item.iter_markers()} & (_NEEDS | {"nightly"})
    needs |= {_NEED_OF_FIXTURE[name] for name in _NEED_OF_FIXTURE.keys() & set(getattr(item, "fixturenames", ()))}
    return needs | _needs_of_folder(item.path)


@cache
def _needs_of_folder(path: Path) -> frozenset[str]:
    return frozenset(need for name, need in _NEED_OF_FOLDER.items() if path.is_relative_to(_TESTS / name))


def _place(needs: set[str]) -> tuple[bool, bool, bool]:
    return "nightly" in needs or not needs, "spark" not in needs, "airflow" not in needs


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays to the end: looked at by each collection of garbage, it took a tenth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


_unit_test = ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    global _unit_test
    _unit_test = item.nodeid if item.get_closest_marker("unit") else ""
    try:
        return (yield)
    finally:
        _unit_test = ""


def _refuse_to_leave_the_process(event: str, arguments: tuple[object, ...]) -> None:
    """A test that names no need has none."""
    if _unit_test and event in ("subprocess.Popen", "os.fork", "socket.connect"):
        raise RuntimeError(f"{_unit_test}: {event}{arguments}: mark what the test needs (markers in pyproject.toml)")


sys.addaudithook(_refuse_to_leave_the_process)


_failed_advisors: list[str] = []


def _note_failed_advisor(record: logging.LogRecord) -> bool:
    """Of those that ship: their names begin so."""
    if isinstance(record.args, tuple) and str(name := record.args[0]).startswith("advise_"):
        _failed_advisors.append(str(name))
    return True


logging.getLogger("tuner.advice.advise").addFilter(_note_failed_advisor)


@pytest.fixture(autouse=True)
def _no_advisor_fails() -> Iterator[None]:
    """A bug in one advisor silences only that one: no job fails of it, and no test would."""
    _failed_advisors.clear()
    yield
    assert not _failed_advisors, f"advisors failed: {_failed_advisors}"


@pytest.fixture(scope="session")
def tpcds() -> Any:
    """A DuckDB connection that holds the TPC-DS tables, and knows the queries."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[demo]")
    package = pytest.importorskip("duckdb_extension_tpcds", reason="duckdb-extension-tpcds is not installed")
    extension = next(Path(package.__file__).parent.rglob("*.duckdb_extension"))
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"CALL dsdgen(sf={TPCDS_SCALE})")
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def tpcds_tables(tpcds: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one folder of Parquet per TPC-DS table, at scale factor 0.01."""
    root = tmp_path_factory.mktemp("tpcds")
    for (name,) in tpcds.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        (root / name).mkdir()
        tpcds.execute(f"COPY {name} TO '{root / name}/part-0.parquet' (FORMAT parquet)")
    return root


@pytest.fixture(scope="session")
def tpcds_queries(tpcds: Any) -> dict[int, str]:
    """The 99 queries by number. Spark reads them with `spark.sql.ansi.doubleQuotedIdentifiers=true`."""
    rows = tpcds.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall()
    return {number: text.strip().rstrip(";") for number, text in rows}


@pytest.fixture(scope="session")
def spark_submit() -> Callable[..., Path]:
    """`spark_submit(script, *args, log_dir=…, conf={…})`: runs a script on local[2]; the directory of its event log."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")
    program = shutil.which(
        "spark-submit", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    )
    if program is None or not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("no spark-submit next to Python or on PATH, or no Java")
    return lambda script, *args, log_dir, conf=None: _submit(program, script, args, log_dir, conf or {})


def _submit(program: str, script: Path, args: tuple[object, ...], log_dir: Path, conf: dict[str, str]) -> Path:
    log_dir.mkdir(parents=True, exist_ok=True)
    settings = {
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": "-Xmn1g",
        "spark.driver.host": "localhost",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log_dir.as_uri(),
        "spark.sql.warehouse.dir": (log_dir / "warehouse").as_uri(),
        **conf,
    }
    flags = [flag for key, value in settings.items() for flag in ("--conf", f"{key}={value}")]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    command = [program, *flags, str(script), *map(str, args)]
    done = subprocess.run(command, env=environment, cwd=log_dir, capture_output=True, text=True, check=False)
    # What a Python driver writes to stderr is spark-submit's own stdout (PythonRunner).
    assert done.returncode == 0, done.stderr[-4000:] + done.stdout[-4000:]
    return log_dir


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless Chromium (Debian's: `apt-get install chromium`): one for all of a module, for a thread drives no more. While
    it is there this thread has a running event loop, in which operators that start one of their own fail."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    with driver.sync_playwright() as playwright:
        # Chromium's own sandbox does not start in containers; what is opened here is this project's.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


# Of jobs on such a cluster: two small executors, which start as drivers do.
ON_CLUSTER = (
    "spark.executor.memory=700m",
    "spark.executor.cores=1",
    "spark.cores.max=2",
    f"spark.executor.extraJavaOptions={java_options()}",
)


@pytest.fixture(scope="session")
def spark_cluster() -> Callable[[Path], AbstractContextManager[str]]:
    """`with spark_cluster(directory) as url`: a standalone cluster of the Spark that this Python has."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")
    return lambda directory: standalone_cluster(Path(pyspark.__file__).parent, directory)


@contextmanager
def standalone_cluster(home: Path, directory: Path, options: str = "") -> Iterator[str]:
    """The URL of a standalone master on loopback with two workers of one core each; they log into the directory.

    `options` are Java's, for the master.
    """
    processes = []
    try:
        log = directory / "master.log"
        processes.append(_daemon(home, "master.Master", log, "--port", "0", "--webui-port", "0", options=options))
        wait_until(lambda: bool(_MASTER.search(log.read_text())))
        url = _MASTER.findall(log.read_text())[0]
        for number in (1, 2):
            work = ("--work-dir", str(directory / f"work-{number}"))
            worker = ("--cores", "1", "--memory", "1g", "--webui-port", "0", *work, url)
            processes.append(_daemon(home, "worker.Worker", directory / f"worker-{number}.log", *worker))
        wait_until(lambda: log.read_text().count("Registering worker") == 2)
        yield url
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)


def on_loopback() -> dict[str, str]:
    """The environment of Spark processes that find each other on this machine alone."""
    return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}


def wait_until(holds: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)


def _daemon(home: Path, name: str, log: Path, *arguments: str, options: str = "") -> subprocess.Popen[bytes]:
    start = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", "--host", "localhost", *arguments]
    variables = {**on_loopback(), "SPARK_HOME": str(home), "SPARK_DAEMON_JAVA_OPTS": f"{java_options()} {options}"}
    with log.open("wb") as file:
        return subprocess.Popen(start, stdout=file, stderr=file, env=variables)


@pytest.fixture(scope="session")
def join_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of join_job.py: 4 million facts and 400,000 wide dims: Spark estimates the dims at over 10 MB, so it sorts both sides."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[demo]")
    root = tmp_path_factory.mktemp("tables")
    for name, query in {
        "facts": "SELECT (i * 7919) % 400000 AS dim_id, (i * 31) % 5000 AS product, (i * 17) % 1000 AS amount "
        "FROM range(4000000) t(i)",
        "dims": "SELECT i AS id, i % 10 AS grp, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS note FROM range(400000) t(i)",
    }.items():
        (root / name).mkdir()
        duckdb.sql(f"COPY ({query}) TO '{root / name}/part-0.parquet' (FORMAT parquet)")
    return root
