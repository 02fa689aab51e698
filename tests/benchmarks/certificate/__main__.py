"""What steering makes worse, at most: paired executions on real Spark.

    python -m tests.benchmarks.certificate DIRECTORY [--seed 1] [--only JOB …] [--nights 3] [--minutes 60] [--resume]
        [--write-docs]

DIRECTORY holds the tables, the stores and `pairs.jsonl`, a line for each pair of runs. With --resume, what stands there is not
run again. Exit code 1 if a run failed that its twin did not, or gave other rows. Hours; needs Java, pyarrow and the `demo` extra.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.certificate.nights import play_nights
from tests.benchmarks.certificate.page import page
from tests.benchmarks.certificate.pair import Pair
from tests.benchmarks.certificate.traps import traps
from tests.benchmarks.certificate.verdict import certify

DOCS = Path(__file__).parents[3] / "docs" / "certificate.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seed", type=int, default=1)
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
    every = {trap.name: trap for trap in traps(options.seed)}
    if unknown := set(options.only) - set(every):
        parser.error(f"no job {', '.join(unknown)}; there are {', '.join(every)}")
    for name in options.only or every:
        trap = replace(every[name], nights=every[name].nights[: options.nights])
        mine = [pair for pair in known if pair.trap == name]
        for pair in play_nights(trap, directory / name.replace(" ", "-").replace(",", ""), options.seed, mine):
            pairs.append(pair)
            print(_line(pair), flush=True)
            with lines.open("a", encoding="utf-8") as file:
                file.write(pair.as_line() + "\n")
            if time.monotonic() > ends:
                break
        if time.monotonic() > ends:
            break
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    command = f"python -m tests.benchmarks.certificate DIRECTORY --seed {options.seed}"
    text = page(
        pairs, sum(trap.runs for trap in every.values()), command, machine, datetime.now(UTC).date().isoformat()
    )
    print(text)
    if options.write_docs:
        DOCS.write_text(text, encoding="utf-8")
    found = certify(pairs)
    return int(bool(found.failed or found.differing))


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

    return f"{pair.trap}, night {pair.night}: {told('steered')} | {told('twin')}"


if __name__ == "__main__":
    sys.exit(main())
