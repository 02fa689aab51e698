"""The arithmetic of the regression certificate: what counts as worse, and what a count bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.benchmarks.certificate.bound import upper_bound
from tests.benchmarks.certificate.page import page
from tests.benchmarks.certificate.pair import Executed, Pair, Ran
from tests.benchmarks.certificate.star import SHARES, make_star
from tests.benchmarks.certificate.traps import traps
from tests.benchmarks.certificate.verdict import certify, is_in_doubt


def one(seconds: float, cpu: float | None = 4.0, digest: str = "7") -> Executed:
    return Executed("sales", "{}", seconds, cpu, 50, digest)


def pair(steered: Executed, twin: Executed, *again: Executed, night: int = 1, in_force: int = 1) -> Pair:
    return Pair(
        "trap",
        night,
        0,
        Ran(True, in_force, 9, (steered,)),
        Ran(True, 0, 9, (twin,)),
        tuple(Ran(True, 0, 9, (a,)) for a in again),
    )


@pytest.mark.parametrize(
    ("failures", "trials", "bound"), [(0, 100, 0.0295), (1, 100, 0.0466), (0, 200, 0.0149), (5, 50, 0.1991)]
)
def test_a_bound_is_that_of_clopper_and_pearson(failures: int, trials: int, bound: float) -> None:
    assert upper_bound(failures, trials) == pytest.approx(bound, abs=5e-4)
    assert upper_bound(0, 0) == upper_bound(3, 3) == 1.0


def test_slower_is_what_every_run_of_the_twin_beats_by_the_clock_and_by_processors() -> None:
    worse = pair(one(12, cpu=9), one(10))
    assert is_in_doubt(worse)
    assert [s.seconds for s in certify([worse]).slower] == [12]
    assert not certify([pair(one(12, cpu=9), one(10), one(11.8))]).slower
    assert not certify([pair(one(12, cpu=4.1), one(10))]).slower, "the clock alone: a neighbour's load"
    assert certify([pair(one(12, cpu=None), one(10))]).slower
    assert not certify([pair(one(12, cpu=9), one(10), in_force=0)]).slower, "nothing was in force"


def test_failures_and_results_are_held_against_the_twin() -> None:
    failed = Ran(False, 2, 5, failure="out of memory")
    both = pair(one(5), one(5))
    assert certify([replace(both, steered=failed)]).failed == ("trap, night 1: out of memory",)
    assert not certify([replace(both, steered=failed, twin=failed)]).failed
    assert certify([pair(one(5), one(5, digest="8"))]).differing == ("trap, night 1: sales",)


def test_the_oracle_is_the_best_run_of_each_class() -> None:
    found = certify([pair(one(10), one(10), in_force=0), pair(one(6), one(10), night=2)])
    assert (found.twin_seconds, found.steered_seconds, found.oracle_seconds) == (20, 16, 12)
    assert found.share_of_oracle == 0.5
    assert (found.steered_runs, found.executions) == (1, 1)


def test_a_pair_is_read_as_it_was_written_and_the_page_names_what_got_slower_first() -> None:
    pairs = [pair(one(12, cpu=9), one(10), one(10.5)), pair(one(3), one(9), night=2)]
    assert [Pair.of_line(p.as_line()) for p in pairs] == pairs
    text = page(pairs, "command", "machine", "2026-11-23")
    assert text.index("trap, night 1: sales {} took 12.0 s, its twin at most 10.5 s") < text.index("## In numbers")


def test_tables_are_the_same_for_a_seed_and_their_values_as_frequent_as_they_say(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        make_star(tmp_path / name, seed, facts=1000)
    tables = {name: pq.read_table(tmp_path / name / "f") for name in ("one", "same", "other")}
    assert tables["one"].equals(tables["same"])
    assert not tables["one"].equals(tables["other"])
    categories = pq.read_table(tmp_path / "one" / "a").column("cat").to_pylist()
    assert categories.count("rare") / len(categories) == pytest.approx(SHARES["rare"], rel=0.2)


def test_every_trap_learns_before_something_happens() -> None:
    for trap in traps(1):
        assert len(trap.nights) >= 4
        texts = [
            text.format(**values) for text in trap.queries.values() for night in trap.nights for values in night.values
        ]
        assert texts and not any("{" in text for text in texts)
