"""What the first run of a job gains by what other jobs proved of its queries, beside what it gains in the end.

    python tests/benchmarks/first_run.py DIRECTORY [--scale-factor 1] [--held-out 6] [--nights 5] [--seed 1]

Lenders run a few queries of TPC-DS each, night after night, until their changes are proven. Held-out jobs, which the store has
never seen, then run other combinations of these queries. In its first and in its last night a held-out job runs with the tuner
and without it, in turns, and its rows are compared; in those between it runs with the tuner alone. DIRECTORY/tables then holds
the tables, DIRECTORY/first_run.json a line for each night that was compared. Needs the `demo` extra and Java.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import pyspark

from tuner.demo.tables import make_tables, query_texts
from tuner.history.store import Store
from tuner.model.reason import ReasonCode

# Two that change much, and one that does not, for most of them.
LENDERS = {"a": (50, 72, 25), "b": (40, 17, 29), "c": (7, 64, 85), "d": (19, 24, 91)}
OPTIONS = ("--master", "local[2]", "--driver-memory", "4g", "--conf", "spark.ui.enabled=false")
OPTIONS += ("--conf", "spark.sql.ansi.doubleQuotedIdentifiers=true")
QUERIES_OF_A_JOB = 3
SLOWER = 1.05

_APP = """
import hashlib, json, os, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
tables, queries, report = sys.argv[1:]
spark = SparkSession.builder.appName("job").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
for table in filter(Path.is_dir, Path(tables).iterdir()):
    spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
