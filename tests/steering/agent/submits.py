"""One job of joins submitted in every way that takes the agent: what each run collects, and its event log.

All run one statement; the Java application runs joins of Datasets, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tuner.steering.agent.java_home import java_of_spark
from tuner.steering.agent.sources import BUILD, BUILD_CLASS, source

_APPLICATION = Path(__file__).with_name("java") / "Warehouse.java"
_OPENED = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in (
        *("java.lang", "java.lang.invoke", "java.io", "java.net", "java.nio", "java.util", "java.util.concurrent"),
        *("sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar"),
    )
]
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_FAST = {
    "spark.driver.memory": "700m",
    "spark.executor.memory": "700m",
    "spark.driver.extraJavaOptions": _QUICK,
    "spark.executor.extraJavaOptions": _QUICK,
    "spark.driver.host": "localhost",
    "spark.ui.enabled": "false",
    "spark.cores.max": "1",
    "spark.sql.shuffle.partitions": "2",
    "spark.standalone.submit.waitAppCompletion": "true",
}
_SQL = """
SELECT o.id, c.name, i.brand, s.city FROM orders o JOIN customers c ON o.customer = c.id
JOIN items i ON o.item = i.id JOIN stores s ON o.store = s.id WHERE o.qty > 1"""
_PYSPARK = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("warehouse").getOrCreate()
for name in ("orders", "customers", "items", "stores"):
    spark.read.parquet(sys.argv[1] + "/" + name).createOrReplaceTempView(name)
rows = spark.sql(sys.argv[3]).collect()
lines = ["\\t".join("NULL" if value is None else str(value) for value in row) + "\\n" for row in rows]
open(sys.argv[2], "w").write("".join(lines))
spark.stop()
"""


@dataclass(frozen=True, slots=True)
class Job:
    """What is submitted, and where: a Spark home, a folder of tables, the Java application's jar, an empty folder."""

    home: Path
    tables: Path
    application: Path
    work: Path


@dataclass(frozen=True, slots=True)
class Submitted:
    """A run's rows as lines in order, columns parted by tabs, and its event log's folder."""

    rows: list[str]
    logs: Path


SteeringMethod = Callable[[Job, str, Mapping[str, str]], Submitted]


def compile_application(home: Path, directory: Path, *sources: Path) -> Path:
    """The jar of a Java application (by default the one of all ways), compiled against a Spark by its own compiler."""
    classes, jar = directory / "classes", directory / "application.jar"
    command = [java_of_spark(os.environ), *_QUICK.split(), "-cp", f"{home}/jars/*"]
    command += ["org.codehaus.janino.SimpleCompiler", str(source(BUILD)), BUILD_CLASS, str(classes)]
    command += map(str, sources or [_APPLICATION])
    classes.mkdir()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, _said(done)[-4000:]
    with zipfile.ZipFile(jar, "w") as archive:
        for file in classes.rglob("*.class"):
            archive.write(file, str(file.relative_to(classes)))
    return jar


def java_local(job: Job, name: str, conf: Mapping[str, str]) -> Submitted:
    return _java(job, name, {"spark.master": "local[2]", **conf})


def java_client(url: str) -> SteeringMethod:
    return lambda job, name, conf: _java(job, name, {"spark.master": url, **conf})


def java_cluster(url: str) -> SteeringMethod:
    """The driver runs on a worker. Before Spark 3.4, Java 17 there lacks what spark-submit opens to other drivers."""
    place = {
        "spark.master": url,
        "spark.submit.deployMode": "cluster",
        "spark.driver.extraJavaOptions": " ".join([_FAST["spark.driver.extraJavaOptions"], *_OPENED]),
    }
    return lambda job, name, conf: _java(job, name, {**place, **conf})


def python_local(job: Job, name: str, conf: Mapping[str, str]) -> Submitted:
    script, out = job.work / "warehouse.py", job.work / f"{name}.txt"
    script.write_text(_PYSPARK, encoding="utf-8")
    return _submit(job, name, {"spark.master": "local[2]", **conf}, out, str(script), str(job.tables), str(out), _SQL)


def sql_file(job: Job, name: str, conf: Mapping[str, str]) -> Submitted:
    """`spark-sql -f`: what it prints are the rows."""
    file = job.work / f"{name}.sql"
    tables = ("orders", "customers", "items", "stores")
    views = [f"CREATE TEMP VIEW {t} USING parquet OPTIONS (path '{job.tables / t}')" for t in tables]
    file.write_text(";\n".join([*views, _SQL]) + ";\n", encoding="utf-8")
    in_memory = {"spark.master": "local[2]", "spark.sql.catalogImplementation": "in-memory", **conf}
    done = _run(job, name, in_memory, "spark-sql", "-f", str(file))
    return Submitted(sorted(line for line in done.stdout.splitlines() if "\t" in line), _logs(job, name))


def _java(job: Job, name: str, conf: Mapping[str, str]) -> Submitted:
    out = job.work / f"{name}.txt"
    return _submit(
        job,
        name,
        conf,
        out,
        "--class",
        "tests.steering.Warehouse",
        str(job.application),
        str(job.tables),
        _SQL,
        str(out),
    )


def _submit(job: Job, name: str, conf: Mapping[str, str], out: Path, *arguments: str) -> Submitted:
    done = _run(job, name, conf, "spark-submit", *arguments)
    assert out.exists(), _said(done)[-4000:]
    return Submitted(sorted(out.read_text(encoding="utf-8").splitlines()), _logs(job, name))


def _run(
    job: Job, name: str, conf: Mapping[str, str], program: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    logs = _logs(job, name)
    logs.mkdir()
    logged = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": logs.as_uri()}
    settings = {**_FAST, **logged, "spark.sql.warehouse.dir": (job.work / "warehouse").as_uri(), **conf}
    flags = [flag for key, value in settings.items() for flag in ("--conf", f"{key}={value}")]
    done = subprocess.run(
        [job.home / "bin" / program, *flags, *arguments],
        env=_environment(job.home),
        cwd=job.work,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, _said(done)[-4000:]
    return done


def _environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "PYSPARK_PYTHON": sys.executable,
    }


def _said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def _logs(job: Job, name: str) -> Path:
    return job.work / f"logs-{name}"


def ways(url: str) -> Iterator[tuple[str, SteeringMethod]]:
    """Every way that a Spark home has, with the URL of its cluster."""
    yield "java-local", java_local
    yield "java-client", java_client(url)
    yield "java-cluster", java_cluster(url)
    yield "spark-sql", sql_file
