"""The last result as a page for people, what got slower first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.benchmarks.certificate.pair import Pair
from tests.benchmarks.certificate.verdict import Certificate, certify


def page(pairs: Sequence[Pair], command: str, machine: str, day: str) -> str:
    """Markdown."""
    return "\n".join(_lines(pairs, command, machine, day)) + "\n"


def _lines(pairs: Sequence[Pair], command: str, machine: str, day: str) -> Iterator[str]:
    found = certify(pairs)
    yield "# Regression certificate\n"
    yield "Jobs made to break the promise, run night after night on real Spark: steered, and beside that observed only,"
    yield "on the same data, in random order. Written by the benchmark itself; another seed has other data and other values.\n"
    yield f"    {command}\n"
    yield f"{day}, {machine}.\n"
    yield from _slower(found)
    yield from _counts(found)
    yield from _by_trap(pairs)


def _slower(found: Certificate) -> Iterator[str]:
    yield "## What got worse\n"
    if not (found.slower or found.failed or found.differing):
        yield "Nothing: no query slower beyond noise, no failure that its twin did not have, no other result.\n"
        return
    for one in found.slower:
        yield (
            f"- {one.trap}, night {one.night}: {one.query} {one.values} took {one.seconds:.1f} s, "
            f"its twin at most {one.twin_seconds:.1f} s"
        )
    yield from (f"- failed: {one}" for one in found.failed)
    yield from (f"- other rows: {one}" for one in found.differing)
    yield ""


def _counts(found: Certificate) -> Iterator[str]:
    yield "## In numbers\n"
    yield "| | |\n|---|---|"
    yield f"| pairs of runs | {found.pairs} |"
    yield f"| steered runs with changes in force | {found.steered_runs} |"
    yield f"| queries executed in these | {found.executions} |"
    yield f"| slower by more than 5 % and 0.3 s than every run of the twin, by clock and processors | {len(found.slower)} |"
    yield f"| so at most, with 95 % confidence | {found.slower_at_most:.2%} of executions |"
    yield f"| failed where the twin did not | {len(found.failed)} |"
    yield f"| so at most, with 95 % confidence | {found.failed_at_most:.2%} of runs |"
    yield f"| with other results | {len(found.differing)} |"
    yield f"| seconds of queries, twin | {found.twin_seconds:.0f} |"
    yield f"| seconds of queries, steered, learning included | {found.steered_seconds:.0f} |"
    yield f"| seconds by the best plan seen for each class of values and data | {found.oracle_seconds:.0f} |"
    yield f"| share of what that gains | {found.share_of_oracle:.0%} |\n"
    yield "The bound counts executions of one job as if they were independent, which they are not quite.\n"


def _by_trap(pairs: Sequence[Pair]) -> Iterator[str]:
    yield "## By job\n"
    yield "| job | nights | steered | seconds, twin | steered | best plans | slower | failed |\n|---|---|---|---|---|---|---|---|"
    for trap in dict.fromkeys(pair.trap for pair in pairs):
        mine = [pair for pair in pairs if pair.trap == trap]
        one = certify(mine)
        yield (
            f"| {trap} | {len(mine)} | {one.steered_runs} | {one.twin_seconds:.0f} | {one.steered_seconds:.0f} "
            f"| {one.oracle_seconds:.0f} | {len(one.slower)} | {len(one.failed)} |"
        )
