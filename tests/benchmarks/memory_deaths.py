"""Jobs that die for want of memory, on real Spark, and their next try: `python -m tests.benchmarks.memory_deaths DIRECTORY`.

    python -m tests.benchmarks.memory_deaths DIRECTORY [--jobs 24] [--seed 1] [--nights 1] [--least-share 0.6]
                                             [--kinds heap skew driver results broadcast]
    python -m tests.benchmarks.memory_deaths DIRECTORY --needs 200 500

Each job is submitted by `spark-tuner submit` with a size drawn at random, and needs more than that, most often; where it died,
it is submitted again, as a retry of Airflow's is, and for `--nights` more. A line for each job; then how many of the dead
succeeded in their first retry, how many did in the nights after that at once, what healed ones were given for each MiB that
they need, and what the tuner gave to jobs that did not die. What is told of a job is in DIRECTORY/jobs.jsonl, too: begun again
with the same arguments, or with more jobs, a stopped bench goes on there, and sums up all. A local cluster gives executors no
overhead: of deaths by their containers' limits it shows nothing. `--kinds python` is of jobs whose Python workers need more than
`spark.executor.pyspark.memory`.

`--needs` measures, without the tuner, with how much at least jobs of each kind succeed that hold so many MiB: that is what
NEEDS says.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import time
from bisect import bisect_right
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

APP = Path(__file__).with_name("memory_deaths_app.py")


def _of_broadcast(held_mib: float) -> float:
    """Rows as collected, and the page of their hash map beside the one before it, half as large (LongToUnsafeRowMap.grow)."""
    page_mib = 1 << math.ceil(math.log2(max(1.0, held_mib)))
    return 1.5 * page_mib + 1.3 * held_mib + 32


# What a job of each kind needs, in MiB, to hold so many: as measured by `--needs`.
NEEDS: dict[str, Callable[[float], float]] = {
    "heap": lambda held_mib: 1.5 * held_mib,
    "skew": lambda held_mib: 1.5 * held_mib,
    "driver": lambda held_mib: 3.2 * held_mib,
    "results": lambda held_mib: 1.0 * held_mib,
    "broadcast": _of_broadcast,
    # A worker that has pyarrow loaded takes up 302 MiB of addresses.
    "python": lambda held_mib: held_mib + 305,
}
SIZES = {
    "heap": ("spark.executor.memory", 512, 900),
    "skew": ("spark.executor.memory", 512, 900),
    "driver": ("spark.driver.memory", 512, 900),
    "results": ("spark.driver.maxResultSize", 16, 64),
    "broadcast": ("spark.driver.memory", 512, 900),
    "python": ("spark.executor.pyspark.memory", 512, 900),
}
# Of these where none are asked for: what a seed draws, is what was measured with it.
KINDS = ["heap", "skew", "driver", "results", "broadcast"]
# A job is to lack one thing. (A driver that is to run out of its heap must not be told that its results are too large first.)
AMPLE = {"spark.executor.memory": "3g", "spark.driver.memory": "3g", "spark.driver.maxResultSize": "4g"}
# What Python workers may have is counted beside the heap.
OF_KIND = {"python": {"spark.executor.memory": "1g"}}
FIXED = {"spark.task.maxFailures": "1", "spark.ui.enabled": "false"}
MASTER = "local-cluster[2,1,4096]"
# Needs are told to this part.
NEARLY = 0.05


@dataclass(frozen=True)
class Job:
    number: int
    kind: str
    asked: int
    share: float

    @property
    def mebibytes(self) -> int:
        """What it is to hold: as much as needs at most `share` of the size that it asks for."""
        wanted = range(1, int(self.asked * self.share) + 1)
        return max(1, bisect_right(wanted, self.asked * self.share, key=NEEDS[self.kind]))

    @property
    def needs(self) -> float:
        """MiB of what it asks for, about."""
        return NEEDS[self.kind](self.mebibytes)

    @property
    def conf(self) -> dict[str, str]:
        return conf_of(self.kind, self.asked)


def conf_of(kind: str, size_mib: int) -> dict[str, str]:
    return {**FIXED, **AMPLE, **OF_KIND.get(kind, {}), SIZES[kind][0]: f"{size_mib}m"}


def as_arguments(conf: dict[str, str]) -> list[str]:
    return [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]


def drawn(jobs: int, kinds: list[str], seed: int, least_share: float) -> list[Job]:
    draw = random.Random(seed)
    found = []
    for number in range(jobs):
        kind = kinds[number % len(kinds)]
        _, low, high = SIZES[kind]
        found.append(Job(number, kind, draw.randrange(low, high), draw.uniform(least_share, 1.9)))
    return found


def submitted(job: Job, directory: Path, since: int) -> tuple[int, list[str]]:
    """The exit code of a try, and what the tuner raised. `since` tells its tries from those of a bench that was stopped."""
    tuner = [
        sys.executable,
        "-m",
        "tuner.cli",
        "submit",
        "--cohort",
        f"job-{job.number}-{since}",
        "--event-log-base",
        str(directory / "events"),
    ]
    limits = ["--max-executor-memory", "4g", "--max-driver-memory", "4g"]
    spark = ["--", "--master", MASTER, *as_arguments(job.conf), str(APP), job.kind, str(job.mebibytes)]
    environment = {
        **os.environ,
        "SPARK_TUNER_DB": f"sqlite:///{directory}/history.db",
        "PYTHONPATH": str(APP.parents[2]),
    }
    environment |= {"PYSPARK_PYTHON": sys.executable}
    done = subprocess.run([*tuner, *limits, *spark], env=environment, capture_output=True, text=True, check=False)
    said = [line.removeprefix("spark-tuner: ") for line in done.stderr.splitlines() if line.startswith("spark-tuner: ")]
    (directory / "out").mkdir(exist_ok=True)
    with (directory / "out" / f"{job.number}.txt").open("a", encoding="utf-8") as out:
        out.write(f"exit {done.returncode}\n{done.stderr}\n")
    return done.returncode, [line for line in said if " instead of " in line and line.startswith("spark.")] or said[-1:]


def succeeds(kind: str, mebibytes: int, size_mib: int) -> bool:
    """Whether a job does with a size, without the tuner."""
    submit = Path(sys.executable).with_name("spark-submit")
    command = [str(submit), "--master", MASTER, *as_arguments(conf_of(kind, size_mib)), str(APP), kind, str(mebibytes)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


def least_size(kind: str, mebibytes: int) -> int:
    """The least MiB, nearly, with which such a job succeeds."""
    low, high = 0, 32 if kind == "results" else 512
    while not succeeds(kind, mebibytes, high):
        low, high = high, 2 * high
    while high - low > NEARLY * high:
        middle = (low + high) // 2
        # A driver does not start with less than 471859200 bytes (UnifiedMemoryManager).
        starts = kind in ("results", "python") or middle >= 480
        if middle > 0 and starts and succeeds(kind, mebibytes, middle):
            high = middle
        else:
            low = middle
    return high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--jobs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=list(SIZES))
    parser.add_argument(
        "--least-share", type=float, default=0.6, help="Of what its size holds, the least that a job needs."
    )
    parser.add_argument("--nights", type=int, default=1, help="So many more runs of what died, after its retry.")
    parser.add_argument("--at-once", type=int, default=1, help="So many jobs beside one another.")
    parser.add_argument("--needs", type=int, nargs="+", help="Measure what jobs need that hold so many MiB.")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    if options.needs:
        for kind in options.kinds:
            found = {mebibytes: least_size(kind, mebibytes) for mebibytes in options.needs}
            print(json.dumps({"kind": kind, "needs_mib": found}), flush=True)
        return
    jobs = drawn(options.jobs, options.kinds, options.seed, options.least_share)
    before = known(options.directory, jobs)
    with ThreadPoolExecutor(options.at_once) as pool:
        tales = list(pool.map(lambda job: before.get(job.number) or told(job, options.directory, options.nights), jobs))
    dead = [tale for tale in tales if tale.exits[0]]
    healed = [tale for tale in dead if not tale.exits[1]]
    later = [code for tale in healed for code in tale.exits[2:]]
    print(f"{len(dead)} of {len(jobs)} jobs died; {len(healed)} succeeded in their first retry")
    print(f"{later.count(0)} of {len(later)} nights after that succeeded at once")
    print(
        f"given to these for each MiB that they need: {max((tale.given_of_need for tale in healed), default=0):.2f} at most"
    )
    touched = sum(bool(tale.given_mib) for tale in tales if not tale.exits[0])
    print(f"{touched} of {len(jobs) - len(dead)} jobs that did not die were given more")


@dataclass(frozen=True)
class Tale:
    """How a job's tries ended, and what its last was given of the size that it asks for (0: no more than that)."""

    job: Job
    exits: list[int]
    given_mib: int

    @property
    def given_of_need(self) -> float:
        return self.given_mib / self.job.needs


