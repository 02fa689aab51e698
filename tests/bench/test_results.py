"""What a bench says of its contenders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.bench.bench_result import BenchResult, ContenderResult
from tuner.bench.bench_run import BenchRun
from tuner.bench.contenders.contenders import CONTENDERS
from tuner.bench.how_soon import OBSERVING
from tuner.bench.in_pairs import paired_speed_up
from tuner.bench.result_json import result_json
from tuner.bench.results import results

from .made import run, runs, setup

DEFAULT = runs("default", *[{"q1": 10.0, "q2": 5.0 + n / 100} for n in range(5)])


def result(*tuned: BenchRun, default: list[BenchRun] = DEFAULT) -> BenchResult:
    return results(setup(), {"default": "Spark", "tuner": "the tuner"}, {"default": default, "tuner": tuned})


def tuner(*tuned: BenchRun, default: list[BenchRun] = DEFAULT) -> ContenderResult:
    return result(*tuned, default=default).contenders[1]


# A round is slow for the defaults in the second and third, for the tuner in the third.
MOVING = {"default": (22.0, 26.0, 26.0), "tuner": (23.0, 23.0, 31.0)}
LEARNS = ({"q1": 10, "q2": 5}, {"q1": 4, "q2": 5}, {"q1": 2, "q2": 5}, {"q1": 2, "q2": 5}, {"q1": 2, "q2": 5.1})


def test_speed_ups_are_against_the_default_of_the_same_round() -> None:
    found = tuner(*runs("tuner", *LEARNS))
    assert [round(r.speed_up, 2) for r in found.runs] == [1.0, 1.67, 2.15, 2.15, 2.12]
    slow_night = [*DEFAULT[:4], run("default", 5, {"q1": 20, "q2": 10})]
    assert tuner(*runs("tuner", *LEARNS), default=slow_night).runs[4].speed_up == pytest.approx(30 / 7.1)


def test_the_end_is_the_median_of_the_repeats_each_against_the_defaults_of_its_round() -> None:
    found = tuner(*runs("tuner", *LEARNS))
    assert found.total_speed_up == pytest.approx((15.03 / 7 * 15.04 / 7.1) ** 0.5)
    by_query = [5, (5.03 / 5 * 5.04 / 5.1) ** 0.5]
    assert [q.speed_up for q in found.queries] == pytest.approx(by_query)
    assert found.geometric_mean == pytest.approx((by_query[0] * by_query[1]) ** 0.5)
    assert found.best_geometric_mean == found.geometric_mean, "of two queries all are among the best 16"


def test_a_slow_round_of_each_makes_no_gain_of_a_loss() -> None:
    titles, of = {"default": "Spark", "tuner": "the tuner"}, setup(queries=("q1",), runs=0, repeats=3)
    took = {name: runs(name, *[{"q1": s} for s in each]) for name, each in MOVING.items()}
    found = results(of, titles, took).contenders[1]
    (query,) = found.queries
    assert query.final_seconds < query.default_seconds, "their medians are of different rounds"
    assert found.total_speed_up == query.speed_up == found.geometric_mean == pytest.approx(22 / 23)


def test_what_ran_in_no_common_round_is_compared_by_medians() -> None:
    assert paired_speed_up({1: 10.0, 2: 20.0}, {2: 10.0, 3: 1.0}) == 2
    assert paired_speed_up({1: 10.0}, {3: 4.0, 4: 6.0}) == 2
    assert paired_speed_up({}, {1: 1.0}) is None


def test_twice_as_fast_and_half_as_fast_are_no_gain() -> None:
    assert paired_speed_up({1: 10.0, 2: 10.0}, {1: 5.0, 2: 20.0}) == pytest.approx(1)


def test_how_soon_it_had_ninety_percent_of_its_gain() -> None:
    assert tuner(*runs("tuner", *LEARNS)).runs_to_most == 3
    assert tuner(*runs("tuner", *[{"q1": 11, "q2": 5}] * 5)).runs_to_most is None


def test_all_that_tuning_takes_is_counted() -> None:
    prepared = BenchRun("tuner", 0, (), tuning_seconds=100)
    found = tuner(prepared, *runs("tuner", *LEARNS, tuning=1.5))
    assert found.preparing_seconds == 100
    assert [r.cumulative_seconds for r in found.runs] == pytest.approx([116.5, 127, 135.5, 144, 152.6])
    assert found.cumulative_seconds == pytest.approx(152.6)


def test_core_seconds_held_are_the_median_of_the_repeats_that_tell() -> None:
    *learning, third, fourth, last = runs("tuner", *LEARNS)
    held = [replace(third, allocated_core_seconds=40.0), fourth, replace(last, allocated_core_seconds=30.0)]
    found = result(*learning, *held)
    assert [c["allocated_core_seconds"] for c in result_json(found, "")["contenders"]] == [None, 30.0]
    assert [r.allocated_core_seconds for r in found.contenders[1].runs] == [None, None, 40.0, None, 30.0]


def test_seconds_of_processors_are_those_of_runs_that_tell_of_each_query() -> None:
    def used(run: BenchRun, *seconds: float | None) -> BenchRun:
        queries = (replace(query, cpu_seconds=s) for query, s in zip(run.queries, seconds, strict=True))
        return replace(run, queries=tuple(queries))

    *learning, third, fourth, last = runs("tuner", *LEARNS)
    found = result(*learning, used(third, 4.0, 2.0), used(fourth, 3.0, None), used(last, 2.0, 1.5))
    assert [r.cpu_seconds for r in found.contenders[1].runs] == [None, None, 6.0, None, 3.5]
    assert [c["cpu_seconds"] for c in result_json(found, "")["contenders"]] == [None, 3.5]


def test_a_failed_query_counts_what_it_took_and_a_run_by_default() -> None:
    found = tuner(*runs("tuner", LEARNS[0]), run("tuner", 2, {"q1": 3, "q2": 5}, failed=["q1"]))
    assert (found.runs[1].seconds, found.runs[1].failed) == (18, ("q1",))
    assert found.queries[0].seconds == (10, None)


def test_a_query_that_always_fails_by_default_says_nothing() -> None:
    broken = [run("default", n, {"q1": 10, "q2": 0.1}, failed=["q2"]) for n in (1, 2)]
    found = tuner(run("tuner", 1, {"q1": 5, "q2": 0.1}, failed=["q2"]), default=broken)
    assert [q.speed_up for q in found.queries] == [2, 1]
    assert found.geometric_mean == 2
    assert not found.slower


def test_who_finishes_what_the_defaults_fail_is_not_slower_for_it() -> None:
    broken = [run("default", n, {"q1": 10, "q2": 0.1}, failed=["q2"]) for n in range(1, 6)]
    found = tuner(*runs("tuner", *[{"q1": 5, "q2": 60}] * 5), default=broken)
    assert [one.speed_up for one in found.runs] == [2] * 5
    assert (found.total_speed_up, found.geometric_mean) == (2, 2)
    assert (found.only_mine, found.only_default) == (("q2",), ())
    assert [(q.compared, q.seems_slower) for q in found.queries] == [(True, False), (False, False)]


def test_what_only_the_defaults_finish_is_listed_apart() -> None:
    failing = [run("tuner", n, {"q1": 5, "q2": 1}, failed=["q2"] if n == 5 else []) for n in range(1, 6)]
    found = tuner(*failing)
    assert (found.only_mine, found.only_default) == ((), ("q2",)), "it failed in one of the two repeats"
    assert (found.total_speed_up, found.geometric_mean) == (2, 2)
    assert found.queries[1].p_slower is None
    assert [one.seconds for one in found.runs[3:]] == [6, 6 + 5.02], "what failed is still counted as a cost"


def test_a_contender_that_fails_everything_has_no_speed_up() -> None:
    failing = [run("tuner", n, {"q1": 0.2, "q2": 0.1}, failed=["q1", "q2"]) for n in range(1, 6)]
    found = tuner(*failing)
    assert (found.total_speed_up, found.geometric_mean, found.best_geometric_mean) == (None, None, None)
    assert {one.speed_up for one in found.runs} == {None}
    assert (found.runs_to_most, found.only_default) == (None, ("q1", "q2"))


def test_without_repeats_all_is_against_the_same_run() -> None:
    default = runs("default", {"q1": 30.0, "q2": 5.0}, {"q1": 20.0, "q2": 5.0}, {"q1": 10.0, "q2": 5.0})
    tuned = runs("tuner", *[{"q1": 10.0, "q2": 5.0}] * 3)
    found = results(setup(repeats=0), {"default": "", "tuner": ""}, {"default": default, "tuner": tuned}).contenders[1]
    assert [q.default_seconds for q in found.queries] == [10, 5]
    assert found.total_speed_up == found.geometric_mean == 1


def test_a_gain_within_what_the_defaults_differ_from_themselves_has_no_run() -> None:
    noisy = runs("default", *[{"q1": 10.0 + 2 * (n % 2), "q2": 5.0} for n in range(5)])
    small = runs("tuner", *[{"q1": 10, "q2": 5}] * 2, *[{"q1": 8, "q2": 5}] * 3)
    assert tuner(*small, default=noisy).runs_to_most is None
    assert tuner(*small).runs_to_most == 3
    assert tuner(*small, default=DEFAULT[:1]).runs_to_most is None, "how much they differ is not known"


def test_a_run_that_is_observed_is_not_the_one_that_had_most_of_the_gain() -> None:
    quick = runs("tuner", *[{"q1": 2, "q2": 5}] * 5)
    assert tuner(*quick).runs_to_most == 2
    titles, took = {"default": "", "cbo": ""}, {"default": DEFAULT, "cbo": quick}
    assert results(setup(), titles, took).contenders[1].runs_to_most == 1


def test_contenders_that_observe_are_those_that_learn() -> None:
    pytest.importorskip("optuna", reason="optuna is not installed: pip install airflow-spark-tuner[bench]")
    assert {name for name, make in CONTENDERS.items() if make().learns} == OBSERVING


def test_slower_is_what_a_test_over_repeats_bears_out() -> None:
    clearly = tuner(*runs("tuner", *[{"q1": 10, "q2": 5}] * 3, {"q1": 12.0, "q2": 5}, {"q1": 12.1, "q2": 5}))
    assert [q.name for q in clearly.slower] == ["q1"]
    once = tuner(*runs("tuner", *[{"q1": 10, "q2": 5}] * 3, {"q1": 10, "q2": 5}, {"q1": 14, "q2": 5}))
    assert not once.slower
    assert [q.name for q in once.queries if q.seems_slower] == ["q1"]


def test_rows_that_differ_are_told_where_spark_itself_is_of_one_mind() -> None:
    other = run("tuner", 1, {"q1": 10, "q2": 5}, digests={"q1": "others"})
    assert [q.other_rows for q in tuner(other).queries] == [True, False]
    tied = [run("default", n, {"q1": 10, "q2": 5}, digests={"q1": f"tie {n}"}) for n in (1, 2)]
    found = tuner(other, default=tied).queries
    assert [(q.other_rows, q.rows_vary) for q in found] == [(False, True), (False, False)]


def test_what_gave_other_rows_is_in_no_ratio_and_no_test() -> None:
    nothing = [run("cbo", n, {"q1": 0.1, "q2": 5.0 + n / 100}, digests={"q1": "none"}) for n in range(5)]
    titles, took = (
        {"default": "", "cbo": ""},
        {"default": DEFAULT, "cbo": [replace(r, number=r.number + 1) for r in nothing]},
    )
    found = results(setup(), titles, took).contenders[1]
    assert found.total_speed_up == found.geometric_mean == 1
    assert [one.speed_up for one in found.runs] == [1] * 5
    assert [(q.compared, q.speed_up, q.p_slower is None) for q in found.queries] == [(False, 1, True), (True, 1, False)]


def test_where_rows_vary_by_default_their_number_is_still_compared() -> None:
    tied = [run("default", n, {"q1": 10, "q2": 5}, digests={"q1": f"tie {n}"}) for n in (1, 2)]
    (first, second) = run("tuner", 1, {"q1": 10, "q2": 5}).queries
    fewer = BenchRun("tuner", 1, (replace(first, rows=0), second))
    assert [q.other_rows for q in tuner(fewer, default=tied).queries] == [True, False]


def test_where_even_the_number_of_rows_varies_by_default_nothing_is_compared() -> None:
    default = [run("default", n, {"q1": 10, "q2": 5}, digests={"q1": f"tie {n}"}) for n in (1, 2)]
    (first, second) = default[1].queries
    default[1] = replace(default[1], queries=(replace(first, rows=7), second))
    found = tuner(run("tuner", 1, {"q1": 10, "q2": 5}), default=default).queries
    assert [(q.rows_vary, q.numbers_vary, q.other_rows) for q in found] == [(True, True, False), (False, False, False)]


def test_slower_is_told_of_the_same_rounds_alone() -> None:
    """A machine that got slower for all is no query that did."""
    slow_end = runs("default", *[{"q1": 10, "q2": 5}] * 3, {"q1": 20.0, "q2": 5}, {"q1": 20.2, "q2": 5})
    found = tuner(
        *runs("tuner", *[{"q1": 10, "q2": 5}] * 3, {"q1": 20.1, "q2": 5}, {"q1": 20.0, "q2": 5}), default=slow_end
    )
    assert (found.slower, found.tested) == ((), 2)


def test_without_repeats_nothing_is_tested() -> None:
    of = setup(repeats=1)
    all_runs = {"default": DEFAULT[:4], "tuner": runs("tuner", *[{"q1": 30, "q2": 5}] * 4)}
    default, mine = results(of, {"default": "Spark", "tuner": "the tuner"}, all_runs).contenders
    assert (default.tested, mine.tested, mine.slower) == (0, 0, ())
    assert [q.name for q in mine.queries if q.seems_slower] == ["q1"]


def test_rounds_without_a_run_by_default_are_compared_with_the_nearest() -> None:
    slow = run("default", 5, {"q1": 20, "q2": 10})
    found = result(*runs("tuner", *LEARNS), default=[DEFAULT[0], slow])
    assert [[r.number for r in c.runs] for c in found.contenders] == [[1, 5], [1, 2, 3, 4, 5]]
    assert [round(r.speed_up, 2) for r in found.contenders[1].runs] == [1.0, 1.67, 2.14, 4.29, 4.23]
    assert found.contenders[0].cumulative_seconds == 3 * 15 + 2 * 30, "as long as in the nearest round"
    once = result(*runs("tuner", *LEARNS), default=[DEFAULT[0]])
    assert once.contenders[0].cumulative_seconds == 5 * 15, "of as many rounds as the others"


def test_json_has_what_the_tables_have() -> None:
    told = result_json(result(*runs("tuner", *LEARNS)), "a machine")
    assert told["machine"] == "a machine"
    assert [c["name"] for c in told["contenders"]] == ["default", "tuner"]
    assert told["contenders"][1]["runs"][2]["seconds"] == 7
    assert told["contenders"][1]["queries"][0]["query"] == "q1"
