"""All rules together: in order of cost, what is not worth a minute left out, a bug silencing one rule alone."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tuner.advice.insights.application_insights import ApplicationInsights
from tuner.advice.insights.insight_facts import InsightFacts, insight_facts
from tuner.advice.insights.insights import RULES, insights, insights_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.read import read_log
from tuner.model.application import Work
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.model.query import QueryStatus
from tuner.plan.queries import query_and_plans

from .plans import facts

GOLDEN = Path(__file__).parents[2] / "golden" / "logs"
SHARED = Path(__file__).parents[4] / "shared" / "eventlogs"
SCAN = "Scan parquet db.orders | [c#1] | number of output rows=9"


def insight(seconds: float, value: float = 1.0, operator: str = "Sort", query: str = "q1") -> Insight:
    return Insight(InsightKind.SPILL, operator, query, seconds, (Evidence("n", value, "rows"),))


def of(*found: Insight) -> list[object]:
    return [lambda _: found]


def test_the_costliest_comes_first() -> None:
    assert [i.seconds for i in insights(facts(SCAN), of(insight(2), insight(9), insight(4)))] == [9, 4, 2]  # type: ignore[arg-type]


@pytest.mark.parametrize(("seconds", "of_query", "shown"), [(0.9, 10, 0), (1.1, 10, 1), (1.1, 200, 0), (2.1, 200, 1)])
def test_less_than_a_second_or_a_hundredth_is_not_worth_a_minute(seconds: float, of_query: float, shown: int) -> None:
    assert len(insights(facts(SCAN, seconds=of_query), of(insight(seconds)))) == shown  # type: ignore[arg-type]


def test_numbers_that_are_none_are_left_out() -> None:
    found = (insight(math.nan), insight(math.inf), insight(5, value=math.nan))
    assert insights(facts(SCAN), of(*found)) == ()  # type: ignore[arg-type]


def test_a_rule_that_raises_is_silenced_alone(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: InsightFacts) -> Iterable[Insight]:
        yield insight(3)
        raise ZeroDivisionError

    assert insights(facts(SCAN), [broken, lambda _: [insight(2)]]) == (insight(2),)
    assert "broken failed" in caplog.text


def test_a_query_that_failed_is_not_looked_at() -> None:
    given = facts(SCAN)
    failed = replace(given.query, status=QueryStatus.FAILED)
    assert insights(replace_query(given, failed), of(insight(9))) == ()  # type: ignore[arg-type]


def replace_query(given: InsightFacts, query: object) -> InsightFacts:
    return InsightFacts(query, given.initial, given.final, given.stages)  # type: ignore[arg-type]


def test_what_cannot_be_looked_at_shows_nothing(caplog: pytest.LogCaptureFixture) -> None:
    given = facts(SCAN)
    assert insights_of(Work(None, (), None), (given.query, given.initial, given.final)) == ()  # type: ignore[arg-type]
    assert "left out" in caplog.text


def test_runs_of_a_query_that_show_the_same_are_one_insight() -> None:
    seen = ApplicationInsights()
    seen.add((insight(3), insight(2)))  # two such operators in one plan
    seen.add((insight(7), insight(1)))
    seen.add((insight(4, query="q2"),))
    first, second, third = seen.in_order()
    assert [i.seconds for i in (first, second, third)] == [7, 4, 2]
    assert first.evidence[-1] == Evidence("seen in runs of the query", 2, "runs")
    assert second.evidence == insight(4).evidence


def looked_at(path: Path) -> dict[str, list[Insight]]:
    """What each rule says of each query of the logs under a path, whatever it cost. Raises what a rule raises."""
    found: dict[str, list[Insight]] = {}

    def take(work: Work) -> None:
        if work.execution and (plans := query_and_plans(work.execution, work.stages)):
            given = insight_facts(work, plans)
            found.setdefault(given.query.description, []).extend(i for rule in RULES for i in rule(given))

    for source in find_logs(log_path(str(path))):
        read_log(source, take)
    return found


@pytest.mark.parametrize("version", sorted(path.name for path in GOLDEN.iterdir()))
def test_every_golden_log_can_be_looked_at(version: str) -> None:
    for found in looked_at(GOLDEN / version).values():
        for one in found:
            assert one.seconds < 1  # small queries, none of which has anything to tell


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip(f"no real event logs at {SHARED}")
    return SHARED


def test_real_logs_can_be_looked_at(shared: Path) -> None:
    for path in shared.iterdir():
        if path.suffix != ".md":
            looked_at(path)


def test_what_query_72_shows(shared: Path) -> None:
    """A left join of 432 million rows adds none and nothing of it is used; its table is read over all its years."""
    found = looked_at(shared / "nds_q72_dataproc_2_2.zstd")["query72"]
    worth = {i.kind: i for i in found if i.seconds >= 1}
    assert set(worth) == {InsightKind.UNUSED_OUTER_JOIN, InsightKind.UNPRUNED_PARTITIONS}
    assert worth[InsightKind.UNUSED_OUTER_JOIN].operator.endswith("with catalog_returns")
    assert worth[InsightKind.UNPRUNED_PARTITIONS].operator == "Scan of catalog_returns"
