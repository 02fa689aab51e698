"""What steering makes worse, at most: paired executions on real Spark.

    python -m tests.benchmarks.certificate DIRECTORY [--seed 1] [--only TRAP …] [--resume] [--write-docs]

DIRECTORY holds the tables, the stores and `pairs.jsonl`, a line for each pair of runs. With --resume, jobs whose nights are all
there are not run again. An hour and more; needs Java and pyarrow.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.certificate.page import page
from tests.benchmarks.certificate.pair import STEERED, TWIN, Pair, run_job
from tests.benchmarks.certificate.trap import Trap
from tests.benchmarks.certificate.traps import traps
from tests.benchmarks.certificate.verdict import is_in_doubt

DOCS = Path(__file__).parents[3] / "docs" / "certificate.md"
# So often more does the twin run where a query seems slower.
AGAIN = 2


def nights_of(trap: Trap, folder: Path, seed: int) -> Iterator[Pair]:
    """The pairs of a job, from its first night on."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tables").mkdir(parents=True)
    trap.makes_data(folder / "tables", seed)
    chance, data = random.Random(f"{seed} {trap.name}"), 0
    for number, night in enumerate(trap.nights, 1):
        if night.changes_data:
            night.changes_data(folder / "tables")
            data += 1
        for key in (-number, number) if night.misses_input else (number,):
            order = [STEERED, TWIN]
            chance.shuffle(order)
            ran = {which: run_job(trap, night, folder, which, key) for which in order}
            pair = Pair(trap.name, number, data, ran[STEERED], ran[TWIN])
            if is_in_doubt(pair):
                again = tuple(run_job(trap, night, folder, TWIN, key) for _ in range(AGAIN))
                pair = replace(pair, again=again)
            yield pair


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    directory: Path = options.directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    lines = directory / "pairs.jsonl"
    known = [Pair.of_line(line) for line in lines.read_text("utf-8").splitlines()] if lines.exists() else []
    pairs: list[Pair] = []
    wanted = [trap for trap in traps(options.seed) if not options.only or trap.name in options.only]
    for trap in wanted:
        before = [pair for pair in known if pair.trap == trap.name]
        if options.resume and before and before[-1].night == len(trap.nights):
            pairs += before
            continue
        for pair in nights_of(trap, directory / trap.name.replace(" ", "-").replace(",", ""), options.seed):
            pairs.append(pair)
            print(_line(pair), flush=True)
            with lines.open("a", encoding="utf-8") as file:
                file.write(pair.as_line() + "\n")
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    text = page(pairs, f"python -m tests.benchmarks.certificate DIRECTORY --seed {options.seed}", machine, _today())
    print(text)
    if options.write_docs:
        DOCS.write_text(text, encoding="utf-8")
    return 0


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _line(pair: Pair) -> str:
    def told(which: str) -> str:
        ran = pair.steered if which == STEERED else pair.twin
        if not ran.succeeded:
            return f"{which} failed: {ran.failure}"
        seconds = " ".join(f"{one.seconds:.1f}" for one in ran.executed)
        return f"{which} {seconds}" + (f" ({ran.in_force} changes)" if which == STEERED else "")

    return f"{pair.trap}, night {pair.night}: {told(STEERED)} | {told(TWIN)}" + (" | in doubt" if pair.again else "")


if __name__ == "__main__":
    sys.exit(main())
