"""A fleet's replay on Spark: seconds, seconds per GB and peak memory for a quarter, a half and all of many applications.

    python -m tests.benchmarks.replay_at_scale DIRECTORY [--applications 10000] [--parts all] [--logs LOG…] [--keep]

The applications are made in DIRECTORY from real logs: each is a run of one of some hundred jobs, of very different numbers
of runs, a day apart, under an id and a name of its own; data grow or shrink slowly, and times are noisy. The logs are those
of `tests/golden`, of ../shared/eventlogs where that is there, and of TPC-DS: --logs gives such, else they are made
(`tpcds_log.py`, scale factor 0.1). Each measurement is a process of its own with an empty output directory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from tests.pipeline.log_copies import LogTemplate, compressed, template_of
from tuner.cli.process.spark_session import spark_session
from tuner.cli.reading.log_sources import log_sources
from tuner.eventlog.find import find_logs
from tuner.spark.run_tags import KEY

ROOT = Path(__file__).parents[2]
GOLDEN, SHARED = ROOT / "tests" / "golden" / "logs", ROOT.parent / "shared" / "eventlogs"
LAST = datetime(2026, 11, 1, 2, tzinfo=UTC)
LONGEST_COHORT, SHORTEST_COHORT = 365, 3
# Of all applications. Logs of TPC-DS are the ones like those of a nightly job; the largest are rare.
SHARE_TPCDS = 0.6
LARGE_BYTES = 20_000_000
MOST_LARGE = 0.005
QUERIES = 2
PARTS = ("quarter", "half", "all")


@dataclass(frozen=True)
class Job:
    """A recurring job: the template of its runs, how many, and how much its data grow from run to run."""

    number: int
    part: str
    template: int
    runs: int
    growth: float


def jobs(applications: int, templates: Sequence[LogTemplate], tpcds: int, seed: int = 7) -> list[Job]:
    """Jobs of so many runs in all, a quarter of them in the first part and another in the second. The first `tpcds`
    templates are of TPC-DS.
    """
    chance = random.Random(seed)
    left = {"quarter": applications // 4, "half": applications // 4, "all": applications - 2 * (applications // 4)}
    large = int(applications * MOST_LARGE)
    small = [i for i, t in enumerate(templates) if i >= tpcds and _size(t) < LARGE_BYTES]
    big = [i for i, t in enumerate(templates) if _size(t) >= LARGE_BYTES]
    found: list[Job] = []
    while any(left.values()):
        number = len(found)
        part = PARTS[number % 4] if number % 4 < 2 and left[PARTS[number % 4]] else max(left, key=lambda p: left[p])
        # Few jobs run every night for a year; most have been there for some weeks.
        runs = min(left[part], SHORTEST_COHORT + int((LONGEST_COHORT - SHORTEST_COHORT) * chance.random() ** 10))
        if big and large >= runs and number % 16 == 15:
            template, large = chance.choice(big), large - runs
        else:
            of_tpcds = tpcds and chance.random() < SHARE_TPCDS
            template = chance.randrange(tpcds) if of_tpcds else chance.choice(small)
        left[part] -= runs
        found.append(Job(number, part, template, runs, chance.gauss(1.0005, 0.001)))
    return found


def write_job(job: Job, directory: str) -> tuple[str, int, int, int]:
    """Write the logs of a job; returns its part, applications, bytes of JSON and bytes on disk."""
    raw = written = 0
    for run in range(job.runs):
        day = LAST - timedelta(days=job.runs - 1 - run, minutes=job.number % 600)
        app_id = f"application_{1_700_000_000_000 + job.number}_{run:05}"
        text = _TEMPLATES[job.template].copy(
            app_id,
            f"etl.job_{job.number} {day:%Y-%m-%d}",
            int(day.timestamp() * 1e3),
            job.growth**run,
            seed=job.number * 1_000 + run,
        )
        log = compressed(text)
        Path(directory, job.part, f"{app_id}.zstd").write_bytes(log)
        raw, written = raw + len(text), written + len(log)
    return job.part, job.runs, raw, written


_TEMPLATES: list[LogTemplate] = []


def make(directory: Path, applications: int, tpcds: Sequence[Path]) -> dict[str, dict[str, int]]:
    """Write all logs; returns what is in each part."""
    given = [t for log in tpcds for t in templates([log])]
    _TEMPLATES[:] = [*given, *templates([GOLDEN, SHARED])]
    for part in PARTS:
        (directory / "logs" / part).mkdir(parents=True)
    planned = jobs(applications, _TEMPLATES, len(given))
    made = {part: {"applications": 0, "cohorts": 0, "json_bytes": 0, "bytes": 0} for part in PARTS}
    with Pool(os.cpu_count()) as pool:
        written = pool.imap_unordered(partial(write_job, directory=str(directory / "logs")), planned, chunksize=4)
        for part, count, raw, size in written:
            for name, value in (("applications", count), ("cohorts", 1), ("json_bytes", raw), ("bytes", size)):
                made[part][name] += value
    return made


def templates(paths: Iterable[Path]) -> Iterator[LogTemplate]:
    """Without the golden logs that are mostly a description of megabytes, and without runs that the tuner steered: copies
    would share their key.
    """
    sources = [source for path in paths if path.exists() for source in find_logs(path)]
    for source in sources:
        found = None if source.path.parent.name in ("long", "compacted") else template_of(source)
        if found and not any(KEY.encode() in text for text in found.texts):
            yield found


def _size(template: LogTemplate) -> int:
    return sum(map(len, template.texts))


class Peaks:
    """The largest resident memory of this process, of its JVM and of any Python worker, as the kernel keeps them."""

    def __init__(self) -> None:
        self.jvm = self.worker = self.workers = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peaks:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self._look()

    def _look(self) -> None:
        peaks = [(command, peak) for command, peak in map(_process, _below(os.getpid())) if peak]
        workers = [peak for command, peak in peaks if "pyspark" in command and "java" not in command.split("\0")[0]]
        self.jvm = max([self.jvm, *(peak for command, peak in peaks if "java" in command.split("\0")[0])])
        self.worker = max([self.worker, *workers])
        self.workers = max(self.workers, len(workers) - 1)

    def found(self) -> dict[str, int]:
        driver = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        return {"driver": driver, "jvm": self.jvm, "largest_worker": self.worker, "workers": self.workers}


def _below(pid: int) -> Iterator[int]:
    try:
        children = [int(c) for t in Path(f"/proc/{pid}/task").iterdir() for c in (t / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield child
        yield from _below(child)


def _process(pid: int) -> tuple[str, int]:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return "", 0
    return command, int(peak[1]) << 10 if peak else 0


def measure(paths: Sequence[str], out: str, master: str, conf: Sequence[str]) -> dict[str, Any]:
    """In this process: harvest and replay, then both again with nothing new."""
    from tuner.pipeline.hadoop import HadoopDirectory
    from tuner.pipeline.harvest import harvest
    from tuner.pipeline.replay import replay_on_spark
    from tuner.pipeline.sole_writer import sole_writer
    from tuner.replay.walk import Walker

    clock = _Clock()
    with (
        Peaks() as peaks,
        spark_session(master, conf, "replay at scale") as spark,
        sole_writer(HadoopDirectory(spark, out)) as writer,
    ):
        sources, _ = log_sources(paths, out)
        clock.lap("find logs, start Spark")
        read = harvest(spark, sources, writer, for_replay=True)
        clock.lap("harvest")
        replayed = replay_on_spark(spark, sources, writer, Walker())
        clock.lap("cohorts, model, walk")
        summary = replayed.summary
        clock.lap("summary")
        runs = sum(1 for _ in replayed.runs())
        clock.lap("all runs read")
        again = replay_on_spark(spark, sources, writer, Walker())
        same = again.summary == summary
        clock.lap("again, nothing new")
        memory = peaks.found()
    written = sum(file.stat().st_size for file in Path(out).rglob("*.parquet"))
    return {
        "seconds": clock.laps,
        "memory": memory,
        "read": read.read,
        "statuses": read.statuses,
        "runs": runs,
        "cohorts": len(summary.cohorts),
        "advised": sum(bool(cohort.advised) for cohort in summary.cohorts),
        "unread": len(summary.unread),
        "problems": len(summary.problems),
        "backtest_pairs": summary.backtest.pairs if summary.backtest else 0,
        "again": {"same": same, "read": again.harvest.read, "walked": again.walked},
        "out_bytes": written,
        "model": asdict(replayed.model),
    }


class _Clock:
    def __init__(self) -> None:
        self._since = time.monotonic()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name], self._since = round(now - self._since, 1), now


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--applications", type=int, default=10_000)
    parser.add_argument("--logs", nargs="*", type=Path, default=[], help="logs of TPC-DS")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="which of them to measure")
    parser.add_argument("--master", default=f"local[{os.cpu_count()}]")
    parser.add_argument("--conf", action="append", default=[])
    parser.add_argument("--keep", action="store_true", help="leave logs and tables in DIRECTORY")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        out, *paths = options.measure
        print(json.dumps(measure(paths, out, options.master, options.conf)))
        return
    directory = options.directory.absolute()
    print(machine(), flush=True)
    made = _made(directory, options.applications, options.logs)
    parts: list[str] = []
    total = {"applications": 0, "cohorts": 0, "json_bytes": 0, "bytes": 0}
    for part in PARTS:
        parts.append(part)
        total = {name: value + made[part][name] for name, value in total.items()}
        if part not in options.parts:
            continue
        out = directory / f"out-{part}"
        shutil.rmtree(out, ignore_errors=True)
        flags = [flag for setting in options.conf for flag in ("--conf", setting)]
        paths = [str(directory / "logs" / one) for one in parts]
        command = [sys.executable, "-m", "tests.benchmarks.replay_at_scale", str(directory), *flags]
        command += ["--master", options.master, "--measure", str(out), *paths]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
        show(total, json.loads(done.stdout))
        if not options.keep:
            shutil.rmtree(out)
    if not options.keep:
        shutil.rmtree(directory / "logs")
        (directory / "made.json").unlink()


def _made(directory: Path, applications: int, tpcds: Sequence[Path]) -> dict[str, dict[str, int]]:
    """What is there of an earlier run, or made now."""
    told = directory / "made.json"
    if told.exists():
        return json.loads(told.read_text())  # type: ignore[no-any-return]
    shutil.rmtree(directory / "logs", ignore_errors=True)
    since = time.monotonic()
    made = make(directory, applications, tpcds or _tpcds_logs(directory))
    told.write_text(json.dumps(made))
    print(f"logs made in {time.monotonic() - since:.0f} s", flush=True)
    return made


def _tpcds_logs(directory: Path) -> list[Path]:
    """Logs of applications of QUERIES queries each: nine of them, from all over TPC-DS."""
    from tests.benchmarks.tpcds_log import write_log

    return [
        write_log(directory / "tpcds", 0.1, wanted=partial(_is_in, first), name=f"logs-{first}")
        for first in range(1, 100, 12)
    ]


def _is_in(first: int, name: str) -> bool:
    number = re.search(r"\d+", str(name))
    return number is not None and first <= int(number[0]) < first + QUERIES


def show(made: dict[str, int], found: dict[str, Any]) -> None:
    seconds = found["seconds"]
    whole = seconds["harvest"] + seconds["cohorts, model, walk"]
    raw, size = made["json_bytes"] / 1e9, made["bytes"] / 1e9
    print(
        f"\n{made['applications']} applications of {made['cohorts']} cohorts, {raw:.2f} GB of JSON, {size:.2f} GB of zstd\n"
        f"  harvest and replay {whole:.0f} s: {whole / raw:.0f} s per GB of JSON, {whole / size:.0f} s per GB of zstd, "
        f"{whole / made['applications'] * 1e3:.0f} ms an application"
    )
    for name, took in seconds.items():
        print(f"  {name:<24} {took:>8.1f} s  {took / raw:>7.1f} s/GB of JSON")
    memory = ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in found["memory"].items() if name != "workers")
    print(f"  peak memory: {memory} (of {found['memory']['workers']} workers)")
    rest = {key: value for key, value in found.items() if key not in ("seconds", "memory")}
    print(f"  {rest}", flush=True)


def machine() -> str:
    """What the figures were measured on."""
    import pyspark

    cpu = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
    gib = int(memory[1]) >> 20 if memory else 0
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores ({cpu[1].strip() if cpu else '?'}), {gib} GiB, "
        f"Python {sys.version.split()[0]}, Spark {pyspark.__version__}, load before it {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
