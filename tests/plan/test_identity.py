"""The same query in another run of real Spark: the 99 of TPC-DS, by default and steered, and on other dates."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property

import msgspec
import pytest

from tests.conftest import AT_LENGTH
from tuner.model.application import Application, Completeness, Execution
from tuner.model.join_site import JoinSite
from tuner.model.query import Query
from tuner.model.strategy import Strategy
from tuner.plan.joins import find_joins
from tuner.plan.node import PlanNode, build_tree
from tuner.plan.plan_picture import picture_of
from tuner.plan.queries import queries
from tuner.plan.relation import is_scan, relation_name

from .conftest import OTHER_DATE
from .test_plan_picture import check, ran

# By day the recorded names of tests/steering/agent/names hold joins and queries to what they were.
pytestmark = [pytest.mark.spark, pytest.mark.nightly]
DEFAULT, STEERED = "default", "steered"
Key = tuple[str, int]


class Runs:
    """The queries of the application by name and run."""

    def __init__(self, application: Application) -> None:
        self.application = application
        measured = {query.id: query for query in queries(application)}
        self.executions: dict[tuple[str, str], Execution] = {}
        self.queries: dict[tuple[str, str], Query] = {}
        for execution in application.executions:
            label, _, name = execution.description.partition(" ")
            if execution.execution_id in measured and label in (DEFAULT, STEERED):
                self.executions[label, name] = execution
                self.queries[label, name] = measured[execution.execution_id]

    @cached_property
    def names(self) -> list[str]:
        """What ran in both ways."""
        return [name for label, name in self.queries if label == STEERED]

    def planned(self, label: str, name: str) -> dict[Key, JoinSite]:
        plan = self.executions[label, name].initial_plan
        assert plan is not None
        return keyed(find_joins(build_tree(plan, {})))

    def measured(self, label: str, name: str) -> dict[Key, JoinSite]:
        return keyed(self.queries[label, name].joins)

    def tree(self, label: str, name: str) -> PlanNode:
        execution = self.executions[label, name]
        plan = execution.final_plan or execution.initial_plan
        assert plan is not None
        return build_tree(plan, execution.accumulators)


def keyed(sites: tuple[JoinSite, ...]) -> dict[Key, JoinSite]:
    return {(site.signature, site.occurrence): site for site in sites}


@pytest.fixture(scope="module")
def runs(tpcds_application: Application) -> Runs:
    return Runs(tpcds_application)


def test_everything_ran_and_is_there(runs: Runs) -> None:
    assert runs.application.status is Completeness.COMPLETE, runs.application.problems
    assert len(runs.names) == (100 if AT_LENGTH else 19)
    assert {query.status.value for query in runs.queries.values()} == {"succeeded"}


def test_a_query_keeps_its_fingerprint_however_it_is_steered(runs: Runs) -> None:
    prints = {name: [runs.queries[label, name].fingerprint for label in (DEFAULT, STEERED)] for name in runs.names}
    assert {name: pair for name, pair in prints.items() if pair[0] != pair[1]} == {}


def test_different_queries_have_different_fingerprints(runs: Runs) -> None:
    names = defaultdict(list)
    for name in runs.names:
        names[runs.queries[DEFAULT, name].fingerprint].append(name)
    assert [same for same in names.values() if len(same) > 1] == []


def test_a_query_on_another_date_is_the_same_query(runs: Runs) -> None:
    redated = [name for label, name in runs.queries if label == DEFAULT and name.endswith(OTHER_DATE)]
    assert len(redated) == 6
    for name in redated:
        original = name.removesuffix(OTHER_DATE).strip()
        assert runs.queries[DEFAULT, name].fingerprint == runs.queries[DEFAULT, original].fingerprint, name
        assert runs.planned(DEFAULT, name).keys() == runs.planned(DEFAULT, original).keys(), name


def test_each_join_as_planned_is_found_again_however_it_is_steered(runs: Runs) -> None:
    lost = {name: runs.planned(DEFAULT, name).keys() ^ runs.planned(STEERED, name).keys() for name in runs.names}
    assert {name: keys for name, keys in lost.items() if keys} == {}
    assert sum(len(runs.planned(DEFAULT, name)) for name in runs.names) > 6.5 * len(runs.names)


def test_keys_and_relations_are_the_same_too(runs: Runs) -> None:
    for name in runs.names:
        steered = runs.planned(STEERED, name)
        for key, site in runs.planned(DEFAULT, name).items():
            assert described(site) == described(steered[key]), (name, site)


def described(site: JoinSite) -> tuple[object, ...]:
    """A join without strategy, sizes, and (for an inner join) which side is which."""
    pairs = sorted(sorted(pair) for pair in site.keys)
    return sorted([site.left.relations, site.right.relations]), pairs


def test_the_steering_did_change_the_strategies(runs: Runs) -> None:
    changes: Counter[tuple[Strategy, Strategy]] = Counter()
    for name in runs.names:
        steered = runs.planned(STEERED, name)
        changes.update((site.strategy, steered[key].strategy) for key, site in runs.planned(DEFAULT, name).items())
    assert changes[Strategy.BROADCAST_HASH, Strategy.SORT_MERGE] > 6 * len(runs.names)
    assert changes[Strategy.BROADCAST_HASH, Strategy.BROADCAST_HASH] == 0
    assert changes[Strategy.BROADCAST_NESTED_LOOP, Strategy.CARTESIAN] > len(runs.names) / 10


def test_each_join_as_measured_is_one_of_those_planned(runs: Runs) -> None:
    """But for joins above a part of the plan that AQE found to be empty and took away, relations and all."""
    strangers, total = [], 0
    for label in (DEFAULT, STEERED):
        for name in runs.names:
            measured, planned = runs.measured(label, name), runs.planned(label, name)
            total += len(measured)
            strangers += [(label, name, site) for key, site in measured.items() if key not in planned]
    assert total > 5 * len(runs.names)
    assert len(strangers) < total / 30
    assert [(label, name) for label, name, _ in strangers if not lost_relations(runs, label, name)] == []


def lost_relations(runs: Runs, label: str, name: str) -> bool:
    """Whether the plan that ran reads less than the plan that was made."""
    planned = runs.executions[label, name].initial_plan
    assert planned is not None
    before, after = (
        Counter(relation_name(node) for node in tree.walk_query() if is_scan(node) and node.name.startswith("Scan"))
        for tree in (build_tree(planned, {}), runs.tree(label, name))
    )
    return bool(before - after)


def test_each_join_as_measured_knows_how_it_was_planned(runs: Runs) -> None:
    sites = [site for name in runs.names for site in runs.queries[DEFAULT, name].joins]
    known = [site for site in sites if site.planned_strategy is not None]
    assert len(known) > 0.93 * len(sites)
    assert any(site.planned_strategy is not site.strategy for site in known)


def test_most_joins_have_measured_sides_and_rows(runs: Runs) -> None:
    # A product reads its sides anew for each two partitions: what is below it in their stages is counted more than once.
    found = (site for query in runs.queries.values() for site in query.joins)
    sites = [site for site in found if site.strategy is not Strategy.CARTESIAN]
    measured = [site for site in sites if None not in (site.left.rows, site.right.rows, site.output_rows)]
    assert len(measured) > 0.98 * len(sites)


def test_joins_give_the_same_rows_however_they_are_run(runs: Runs) -> None:
    """But for a sort-merge join below another: it stops where the other's second input ends (SortMergeJoinScanner)."""
    compared = differing = 0
    for name in runs.names:
        if any(lost_relations(runs, label, name) for label in (DEFAULT, STEERED)):
            continue
        steered = runs.measured(STEERED, name)
        for key, site in runs.measured(DEFAULT, name).items():
            if key in steered:
                rows, steered_rows = site.output_rows or 0, steered[key].output_rows or 0
                compared, differing = compared + 1, differing + (rows != steered_rows)
    assert compared > 4 * len(runs.names)
    assert differing < compared / 50


class TestDataFrame:
    """A program with aliases, renamed columns and a self-join."""

    NAME = "dataframe"

    def test_its_joins_name_the_columns_of_the_tables(self, runs: Runs) -> None:
        for label in (DEFAULT, STEERED):
            sites = runs.planned(label, self.NAME).values()
            keys = sorted(sorted(key.rsplit("/", 1)[-1] for key in pair) for site in sites for pair in site.keys)
            assert keys == [["item.i_item_sk", "store_sales.ss_item_sk"], ["store_sales.ss_item_sk"] * 2]

    def test_its_self_join_reads_one_table_twice(self, runs: Runs) -> None:
        (site,) = [s for s in runs.planned(DEFAULT, self.NAME).values() if s.left.relations == s.right.relations]
        assert len(site.left.relations) == 1


def test_pictures_of_tpc_ds_stay_small(tpcds_application: Application) -> None:
    default = [
        (query, final)
        for query, final in ran(tpcds_application)
        if query.description.startswith("default ") and OTHER_DATE not in query.description
    ]
    assert len(default) >= 19
    for query, final in default:
        check(query, final)
    size = sum(len(msgspec.json.encode(picture_of(query, final))) for query, final in default)
    assert size / len(default) < 5_000
