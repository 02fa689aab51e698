"""How fast logs are read, and in how much memory, beside Spark's own history server.

    python tests/benchmarks/read_event_logs.py LOG… [--grown-gigabytes 10] [--history-server] [--rapids-tools CLASSPATH]

Each figure comes from processes of its own, of five the one that took the least CPU; the history server, the profiling
tool and the grown log are measured once. MB are 10^6 bytes of JSON, uncompressed; seconds are CPU seconds of one core.
`tpcds_log.py` makes a LOG of TPC-DS. With --grown-gigabytes, the first LOG is also read grown to that size, as a stream
that another process writes and nobody stores. CLASSPATH is that of the profiling tool in `spark-rapids-user-tools`: the
jar `rapids-4-spark-tools_…` of its wheel, and `jars/*` of a Spark with the same version of Scala, such as 3.5.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from tuner.cli.as_json.json_line import JsonLine
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.read import read_log
from tuner.model.application import Work

GROW = Path(__file__).with_name("grown_log.py")
REPEAT = 5


@dataclass(frozen=True)
class Stream:
    """A log that comes out of a pipe, in the place of a path."""

    name: str
    pipe: BinaryIO

    def open(self, _: str) -> BinaryIO:
        return self.pipe

    def __str__(self) -> str:
        return self.name


def read(source: LogSource) -> Counter[str]:
    """Decode and fold; nothing is made of what has finished."""
    seen: Counter[str] = Counter()

    def take(work: Work) -> None:
        seen.update(executions=int(work.execution is not None), jobs=len(work.jobs), stages=len(work.stages))

    seen["complete"] = int(read_log(source, take).status == "complete")
    return seen


def harvest(source: LogSource) -> Counter[str]:
    """All that `harvest --json` does: plans, joins, JSON."""
    line = JsonLine()
    application = read_log(source, line.take)
    with Path(os.devnull).open("wb") as out:
        size = sum(out.write(chunk) for chunk in line.chunks(application))
    return Counter(json_bytes=size, complete=int(application.status == "complete"))


STEPS: dict[str, Callable[[LogSource], Counter[str]]] = {"read": read, "harvest": harvest}


def measure(step: str, log: str, gigabytes: float) -> dict[str, Any]:
    """In this process: CPU seconds, peak memory, what was found."""
    if gigabytes:
        grown = subprocess.Popen([sys.executable, GROW, log, str(gigabytes)], stdout=subprocess.PIPE)
        stream = cast("Any", Stream("grown.zstd", cast("BinaryIO", grown.stdout)))
        source = LogSource(stream, (stream,), in_progress=False)
    else:
        (source,) = find_logs(Path(log))
    before, started = time.process_time(), time.monotonic()
    seen = STEPS[step](source)
    return {
        "cpu_seconds": time.process_time() - before,
        "seconds": time.monotonic() - started,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
        **seen,
    }


def best(step: str, log: Path) -> dict[str, Any]:
    """The run that other work on the machine disturbed least."""
    return min((in_a_process(step, log) for _ in range(REPEAT)), key=lambda found: found["cpu_seconds"])


def in_a_process(step: str, log: Path, gigabytes: float = 0) -> dict[str, Any]:
    command = [sys.executable, __file__, str(log), "--measure", step, "--grown-gigabytes", str(gigabytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return cast("dict[str, Any]", json.loads(done.stdout))


def json_bytes(log: Path) -> int:
    sys.path.insert(0, str(GROW.parent))
    from grown_log import lines_of

    return sum(map(len, lines_of(log)))


def history_server(log: Path) -> dict[str, Any]:
    """CPU seconds and peak memory of a history server that is asked once for all SQL executions of a log."""
    import pyspark

    home = Path(pyspark.__file__).parent
    port = 18_087
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / log.name).symlink_to(log.absolute())
        options = f"-Xmx3g -Dspark.history.ui.port={port} -Dspark.history.fs.logDirectory=file:{directory}"
        server = subprocess.Popen(
            ["java", *options.split(), "-cp", f"{home}/jars/*", "org.apache.spark.deploy.history.HistoryServer"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            base = f"http://127.0.0.1:{port}/api/v1/applications"
            applications = _answer(base)
            while not applications:
                time.sleep(0.2)
                applications = _answer(base)
            idle = _cpu_seconds(server.pid)
            started = time.monotonic()
            executions = _answer(f"{base}/{applications[0]['id']}/sql?details=true&planDescription=false&length=100000")
            seconds = time.monotonic() - started
            status = Path(f"/proc/{server.pid}/status").read_text()
            peak = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) << 10
            cpu = _cpu_seconds(server.pid) - idle
            return {"cpu_seconds": cpu, "seconds": seconds, "peak_bytes": peak, "executions": len(executions)}
        finally:
            server.terminate()
            server.wait()


def rapids_tools(log: Path, classpath: str) -> dict[str, Any]:
    """CPU seconds and peak memory of the profiling tool over a log."""
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.lang", "java.nio", "sun.nio.ch")]
    with tempfile.TemporaryDirectory() as directory:
        tool = ["com.nvidia.spark.rapids.tool.profiling.ProfileMain", "-o", directory, log.absolute().as_uri()]
        started = time.monotonic()
        process = subprocess.Popen(
            ["java", "-Xmx3g", *opened, "-cp", classpath, *tool], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"the profiling tool ended with {status}")
        return {
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "seconds": time.monotonic() - started,
            "peak_bytes": used.ru_maxrss << 10,
        }


def _answer(url: str) -> list[dict[str, Any]]:
    try:
        with urllib.request.urlopen(url, timeout=600) as response:
            return cast("list[dict[str, Any]]", json.load(response))
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(what: str, size: float, found: dict[str, Any]) -> None:
    rest = {key: value for key, value in found.items() if key not in ("cpu_seconds", "seconds", "peak_bytes")}
    print(
        f"{what:<44} {size / 1e6:>8.0f} MB {size / 1e6 / found['cpu_seconds']:>6.0f} MB/s of CPU "
        f"{found['seconds']:>7.1f} s {found['peak_bytes'] / 1e6:>6.0f} MB peak  {rest}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--grown-gigabytes", type=float, default=0)
    parser.add_argument("--history-server", action="store_true")
    parser.add_argument("--rapids-tools", metavar="CLASSPATH")
    parser.add_argument("--measure", choices=STEPS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, str(options.logs[0]), options.grown_gigabytes)))
        return
    for log in options.logs:
        size = json_bytes(log)
        for step in STEPS:
            show(f"{step} {log.name}", size, best(step, log))
        if options.history_server:
            show(f"history server {log.name}", size, history_server(log))
        if options.rapids_tools:
            show(f"rapids profiling tool {log.name}", size, rapids_tools(log, options.rapids_tools))
    if options.grown_gigabytes:
        size = options.grown_gigabytes * 1e9
        show(
            f"harvest {options.logs[0].name}, grown",
            size,
            in_a_process("harvest", options.logs[0], options.grown_gigabytes),
        )


if __name__ == "__main__":
    main()
