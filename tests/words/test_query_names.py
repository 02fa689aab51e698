"""A query is called what its job called it, else by its statement's place, else by what it joins; no two are called the same."""

from __future__ import annotations

import pytest

from tuner.model.query import Query, QueryStatus
from tuner.words.query_names import QueryNames, query_name

BATCH = "id = 6b1f1c5e-9a0e-4c3a-8f6d-2f6f5b7f9e10 runId = 0d8f6a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b batch = 3"
SALES, STOCK, ITEMS = "tpcds.catalog_sales", "file:/data/inventory", "tpcds.item"


def query(number: int = 3, description: str = "", relations: tuple[str, ...] = (), fingerprint: str = "") -> Query:
    return Query(
        number, number, fingerprint or f"f{number}", description, 0, 1, QueryStatus.SUCCEEDED, main_relations=relations
    )


@pytest.mark.parametrize(
    ("description", "relations", "name"),
    [
        ("sales by group", (SALES,), "sales by group"),
        ("statement 2 of 7", (SALES,), "statement 2 of 7"),
        ("  two\nlines ", (), "two lines"),
        ("SELECT " + "a, " * 100, (), "SELECT " + "a, " * 24 + "…"),
        ("count at Nightly.scala:94", (SALES,), "count at Nightly.scala:94"),
        ("collect at /jobs/nightly.py:12", (SALES,), "collect at /jobs/nightly.py:12"),
        ("count at <console>:25", (SALES,), "count at <console>:25"),
        # Tags that tools put before statements.
        (
            '/* {"?": "?", "?": "?"} */ create table shop.orders as select 1',
            (SALES,),
            "create table shop.orders as select 1",
        ),
        ("/* a */  /* b */ optimize orders", (SALES,), "optimize orders"),
        ("/*" + "x" * 100 + "*/ select a", (SALES,), "select a"),
        ('/* {"?": "?", "?…', (SALES,), "catalog_sales (query 3)"),
        ("/**/", (), "query 3"),
        ("/lake/*/orders to /core", (), "/lake/*/orders to /core"),
        # What PySpark, JDK 18 and thread pools make of a call site.
        ("parquet at NativeMethodAccessorImpl.java:0", (SALES, STOCK), "catalog_sales ⋈ inventory (query 3)"),
        ("count at DirectMethodHandleAccessor.java:103", (SALES,), "catalog_sales (query 3)"),
        ("$anonfun$run$1 at FutureTask.java:266", (SALES, STOCK, ITEMS), "catalog_sales ⋈ inventory ⋈ … (query 3)"),
        ("load at <unknown>:0", (), "query 3"),
        # What Spark says of a batch of a stream, with and without a name.
        (f"upsert items {BATCH}", (SALES,), "upsert items"),
        (BATCH, (SALES, STOCK), "catalog_sales ⋈ inventory (query 3)"),
        (BATCH.replace(" r", "\nr"), (), "query 3"),
        ("customers by id = 7", (SALES,), "customers by id = 7"),
        # What Spark Connect's server calls requests, as the log has it and as it is kept.
        (
            'Spark Connect - session_id: "8d2b…"\nuser_context {\n  user_id: "etl"',
            (SALES, STOCK),
            "catalog_sales ⋈ inventory (query 3)",
        ),
        ('Spark Connect - session_id: "?" plan { root { common { plan_id: 15 } s', (SALES,), "catalog_sales (query 3)"),
        ("", (SALES, STOCK, ITEMS), "catalog_sales ⋈ inventory ⋈ … (query 3)"),
        ("", (), "query 3"),
    ],
)
def test_a_query_is_named_by_the_first_that_it_has(description: str, relations: tuple[str, ...], name: str) -> None:
    assert query_name(query(3, description, relations)) == name


def test_people_who_may_not_read_the_code_see_relations_only() -> None:
    assert query_name(query(3, "secret plan", (SALES,)), described=False) == "catalog_sales (query 3)"


def test_a_relation_of_any_name_is_one_short_printable_word() -> None:
    name = query_name(query(3, "", ("db." + "x" * 500, "db.a\x1b[31mb")))

    assert len(name) < 100
    assert "\x1b" not in name


def test_equal_names_of_different_queries_are_told_apart() -> None:
    names = QueryNames([query(0, "count at a.py:1"), query(4, "count at a.py:1"), query(5, "", (SALES,))])

    assert [names[f] for f in ("f0", "f4", "f5")] == [
        "count at a.py:1",
        "count at a.py:1 (query 4)",
        "catalog_sales (query 5)",
    ]


def test_equal_names_and_numbers_of_two_runs_are_told_apart_by_id() -> None:
    names = QueryNames([query(5, "", (SALES,), "aaaa"), query(5, "", (SALES,), "bbbb"), query(5, "", (SALES,), "cccc")])

    assert names["aaaa"] == "catalog_sales (query 5)"
    assert names["bbbb"] == "catalog_sales (query 5) (bbbb)"
    assert names["cccc"] == "catalog_sales (query 5) (cccc)"


def test_a_query_that_ran_several_times_keeps_its_first_name() -> None:
    names = QueryNames([query(1, "first", fingerprint="f"), query(2, "again", fingerprint="f")])

    assert names["f"] == "first"


def test_a_query_that_is_not_known_is_called_by_its_id() -> None:
    assert QueryNames()["553ec9ffb6e78d0c"] == "query 553ec9ffb6e78d0c"
