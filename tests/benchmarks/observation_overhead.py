"""What a run costs for being observed: a job by default, as the tuner observes it, and with an agent that has nothing to do.

    python -m tests.benchmarks.observation_overhead DIRECTORY [--workload ssb] [--scale-factor 1] [--rounds 10]
        [--queries q01 q02 …] [--ways observed agent]

DIRECTORY/tables then holds the tables. Each round starts with another way. Printed are medians of seconds, and of ratios to the
defaults' run of the same round, with the least and the most. Last are seconds of processors that Spark's listeners had: the
threads that write the event log, which other programs on the machine hardly make longer.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyspark

from tuner.bench.bench_run import Setup
from tuner.bench.rotated import rotated
from tuner.bench.run_application import Submit, run_application
from tuner.bench.workloads.benchmarks import BENCHMARKS, benchmark_workload
from tuner.model.agent_message import EXTENSIONS_CLASS
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import require_spark_in
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED, EXPLAIN_MODE, LOG_PEAKS

DEFAULT, LOG, COSTS, OBSERVED, AGENT = "default", "event log", "and costs", "observed", "agent"


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one application: of its queries, on the clock and of processors; of all of it; and of its listeners' threads."""

    queries: float
    queries_cpu: float
    application: float
    application_cpu: float
    listeners_cpu: float


class _Listeners(dict[Path, float]):
    """Processor seconds of each listener's thread of the one Spark that runs, as last seen."""

    @contextmanager
    def watched(self) -> Iterator[None]:
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(done,))
        watch.start()
        try:
            yield
        finally:
            done.set()
            watch.join()

    def _watch(self, done: threading.Event) -> None:
        while not done.wait(1.0):
            for process in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    if b"SparkSubmit" in (process / "cmdline").read_bytes():
                        self._look(process)

    def _look(self, process: Path) -> None:
        for thread in (process / "task").iterdir():
            with suppress(OSError):
                _, _, rest = (thread / "stat").read_text(encoding="utf-8").partition("(")
                name, _, fields = rest.rpartition(")")
                # The system cuts spark-listener-group-eventLog and its like at 15 letters.
                if name == "spark-listener-":
                    user, system = fields.split()[11:13]
                    self[thread] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def ways(events: Path) -> dict[str, Mapping[str, str]]:
    """What is set in each way: one thing more than in the way before it."""
    log = {EVENT_LOG_ENABLED: "true", EVENT_LOG_DIR: events.as_uri()}
    jar = str(agent_jar(require_spark_in(Path(pyspark.__file__).parent)))
    costs = {**log, EXPLAIN_MODE: "cost"}
    observed = {**costs, LOG_PEAKS: "true"}
    return {
        DEFAULT: {},
        LOG: log,
        COSTS: costs,
        OBSERVED: observed,
        AGENT: {**observed, "spark.jars": jar, "spark.sql.extensions": EXTENSIONS_CLASS},
    }


def took(setup: Setup, conf: Mapping[str, str], work: Path) -> Took:
    shutil.rmtree(work, ignore_errors=True)
    before, listeners = resource.getrusage(resource.RUSAGE_CHILDREN), _Listeners()
    with listeners.watched():
        ran = run_application(setup, Submit(conf, must_run=True), work)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(
        queries=sum(q.seconds for q in ran.queries),
        queries_cpu=sum(q.cpu_seconds or 0.0 for q in ran.queries),
        application=ran.seconds,
        application_cpu=after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
        listeners_cpu=sum(listeners.values()),
    )


def report(rounds: list[dict[str, Took]]) -> None:
    fields = ("queries", "queries_cpu", "application", "application_cpu")
    print(f"{'':<12}" + "".join(f"{name:>32}" for name in fields) + f"{'listeners_cpu':>16}")
    for way in rounds[0]:
        line = f"{way:<12}"
        for name in fields:
            seconds = statistics.median(getattr(r[way], name) for r in rounds)
            ratios = [getattr(r[way], name) / getattr(r[DEFAULT], name) for r in rounds]
            line += f"{seconds:>11.1f} s {statistics.median(ratios):.3f} ({min(ratios):.2f}-{max(ratios):.2f})"
        print(f"{line}{statistics.median(r[way].listeners_cpu for r in rounds):>14.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--workload", default="ssb", choices=list(BENCHMARKS))
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--queries", nargs="*", default=())
    parser.add_argument("--ways", nargs="*", default=(OBSERVED, AGENT), choices=(LOG, COSTS, OBSERVED, AGENT))
    options = parser.parse_args()
    directory = options.directory.absolute()
    events = directory / "events"
    events.mkdir(parents=True, exist_ok=True)
    made = benchmark_workload(options.workload, options.scale_factor, 1, options.queries, directory / "tables")
    setup = Setup(made, directory, "local[2]", "4g", runs=1, repeats=0, timeout_seconds=600.0)
    confs, rounds = {way: conf for way, conf in ways(events).items() if way in (DEFAULT, *options.ways)}, []
    for number in range(options.rounds):
        done = {way: took(setup, confs[way], directory / "work") for way in rotated(list(confs), number)}
        rounds.append({way: done[way] for way in confs})
        print(f"after round {number + 1} of {options.rounds}", flush=True)
        report(rounds)


if __name__ == "__main__":
    main()
