"""The last result as a page for people, what got slower first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.benchmarks.certificate.pair import Pair
from tests.benchmarks.certificate.verdict import Certificate, Compared, certify


def page(pairs: Sequence[Pair], planned: Mapping[str, int], command: str, machine: str, day: str) -> str:
    """Markdown. `planned` is how many pairs of runs there would have been of each job."""
    return "\n".join(_lines(pairs, planned, command, machine, day)) + "\n"


def _lines(pairs: Sequence[Pair], planned: Mapping[str, int], command: str, machine: str, day: str) -> Iterator[str]:
    found = certify(pairs)
    yield "# Regression certificate\n"
    yield "Jobs made to break the promise, run night after night on real Spark: through `spark-tuner submit`, and beside that"
    yield "by `spark-submit` alone, on the same data, in random order. Written by the benchmark itself; another seed has other"
    yield "data and other values.\n"
    yield f"    {command}\n"
    yield f"{day}, {machine}.\n"
    yield f"The tuner, by a digest of its source: {_sources(pairs)}.\n"
    if len(pairs) < (all_pairs := sum(planned.values())):
        yield f"**Broken off after {len(pairs)} of {all_pairs} pairs of runs: what follows is of these alone.**\n"
    if unknown := [job for job in planned if job not in {pair.trap for pair in pairs}]:
        yield f"**Not run: {', '.join(unknown)}.** Of these nothing here is known.\n"
    yield from _worse(found, pairs)
    yield from _counts(found)
    yield from _beside(found)
    yield from _by_trap(pairs)


def _sources(pairs: Sequence[Pair]) -> str:
    counts = Counter(pair.source for pair in pairs)
    return ", ".join(f"{source or 'not recorded'} ({n} of {len(pairs)} pairs)" for source, n in counts.items())


def _worse(found: Certificate, pairs: Sequence[Pair]) -> Iterator[str]:
    yield "## What got worse\n"
    longer = found.steered_command_seconds > found.twin_command_seconds
    if not found.executions:
        yield "Not known: no run had a change in force.\n"
    if not (found.slower or found.failed or found.failed_once or found.differing or found.slower_beside or longer):
        if found.executions:
            yield "Nothing: no query slower beyond noise, no failure that its twin did not have, no other result.\n"
        return
    yield from map(_slower, found.slower)
    yield from (f"- failed: {one}" for one in found.failed)
    yield from (f"- failed, and did not when the same night ran again: {one}" for one in found.failed_once)
    for one in found.differing:
        yield f"- other rows: {one.pair.trap}, night {one.pair.night}, seed {one.pair.seed}: {one.steered[0].query}"
    if found.slower_beside:
        of = f"{len(found.slower_beside)} of {found.beside} queries"
        yield f"- {of} that no change acted on, in runs that had changes: see below"
    if longer:
        yield f"- whole commands, with deciding and reading logs: {_commands(found)}{_longest(pairs)}"
    yield ""


def _commands(found: Certificate) -> str:
    return f"{found.steered_command_seconds:.0f} s steered, {found.twin_command_seconds:.0f} s by themselves"


def _longest(pairs: Sequence[Pair]) -> str:
    """The job whose commands lost most."""
    by_job = {job: certify([pair for pair in pairs if pair.trap == job]) for job in {pair.trap for pair in pairs}}
    worst = max(by_job, key=lambda job: (by_job[job].steered_command_seconds - by_job[job].twin_command_seconds, job))
    return f"; most of {worst}, {_commands(by_job[worst])}"


def _slower(one: Compared) -> str:
    seed, trap, _, query, values = one.literal_class
    took = f"{one.seconds:.1f} s, by itself {one.twin_seconds:.1f} s"
    return f"- {trap}, night {one.pair.night}, seed {seed}: {query} {values} took {took}"


def _beside(found: Certificate) -> Iterator[str]:
    if not found.slower_beside:
        return
    yield "## Slower though no change acted on them\n"
    yield "Queries of steered runs whose plans Spark made by itself, by one pair of runs each. What Spark had compiled for the"
    yield "queries before them, and races in adaptive execution, are among the reasons.\n"
    yield from map(_slower, found.slower_beside)
    yield ""


def _counts(found: Certificate) -> Iterator[str]:
    yield "## In numbers\n"
    yield "| | |\n|---|---|"
    yield f"| pairs of runs | {found.pairs} |"
    yield f"| steered runs with changes in force | {found.steered_runs} |"
    yield f"| queries in these that a change acted on | {found.executions} |"
    yield f"| slower in the first pair, by more than 5 % and 0.3 s | {found.slower_at_first} |"
    yield f"| faster in the first pair, by the same measure | {found.faster_at_first} |"
    yield f"| slower in all pairs: beyond noise | {len(found.slower)} |"
    yield f"| so at most, with 95 % confidence | {found.slower_at_most:.2%} of executions |"
    yield f"| faster in all pairs, of which most have one | {found.faster} |"
    yield f"| queries in these that no change acted on | {found.beside} |"
    yield f"| of them slower by the same measure, in one pair | {len(found.slower_beside)} |"
    yield f"| of them faster by the same measure, in one pair | {found.faster_beside} |"
    yield f"| failed where the twin did not, each time | {len(found.failed)} |"
    yield f"| so at most, with 95 % confidence | {found.failed_at_most:.2%} of runs |"
    yield f"| failed, and did not again | {len(found.failed_once)} |"
    yield f"| with other results | {len(found.differing)} |"
    yield f"| seconds of queries, twin | {found.twin_seconds:.0f} |"
    yield f"| seconds of queries, steered, learning included | {found.steered_seconds:.0f} |"
    yield f"| seconds by the best plan seen for each class of values and data | {found.oracle_seconds:.0f} |"
    yield f"| share of what that gains | {found.share_of_oracle:.0%} |"
    yield f"| the same without the first night of each class | {found.known_share_of_oracle:.0%} |"
    yield f"| seconds of whole commands, twin | {found.twin_command_seconds:.0f} |"
    yield f"| seconds of whole commands, steered: deciding and reading logs included | {found.steered_command_seconds:.0f} |\n"
    yield "A query counts as slower where every steered run of it took longer than every run of the twin, by the clock or by"
    yield "processor time and by the other not less; what one pair of runs says is asked of up to three more pairs, steered from"
    yield "the store as it was. What is faster is not asked again: counts of the first pairs alone are by one measure both ways."
    yield "The bounds (Clopper and Pearson) count executions of a job as independent, which they are not.\n"


def _by_trap(pairs: Sequence[Pair]) -> Iterator[str]:
    yield "## By job\n"
    yield "| job | runs | steered | seconds, twin | steered | best plans | slower | failed |\n|---|---|---|---|---|---|---|---|"
    for trap in dict.fromkeys(pair.trap for pair in pairs):
        mine = [pair for pair in pairs if pair.trap == trap]
        one = certify(mine)
        yield (
            f"| {trap} | {len(mine)} | {one.steered_runs} | {one.twin_seconds:.0f} | {one.steered_seconds:.0f} "
            f"| {one.oracle_seconds:.0f} | {len(one.slower)} | {len(one.failed)} |"
        )