def told(job: Job, directory: Path, nights: int) -> Tale:
    """Submits a job until it is known how it is healed; writes and prints a line."""
    since = int(time.time())
    first, said = submitted(job, directory, since)
    tries = [submitted(job, directory, since) for _ in range(1 + nights if first else 1)]
    exits, raised = [first, *(code for code, _ in tries)], tries[-1][1]
    sizes = [int(found[1]) for line in raised if (found := re.match(rf"{SIZES[job.kind][0]}=(\d+)m instead of ", line))]
    given_mib = max(sizes, default=0)
    line: dict[str, object] = {
        "job": job.number,
        "kind": job.kind,
        "asked_mib": job.asked,
        "needs_mib": round(job.needs),
        "holds_mib": job.mebibytes,
        "exits": exits,
        "given_mib": given_mib,
        "raised": raised,
    }
    written = json.dumps(line | ({"died_of": said} if first else {}))
    print(written, flush=True)
    with told_in(directory).open("a", encoding="utf-8") as lines:
        lines.write(f"{written}\n")
    return Tale(job, exits, given_mib)


def told_in(directory: Path) -> Path:
    return directory / "jobs.jsonl"


def known(directory: Path, jobs: list[Job]) -> dict[int, Tale]:
    """What was told of these jobs before, by their numbers. ValueError where that was of others."""
    if not told_in(directory).exists():
        return {}
    lines = [json.loads(line) for line in told_in(directory).read_text(encoding="utf-8").splitlines()]
    by_number = {job.number: job for job in jobs}
    found = {}
    for line in lines:
        job = by_number.get(line["job"])
        if job is None or (job.kind, job.asked, job.mebibytes) != (line["kind"], line["asked_mib"], line["holds_mib"]):
            raise ValueError(f"{told_in(directory)} tells of other jobs (job {line['job']}): give another directory")
        found[job.number] = Tale(job, line["exits"], line["given_mib"])
    return found


if __name__ == "__main__":
    main()
