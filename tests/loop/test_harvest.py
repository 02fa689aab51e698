"""What is kept of a run's log as it streams by is what the whole of it tells."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import fields, replace
from pathlib import Path

import pytest

from tests.advice.joins import inner, query, side
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.read import read_application
from tuner.history.outcome import outcome_of
from tuner.loop import harvest as harvest_module
from tuner.loop import kept_queries
from tuner.loop.harvest import harvest
from tuner.loop.run_details import run_details
from tuner.model.query import Query
from tuner.plan.node import PlanNode
from tuner.plan.queries import plans_of, queries
from tuner.plan.relation import ScansBelow
from tuner.plan.session_conf import SessionConf

GOLDEN = Path(__file__).parents[1] / "golden"
LOGS = [source for place in ("logs/3.0.3", "logs/4.1.4", "deaths") for source in find_logs(GOLDEN / place)]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: "/".join(log.path.parts[-2:]))
def test_a_log_tells_the_same_as_a_stream(log: LogSource) -> None:
    found, whole = harvest(log, for_people=True), read_application(log)
    session = SessionConf()
    for execution, _, _ in plans_of(whole):
        session.take(execution.modified_conf)
    told = outcome_of(whole, queries(whole))
    assert found.outcome() == replace(told, conf={**told.conf, **session.properties})
    assert found.details(None) == run_details(whole, None)


def test_what_is_made_of_a_plan_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    roots: list[PlanNode] = []
    made: list[PlanNode] = []

    def looked_at(*plans: PlanNode) -> AbstractContextManager[None]:
        roots.extend({id(plan): plan for plan in plans}.values())
        return genuine(*plans)

    def scans(below: ScansBelow, root: PlanNode) -> None:
        made.append(root)
        walked(below, root)

    genuine, walked = harvest_module.looked_at, ScansBelow.__init__
    monkeypatch.setattr(harvest_module, "looked_at", looked_at)
    monkeypatch.setattr(ScansBelow, "__init__", scans)
    harvest(LOGS[0], for_people=True)
    assert roots and all(sum(one is root for one in made) == 1 for root in roots)


def test_a_run_of_rdds_that_was_killed_has_failed() -> None:
    (killed,) = find_logs(GOLDEN / "deaths" / "killed.zstd")
    assert harvest(killed).has_failed


def kept(*fingerprints: str) -> tuple[Query, ...]:
    """What is kept of executions of these queries, in that order."""
    found = kept_queries.KeptQueries()
    for number, fingerprint in enumerate(fingerprints):
        found.add(replace(query(inner(side("fact"), side("dim"))), id=number, fingerprint=fingerprint))
    return found.in_order()


def test_where_each_of_as_many_queries_as_are_kept_in_full_runs_often_its_newest_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_queries, "MOST_IN_FULL", 3)
    assert [one.id for one in kept(*"abcabcabd") if one.joins] == [5, 6, 7]
    assert [one.id for one in kept(*"abbbcc") if one.joins] == [0, 3, 5]


def test_where_each_query_has_one_place_the_shortest_gives_way_to_one_that_took_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_queries, "MOST_IN_FULL", 2)
    found = kept_queries.KeptQueries()
    took = [("a", 1.0), ("b", 3.0), ("c", 2.0), ("d", 0.5), ("c", 9.0), ("a", 4.0), ("b", 0.1), ("e", 5.0)]
    in_full = []
    for number, (fingerprint, seconds) in enumerate(took):
        found.add(replace(query(inner(side("fact"), side("dim")), seconds=seconds), id=number, fingerprint=fingerprint))
        in_full.append([one.id for one in found.in_order() if one.joins])
    assert in_full == [[0], [0, 1], [1, 2], [1, 2], [1, 4], [4, 5], [4, 5], [4, 7]]


def test_of_an_execution_in_brief_nothing_stays_that_nobody_named() -> None:
    names = {f.name for f in fields(Query)}
    assert kept_queries._SMALL.isdisjoint(kept_queries.QUERY_TIMES) and names >= kept_queries._SMALL
    assert {"joins", "graphs", "merged_graphs", "work", "tables", "values"} <= kept_queries._EMPTY.keys()
