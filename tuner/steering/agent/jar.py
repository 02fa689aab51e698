"""The agent's jar, compiled by the compiler that Spark brings along (Janino), against the Spark it will run in."""

from __future__ import annotations

import os
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tuner.errors import TunerError
from tuner.own_files import data_directory, make_directory
from tuner.steering.agent.java_home import java_of_spark
from tuner.steering.agent.sources import BUILD, BUILD_CLASS, RELEASE, SOURCES, digest_of_all, resources, source
from tuner.steering.agent.spark_environment import environment_of_spark
from tuner.steering.agent.spark_home import SparkAtHand

# The first whose SparkSession finds extensions by itself and whose classes the agent is written for.
OLDEST_SPARK = (3, 3)
BUILD_SECONDS = 120
# The earliest that a zip file can say: the same classes give the same bytes.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_MAX_SAID = 500


class AgentJarError(TunerError):
    """The agent's jar cannot be built."""


def agent_jar(spark: SparkAtHand, environ: Mapping[str, str] = os.environ) -> Path:
    """The agent's jar for a Spark, from the data directory; built there the first time, which takes some seconds.

    Raises AgentJarError or RequirementError.
    """
    jar = jar_of(spark, environ)
    if not jar.is_file():
        build(spark, jar, environ)
    return jar


def jar_of(spark: SparkAtHand, environ: Mapping[str, str] = os.environ) -> Path:
    """Where the agent's jar for a Spark is, once it is built."""
    name = f"spark-tuner-agent-{spark.version}_{spark.scala_version}-{digest_of_all()}.jar"
    return data_directory(environ) / "agent" / name


def build(spark: SparkAtHand, jar: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Compile the agent and write it as `jar`, at once or not at all. Raises AgentJarError or RequirementError."""
    if spark.number < OLDEST_SPARK:
        raise AgentJarError(
            f"{spark.home}: Spark {spark.version}; the agent needs {'.'.join(map(str, OLDEST_SPARK))} or newer"
        )
    of_spark = environment_of_spark(spark, environ)
    java = java_of_spark(of_spark)
    try:
        with tempfile.TemporaryDirectory(prefix="spark-tuner-agent-") as directory:
            classes = Path(directory)
            _compile(java, spark, classes, of_spark)
            make_directory(jar.parent, environ)
            _write(jar, {**resources(), RELEASE: digest_of_all().encode(), **dict(_class_files(classes))})
    except OSError as error:
        raise AgentJarError(f"the agent's jar {jar}: {error.strerror}; make that place writable") from error


def _compile(java: str, spark: SparkAtHand, output: Path, environ: Mapping[str, str]) -> None:
    # Hadoop's classes are not in every Spark ("Hadoop free" builds).
    places = (f"{spark.jars}{os.sep}*", environ.get("SPARK_DIST_CLASSPATH"))
    command = [java, "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(filter(None, places))]
    command += ["org.codehaus.janino.SimpleCompiler", str(source(BUILD)), BUILD_CLASS]
    command += [str(output), *(str(source(name)) for name in SOURCES)]
    where = f"the agent cannot be compiled with {java} against {spark.jars}"
    try:
        done = subprocess.run(
            command,
            env=dict(environ),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AgentJarError(f"{where}: not done after {BUILD_SECONDS} s; see what keeps this machine busy") from error
    except OSError as error:
        raise AgentJarError(f"{where}: {error.strerror}; set JAVA_HOME to a Java that Spark runs with") from error
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())[:_MAX_SAID]
        raise AgentJarError(
            f"{where}: {said or f'exit code {done.returncode}'}; is this Spark complete, and its Java the one it needs? "
            "Steer by conf meanwhile"
        )


def _class_files(directory: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(directory.rglob("*.class")):
        yield file.relative_to(directory).as_posix(), file.read_bytes()


def _write(jar: Path, entries: Mapping[str, bytes]) -> None:
    """A finished file or none, whoever else writes it: the name is taken last."""
    descriptor, unfinished = tempfile.mkstemp(prefix=f".{jar.name}.", dir=jar.parent)
    try:
        # Stored, for what compression makes of the classes depends on the zlib at hand.
        with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, content in entries.items():
                entry = zipfile.ZipInfo(name, _NO_TIME)
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, content)
        Path(unfinished).chmod(0o644)
        Path(unfinished).replace(jar)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
