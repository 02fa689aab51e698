"""What runs would have taken with nothing in force."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

from tuner.model.decision import Standing
from tuner.model.run import RunState
from tuner.policy.baseline import baselines, query_baselines

from .histories import GB, conf, decided, hint, late_upstream, run

HINT = decided(hint("q1"), Standing.PROMOTED)


def test_the_first_run_has_none_and_the_next_is_compared_with_it() -> None:
    found = baselines([run(0, {"q1": 20.0}), run(1, {"q1": 10.0}, HINT)])
    assert list(found) == ["etl/1/1"]
    band = found["etl/1/1"]
    assert band.expected == pytest.approx(20, rel=0.01)
    assert 15 < band.low < 20.0 < band.high < 27.0


def test_steered_runs_are_no_baseline_however_many() -> None:
    nights = [run(0, {"q1": 20.0}), *(run(n, {"q1": 10.0}, HINT) for n in range(1, 40))]
    assert {round(band.expected) for band in baselines(nights).values()} == {20}


def test_what_nothing_reached_is_a_baseline_in_a_steered_run_too() -> None:
    nights = [run(0, {"q1": 20.0, "q2": 1.0}), *(run(n, {"q1": 10.0, "q2": 1.1}, HINT) for n in range(1, 12))]
    assert baselines(nights)["etl/11/1"].expected == pytest.approx(21.1, rel=0.01)


def test_another_level_is_learned_in_a_few_runs() -> None:
    slow, fast = [run(n, {"q1": 30.0}) for n in range(20)], [run(n, {"q1": 20.0}) for n in range(20, 30)]
    assert baselines([*slow, *fast, run(30, {"q1": 10.0}, HINT)])["etl/30/1"].expected == pytest.approx(20, rel=0.05)


def test_times_grow_with_the_input_and_the_band_is_as_wide_as_that_is_open() -> None:
    found = baselines([run(0, {"q1": 20.0}), run(1, {"q1": 15.0}, HINT, input_bytes=2 * GB)])["etl/1/1"]
    assert 20 < found.expected < 40
    assert found.low < 22.0 and found.high > 40.0


def test_a_slow_machine_is_told_by_what_nothing_reached() -> None:
    before = [run(n, {"q1": 20.0, "q2": 10.0, "q3": 10.0}) for n in range(5)]
    slow = run(5, {"q1": 15.0, "q2": 15.0, "q3": 15.0}, HINT)
    assert baselines([*before, slow])["etl/5/1"].expected == pytest.approx(60.0, rel=0.03)


def test_an_unsteered_run_is_what_it_is() -> None:
    """A slow night without any change is outside of the band: it does not excuse itself."""
    before = [run(n, {"q1": 20.0, "q2": 10.0}) for n in range(5)]
    found = baselines([*before, run(5, {"q1": 40.0, "q2": 20.0})])["etl/5/1"]
    assert found.expected == 30.0
    assert found.high < 60.0


def test_a_noisy_query_has_a_wide_band() -> None:
    def width(*seconds: float) -> float:
        nights = [run(n, {"q1": s}) for n, s in enumerate(seconds)]
        band = baselines([*nights, run(9, {"q1": 20.0})])["etl/9/1"]
        return band.high - band.low

    assert width(10, 30, 15, 25, 20) > 2 * width(19, 21, 20, 20, 20)


def test_what_nothing_reached_is_taken_as_it_ran() -> None:
    known = run(0, {"q1": 20.0})
    assert baselines([known, run(1, {"q1": 10.0, "new": 1.0}, HINT)])["etl/1/1"].expected == pytest.approx(21, rel=0.01)
    assert baselines([known, run(1, {"q1": 10.0, "new": 9.0}, HINT)])["etl/1/1"].expected == pytest.approx(29, rel=0.01)


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.PARTIAL, RunState.LOST, RunState.RUNNING])
def test_runs_that_were_not_measured_whole_neither_have_nor_make_one(state: RunState) -> None:
    broken = run(1, {"q1": 3.0}, state=state)
    found = baselines([run(0, {"q1": 20.0}), broken, run(2, {"q1": 10.0}, HINT)])
    assert {key: round(band.expected) for key, band in found.items()} == {"etl/2/1": 20}


def test_queries_by_their_level_for_the_input_of_their_latest_run() -> None:
    nights = [run(n, {"q1": s, "q2": 4.0}) for n, s in enumerate([18, 20, 25])]
    found = query_baselines([*nights, run(3, {"q1": 9.0, "q2": 4.0}, HINT)])
    assert found == {"q1": pytest.approx(21, rel=0.06), "q2": pytest.approx(4, rel=0.1)}
    assert 24 < query_baselines([*nights, run(3, {"q1": 9.0}, HINT, input_bytes=2 * GB)])["q1"] < 40
    assert query_baselines([run(0, {"q1": 9.0}, HINT)]) == {}


@pytest.mark.parametrize("last", [{"q1": 9.0, "q2": 4.5, "q3": 2.0}, {"q1": 9.0, "q2": 4.5, "q3": 2.0, "new": 1.0}])
def test_queries_make_up_the_baseline_of_their_run(last: dict[str, float]) -> None:
    nights = [run(n, {"q1": s, "q2": 4.0, "q3": 2.0, "gone": 7.0}) for n, s in enumerate([18, 20, 25])]
    runs = [*nights, run(3, last, HINT)]
    by_query = query_baselines(runs)
    assert by_query.get("new", 1.0) == 1.0 and by_query["gone"] == pytest.approx(7, rel=0.02)
    assert sum(by_query.get(q, took) for q, took in last.items()) == pytest.approx(baselines(runs)["etl/3/1"].expected)


def test_a_night_that_found_nothing_to_read_has_none_and_moves_no_other() -> None:
    nights = [
        *(run(n, {"q1": 30.0, "q2": 10.0}) for n in range(3)),
        *(run(n, {"q1": 15.0, "q2": 10.0}, HINT) for n in range(3, 6)),
        *(late_upstream(n, HINT) for n in (6, 7)),
    ]
    assert set(query_baselines(nights)) == {"q2"}, "of q1 it is not known what it would have taken that night"
    found = baselines([*nights, run(8, {"q1": 15.0, "q2": 10.0}, HINT)])
    assert not {"etl/6/1", "etl/7/1"} & set(found)
    assert found["etl/8/1"].expected == pytest.approx(40, rel=0.02)


def test_a_query_that_found_nothing_to_read_beside_one_that_did_is_taken_as_it_ran() -> None:
    night = run(4, {"q1": 0.3, "q2": 10.0}, HINT)
    assert night.outcome
    first, second = night.outcome.queries
    night = replace(night, outcome=replace(night.outcome, queries=(replace(first, input_bytes=0), second)))
    nights = [run(0, {"q1": 30.0, "q2": 10.0}), *(run(n, {"q1": 15.0, "q2": 10.0}, HINT) for n in range(1, 4)), night]
    assert baselines(nights)["etl/4/1"].expected == pytest.approx(10.3, rel=0.01)
    assert query_baselines(nights) == {"q1": pytest.approx(0.3), "q2": pytest.approx(10.0, rel=0.01)}


@pytest.mark.nightly
def test_many_runs_take_as_much_longer_as_they_are_more() -> None:
    draw = random.Random(1)
    nights = [
        run(n, {f"q{i}": draw.uniform(9, 11) for i in range(50)}, *([HINT] if n > 10 else [])) for n in range(160)
    ]

    def seconds(count: int) -> float:
        started = time.process_time()
        baselines(nights[:count])
        return time.process_time() - started

    seconds(40)
    assert min(seconds(160) for _ in range(3)) < 12 * min(seconds(40) for _ in range(3)), "4 times is linear, 16 is not"


def test_what_a_property_moved_beside_what_it_was_set_for_would_have_taken_longer() -> None:
    """TPC-H 17 fell from 34.9 s to 6.6 s by a threshold that was set for nine others."""
    threshold = decided(conf(), Standing.PROMOTED, queries=("q1",))
    before = [run(n, {"q1": 10.0, "q17": 35.0, "q3": 20.0}) for n in range(3)]
    after = [run(n, {"q1": 8.0, "q17": 7.0, "q3": 20.0}, threshold) for n in range(3, 6)]
    assert baselines([*before, *after])["etl/5/1"].expected == pytest.approx(65, rel=0.05)
    assert query_baselines([*before, *after]) == {
        "q1": pytest.approx(10, rel=0.1),
        "q17": pytest.approx(35, rel=0.05),
        "q3": 20.0,
    }


def test_what_a_property_that_names_no_query_of_the_run_did_is_told_too() -> None:
    threshold = decided(conf(), Standing.PROMOTED, queries=("gone",))
    nights = [*(run(n, {"q1": 20.0}) for n in range(3)), *(run(n, {"q1": 10.0}, threshold) for n in range(3, 6))]
    assert baselines(nights)["etl/5/1"].expected == pytest.approx(20, rel=0.05)
