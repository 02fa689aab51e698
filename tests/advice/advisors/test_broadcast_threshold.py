"""The one pair of thresholds that separates best, where only conf can be used."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.advice.joins import GIB, broadcast_by_aqe, facts, inner, query, query_25, query_72, side
from tuner.advice.advisors.broadcast_threshold import advise_broadcast_thresholds
from tuner.advice.candidates.broadcast_candidates import threshold_candidates
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.facts import Facts, PastRun
from tuner.model.cluster import Cluster
from tuner.model.join_site import JoinSide, Reshuffle, RuntimeFilter
from tuner.model.query import Query, QueryStatus
from tuner.model.query_work import WorkInBrief
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.knobs import ADAPTIVE_BROADCAST_THRESHOLD, BROADCAST_THRESHOLD
from tuner.words.reasons import reason_words

ADAPTIVE = ADAPTIVE_BROADCAST_THRESHOLD.property
STATIC = BROADCAST_THRESHOLD.property

AQE = "spark.sql.adaptive.enabled"
DEFAULT_THRESHOLD = SelectionConf().broadcast_bytes


def _thresholds(given_facts: Facts) -> dict[str, int]:
    found = list(advise_broadcast_thresholds(given_facts))
    assert len(found) <= 1
    return {action.target: int(action.value) for r in found for action in r.actions}


def test_between_the_join_that_gains_and_the_join_that_must_not_be() -> None:
    """TPC-DS: 100 MB turned query 25 from 7 s to 4 s, and query 72 from 18 s to 162 s."""
    found = _thresholds(facts(query_25(), query_72()))
    assert 14_889_779 <= found[STATIC] < 28_100_000
    assert found[ADAPTIVE] == DEFAULT_THRESHOLD


def test_a_query_of_an_earlier_run_that_must_not_be_broadcast_counts_too() -> None:
    big = Cluster(
        cores=8, executors=2, cores_per_executor=4, executor_memory_bytes=16 * GIB, driver_memory_bytes=16 * GIB
    )
    fact = side("fact", rows=50_000_000, shuffle_bytes=5 * 10**9, estimated_bytes=6 * 10**9, sort_ms=60_000)
    dim = side("dim", rows=500_000, shuffle_bytes=30_000_000, estimated_bytes=60_000_000, sort_ms=300)
    daily = query(inner(fact, dim, 50_000_000), seconds=60, fingerprint="daily")
    weekly = query_72()
    alone, both = facts(daily, cluster=big), facts(weekly, daily, cluster=big)
    assert _thresholds(alone)[STATIC] > DEFAULT_THRESHOLD
    assert STATIC not in _thresholds(both), "what is broadcast below 70 MB multiplies rows"
    after_both = replace(alone, earlier=(PastRun((weekly, daily), {}, big),))
    assert _thresholds(after_both) == _thresholds(both)


@pytest.mark.parametrize("tonight", ["broadcast by AQE", "left out by AQE"])
def test_a_join_that_must_not_be_broadcast_counts_though_aqe_shuffled_none_of_it_tonight(tonight: str) -> None:
    """Planned as a broadcast AQE would not count it first: 20 million rows, of which a filter left few tonight, or none."""
    fact = side("fact", rows=50_000_000, shuffle_bytes=5 * 10**9, estimated_bytes=6 * 10**9, sort_ms=60_000)
    events = side("events", rows=20_000_000, shuffle_bytes=10**9, estimated_bytes=14_000_000, sort_ms=20_000)
    usual = query(inner(fact, events, 50_000_000), seconds=60, fingerprint="events")
    few = broadcast_by_aqe(fact, replace(events, rows=10, shuffle_bytes=400))
    now = replace(usual, joins=(few,) if tonight == "broadcast by AQE" else ())
    job = facts(query_25(), now)
    assert _thresholds(job)[STATIC] > 14_889_779
    assert STATIC not in _thresholds(replace(job, earlier=(PastRun((usual,)), PastRun((now,)))))


def test_none_where_the_joins_of_some_queries_were_left_out_of_the_store() -> None:
    left_out = replace(query_72(), joins=(), work=None, work_in_brief=WorkInBrief(1.0, 0))
    assert _thresholds(facts(query_25(), left_out)) == {}


@pytest.mark.parametrize("when", ["now", "earlier"])
def test_none_where_another_engine_runs_joins_that_a_threshold_turns_too(when: str) -> None:
    photon = replace(query(fingerprint="photon"), has_other_joins=True)
    alone = facts(query_25(), query_72())
    assert _thresholds(alone)
    with_it = facts(query_25(), query_72(), photon) if when == "now" else replace(alone, earlier=(PastRun((photon,)),))
    assert _thresholds(with_it) == {}


def test_it_says_what_it_gains_in_numbers() -> None:
    (found,) = advise_broadcast_thresholds(facts(query_25(), query_72()))
    assert found.queries == ("q25",)
    assert "broadcast in 1 more join" in reason_words(found.reason)
    assert "198k rows, 14.3 MB" in reason_words(found.reason)
    evidence = {e.what: e.value for e in found.evidence}
    assert evidence["planner's estimate"] == 14_889_779
    assert evidence["threshold so far"] == DEFAULT_THRESHOLD
    predicted = found.prediction
    assert predicted.before == 7.0
    assert 0 <= predicted.low <= predicted.after <= predicted.high


def test_the_same_advice_when_data_moves_a_little() -> None:
    def night(percent: int) -> Query:
        build = side("d", rows=198_263, shuffle_bytes=14_274_936, estimated_bytes=14_889_779 * (100 + percent) // 100)
        probe = side("f", rows=1_430_861, shuffle_bytes=57_234_440, estimated_bytes=10**9, sort_ms=1_400)
        return query(inner(build, probe), seconds=7)

    assert {_thresholds(facts(night(percent)))[STATIC] for percent in range(3)} == {18_000_000}


def _pair(size: int, out: int | None = None, **sizes: int) -> Query:
    build = side("d", rows=100_000, shuffle_bytes=size, sort_ms=100, **sizes)
    probe = side("f", rows=9_000_000, shuffle_bytes=10**9, estimated_bytes=10**11, sort_ms=9_000)
    return query(inner(build, probe, out), seconds=30)


def test_what_only_aqe_measures_small_is_turned_by_its_own_threshold() -> None:
    found = _thresholds(facts(_pair(12_000_000, estimated_bytes=10**12)))
    assert STATIC not in found
    assert found[ADAPTIVE] >= 12_000_000


def test_without_aqe_there_is_nothing_to_measure() -> None:
    assert not _thresholds(facts(_pair(12_000_000, estimated_bytes=10**12), conf={AQE: "false"}))


def test_aqe_before_3_2_has_one_threshold_for_both_kinds_of_sizes() -> None:
    job = _pair(14_000_000, estimated_bytes=14_000_000)
    assert _thresholds(facts(job, version="3.1.2"))  # AQE is off by default there
    assert not _thresholds(facts(job, version="3.1.2", conf={AQE: "true"}))


def test_a_side_of_unknown_estimate_is_bounded_by_its_files_bytes() -> None:
    found = _thresholds(facts(_pair(40_000_000, file_bytes=15_000_000), conf={AQE: "false"}))
    assert found[STATIC] == 15_000_000


def test_an_estimate_that_may_be_anything_forbids_a_threshold_above_the_current_one() -> None:
    """An aggregated side, say: the log does not tell its estimate, and the join puts out more than it reads."""
    vetoed = _pair(200_000_000, out=90_000_000)
    assert not _thresholds(facts(query_25(), vetoed, conf={AQE: "false"}))


def test_a_side_that_is_a_join_is_estimated_out_of_reach() -> None:
    a, b = side("a", rows=9_000_000, shuffle_bytes=10**9), side("b", rows=9_000_000, shuffle_bytes=10**9)
    both = side("a", "b", rows=9_000_000, shuffle_bytes=10**9)
    top = inner(both, side("c", rows=100, shuffle_bytes=10**9), 90_000_000)
    below = inner(a, b, strategy=Strategy.BROADCAST_HASH)
    semi = inner(a, b, type_=JoinType.LEFT_SEMI, strategy=Strategy.BROADCAST_HASH)
    big = {"estimated_bytes": 10**10}
    probe = side("c", rows=100, shuffle_bytes=10**9, **big)
    assert STATIC in _thresholds(facts(query_25(), query(inner(both, probe, 90_000_000), below)))
    assert STATIC not in _thresholds(facts(query_25(), query(inner(both, probe, 90_000_000), semi)))
    assert STATIC not in _thresholds(facts(query_25(), query(top, below)))


@pytest.mark.parametrize("strategy", [Strategy.SORT_MERGE, Strategy.SHUFFLED_HASH, Strategy.CARTESIAN])
def test_joins_nobody_measured_are_not_turned(strategy: Strategy) -> None:
    unknown = inner(side("x", estimated_bytes=15_500_000), side("y", estimated_bytes=10**10), strategy=strategy)
    found = _thresholds(facts(query_25(), query(unknown)))
    assert found.get(STATIC, 0) < 15_500_000


def test_a_failed_querys_joins_are_not_turned() -> None:
    join = inner(side("x", rows=10, shuffle_bytes=10, estimated_bytes=15_000_000), side("y", rows=10))
    assert STATIC not in _thresholds(facts(query_25(), query(join, status=QueryStatus.FAILED)))


def test_what_a_user_hinted_to_merge_below_the_threshold_says_nothing() -> None:
    hinted = _pair(5_000_000, out=90_000_000, estimated_bytes=5_000_000)
    assert STATIC in _thresholds(facts(query_25(), hinted))


@pytest.mark.parametrize(
    "conf", [{STATIC: "-1"}, {STATIC: "-1b", ADAPTIVE: "50m"}, {ADAPTIVE: "-1", AQE: "true", STATIC: "20m"}]
)
def test_broadcasts_that_someone_switched_off_stay_off(conf: dict[str, str]) -> None:
    assert not _thresholds(facts(query_25(), _pair(12_000_000, estimated_bytes=10**12), conf=conf))


@pytest.mark.parametrize("value", ["", "ten", "1.5g", "\u0661"])
def test_an_unreadable_setting_is_read_as_the_default(value: str) -> None:
    conf = {STATIC: value, "spark.memory.fraction": value, ADAPTIVE: value}
    assert _thresholds(facts(query_25(), conf=conf)) in ({}, _thresholds(facts(query_25())))


def test_nothing_where_hints_reach_each_join() -> None:
    assert not _thresholds(facts(query_25(), per_join=True))


def test_static_and_adaptive_gains_of_one_query_do_not_add_up_to_more_than_it_has() -> None:
    def pair(name: str, **sizes: int) -> object:
        build = side(name, rows=10_000, shuffle_bytes=12_000_000, sort_ms=10, **sizes)
        return inner(build, side("f" + name, rows=10**8, shuffle_bytes=10**10, sort_ms=10**6))

    job = query(pair("a", estimated_bytes=12_000_000), pair("b", estimated_bytes=10**12), seconds=5)  # type: ignore[arg-type]
    (found,) = advise_broadcast_thresholds(facts(job))
    predicted = found.prediction
    assert predicted.before == 5
    assert predicted.after == pytest.approx(1.0)
    assert 0 <= predicted.low <= predicted.after <= predicted.high


# --- Whatever the joins: no threshold turns one that must not be. ---

_bytes = st.one_of(st.none(), st.integers(1, 60_000_000), st.integers(1, 10**11))
_rows = st.one_of(st.none(), st.integers(0, 20_000_000))


@st.composite
def _sides(draw: st.DrawFn, name: str) -> JoinSide:
    return side(
        name,
        rows=draw(_rows),
        shuffle_bytes=draw(_bytes),
        estimated_bytes=draw(_bytes),
        file_bytes=draw(_bytes),
        sort_ms=draw(st.one_of(st.none(), st.integers(0, 100_000))),
    )


@st.composite
def _queries(draw: st.DrawFn) -> Query:
    joins = [
        inner(
            draw(_sides(f"l{n}")),
            draw(_sides(f"r{n}")),
            draw(st.one_of(st.none(), st.integers(0, 40_000_000))),
            type_=draw(st.sampled_from([JoinType.INNER, JoinType.LEFT_OUTER, JoinType.LEFT_SEMI, JoinType.FULL_OUTER])),
            strategy=draw(st.sampled_from([Strategy.SORT_MERGE, Strategy.SORT_MERGE, Strategy.SHUFFLED_HASH])),
        )
        for n in range(draw(st.integers(1, 4)))
    ]
    status = draw(st.sampled_from([QueryStatus.SUCCEEDED] * 4 + [QueryStatus.FAILED]))
    return query(*joins, seconds=draw(st.floats(0, 100)), status=status)


def _turns(builds: list[HintCandidate], size: str, threshold: int, before: int) -> list[HintCandidate]:
    """What Spark newly broadcasts: of the sides at or below the threshold the smaller, the right one of equals."""
    sites: dict[tuple[int, str], dict[BuildSide, HintCandidate]] = {}
    for build in builds:
        known = getattr(build.hinted, size)
        if known is not None and before < known <= threshold:
            sites.setdefault((build.query.id, build.join.signature), {})[build.side] = build
    chosen = []
    for qualified in sites.values():
        by_size = sorted(qualified.items(), key=lambda item: (getattr(item[1].hinted, size), item[0] is BuildSide.LEFT))
        chosen.append(by_size[0][1])
    return chosen


@given(st.lists(_queries(), min_size=1, max_size=5))
def test_no_threshold_ever_turns_a_join_that_must_not_be(queries: list[Query]) -> None:
    job = facts(*queries)
    found = list(advise_broadcast_thresholds(job))
    builds = list(threshold_candidates(job))
    for recommendation in found:
        values = {a.target: int(a.value) for a in recommendation.actions}
        static = _turns(builds, "estimated_bytes", values.get(STATIC, DEFAULT_THRESHOLD), DEFAULT_THRESHOLD)
        sites = {(b.query.id, b.join.signature) for b in static}
        rest = [b for b in builds if (b.query.id, b.join.signature) not in sites]
        adaptive = _turns(rest, "shuffle_bytes", values[ADAPTIVE], DEFAULT_THRESHOLD)
        for turned in (static, adaptive):
            assert not [b for b in turned if b.is_vetoed]
        for one in queries:
            together = sum(b.relation_bytes for b in (*static, *adaptive) if b.query.id == one.id)
            assert together <= job.cap.query_bytes
        predicted = recommendation.prediction
        assert 0 <= predicted.low <= predicted.after <= predicted.high
        assert predicted.after <= predicted.before


def _on_one_key(top_bytes: int) -> Query:
    """Two joins on one key: the upper one reads the rows of the lower one as its shuffles placed them."""
    events = side("events", rows=20_000_000, shuffle_bytes=2 * 10**9, estimated_bytes=10**11, sort_ms=5_000)
    users, accounts = (
        side(name, rows=size // 100, shuffle_bytes=size, estimated_bytes=size, sort_ms=50)
        for name, size in (("users", 20_000_000), ("accounts", top_bytes))
    )
    joined = side("events", "users", rows=20_000_000, estimated_bytes=10**12)
    top = inner(joined, accounts, keys=(("events.k", "accounts.k"),))
    lower = replace(inner(events, users), reshuffle=Reshuffle(20_000_000, sorts=True, join=(top.signature, 0)))
    return query(lower, top, seconds=60)


def test_joins_on_one_key_spare_its_shuffle_only_if_the_threshold_turns_all_of_them() -> None:
    (both,) = advise_broadcast_thresholds(facts(_on_one_key(20_000_000)))
    assert int(next(a.value for a in both.actions if a.target == STATIC)) >= 20_000_000
    assert both.reason.numbers["joins"] == 2
    assert not list(advise_broadcast_thresholds(facts(_on_one_key(10**10))))


def test_what_aqe_turns_is_sorted_for_a_join_above_that_relied_on_its_order() -> None:
    (left,), (relied,) = (
        [c for c in threshold_candidates(facts(of), after_shuffles=True) if c.hinted.relations == ("users",)]
        for of in (_free(_on_one_key(10**10)), _on_one_key(10**10))
    )
    assert left.gain > 1 > relied.gain


def _free(of: Query) -> Query:
    return replace(of, joins=tuple(replace(join, reshuffle=None) for join in of.joins))


# --- Where sort merge joins are not preferred, the threshold moves a second bound: times the shuffle partitions. ---

HASHING = {"spark.sql.join.preferSortMergeJoin": "false", "spark.sql.shuffle.partitions": "2"}


def _near_the_bound(estimate: int, out: int | None = None, rows: int = 100_000) -> Query:
    """A side just over 20 MiB, where 10 MiB times two partitions did not let it be hashed."""
    build = side("h", rows=rows, shuffle_bytes=estimate, estimated_bytes=estimate, sort_ms=100)
    probe = side("g", rows=9_000_000, shuffle_bytes=10**9, estimated_bytes=10**11, sort_ms=9_000)
    return query(inner(build, probe, out), seconds=30)


@pytest.mark.parametrize(
    ("neighbour", "advised"),
    [
        pytest.param(_near_the_bound(24_000_000), True, id="one that may be hashed"),
        pytest.param(_near_the_bound(24_000_000, out=90_000_000), False, id="ten rows out per row in"),
        pytest.param(_near_the_bound(24_000_000, rows=50_000_000), False, id="more than a task holds"),
        pytest.param(_near_the_bound(900_000_000, out=90_000_000), True, id="far from the bound"),
    ],
)
def test_a_threshold_that_would_hash_what_must_not_be_is_out(neighbour: Query, advised: bool) -> None:
    job = (query_25(), neighbour)
    assert (STATIC in _thresholds(facts(*job, conf=HASHING))) is advised
    assert STATIC in _thresholds(facts(*job, conf=HASHING | {"spark.sql.join.preferSortMergeJoin": "true"}))


def test_the_bound_counts_for_what_aqe_measures_too() -> None:
    build = side("h", rows=100_000, shuffle_bytes=24_000_000, estimated_bytes=10**12, sort_ms=100)
    probe = side("g", rows=9_000_000, shuffle_bytes=10**9, estimated_bytes=10**14, sort_ms=9_000)
    vetoed = query(inner(build, probe, 90_000_000), seconds=30)
    assert STATIC not in _thresholds(facts(query_25(), vetoed, conf=HASHING))
    assert STATIC in _thresholds(facts(query_25(), vetoed, conf=HASHING | {AQE: "false"}))


def test_what_is_hashed_already_is_not_hashed_by_a_higher_threshold() -> None:
    hashed = _near_the_bound(15_500_000, out=90_000_000).joins[0]
    merged_by_hint = query(hashed, seconds=30)
    found = _thresholds(facts(_pair(12_000_000, estimated_bytes=11_000_000), merged_by_hint, conf=HASHING))
    assert found[STATIC] < 15_500_000


@pytest.mark.parametrize(("estimate", "threshold"), [(14_889_779, STATIC), (10**10, ADAPTIVE)])
def test_a_side_that_a_bloom_filter_made_small_is_broadcast_by_aqe_alone(estimate: int, threshold: str) -> None:
    """At planning no filter is made for a join that is broadcast by its estimate (InjectRuntimeFilter.isProbablyShuffleJoin)."""
    build = side("d", rows=198_263, shuffle_bytes=14_274_936, estimated_bytes=estimate)
    probe = side("f", rows=1_430_861, shuffle_bytes=57_234_440, estimated_bytes=10**11, sort_ms=9_000)
    filtered = replace(build, filtered_by_other=RuntimeFilter.BLOOM)
    found, of_filtered = (_thresholds(facts(query(inner(each, probe), seconds=7))) for each in (build, filtered))
    assert found[threshold] > DEFAULT_THRESHOLD
    assert STATIC not in of_filtered
    assert of_filtered[ADAPTIVE] > DEFAULT_THRESHOLD


def test_a_join_whose_shuffles_another_execution_has_made_is_not_looked_at() -> None:
    skipped = inner(*(JoinSide(found.relations, skipped=True) for found in query_25().joins[0].sides), output_rows=199)
    again = replace(query_25(), joins=(skipped,))
    assert _thresholds(facts(query_25(), again)) == _thresholds(facts(query_25()))


def test_files_that_would_not_fit_in_full_are_not_broadcast_by_their_size() -> None:
    """Tomorrow's filter may keep all rows of 60 MB of Parquet; by statistics of columns the planner knows what it keeps."""
    fact = side("fact", rows=50_000_000, shuffle_bytes=5 * 10**9, estimated_bytes=6 * 10**9, sort_ms=60_000)
    dim = side("dim", rows=500_000, shuffle_bytes=30_000_000, estimated_bytes=60_000_000, sort_ms=300)
    daily = query(inner(fact, dim, 50_000_000), seconds=60)
    small, large = (Cluster(8, 2, 4, executor_memory_bytes=gib * GIB, driver_memory_bytes=gib * GIB) for gib in (2, 4))
    assert STATIC not in _thresholds(facts(daily, cluster=small))
    assert _thresholds(facts(daily, cluster=large))[STATIC] >= 60_000_000
    assert _thresholds(facts(daily, cluster=small, conf={"spark.sql.cbo.enabled": "true"}))[STATIC] >= 60_000_000
