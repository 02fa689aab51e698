"""Regret, regressions and false judgements of the policy over many simulated cohorts.

    python -m tests.benchmarks.simulation [--cohorts 10000] [--runs 30] [--seed 1] [--stored 100] [--long COHORTS]
        [--processes 1] [--json FILE] [--beside FILE]

The decisions are the product's own, on worlds whose true effects are known, so that each run is held against the same night
untuned, with the same noise. `--long` cohorts, a tenth of all where nothing is said, are played for 100 nights, in which what is
proven is proven again. `--stored` cohorts go through the history store and `next_decision` as well, and must be decided alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from tests.benchmarks.simulation.beside import beside
from tests.benchmarks.simulation.draw import draw
from tests.benchmarks.simulation.memory import InMemory, InStore
from tests.benchmarks.simulation.play import play
from tests.benchmarks.simulation.report import as_json, tables
from tests.benchmarks.simulation.score import Score, score
from tuner.history.store import Store

# What is proven is proven again after 60 runs.
LONG_RUNS = 100


def scored(number: int, seed: int, runs: int) -> Score:
    """The score of one cohort."""
    world = draw(seed, number, runs)
    return score(world, list(play(world, InMemory())))


def scores(cohorts: int, seed: int, runs: int, processes: int) -> Iterator[Score]:
    """Scores in the order of the cohorts' numbers."""
    each = partial(scored, seed=seed, runs=runs)
    if processes == 1:
        yield from map(each, range(cohorts))
        return
    with Pool(processes) as pool:
        yield from pool.imap(each, range(cohorts), chunksize=50)


def differing(cohorts: int, seed: int, runs: int) -> list[str]:
    """Cohorts that the product's store and path decided otherwise than the policy alone."""
    found = []
    with TemporaryDirectory() as directory, Store.open(f"sqlite:///{directory}/history.db") as store:
        for number in range(cohorts):
            world = draw(seed, number, runs)
            alone = [t.decision for t in play(world, InMemory())]
            if alone != [t.decision for t in play(world, InStore(store, world.cohort))]:
                found.append(world.cohort)
    return found


def _shown(console: Console, options: argparse.Namespace, cohorts: int, runs: int) -> list[Score]:
    """The scores of so many cohorts, printed, with how long they took."""
    since = time.monotonic()
    found = list(scores(cohorts, options.seed, runs, options.processes))
    took = time.monotonic() - since
    for table in tables(found, f"{cohorts} cohorts of {runs} nights, seed {options.seed}"):
        console.print(table)
    print(f"{took:.0f} s, {took / cohorts / runs * 1e3:.2f} ms a night")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cohorts", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stored", type=int, default=100, help="cohorts that go through the store, too")
    parser.add_argument(
        "--long", type=int, help="cohorts that are played for 100 nights, too: a tenth of all by default"
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", type=Path, help="where the figures go as JSON")
    parser.add_argument("--beside", type=Path, help="figures that another version wrote so: shown beside these")
    options = parser.parse_args()
    console = Console(width=200)
    figures = as_json(_shown(console, options, options.cohorts, options.runs))
    if long := options.cohorts // 10 if options.long is None else options.long:
        figures[f"all, {LONG_RUNS} nights"] = as_json(_shown(console, options, long, LONG_RUNS))["all"]
    if options.beside:
        console.print(beside(json.loads(options.beside.read_text()), figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    stored = min(options.stored, options.cohorts)
    since = time.monotonic()
    otherwise = differing(stored, options.seed, options.runs)
    print(
        f"{stored} cohorts through the store, {time.monotonic() - since:.0f} s: {len(otherwise)} decided otherwise"
        + (f": {', '.join(otherwise)}" if otherwise else "")
    )
    return 1 if otherwise else 0


if __name__ == "__main__":
    sys.exit(main())