# The start of a JVM belongs to no query.
spark.sql("SELECT d_year, count(*) FROM date_dim JOIN item ON d_date_sk = i_item_sk GROUP BY d_year").collect()
jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
def processor():
    stat = Path(f"/proc/{jvm}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
found = {}
for name, text in json.loads(Path(queries).read_text()).items():
    spark.sparkContext.setJobDescription("query " + name)
    start, busy = time.monotonic(), processor()
    rows = spark.sql(text).collect()
    seconds, busy = time.monotonic() - start, processor() - busy
    text = chr(10).join(sorted(repr(tuple(row)) for row in rows))
    found[name] = [seconds, busy, hashlib.sha256(text.encode()).hexdigest()[:16]]
Path(report).write_text(json.dumps(found))
spark.stop()
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query of a job in one night: seconds by the clock, and of the processor in the JVM that does all; digest of its rows."""

    seconds: float
    processor_seconds: float
    rows: str


@dataclass(frozen=True, slots=True)
class Night:
    """The queries of a job in one night, with the tuner and without it; `borrowed` trials it had of other jobs.

    What it gained is told by the processor: the clock of a machine that others use tells of them.
    """

    job: str
    number: int
    tuned: Mapping[str, Asked]
    untuned: Mapping[str, Asked]
    borrowed: int
    in_force: int
    differing: tuple[str, ...]

    @property
    def gain(self) -> float:
        return _processor(self.untuned) - _processor(self.tuned)

    @property
    def ratio(self) -> float:
        return _processor(self.tuned) / _processor(self.untuned)


def _processor(asked: Mapping[str, Asked]) -> float:
    return sum(one.processor_seconds for one in asked.values())


class Machine:
    """Jobs as they are submitted here, with one store for all of them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.store = f"sqlite:///{directory}/history.db"
        self.app = directory / "job.py"
        self.app.write_text(_APP)
        self.texts = query_texts()

    def tuned(self, job: str, queries: Iterable[int]) -> dict[str, Asked]:
        command = [sys.executable, "-m", "tuner.cli", "submit", "--cohort", job, "--db", self.store]
        command += ["--most-seconds-before", "120", "--most-seconds-after", "120"]
        return self._run([*command, "--event-log-base", str(self.directory / "events"), "--"], job, queries)

    def untuned(self, job: str, queries: Iterable[int]) -> dict[str, Asked]:
        return self._run([str(Path(sys.executable).with_name("spark-submit"))], job, queries)

    def _run(self, command: Sequence[str], job: str, queries: Iterable[int]) -> dict[str, Asked]:
        asked, report = self.directory / f"{job}.queries.json", self.directory / f"{job}.report.json"
        asked.write_text(json.dumps({str(number): self.texts[number] for number in queries}))
        report.unlink(missing_ok=True)
        application = [*OPTIONS, str(self.app), str(self.directory / "tables"), str(asked), str(report)]
        environment = {**os.environ, "SPARK_HOME": str(Path(pyspark.__file__).parent), "PYSPARK_PYTHON": sys.executable}
        with (self.directory / f"{job}.log").open("ab") as log:
            subprocess.run(
                [*command, *application], check=True, cwd=self.directory, env=environment, stdout=log, stderr=log
            )
        return {name: Asked(*told) for name, told in json.loads(report.read_text()).items()}


def train(machine: Machine, nights: int) -> None:
    for number, (name, queries) in product(range(1, nights + 1), LENDERS.items()):
        took = machine.tuned(f"lender-{name}", queries)
        print(
            f"lender {name} night {number}: " + " ".join(f"{q} {a.processor_seconds:.2f}" for q, a in took.items()),
            flush=True,
        )


def held_out(number: int, draw: random.Random) -> dict[str, tuple[int, ...]]:
    """Jobs of queries of several lenders each; none has those of one alone."""
    jobs: dict[str, tuple[int, ...]] = {}
    while len(jobs) < number:
        names = draw.sample(sorted(LENDERS), QUERIES_OF_A_JOB)
        queries = tuple(draw.choice(LENDERS[name]) for name in names)
        if set(queries) not in [set(known) for known in jobs.values()]:
            jobs[f"held-out-{len(jobs) + 1}"] = queries
    return jobs


def night(machine: Machine, job: str, number: int, queries: tuple[int, ...]) -> Night:
    runs = [machine.tuned, machine.untuned] if number % 2 else [machine.untuned, machine.tuned]
    took = {run == machine.tuned: run(job, queries) for run in runs}
    with Store.open(machine.store) as store:
        (run,) = store.runs(job, 1)
    borrowed = sum(d.why.code is ReasonCode.LENT for d in run.decision.in_force)
    return Night(
        job,
        number,
        took[True],
        took[False],
        borrowed,
        len(run.decision.in_force),
        tuple(query for query, asked in took[True].items() if asked.rows != took[False][query].rows),
    )


def show(nights: Sequence[Night], last: int) -> None:
    """The first night beside the last one, in ratios of a night's two runs: they had the same machine."""
    jobs = {n.job: {m.number: m for m in nights if m.job == n.job} for n in nights}
    whole = [of for of in jobs.values() if {1, last} <= of.keys()]
    for of in whole:
        first, final = of[1], of[last]
        asked, had = ", ".join(first.tuned), f"{first.ratio:.2f} of untuned ({first.borrowed} borrowed)"
        print(f"{first.job} ({asked}): first run {had}, final {final.ratio:.2f}")
    if not whole:
        return
    first_gain, final_gain = (sum(of[n].gain for of in whole) for n in (1, last))
    ratios = [of[1].ratio for of in whole]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"{len(whole)} held-out jobs, in seconds of the processor:")
    print(f"gained {first_gain:.1f} s in their first runs, {final_gain:.1f} s in the last ones")
    if final_gain > 0:
        print(f"share of the final gain in the first run: {first_gain / final_gain:.0%}")
    print(f"first runs over untuned: geometric mean {mean:.2f}, worst {max(ratios):.2f}")
    print(f"first runs more than 5 % slower: {sum(r > SLOWER for r in ratios)}")
    print(f"nights with other rows: {sum(bool(n.differing) for n in nights)} of {len(nights)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=1)
    parser.add_argument("--held-out", type=int, default=6)
    parser.add_argument("--nights", type=int, default=5)
    parser.add_argument("--training", type=int, default=5, help="Nights of the lenders; 0 where the store is there.")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    directory = options.directory.absolute()
    make_tables(directory / "tables", options.scale_factor)
    machine, nights = Machine(directory), list[Night]()
    train(machine, options.training)
    jobs = held_out(options.held_out, random.Random(options.seed))
    # All first runs before any other: a job's own runs are to teach no other.
    for number in range(1, options.nights + 1):
        for job, queries in jobs.items():
            if 1 < number < options.nights:
                machine.tuned(job, queries)
                continue
            nights.append(night(machine, job, number, queries))
            with (directory / "first_run.json").open("a") as file:
                file.write(json.dumps(asdict(nights[-1])) + "\n")
            print(f"{job} night {number}: {nights[-1]}", flush=True)
    show(nights, options.nights)


if __name__ == "__main__":
    main()
