"""Filters by key for single joins, by the agent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, query, query_25
from tuner.advice.advisors.key_filter import MOST_KEYS, advise_key_filters
from tuner.advice.advisors.runtime_filter import advise_runtime_filters
from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.bloom_filter_seconds import BUILD_SECONDS
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.unit_costs import UnitCosts
from tuner.model.action import ActionKind, Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.key_filter_site import KeyFilterSite
from tuner.spark.knobs import BROADCAST_THRESHOLD
from tuner.words.reasons import reason_words

SITE = KeyFilterSite(
    join="5160",
    relations=("db.sales",),
    rows=20_000_000,
    kept=0.01,
    measured=True,
    source=("db.item",),
    source_rows=300,
    amounts={"merge": 20e6, "sort": 20e6, "shuffle_write": 9e8, "shuffle_write_row": 20e6, "shuffle_read": 9e8},
    source_amounts={"scan": 20_000.0},
)


def job(*sites: KeyFilterSite, seconds: float = 60.0, reach: Reach = Reach.AGENT, **conf: str) -> Facts:
    return facts(replace(query(seconds=seconds, fingerprint="q1"), key_filters=sites), reach=reach, conf=conf)


def advised(*sites: KeyFilterSite, seconds: float = 60.0) -> list[Change]:
    return list(advise_key_filters(job(*sites, seconds=seconds)))


def test_the_filter_is_for_one_join_and_names_where_its_keys_come_from() -> None:
    (change,) = advised(SITE)
    (action,) = change.actions
    assert (action.kind, action.value) == (ActionKind.HINT_JOIN, Hint.FILTER_BY_KEY)
    assert (action.target, action.query, action.relations) == ("5160", "q1", ("db.item",))


def test_it_says_what_is_dropped_and_what_that_took() -> None:
    (change,) = advised(SITE)
    words = reason_words(change.reason)
    assert "filter sales (20.0M rows) by the keys of item (300 rows) as it is read:" in words
    assert "keeps 1.0% of its rows" in words
    predicted = change.prediction
    assert predicted is not None and predicted.low < predicted.after < predicted.high < predicted.before


def test_in_a_loop_a_filter_is_worth_what_all_executions_gain() -> None:
    """And it is one change, of the execution that gains most."""
    small = replace(SITE, rows=SITE.rows // 40, amounts={name: n / 40 for name, n in SITE.amounts.items()})
    sizes = [replace(small, rows=small.rows + n, source_rows=300 - n % 7) for n in range(100)]
    loop = [replace(query(seconds=0.8, fingerprint="q1"), key_filters=(site,)) for site in sizes]
    assert not list(advise_key_filters(facts(loop[0], reach=Reach.AGENT)))
    (change,) = advise_key_filters(facts(*loop, reach=Reach.AGENT))
    assert change.prediction is not None and 0.04 < change.prediction.gain < 0.3
    assert change.prediction.before == 0.8


def test_a_share_that_no_join_measured_may_be_three_times_as_large() -> None:
    (sure,) = advised(replace(SITE, kept=0.2))
    (assumed,) = advised(replace(SITE, kept=0.2, measured=False))
    assert sure.prediction is not None and assumed.prediction is not None
    assert sure.prediction.after == assumed.prediction.after
    assert sure.prediction.high < assumed.prediction.high


def test_nor_is_it_larger_than_what_comes_out_of_the_join() -> None:
    (assumed,) = advised(replace(SITE, kept=0.2, measured=False))
    (bounded,) = advised(replace(SITE, kept=0.2, measured=False, most_kept=0.3))
    assert assumed.prediction is not None and bounded.prediction is not None
    assert assumed.prediction.after == bounded.prediction.after
    assert assumed.prediction.high > bounded.prediction.high
    # Nor is what came out of it forgotten for the share that filters are thought to keep.
    (sure,) = advised(replace(SITE, kept=0.3))
    (few,) = advised(replace(SITE, kept=0.0025, measured=False, most_kept=0.3))
    assert sure.prediction is not None and few.prediction is not None
    assert few.prediction.after < sure.prediction.after
    assert few.prediction.high == pytest.approx(sure.prediction.high, rel=0.1)


@pytest.mark.parametrize(
    "site",
    [
        pytest.param(replace(SITE, kept=0.99), id="little is dropped"),
        pytest.param(replace(SITE, amounts={"probe": 20e6}), id="nothing is shuffled"),
        pytest.param(replace(SITE, source_amounts={"aggregate": 200e6}), id="its keys are dear"),
        pytest.param(replace(SITE, source_rows=40_000_000), id="too many keys for a filter"),
    ],
)
def test_where_it_does_not_pay(site: KeyFilterSite) -> None:
    assert advised(site) == []


def test_of_two_sources_the_better_is_taken() -> None:
    whole = replace(SITE, source=("db.item", "db.shop"), kept=0.001, source_amounts={"scan": 50e6})
    (change,) = advised(whole, SITE)
    assert change.actions[0].relations == ("db.item",)


@pytest.mark.parametrize(("keys", "join"), [(MOST_KEYS, "5160"), (MOST_KEYS + 1, "7777")])
def test_a_source_of_too_many_keys_keeps_no_other_from_its_input(keys: int, join: str) -> None:
    better, other = replace(SITE, source_rows=keys), replace(SITE, join="7777", source=("db.shop",), kept=0.1)
    assert [change.actions[0].target for change in advised(better, other)] == [join]


def test_of_two_joins_one_filters_an_input_until_a_run_tells_what_that_leaves() -> None:
    other = replace(SITE, join="7777", source=("db.shop",), kept=0.02)
    assert [change.actions[0].target for change in advised(other, SITE)] == ["5160"]
    elsewhere = replace(other, relations=("db.visits",))
    assert [change.actions[0].target for change in advised(elsewhere, SITE)] == ["5160", "7777"]


def test_a_filter_takes_a_job_of_its_own() -> None:
    short = replace(SITE, amounts={"merge": 1e6, "sort": 1e6})
    gained = 1e6 * (60 + 210 + 150) / 1e9 / 2 * 0.99
    assert gained < BUILD_SECONDS
    assert advised(short, seconds=2.0) == []


@pytest.mark.parametrize(("tasks", "worth_it"), [(1, False), (200, True), (0, True)])
def test_cores_beyond_the_tasks_of_the_source_make_no_filter_faster(tasks: int, worth_it: bool) -> None:
    """One file of 60 MB with three million keys is read and hashed by one task, whatever the cores: 1.3 s of 1.6."""
    large = {resource: 10 * amount for resource, amount in SITE.amounts.items()}
    keys = {"scan": 3 * 3e6, "filter": 3e6}
    site = replace(SITE, amounts=large, source_rows=3_000_000, source_amounts=keys, source_tasks=tasks)
    wide = replace(job(site, seconds=10.0), cluster=Cluster(cores=200, executors=50, cores_per_executor=4))
    assert bool(list(advise_key_filters(wide))) is worth_it


def test_putting_many_keys_into_a_filter_takes_time() -> None:
    (few,) = advised(SITE)
    (many,) = advised(replace(SITE, source_rows=4_000_000, source_tasks=1))
    assert few.prediction and many.prediction
    assert few.prediction.gain - many.prediction.gain == pytest.approx(4e6 * UnitCosts().aggregate / 1e9, rel=0.01)


def test_only_the_agent_can_give_it_and_it_takes_the_place_of_the_threshold() -> None:
    assert list(advise_key_filters(job(SITE, reach=Reach.TEXT))) == []
    assert list(advise_runtime_filters(job(SITE))) == []


def test_who_switched_bloom_filters_off_gets_none() -> None:
    assert list(advise_key_filters(job(SITE, **{"spark.sql.optimizer.runtime.bloomFilter.enabled": "false"}))) == []


def test_a_broadcast_of_the_same_join_that_gains_more_takes_its_place() -> None:
    joined = query_25()
    (join,) = joined.joins
    site = replace(SITE, join=join.signature, source=join.left.relations)

    def of_join(**changed: object) -> tuple[bool, list[Change]]:
        job = facts(replace(joined, key_filters=(replace(site, **changed),)), reach=Reach.AGENT)  # type: ignore[arg-type]
        return any(hint.hint is Hint.BROADCAST for hint in best_hints(job)), list(advise_key_filters(job))

    assert of_join(amounts={"sort": 1.3e6}, rows=1_000_000) == (True, [])
    assert of_join(amounts={"sort": 1.3e6}, rows=1_000_000, join="another")[1] != []
    broadcast, found = of_join(amounts={"sort": 20e6})
    assert broadcast and [change.advisor for change in found] == ["key_filter"]


@pytest.mark.parametrize(
    ("threshold", "in_query", "filtered"),
    [("10m", (), False), ("-1", (), True), ("10m", (BROADCAST_THRESHOLD.property,), True)],
)
def test_a_broadcast_that_the_job_forbids_takes_no_place(
    threshold: str, in_query: tuple[str, ...], filtered: bool
) -> None:
    joined = replace(query_25(), broadcasts_off=in_query)
    (join,) = joined.joins
    site = replace(SITE, join=join.signature, source=join.left.relations, amounts={"sort": 1.3e6}, rows=1_000_000)
    conf = {BROADCAST_THRESHOLD.property: threshold}
    job = facts(replace(joined, key_filters=(site,)), reach=Reach.AGENT, conf=conf)
    assert Hint.BROADCAST in {hint.hint for hint in best_hints(job)}, "a person may approve it"
    assert bool(list(advise_key_filters(job))) is filtered
