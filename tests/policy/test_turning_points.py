"""What would have got slower since Spark, the cluster or the data changed: by measured runs, with and without changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Standing
from tuner.model.run import Origin, Run, RunState
from tuner.model.turning_point import Took, TurnedBy
from tuner.policy.turning_points import turning_points
from tuner.words.turning_points import prevented_words, took_words, turn_words, untold_words

from .histories import GB, decided, hint, run

CHANGE = decided(hint("q1"), Standing.PROMOTED)


def night(
    number: int,
    q1: float,
    *changes: DecidedChange,
    spark: str = "3.5.1",
    size: int = GB,
    cluster: Cluster = Cluster(cores=8),  # noqa: B008 (frozen)
    q2: float = 10.0,
) -> Run:
    found = run(number, {"q1": q1, "q2": q2}, *changes, input_bytes=size)
    assert found.outcome is not None
    return replace(found, outcome=replace(found.outcome, spark_version=spark, cluster=cluster))


BEFORE = [night(0, 10), night(1, 11), night(2, 6, CHANGE)]
SINCE = [night(3, 20, spark="4.0.1"), night(4, 7, CHANGE, spark="4.0.1"), night(5, 8, CHANGE, spark="4.0.1")]


def test_another_spark_made_a_query_slower_and_the_tuner_prevented_most_of_it() -> None:
    (point,) = turning_points([*BEFORE, *SINCE])
    assert (point.run_key, point.by, point.difference) == ("etl/3/1", TurnedBy.CLUSTER, "Spark 4.0 instead of 3.5")
    (query,) = point.queries
    assert (query.query, query.before, query.without) == ("q1", Took(10.5, 10.0, 11.0, 2), Took(20.0, 20.0, 20.0, 1))
    assert query.tuned == Took(7.5, 7.0, 8.0, 2)
    assert (query.slower_seconds, query.prevented_seconds, query.prevented_at_least) == (9.5, 9.5, 9.0)
    assert (point.compared, point.untold, point.runs_since) == (2, 0, 3)
    assert turn_words(point) == "since 2026-01-04 00:00 UTC runs have Spark 4.0 instead of 3.5 (3 runs)"
    assert prevented_words(point) == (
        "without the tuner 1 of 2 queries would have got slower, by 9.5 s a run; its changes prevented 9.5 s of that "
        "(at least 9.0 s)"
    )
    assert untold_words(point) == ""


def test_no_more_is_prevented_than_there_was_to_lose() -> None:
    """The rest of the gain had been there before."""
    (point,) = turning_points([night(0, 10), night(1, 13, spark="4.0"), night(2, 2, CHANGE, spark="4.0")])
    assert (point.slower_seconds, point.prevented_seconds) == (3.0, 3.0)


def test_what_changes_did_not_help_is_not_prevented() -> None:
    (point,) = turning_points([night(0, 10), night(1, 20, spark="4.0"), night(2, 25, CHANGE, spark="4.0")])
    assert (point.slower_seconds, point.prevented_seconds, point.prevented_at_least) == (10.0, 0.0, 0.0)


def test_without_changes_since_nothing_is_prevented() -> None:
    (point,) = turning_points([night(0, 10), night(1, 20, spark="4.0")])
    assert (point.queries[0].tuned, point.prevented_seconds) == (None, 0.0)
    assert took_words(None) == "-" and took_words(point.queries[0].before) == "10.0 s (1 run)"
    assert took_words(Took(10.5, 10.0, 11.0, 2)) == "10.5 s (2 runs)"


@pytest.mark.parametrize("q1", [10.4, 10.9, 9.0])
def test_what_nights_differ_by_is_no_regression(q1: float) -> None:
    (point,) = turning_points([night(0, 10), night(1, 10), night(2, q1, spark="4.0")])
    assert point.queries == ()
    assert (
        prevented_words(point)
        == "without the tuner none of 2 queries would have got slower beyond what nights differ by"
    )


def test_nights_that_overlap_tell_of_no_regression() -> None:
    (point,) = turning_points([night(0, 10), night(1, 22), night(2, 10), night(3, 20, spark="4.0")])
    assert point.queries == ()


def test_a_query_that_never_ran_without_changes_before_or_since_is_not_told_of() -> None:
    """Nothing is foretold."""
    (point,) = turning_points([night(0, 6, CHANGE), night(1, 20, spark="4.0"), night(2, 8, CHANGE, spark="4.0")])
    assert (point.queries, point.compared, point.untold) == ((), 1, 1)
    assert untold_words(point) == "nothing is said of 1 query that ran with changes in all runs before, or in all since"
    both = [night(0, 10), night(1, 6, CHANGE, spark="4.0")]
    assert [(p.compared, p.untold) for p in turning_points(both)] == [(1, 1)]
    alone = [replace(one, outcome=replace(one.outcome, queries=one.outcome.queries[:1])) for one in both if one.outcome]
    (unknown,) = turning_points(alone)
    assert prevented_words(unknown) == "what it did is not known: no query ran without changes both before and since"


def test_a_property_reaches_every_query() -> None:
    everywhere = decided(replace(hint("q1"), kind="set_conf", query=None, relations=()), queries=["q1"])  # type: ignore[arg-type]
    (point,) = turning_points([night(0, 10), night(1, 20, everywhere, spark="4.0")])
    assert (point.compared, point.untold) == (0, 2)


def test_heaps_count_and_cores_do_not() -> None:
    small = Cluster(cores=8, executor_memory_bytes=4 * GB)
    assert turning_points([night(0, 10, cluster=small), night(1, 10, cluster=replace(small, cores=16))]) == []
    (point,) = turning_points(
        [night(0, 10, cluster=small), night(1, 10, cluster=replace(small, executor_memory_bytes=GB))]
    )
    assert point.difference == "executors of 1.0 GB instead of 4.0 GB"


def test_data_that_have_grown_to_stay_are_a_turn() -> None:
    grown = [night(3, 30, size=3 * GB), night(4, 9, CHANGE, size=3 * GB)]
    (point,) = turning_points([*BEFORE, *grown])
    assert (point.by, point.difference) == (TurnedBy.DATA, "inputs of 6.0 GB instead of 2.0 GB")
    assert [query.query for query in point.queries] == ["q1"]


def beside_q3(one: Run, size: int) -> Run:
    """With a query that its author added, after the others."""
    assert one.outcome is not None
    (added,) = run(0, {"q3": 30.0}, input_bytes=size).outcome.queries  # type: ignore[union-attr]
    return replace(one, outcome=replace(one.outcome, queries=(*one.outcome.queries, added)))


def test_a_query_that_was_added_is_no_data_that_have_grown() -> None:
    added = [beside_q3(night(3 + n, 10), 10 * GB) for n in range(3)]
    assert turning_points([*BEFORE, *added]) == []
    assert turning_points([*added, *(night(6 + n, 10) for n in range(3))]) == [], "nor is one that is gone"
    grown = [beside_q3(night(3 + n, 30, size=3 * GB), 10 * GB) for n in range(3)]
    (point,) = turning_points([*BEFORE, *grown])
    assert (point.by, point.difference) == (TurnedBy.DATA, "inputs of 6.0 GB instead of 2.0 GB")


def test_a_query_that_was_added_hides_no_growth_of_later() -> None:
    added = [beside_q3(night(3 + n, 10), 10 * GB) for n in range(5)]
    grown = [beside_q3(night(8 + n, 30, size=20 * GB), 10 * GB) for n in range(3)]
    (point,) = turning_points([*BEFORE, *added, *grown])
    assert (point.run_key, point.difference) == ("etl/8/1", "inputs of 50.0 GB instead of 12.0 GB")


def test_a_run_of_other_queries_among_them_does_not_hide_growth() -> None:
    other = replace(night(2, 10), outcome=replace(run(2, {"q9": 1.0}).outcome, spark_version="3.5.1"))  # type: ignore[type-var]
    (point,) = turning_points([*BEFORE[:2], other, *(night(3 + n, 30, size=3 * GB) for n in range(3))])
    assert (point.run_key, point.difference) == ("etl/3/1", "inputs of 6.0 GB instead of 2.0 GB")


def test_another_job_under_the_same_name_is_no_growth() -> None:
    def edited(one: Run) -> Run:
        assert one.outcome is not None
        queries = tuple(replace(query, fingerprint=f"{query.fingerprint}+") for query in one.outcome.queries)
        return replace(one, outcome=replace(one.outcome, queries=queries))

    assert turning_points([*BEFORE, *(edited(night(3 + n, 10, size=9 * GB)) for n in range(5))]) == []


def of_instances(dag_run: int, *sizes: tuple[str, int]) -> list[Run]:
    """The instances of a mapped task in one DAG run, which ask a query each."""
    found = (run(dag_run, {query: 10.0}, input_bytes=size) for query, size in sizes)
    return [
        replace(one, key=f"{one.key}/{place}", origin=Origin("etl", f"at {dag_run}", "load", place))
        for place, one in enumerate(found)
    ]


def test_tables_that_have_grown_are_a_turn_where_each_instance_of_a_mapped_task_asks_its_own() -> None:
    sizes = [(f"q{n}", (n + 1) * GB) for n in range(6)]
    grown = [(query, 3 * size) for query, size in sizes]
    runs = [one for number in range(10) for one in of_instances(number, *(grown if number >= 5 else sizes))]
    (point,) = turning_points(runs)
    assert (point.run_key, point.by, point.runs_since) == ("etl/5/1/0", TurnedBy.DATA, 30)
    assert point.difference == "inputs of 63.0 GB instead of 21.0 GB"
    assert turning_points(runs[:30]) == []
    assert turning_points(runs[5:30]) == [], "the first DAG run is not at hand as a whole"


def test_instances_that_ask_the_same_are_no_growth_where_more_of_a_dag_run_are_at_hand() -> None:
    several = [one for number in range(1, 6) for one in of_instances(number, *[("q1", GB)] * 6)]
    assert turning_points([*of_instances(0, ("q1", GB)), *several]) == []


def test_a_query_whose_upstream_was_late_once_does_not_hide_that_it_has_grown() -> None:
    grown = [night(3 + n, 30, size=3 * GB) for n in range(5)]
    assert grown[3].outcome is not None
    first, *rest = grown[3].outcome.queries
    late = replace(grown[3].outcome, queries=(replace(first, input_bytes=0), *rest))
    grown[3] = replace(grown[3], outcome=late)
    (point,) = turning_points([*BEFORE, *grown])
    assert (point.run_key, point.by) == ("etl/3/1", TurnedBy.DATA)


@pytest.mark.parametrize("sizes", [[3, 1], [1, 1], [3], [2, 1, 2, 1], [3, 3, 1, 1, 1, 1, 1, 3, 3]])
def test_a_large_night_is_none(sizes: list[int]) -> None:
    assert turning_points([*BEFORE, *(night(3 + n, 10, size=size * GB) for n, size in enumerate(sizes))]) == []


def test_nights_that_were_large_once_hide_no_growth_of_later() -> None:
    def points(*sizes: int) -> int:
        return len(turning_points([night(n, 10, size=size * GB) for n, size in enumerate(sizes)]))

    small = [1] * 30
    assert points(1, 1, 1, 3, 3, *small, *small, 3, 3, 3, 3, 3) == 1
    assert points(1, 1, 1, 3, 3, *small[:10], 3, 3, 3, 3, 3) == 0, "two weekends"
    assert points(1, 1, 1, 3, 3, *small[:26], 3, 3, *small[:26], 3, 3) == 0, "the ends of months"
    assert points(1, 1, 1, 3, 3, *small[:26], 3, 3) == 0, "the second end of a month"


def test_a_small_night_among_grown_ones_does_not_end_the_turn() -> None:
    grown = [night(3 + n, 30, size=size * GB) for n, size in enumerate([3, 3, 1, 3, 3, 3])]
    (point,) = turning_points([*BEFORE, *grown])
    assert (point.run_key, point.by) == ("etl/3/1", TurnedBy.DATA)


def test_a_night_that_found_nothing_to_read_tells_nothing() -> None:
    empty = night(3, 0.3, q2=0.3, size=0)
    grown = [night(4, 30, size=3 * GB), night(5, 0.3, q2=0.3, size=0), night(6, 31, size=3 * GB)]
    (point,) = turning_points([*BEFORE, empty, *grown])
    assert (point.run_key, point.by, point.runs_since) == ("etl/4/1", TurnedBy.DATA, 2)
    assert (point.queries[0].before, point.queries[0].without) == (Took(10.5, 10.0, 11.0, 2), Took(30.5, 30.0, 31.0, 2))
    (told,) = turning_points([*BEFORE, night(3, 20, spark="4.0.1"), night(4, 0.3, q2=0.3, size=0, spark="4.0.1")])
    assert (told.queries[0].without, told.runs_since) == (Took(20.0, 20.0, 20.0, 1), 1)
    never = [night(n, 10 + 10 * (n > 1), spark="3.5.1" if n < 2 else "4.0.1", size=0) for n in range(4)]
    assert turning_points(never)[0].slower_seconds == 10.0, "a source whose bytes are not counted"


def test_each_turn_is_told_by_the_runs_up_to_the_next() -> None:
    later = [night(6, 40, spark="4.1"), night(7, 9, CHANGE, spark="4.1")]
    newest, older = turning_points([*BEFORE, *SINCE, *later])
    assert (newest.difference, older.difference) == ("Spark 4.1 instead of 4.0", "Spark 4.0 instead of 3.5")
    assert (newest.queries[0].before.seconds, older.queries[0].without.seconds) == (20.0, 20.0)
    assert older.runs_since == 3


def test_what_was_not_measured_tells_nothing() -> None:
    failed = replace(night(3, 90, spark="4.0"), state=RunState.FAILED)
    assert turning_points([*BEFORE, failed]) == [] == turning_points([])
