"""Jobs that die for want of memory, on real Spark, and their next try: `python -m tests.benchmarks.memory_deaths DIRECTORY`.

    python -m tests.benchmarks.memory_deaths DIRECTORY [--jobs 24] [--seed 1] [--kinds heap skew driver results broadcast]

Each job is submitted by `spark-tuner submit` with a size drawn at random, and needs more than that, most often; where it died,
it is submitted again, as a retry of Airflow's is, and once more. A line for each job; then how many of the dead succeeded in
their first retry, how many did in the night after that at once, and what the tuner gave to jobs that did not die. DIRECTORY is
empty or new. A local cluster gives executors no overhead: of deaths by their containers' limits it shows nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

APP = Path(__file__).with_name("memory_deaths_app.py")
# MiB that a job of each kind needs, for each MiB that it is asked to hold, about: its texts, and copies of them at its end.
NEEDS = {"heap": 1.5, "skew": 1.5, "driver": 1.2, "results": 0.75, "broadcast": 1.3}
SIZES = {
    "heap": ("spark.executor.memory", 512, 900),
    "skew": ("spark.executor.memory", 512, 900),
    "driver": ("spark.driver.memory", 512, 900),
    "results": ("spark.driver.maxResultSize", 16, 64),
    "broadcast": ("spark.driver.memory", 512, 900),
}


@dataclass(frozen=True)
class Job:
    number: int
    kind: str
    asked: int
    share: float

    @property
    def mebibytes(self) -> int:
        """What it is to hold: `share` of what the size that it asks for holds."""
        return max(1, int(self.asked * self.share / NEEDS[self.kind]))

    @property
    def conf(self) -> dict[str, str]:
        sizes = {"spark.executor.memory": "1g", "spark.driver.memory": "1g"}
        return {**sizes, SIZES[self.kind][0]: f"{self.asked}m"}


def drawn(jobs: int, kinds: list[str], seed: int, least_share: float) -> list[Job]:
    draw = random.Random(seed)
    found = []
    for number in range(jobs):
        kind = kinds[number % len(kinds)]
        _, low, high = SIZES[kind]
        found.append(Job(number, kind, draw.randrange(low, high), draw.uniform(least_share, 1.9)))
    return found


def submitted(job: Job, directory: Path) -> tuple[int, list[str]]:
    """The exit code of a try, and what the tuner raised."""
    tuner = [
        sys.executable,
        "-m",
        "tuner.cli",
        "submit",
        "--cohort",
        f"job-{job.number}",
        "--event-log-base",
        str(directory / "events"),
    ]
    limits = ["--max-executor-memory", "4g", "--max-driver-memory", "4g"]
    fixed = {
        "spark.task.maxFailures": "1",
        "spark.ui.enabled": "false",
        # A driver that is to run out of its heap must not be told that its results are too large first.
        "spark.driver.maxResultSize": "4g",
    } | job.conf
    conf = [part for name, value in fixed.items() for part in ("--conf", f"{name}={value}")]
    spark = ["--", "--master", "local-cluster[2,1,4096]", *conf, str(APP), job.kind, str(job.mebibytes)]
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--jobs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument(
        "--least-share", type=float, default=0.6, help="Of what its size holds, the least that a job needs."
    )
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    dead = healed = at_once = touched = 0
    for job in drawn(options.jobs, options.kinds, options.seed, options.least_share):
        first, said = submitted(job, options.directory)
        codes, raised = [first], []
        if first:
            dead += 1
            for _ in range(2):
                code, raised = submitted(job, options.directory)
                codes.append(code)
            healed += codes[1] == 0
            at_once += codes[2] == 0
        else:
            code, raised = submitted(job, options.directory)
            codes.append(code)
            touched += any(" instead of " in line for line in raised)
        line = {
            "job": job.number,
            "kind": job.kind,
            "asked_mib": job.asked,
            "holds_mib": job.mebibytes,
            "exits": codes,
            "raised": raised,
        }
        print(json.dumps(line | ({"died_of": said} if first else {})), flush=True)
    print(
        f"{dead} of {options.jobs} jobs died; {healed} succeeded in their first retry, {at_once} in the run after that"
    )
    print(f"{touched} of {options.jobs - dead} jobs that did not die were given more")


if __name__ == "__main__":
    main()
