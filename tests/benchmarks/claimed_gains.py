"""Whether the gains that the tuner tells of are there: each, as told after a run, beside what benches measured by default.

    python -m tests.benchmarks.claimed_gains DIRECTORY…

DIRECTORIES are those of finished benches (`spark-tuner bench --directory`) with the contenders default and tuner, in two rounds
by default or more. The logs are read anew: what is held is what this version would have told. That comes from the tuner's own
runs alone; the defaults ran beside, in applications of their own. A claim is the log of how many times as long a query takes with
its changes, its truth the log of that run's seconds over the defaults' geometric mean. `overclaimed` are claims of more gain than
the truth by over 1.645 standard deviations (5 %, were all as sure as it says), `underclaimed` those of less; the truth is as
unsure as one run is usually, and as the defaults' rounds differ.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from tuner.bench.report.finished_bench import read_finished
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.history.store import Store
from tuner.loop.harvest import harvest
from tuner.model.run import Run
from tuner.policy.evidence.history import History
from tuner.policy.evidence.log_ratio import Z_90
from tuner.policy.evidence.metric import CLOCK
from tuner.policy.measure import measured_queries


@dataclass(frozen=True, slots=True)
class Claim:
    """By how much a claim is off (log, below 0: too much gain), and in standard deviations of both."""

    off: float
    deviations: float


def claims(directory: Path) -> Iterator[Claim]:
    """What the tuner told in a bench, run after run."""
    bench, _ = read_finished(directory)
    if bench is None:
        raise SystemExit(f"{directory}: this is no bench of rounds: name the directory of one")
    default = next(one for one in bench.result.contenders if one.name == "default")
    rounds = {query.name: [math.log(s) for s in query.seconds if s] for query in default.queries}
    history = History()
    with Store.open(f"sqlite:///{directory / 'tuner' / 'history.db'}") as store:
        (cohort,) = store.cohorts()
        runs = store.runs(cohort.cohort)
    for run in (_read_anew(run, directory) for run in runs):
        queries = measured_queries(run)
        history.add(queries)
        names = {query.fingerprint: query.description for query in (run.outcome.queries if run.outcome else ())}
        for query in queries:
            by_default = rounds.get(names[query.fingerprint], [])
            told = history.compared(query, query.changes) if query.changes and len(by_default) > 1 else None
            if told is not None:
                off = told.ratio.mean - (math.log(query.seconds) - fmean(by_default))
                spread = (max(by_default) - min(by_default)) / 2
                yield Claim(off, off / math.sqrt(told.ratio.variance + CLOCK.noise**2 + spread**2))


def _read_anew(run: Run, directory: Path) -> Run:
    """As this version reads its log."""
    number = run.key.split("/")[1]
    found = find_logs(log_path(str(directory / "tuner" / number / "events")))
    return replace(run, outcome=harvest(found[0]).outcome()) if found else run


def row(name: str, found: Sequence[Claim]) -> tuple[str, ...]:
    """How far the claims of one bench are off."""
    count = len(found)
    return (
        name,
        str(count),
        f"{math.exp(fmean(one.off for one in found)):.2f}x",
        f"{math.sqrt(fmean(one.off**2 for one in found)):.3f}",
        f"{math.sqrt(fmean(one.deviations**2 for one in found)):.2f}",
        f"{sum(one.deviations < -Z_90 for one in found) / count:.1%}",
        f"{sum(one.deviations > Z_90 for one in found) / count:.1%}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", type=Path, nargs="+")
    by_bench = {path.name: list(claims(path)) for path in parser.parse_args().directories}
    rows = [row(name, found) for name, found in by_bench.items() if found]
    rows.append(row("all", [one for found in by_bench.values() for one in found]))
    head = ("bench", "claims", "claimed over true", "off (log)", "off (deviations)", "overclaimed", "underclaimed")
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for one in rows:
        print("| " + " | ".join(one) + " |")


if __name__ == "__main__":
    main()
