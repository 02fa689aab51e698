"""What a stream says of its contenders: sums with tuning, and where they lost."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tests.bench.stream.made import JOBS, executed, job_night
from tuner.bench.stream.executed import JobNight
from tuner.bench.stream.stream_json import stream_json
from tuner.bench.stream.stream_result import ContenderSum, Death, StreamResult, stream_result

ONCE, HALF = JOBS
TITLES = {"default": "Spark's defaults", "tuner": "the tuner"}
TUNING = {"default": 0.0, "tuner": 1.0}
NIGHTS = 6


def nights(nightly: float = 5.0, *, failed: str = "", other: str = "") -> list[JobNight]:
    """By default 10 s each; the tuner takes 11 s for what comes once, `nightly` for what comes back, a little more each night.
    One execution of the first night fails, or has other rows."""
    found = []
    for night in range(1, NIGHTS + 1):
        first = night == 1
        once = executed(night, "repeats-0", f"once-{night}", 0, {"default": 10.0, "tuner": 11.0})
        half = executed(
            night,
            "repeats-50",
            "r01",
            1,
            {"default": 10.0, "tuner": nightly + night / 100},
            failed if first else "",
            other if first else "",
        )
        found += [job_night(night, ONCE, once, tuning=TUNING), job_night(night, HALF, half, tuning=TUNING)]
    return found


def tuner(result: StreamResult) -> ContenderSum:
    return result.contenders[1]


def test_sums_have_tuning_in_them_by_share_of_repetition() -> None:
    found = tuner(stream_result("a stream", TITLES, nights()))
    assert found.by_job["repeats-0"].seconds == pytest.approx(NIGHTS * 12.0)
    assert found.by_job["repeats-0"].ratio == pytest.approx(10 / 12)
    assert found.by_job["repeats-50"].seconds == pytest.approx(NIGHTS * 6.0 + 0.21)
    assert found.total.seconds == pytest.approx(sum(one.seconds for one in found.by_job.values()))
    assert found.total.executions == 2 * NIGHTS
    assert found.tuning_seconds == 2 * NIGHTS
    assert found.application_seconds == pytest.approx(found.total.seconds + 2 * NIGHTS * 10)


def test_sums_over_the_nights_end_at_the_total() -> None:
    default, mine = stream_result("a stream", TITLES, nights()).contenders
    assert default.by_night == (20.0, 40.0, 60.0, 80.0, 100.0, 120.0)
    assert mine.by_night[0] == pytest.approx(12 + 6.01)
    assert mine.by_night[-1] == pytest.approx(mine.total.seconds)


def test_the_interval_is_of_jobs_nights() -> None:
    found = tuner(stream_result("a stream", TITLES, nights()))
    assert found.by_job["repeats-0"].low == found.by_job["repeats-0"].high == pytest.approx(10 / 12)
    assert found.total.low < found.total.ratio < found.total.high
    assert found.total.low > 10 / 12
    assert found.total.high < 10 / 6
    assert found == tuner(stream_result("a stream", TITLES, nights())), "draws are the same each time"


def test_of_few_nights_no_interval_is_told() -> None:
    one, four = (tuner(stream_result("a stream", TITLES, nights()[:number])).total for number in (1, 4))
    assert [(found.low, found.high) for found in (one, four)] == [(None, None)] * 2
    assert four.ratio == pytest.approx(40 / (24 + 2 * 6 + 0.03))
    five = tuner(stream_result("a stream", TITLES, nights()[:5])).total
    assert five.low is not None and five.low < five.ratio


def test_faster_and_slower_are_counted_by_how_often_a_query_comes_back() -> None:
    never, nightly = tuner(stream_result("a stream", TITLES, nights())).compared
    assert (never.every, never.executions, never.faster, never.slower) == (0, NIGHTS, 0, NIGHTS)
    assert (nightly.every, nightly.faster, nightly.slower) == (1, NIGHTS, 0)
    assert (nightly.default_seconds, nightly.seconds) == (60.0, pytest.approx(30.21))


def test_slower_is_what_a_test_over_the_nights_of_a_query_bears_out() -> None:
    found = tuner(stream_result("a stream", TITLES, nights()))
    assert (found.tested, found.slower) == (1, ())
    found = tuner(stream_result("a stream", TITLES, nights(nightly=12.0)))
    assert [(one.job, one.name, one.nights) for one in found.slower] == [("repeats-50", "r01", NIGHTS)]
    assert found.slower[0].ratio == pytest.approx(60 / 72.21)
    assert tuner(stream_result("a stream", TITLES, nights()[:2])).tested == 0, "one night tells nothing"


def test_a_failed_execution_counts_what_it_took_and_that_by_default() -> None:
    found = tuner(stream_result("a stream", TITLES, nights(failed="tuner")))
    assert found.failed == ("night 1, repeats-50, r01",)
    assert found.by_job["repeats-50"].seconds == pytest.approx(NIGHTS * 6.0 + 0.21 + 10.0)
    assert found.compared[1].executions == NIGHTS - 1


def test_applications_that_died_are_named_with_their_jobs_and_nights() -> None:
    done = nights(failed="tuner")
    done[1] = replace(done[1], exit_codes={"tuner": 137})
    found = stream_result("a stream", TITLES, done)
    assert [one.died for one in found.contenders] == [(), (Death("repeats-50", 1, 137),)]
    assert stream_json(found, done, "a machine")["job_nights"][1]["exit_codes"] == {"tuner": 137}


def test_nights_whose_runs_began_over_two_hours_apart_are_told() -> None:
    done = nights()
    done[:2] = [replace(done[0], hours_apart=1.9), replace(done[1], hours_apart=20.0)]
    assert stream_result("a stream", TITLES, done).apart == (20.0,)


def test_rows_that_differ_are_named() -> None:
    found = stream_result("a stream", TITLES, nights(other="tuner"))
    assert [one.other_rows for one in found.contenders] == [(), ("night 1, repeats-50, r01",)]
    assert not tuner(stream_result("a stream", TITLES, nights())).other_rows


def test_an_execution_with_other_rows_is_no_gain() -> None:
    found = tuner(stream_result("a stream", TITLES, nights(other="tuner")))
    same = tuner(stream_result("a stream", TITLES, nights()))
    assert (found.compared[1].executions, found.compared[1].faster) == (NIGHTS - 1, NIGHTS - 1)
    assert found.total.seconds == pytest.approx(same.total.seconds - 5.01 + 10)


def test_what_failed_by_default_is_in_no_sum() -> None:
    done = nights()
    failed = executed(1, "repeats-50", "r01", 1, {"default": 900.0, "tuner": 50.0}, failed="default")
    done[1] = job_night(1, HALF, failed, tuning=TUNING)
    found = stream_result("a stream", TITLES, done)
    (default, mine), without = found.contenders, stream_result("a stream", TITLES, [done[0], *done[2:]])
    assert default.failed == ("night 1, repeats-50, r01",)
    assert (found.executions, default.total.executions) == (2 * NIGHTS, 2 * NIGHTS - 1)
    assert default.total.seconds == 10.0 * (2 * NIGHTS - 1)
    assert mine.total.seconds == pytest.approx(tuner(without).total.seconds + 1), "deciding took its second"
    assert mine.by_night[-1] == pytest.approx(mine.total.seconds)
    assert (default.application_seconds, mine.compared[1].executions) == (20.0 * 11 + 10, NIGHTS - 1)


@pytest.mark.filterwarnings("error")
def test_a_night_in_which_nothing_came_through_by_default_leaves_figures() -> None:
    none = {"default": 0.0, "tuner": 0.0}
    failed = executed(1, "repeats-50", "r01", 1, {"default": 900.0, "tuner": 50.0}, failed="default")
    (default, mine) = stream_result("a stream", TITLES, [job_night(1, HALF, failed, tuning=none)] * 6).contenders
    assert (default.total.ratio, mine.total.ratio, mine.total.low) == (1.0, 1.0, None)
    assert mine.compared[0].ratio == 1.0


def test_json_has_the_result_and_every_execution() -> None:
    done = nights(failed="tuner")
    told = msgspec.json.decode(
        msgspec.json.encode(stream_json(stream_result("a stream", TITLES, done), done, "a machine"))
    )
    assert told["machine"] == "a machine"
    assert told["shares"] == {"repeats-0": 0.0, "repeats-50": 0.5}
    assert told["contenders"][1]["by_job"]["repeats-0"]["seconds"] == NIGHTS * 12
    assert len(told["job_nights"]) == 2 * NIGHTS
    once, failed = (of["executions"][0] for of in told["job_nights"][:2])
    assert once["seconds"] == {"default": 10.0, "tuner": 11.0}
    assert failed["errors"] == {"tuner": "out of memory"}


def test_what_is_done_may_be_nothing_of_a_night() -> None:
    done = [replace(one, tuning={"default": 0.0, "tuner": 0.0}) for one in nights()[:3]]
    assert stream_result("a stream", TITLES, done).nights == 2
