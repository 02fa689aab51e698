"""What steering makes worse, at most: paired executions on real Spark.

    python -m tests.benchmarks.certificate DIRECTORY [--seeds 1 …] [--only JOB …] [--nights 3] [--minutes 60] [--resume]
        [--write-docs]

DIRECTORY holds the tables, the stores and `pairs.jsonl`, a line for each pair of runs. With --resume, what stands there is not
run again. Exit code 1 if a run failed that its twin did not, or gave other rows, if more queries were slower in all pairs than
chance makes, and if all jobs with all their nights had no change in force. Hours; needs Java, pyarrow and the `demo` extra.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.certificate.nights import play_nights
from tests.benchmarks.certificate.page import page
from tests.benchmarks.certificate.pair import Pair
from tests.benchmarks.certificate.suites import suites
from tests.benchmarks.certificate.traps import traps
from tests.benchmarks.certificate.verdict import breaches, certify

DOCS = Path(__file__).parents[3] / "docs" / "certificate.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="one more has other data, and other values")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--nights", type=int, help="of each job, so many at most")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no pair begins after so many")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    directory: Path = options.directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    lines = directory / "pairs.jsonl"
    if not options.resume:
        lines.unlink(missing_ok=True)
    known = [Pair.of_line(line) for line in lines.read_text("utf-8").splitlines()] if lines.exists() else []
    pairs, ends = list(known), time.monotonic() + 60 * options.minutes
    every = [(seed, trap) for seed in options.seeds for trap in traps(seed)]
    every += [(options.seeds[0], trap) for trap in suites()]
    names = dict.fromkeys(trap.name for _, trap in every)
    if unknown := set(options.only) - set(names):
        parser.error(f"no job {', '.join(unknown)}; there are {', '.join(names)}")
    wanted = [
        (seed, replace(trap, nights=trap.nights[: options.nights]))
        for seed, trap in every
        if trap.name in (options.only or names)
    ]
    for seed, trap in wanted:
        mine = [pair for pair in known if (pair.seed, pair.trap) == (seed, trap.name)]
        folder = directory / f"{seed} {trap.name}".replace(" ", "-").replace(",", "")
        for pair in play_nights(trap, folder, seed, mine):
            pairs.append(pair)
            print(_line(pair), flush=True)
            with lines.open("a", encoding="utf-8") as file:
                file.write(pair.as_line() + "\n")
            if time.monotonic() > ends:
                break
        else:
            if options.nights is None:
                # What is whole is never asked again; tables of all jobs are many GB.
                shutil.rmtree(folder / "tables", ignore_errors=True)
        if time.monotonic() > ends:
            break
    whole = not options.only and options.nights is None and time.monotonic() <= ends
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    seeds = " ".join(map(str, options.seeds))
    command = f"python -m tests.benchmarks.certificate DIRECTORY --seeds {seeds}"
    planned: Counter[str] = Counter()
    for _, trap in every:
        planned[trap.name] += trap.runs
    text = page(pairs, planned, command, machine, datetime.now(UTC).date().isoformat())
    print(text)
    if options.write_docs:
        DOCS.write_text(text, encoding="utf-8")
    return _exit_code(pairs, whole=whole)


def _exit_code(pairs: Sequence[Pair], *, whole: bool) -> int:
    found = list(breaches(certify(pairs), whole=whole))
    for one in found:
        print(f"not certified: {one}", file=sys.stderr)
    return int(bool(found))


def _line(pair: Pair) -> str:
    def told(which: str) -> str:
        runs = pair.steered if which == "steered" else pair.twin
        seconds = "; ".join(
            " ".join(f"{one.seconds:.1f}/{one.cpu_seconds:.1f}" for one in ran.executed)
            if ran.succeeded
            else f"failed: {ran.failure}"
            for ran in runs
        )
        return f"{which} {seconds}" + (f" ({len(runs[0].changes)} changes)" if which == "steered" else "")

    return f"{pair.trap}, night {pair.night}, seed {pair.seed}: {told('steered')} | {told('twin')}"


if __name__ == "__main__":
    sys.exit(main())
