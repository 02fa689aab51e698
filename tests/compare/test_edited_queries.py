"""Which query of the later run is an edited one of the earlier run."""

from __future__ import annotations

import pytest

from tests.compare.jobs import execution, run
from tuner.compare.compare_runs import compare_runs
from tuner.compare.edited_queries import edited_queries
from tuner.model.query import Query

SALES, DAYS, CUSTOMERS = "shop.sales", "shop.days", "shop.customers"


def called(fingerprint: str, description: str = "daily sales", *relations: str) -> Query:
    return execution(fingerprint, description=description, relations=relations or (DAYS, SALES))


def edited(before: list[Query], after: list[Query]) -> dict[str, str]:
    old, new = (
        {query.fingerprint: [q for q in queries if q.fingerprint == query.fingerprint] for query in queries}
        for queries in (before, after)
    )
    return edited_queries(old, new)


def test_what_the_job_calls_the_same_and_reads_a_table_of_is_an_edited_query() -> None:
    after = called("new", "daily sales", CUSTOMERS, DAYS, SALES)
    assert edited([called("old"), called("q2", "other")], [called("q2", "other"), after]) == {"new": "old"}


def test_without_a_table_in_common_it_is_another_one() -> None:
    assert edited([called("old")], [called("new", "daily sales", CUSTOMERS)]) == {}
    assert edited([execution("old", description="x")], [execution("new", description="x")]) == {}, "none is known"


def test_a_name_that_several_queries_of_a_run_have_tells_none_from_another() -> None:
    assert edited([called("old"), called("q2")], [called("q2"), called("new")]) == {}
    assert edited([called("old")], [called("new"), called("newer")]) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([called("q", "a"), called("q", "b")], [called("n1", "a"), called("n2", "b")]),
        ([called("q1", "a"), called("q2", "b")], [called("n", "a"), called("n", "b")]),
    ],
    ids=["one that became two", "two that became one"],
)
def test_of_queries_with_two_names_one_was_edited_into_one_or_none(before: list[Query], after: list[Query]) -> None:
    assert edited(before, after) == {}
    compared = compare_runs(run(0, *before), run(1, *after))
    assert {query.fingerprint for query in compared.queries} == {q.fingerprint for q in (*before, *after)}


def test_a_query_with_two_names_before_and_after_was_edited() -> None:
    assert edited([called("q", "a"), called("q", "b")], [called("n", "a"), called("n", "b")]) == {"n": "q"}


def test_a_query_that_is_there_still_under_another_name_was_not_edited() -> None:
    assert edited([called("q1")], [called("q1", "sales by day"), called("new")]) == {}
    assert edited([called("q1", "sales by day"), called("old")], [called("q1")]) == {}


def test_what_spark_describes_a_query_by_is_no_name() -> None:
    for description in ("", "save at NativeMethodAccessorImpl.java:0", "Spark Connect - session_id: 7"):
        assert edited([called("old", description)], [called("new", description)]) == {}
