"""Insights on a terminal of any width, and as JSON."""

from __future__ import annotations

from dataclasses import replace

from tuner.cli.as_json.insights import insights_json
from tuner.cli.as_text.insights import MOST_MEASURED, MOST_SHOWN, insights_lines
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.model.query import Query, QueryStatus
from tuner.words.query_names import QueryNames

FOUND = Insight(
    InsightKind.UNUSED_OUTER_JOIN,
    "SortMergeJoin of catalog_sales, date_dim, item and 5 more with catalog_returns",
    "03184333f5f0928c",
    130.4,
    (
        Evidence("rows out", 28_719_619, "rows"),
        Evidence("files", 32.2e9, "bytes", "catalog_returns"),
        Evidence("rows that it kept", 0.25, "share"),
        Evidence("tasks", 1280, "tasks"),
        Evidence("spilled", 0, "bytes"),
    ),
    description="INSERT INTO report SELECT of all there is in the warehouse",
    numbers={"relation": "catalog_returns"},
)

SALES, RETURNS = "tpcds.catalog_sales", "tpcds.catalog_returns"
NAMES = QueryNames([Query(72, 72, FOUND.query, "", 0, 1, QueryStatus.SUCCEEDED, main_relations=(SALES, RETURNS))])


def test_one_insight() -> None:
    assert list(insights_lines((FOUND,), NAMES)) == [
        "  insights: what only a person can change, and the most that it can gain",
        "  2 min 10 s  unused outer join in catalog_sales ⋈ catalog_returns (query 72)",
        "              SortMergeJoin of catalog_sales, date_dim, item and 5 more with catalog_returns",
        "              no column of catalog_returns is used, and the join added no row in this run",
        "              measured: rows out 28.7M; files 32.2 GB (catalog_returns); rows that it kept 25.0%; tasks 1,280",
        "              change: leave catalog_returns out if its join key is unique: Spark does not know that, and one run is no "
        "proof of it",
    ]


def test_of_many_numbers_the_first_are_shown_and_the_others_counted() -> None:
    numbers = tuple(Evidence(f"number {n}", n, "tasks") for n in range(1, MOST_MEASURED + 4))
    *_, measured, _ = insights_lines((replace(FOUND, evidence=numbers),), NAMES)
    assert measured.strip().startswith("measured: number 1 1; ")
    assert measured.endswith(f"number {MOST_MEASURED} {MOST_MEASURED}; and 3 more numbers")


def test_the_costliest_are_shown_and_the_others_counted() -> None:
    *_, last = insights_lines((FOUND,) * (MOST_SHOWN + 3), NAMES)
    assert last.strip() == "and 3 more that cost less: --json has them all"


def test_nothing_to_tell_is_no_section() -> None:
    assert list(insights_lines((), NAMES)) == []


def test_json_has_all_fields_and_all_insights() -> None:
    found = insights_json("nightly", "app-1", (FOUND,) * (MOST_SHOWN + 3), NAMES)
    assert len(found) == MOST_SHOWN + 3
    assert found[0]["cohort"] == "nightly" and found[0]["kind"] == "unused_outer_join"
    assert found[0]["evidence"][1] == {"what": "files", "value": 32.2e9, "unit": "bytes", "of": "catalog_returns"}
    assert (found[0]["query"], found[0]["name"]) == (FOUND.query, "catalog_sales ⋈ catalog_returns (query 72)")
    assert found[0]["reason"].startswith("no column of catalog_returns is used")
    assert found[0]["change"].startswith("leave catalog_returns out")
    assert {"operator", "seconds"} <= found[0].keys()
