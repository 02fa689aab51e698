"""One page of how far cardinalities, join selection, join orders, what-if, operator times and the policy can be trusted.

    python -m tests.benchmarks.report DIRECTORY [--only NAME]... [--page FILE]

Runs each benchmark as its own docstring says, keeps what it printed in DIRECTORY/report/NAME.txt, and writes the page of
all that were run so far (default: tests/benchmarks/REPORT.md). DIRECTORY/sf01 and DIRECTORY/sf1 hold tables and logs.
All of them take about an hour on two quiet cores. Exit code 1 where a benchmark failed.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyspark

# Name, title and arguments, `{sf01}` and `{sf1}` being directories.
BENCHMARKS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("cardinality_q_error", "Rows of joins that have not run (q-error)", ("{sf01}", "--scale-factor", "0.1")),
    (
        "join_selection_agreement",
        "Join selection against Spark's planner and AQE",
        ("--tpcds", "{sf01}", "--execute"),
    ),
    ("join_order", "Join orders: time of the search by number of relations, and heuristics", ("times", "ratios")),
    ("operator_times", "Operator times of queries that were not learned from", ("{sf1}", "--scale-factor", "1")),
    ("what_if_agreement", "What-if against what Spark planned and ran", ("{sf1}/default",)),
    ("simulation", "The policy on simulated jobs, beside an oracle, all advice and none", ("--cohorts", "1500")),
)


def run(name: str, arguments: tuple[str, ...], directory: Path) -> bool:
    """Runs one benchmark; what it prints, and on what, goes to its file."""
    places = {"sf01": str(directory / "sf01"), "sf1": str(directory / "sf1")}
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *(a.format(**places) for a in arguments)]
    started, load = datetime.now(UTC), os.getloadavg()[0]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "110"})
    told = " ".join(a.format(sf01="DIRECTORY", sf1="DIRECTORY") for a in arguments)
    header = (
        f"`python -m tests.benchmarks.{name} {told}`, exit code {done.returncode}; {started:%Y-%m-%d}, "
        f"{(datetime.now(UTC) - started).total_seconds():.0f} s, load before it {load:.1f}; {_machine()}"
    )
    report = directory / "report"
    report.mkdir(parents=True, exist_ok=True)
    (report / f"{name}.txt").write_text(f"{header}\n\n```\n{done.stdout.strip()}\n```\n")
    return done.returncode == 0


def page(directory: Path) -> str:
    """All that was run so far, in the order of BENCHMARKS."""
    parts = [
        "# How far the numbers can be trusted\n\n"
        "Written by `python -m tests.benchmarks.report`; measured, not edited. What steering makes worse, at most, is\n"
        "measured by `python -m tests.benchmarks.certificate`.\n"
    ]
    for name, title, _ in BENCHMARKS:
        found = directory / "report" / f"{name}.txt"
        if found.exists():
            parts.append(f"## {title}\n\n{found.read_text()}")
    return "\n".join(parts)


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}, Spark {pyspark.__version__}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--only", action="append", choices=[name for name, _, _ in BENCHMARKS])
    parser.add_argument("--page", type=Path, default=Path(__file__).with_name("REPORT.md"))
    options = parser.parse_args()
    base = options.directory.absolute()
    wanted = [b for b in BENCHMARKS if not options.only or b[0] in options.only]
    failed = [name for name, _, arguments in wanted if not run(name, arguments, base)]
    options.page.write_text(page(base))
    sys.exit(1 if failed else 0)
