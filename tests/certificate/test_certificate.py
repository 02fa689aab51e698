"""The regression certificate: what counts as worse, what a count bounds, and that a run broken off goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.benchmarks.certificate import __main__ as certificate
from tests.benchmarks.certificate import nights
from tests.benchmarks.certificate.bound import upper_bound
from tests.benchmarks.certificate.nights import play_nights
from tests.benchmarks.certificate.page import page
from tests.benchmarks.certificate.pair import Executed, Pair, Ran
from tests.benchmarks.certificate.star import SHARES, make_star
from tests.benchmarks.certificate.trap import Night, Trap
from tests.benchmarks.certificate.traps import traps
from tests.benchmarks.certificate.verdict import certify, is_in_doubt
from tuner.source_digest import source_digest

BY_ITSELF: tuple[str, ...] = ()


def one(seconds: float, cpu: float = 4.0, digest: str = "7") -> Executed:
    return Executed("sales", "{}", seconds, cpu, 50, digest)


def ran(executed: Executed, changes: tuple[str, ...] = BY_ITSELF) -> Ran:
    return Ran(True, changes, 9, (replace(executed, changes=changes),))


def pair(*both: tuple[Executed, Executed], night: int = 1, changes: tuple[str, ...] = ("order",)) -> Pair:
    """Steered and twin, pair by pair."""
    steered, twin = (tuple(runs) for runs in zip(*both, strict=True))
    return Pair(1, "job", night, False, 0, tuple(ran(s, changes) for s in steered), tuple(map(ran, twin)))


@pytest.mark.parametrize(
    ("failures", "trials", "bound"), [(0, 100, 0.0295), (1, 100, 0.0466), (0, 200, 0.0149), (5, 50, 0.1991)]
)
def test_a_bound_is_that_of_clopper_and_pearson(failures: int, trials: int, bound: float) -> None:
    assert upper_bound(failures, trials) == pytest.approx(bound, abs=5e-4)
    assert upper_bound(0, 0) == upper_bound(3, 3) == 1.0


@pytest.mark.parametrize(
    ("slower", "runs"),
    [
        (True, pair((one(12, 9), one(10, 8)))),
        (True, pair((one(12, 9), one(10, 8)), (one(11, 9), one(10.4, 8)))),
        (False, pair((one(12, 9), one(10, 8)), (one(11, 9), one(11.5, 9.5)))),
        (False, pair((one(10.6, 9), one(10, 8.9)))),
        (True, pair((one(10.1, 9), one(10, 8)))),
    ],
    ids=[
        "once",
        "in each run",
        "a twin was as slow",
        "by less than planning varies by",
        "by processors",
    ],
)
def test_slower_is_what_is_slower_in_every_run(slower: bool, runs: Pair) -> None:
    assert bool(certify([runs]).slower) == is_in_doubt(runs) == slower


def test_what_the_clock_alone_says_against_processors_is_noise() -> None:
    assert not certify([pair((one(12, 3.9), one(10, 4)))]).slower


def test_a_run_without_changes_is_not_judged_but_its_results_are() -> None:
    worse = pair((one(12, 9), one(10, digest="8")), changes=BY_ITSELF)
    assert not is_in_doubt(worse)
    found = certify([worse])
    assert not found.slower and found.executions == found.steered_runs == 0
    assert [c.pair for c in found.differing] == [worse]


def test_a_query_that_no_change_acted_on_is_counted_beside_them() -> None:
    worse = pair((one(12, 9), one(10, 8)))
    beside = replace(worse, steered=tuple(replace(r, executed=(one(12, 9),)) for r in worse.steered))
    assert not is_in_doubt(beside)
    found = certify([beside, pair((one(3), one(9)), night=2)])
    assert (found.executions, found.slower, found.faster, found.beside) == (1, (), 1, 1)
    assert [c.pair for c in found.slower_beside] == [beside] and not found.faster_beside
    turned = replace(beside, steered=tuple(replace(r, executed=(one(8, 7),)) for r in beside.steered))
    assert certify([turned]).faster_beside == 1 and not certify([turned]).slower_beside
    text = page([beside], {"job": 1}, "command", "machine", "2026-11-23")
    assert "- 1 of 1 queries that no change acted on" in text[: text.index("## In numbers")]
    assert text.index("## Slower though no change acted") < text.index("took 12.0 s, by itself 10.0 s")


def test_a_failure_counts_where_it_comes_again_and_the_twin_has_none() -> None:
    well = pair((one(5), one(5)))
    failed = Ran(False, ("order",), 5, failure="out of memory")
    assert certify([replace(well, steered=(failed, failed))]).failed == ("job, night 1, seed 1: out of memory",)
    assert is_in_doubt(replace(well, steered=(failed,)))
    assert not certify([replace(well, steered=(failed, *well.steered))]).failed
    assert not certify([replace(well, steered=(failed,), twin=(failed,))]).failed


def test_first_pairs_count_both_ways_for_only_what_is_slower_is_asked_again() -> None:
    slow, fast = (one(12, 9), one(10, 8)), (one(10, 8), one(12, 9))
    pairs = [
        pair(slow, fast, night=1),
        pair(slow, slow, night=2),
        pair(fast, night=3),
        pair((one(10), one(10)), night=4),
    ]
    found = certify(pairs)
    assert (found.slower_at_first, found.faster_at_first) == (2, 1)
    assert ([c.pair.night for c in found.slower], found.faster) == ([2], 1)
    text = page(pairs, {"job": 4}, "command", "machine", "2026-11-23")
    assert "| slower in the first pair, by more than 5 % and 0.3 s | 2 |" in text
    assert "| faster in the first pair, by the same measure | 1 |" in text
    assert "| slower in all pairs: beyond noise | 1 |" in text


def test_a_failure_that_does_not_come_again_is_listed_apart() -> None:
    well = pair((one(5), one(5)))
    failed = Ran(False, ("order",), 5, failure="out of memory")
    once = replace(well, steered=(failed, *well.steered), twin=well.twin * 2)
    assert (certify([once]).failed, certify([once]).failed_once) == ((), ("job, night 1, seed 1: out of memory",))
    assert not certify([replace(well, steered=(failed, failed))]).failed_once
    text = page([once], {"job": 1}, "command", "machine", "2026-11-23")
    told = "- failed, and did not when the same night ran again: job, night 1, seed 1: out of memory"
    assert told in text[: text.index("## In numbers")]


def test_whole_commands_that_took_longer_in_all_got_worse() -> None:
    well = pair((one(5), one(5)))
    longer = replace(well, trap="a loop", steered=(replace(well.steered[0], seconds=12),))
    worse = page([well, longer], {"job": 1, "a loop": 1}, "command", "machine", "2026-11-23")
    told = "- whole commands, with deciding and reading logs: 21 s steered, 18 s by themselves; most of a loop, 12 s steered"
    assert told in worse[: worse.index("## In numbers")]
    assert "- whole commands" not in page([well], {"job": 1}, "command", "machine", "2026-11-23")


def test_the_page_says_of_which_source_the_tuner_was() -> None:
    known, unknown = replace(pair((one(5), one(5))), source="b71b6255d8e9"), pair((one(5), one(5)), night=2)
    line = json.loads(unknown.as_line())
    del line["source"]
    assert Pair.of_line(json.dumps(line)) == unknown, "earlier ones did not record it"
    text = page([known, unknown], {"job": 2}, "command", "machine", "2026-11-23")
    assert "by a digest of its source: b71b6255d8e9 (1 of 2 pairs), not recorded (1 of 2 pairs)." in text


def test_the_oracle_has_the_plan_that_is_best_in_the_median() -> None:
    nights_of_a_job = [
        pair((one(10), one(10)), changes=BY_ITSELF),
        pair((one(6), one(10)), night=2),
        pair((one(8), one(10)), night=3),
        pair((one(12), one(10)), night=4, changes=("another order",)),
    ]
    found = certify(nights_of_a_job)
    assert (found.twin_seconds, found.steered_seconds, found.oracle_seconds) == (40, 36, 28)
    assert found.share_of_oracle == pytest.approx(4 / 12)
    assert found.known_share_of_oracle == pytest.approx(4 / 9), "of the first night nothing can be known"


def test_a_pair_is_read_as_it_was_written_and_the_page_names_what_got_slower_first() -> None:
    pairs = [pair((one(12, 9), one(10, 8)), (one(13, 9), one(11, 8))), pair((one(3), one(9)), night=2)]
    assert [Pair.of_line(p.as_line()) for p in pairs] == pairs
    text = page(pairs, {"job": 2}, "command", "machine", "2026-11-23")
    assert text.index("job, night 1, seed 1: sales {} took 12.5 s, by itself 10.5 s") < text.index("## In numbers")


class TestNights:
    """Of a job whose runs leave a line in their store and find it slower each time."""

    @pytest.fixture(autouse=True)
    def runs(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        stores: list[str] = []

        def run(trap: Trap, night: Night, tables: Path, work: Path, store: Path | None) -> Ran:
            if store is None:
                return ran(one(2.0))
            before = store.read_text() if store.exists() else ""
            store.write_text(before + ".")
            stores.append(
                f"{store.name} {before} {tables.name} {sorted(t.name for t in (store.parent / 'tables').iterdir())}"
            )
            return ran(one(3.0 if before == ".." else 1.0, 5.0), ("order",))

        monkeypatch.setattr(nights, "run_job", run)
        return stores

    @staticmethod
    def job(change: Callable[[Path, int], None]) -> Trap:
        return Trap("job", change, {}, [Night(), Night(misses_input=True, changes_data=change), Night()], {})

    def test_data_change_once_and_doubt_is_asked_again_from_the_store_as_it_was(
        self, tmp_path: Path, runs: list[str]
    ) -> None:
        found = list(play_nights(self.job(_table), tmp_path / "job", 1, []))
        assert {p.source for p in found} == {source_digest()}
        assert [(p.night, p.missed, p.data, len(p.steered)) for p in found] == [
            (1, False, 0, 1),
            (2, True, 1, 1),
            (2, False, 1, 4),
            (3, False, 1, 1),
        ]
        assert runs == [
            "history.db  tables ['seed 1']",
            "history.db . missing ['seed 1', 'seed 3']",
            *[
                f"{store} .. tables ['seed 1', 'seed 3']"
                for store in ("history.db", "again.db", "again.db", "again.db")
            ],
            "history.db ... tables ['seed 1', 'seed 3']",
        ]

    def test_what_was_broken_off_within_a_pair_goes_on_from_the_store_before_it(
        self, tmp_path: Path, runs: list[str]
    ) -> None:
        whole = list(play_nights(self.job(_table), tmp_path / "whole", 1, []))
        begun = play_nights(self.job(_table), tmp_path / "job", 1, [])
        known = [next(begun) for _ in range(3)]
        (tmp_path / "job" / "history.db").write_text("....")
        assert (tmp_path / "job" / "before.db").read_text() == "..."
        assert list(play_nights(self.job(_table), tmp_path / "job", 1, known)) == whole[3:]
        assert runs[-1] == "history.db ... tables ['seed 1', 'seed 3']"


def _table(folder: Path, seed: int) -> None:
    (folder / f"seed {seed}").mkdir()


def test_the_page_of_runs_without_changes_promises_nothing() -> None:
    text = page(
        [pair((one(5), one(5)), changes=BY_ITSELF)], {"job": 60, "another": 30}, "command", "machine", "2026-11-23"
    )
    assert "**Broken off after 1 of 90 pairs of runs" in text
    assert "**Not run: another.**" in text
    assert "Not known: no run had a change in force." in text
    assert "| so at most, with 95 % confidence | 100.00% of executions |" in text


def test_what_whole_commands_took_longer_hides_not_that_no_run_had_changes() -> None:
    runs = pair((one(5), one(5)), changes=BY_ITSELF)
    runs = replace(runs, steered=tuple(replace(ran, seconds=12) for ran in runs.steered))
    text = page([runs], {"job": 1}, "command", "machine", "2026-11-23")
    assert "Not known: no run had a change in force." in text
    assert "- whole commands, with deciding and reading logs: 12 s steered" in text


FINE, SLOW = pair((one(5), one(9))), pair((one(12, 9), one(10, 8)))
UNSTEERED = pair((one(5), one(5)), changes=BY_ITSELF)


@pytest.mark.parametrize(
    ("played", "options", "code", "said"),
    [
        ([FINE], [], 0, ""),
        ([FINE, SLOW], [], 0, ""),
        ([FINE, SLOW, SLOW], [], 1, "queries slower in all pairs: 2 of 3, where chance makes 1 at most"),
        ([FINE, SLOW, SLOW], ["--nights", "3"], 1, "queries slower in all pairs: 2 of 3"),
        ([*[FINE] * 298, SLOW, SLOW, SLOW], [], 0, ""),
        ([UNSTEERED], [], 1, "no change acted on any query: nothing is known"),
        ([], [], 1, "no change acted on any query: nothing is known"),
        ([UNSTEERED], ["--nights", "1"], 0, ""),
        ([UNSTEERED], ["--only", "job"], 0, ""),
        ([UNSTEERED], ["--minutes", "0"], 0, ""),
        ([pair((one(5), one(9, digest="8")))], [], 1, "queries with other results: 1"),
        (
            [replace(FINE, steered=(Ran(False, ("order",), 9),))],
            ["--only", "job"],
            1,
            "failed where the twin did not: 1",
        ),
    ],
)
def test_a_run_that_shows_nothing_or_more_losses_than_chance_makes_is_no_certificate(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    played: list[Pair],
    options: list[str],
    code: int,
    said: str,
) -> None:
    trap = Trap("job", lambda folder, seed: None, {}, [Night()] * 3, {})
    monkeypatch.setattr(certificate, "traps", lambda seed: [trap])
    monkeypatch.setattr(certificate, "suites", list)
    monkeypatch.setattr(certificate, "play_nights", lambda *_: iter(played))
    monkeypatch.setattr("sys.argv", ["certificate", str(tmp_path), *options])
    assert certificate.main() == code
    told = capsys.readouterr()
    assert (said in told.err) if said else not told.err
    assert "# Regression certificate" in told.out


@pytest.mark.nightly
def test_tables_are_the_same_for_a_seed_and_their_values_as_frequent_as_they_say(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        make_star(tmp_path / name, seed, facts=1000)
    tables = {name: pq.read_table(tmp_path / name / "f") for name in ("one", "same", "other")}
    assert tables["one"].equals(tables["same"])
    assert not tables["one"].equals(tables["other"])
    categories = pq.read_table(tmp_path / "one" / "a").column("cat").to_pylist()
    assert categories.count("rare") / len(categories) == pytest.approx(SHARES["rare"], rel=0.2)


def test_every_job_learns_before_something_happens() -> None:
    for trap in traps(1):
        assert len(trap.nights) >= 4
        texts = [
            text.format(**values) for text in trap.queries.values() for night in trap.nights for values in night.values
        ]
        assert texts and all(text.startswith(("SELECT", "WITH", "\n", "select")) for text in texts)
