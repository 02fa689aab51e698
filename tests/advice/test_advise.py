"""All advisors together, and what they look at."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy.histories import said
from tuner.advice.advise import advise
from tuner.advice.candidates.round_number import round_number
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.learned.prediction_errors import PredictionErrors
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction

from .joins import facts, inner, query, query_25, query_72, side


def change(gain: float, evidence: float = 1.0, high: float = 9.9) -> Change:
    action = Action(ActionKind.SET_CONF, "spark.x", str(gain))
    predicted = Prediction(10.0, 10.0 - gain, 0.0, high)
    return Change.of("test", (action,), ("q",), said("why"), (Evidence("n", evidence, "rows"),), predicted)


# Without pairs of predictions and what came of them, what is foretold has the interval that its advisor gives it.
AS_ADVISED = replace(facts(), prediction_errors=PredictionErrors({}, None))


def test_what_is_foretold_has_the_interval_of_what_came_of_others() -> None:
    (found,) = advise(facts(), [lambda _: [change(3)]])
    bounds = facts().prediction_errors.bounds("test")
    assert bounds is not None and found.prediction is not None
    assert (found.prediction.low, found.prediction.worst) == (pytest.approx(7 * math.exp(bounds.low)), 9.9)
    assert found.prediction.high == pytest.approx(7 * math.exp(bounds.high))


def test_the_largest_gain_comes_first() -> None:
    found = advise(facts(), [lambda _: [change(1), change(3)], lambda _: [change(2)]])
    assert [r.prediction.gain for r in found] == [3, 2, 1]


def test_an_advisor_that_raises_is_silenced_alone(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Facts) -> Iterable[Change]:
        yield change(1)
        raise ZeroDivisionError

    found = advise(AS_ADVISED, [broken, lambda _: [change(2)]])
    assert change(2) in found
    assert "broken failed" in caplog.text


def test_what_cannot_be_stored_or_compared_is_left_out() -> None:
    odd = [change(math.nan), change(math.inf), change(1, evidence=math.nan)]
    assert advise(AS_ADVISED, [lambda _: [*odd, change(2)]]) == (change(2),)


@pytest.mark.parametrize("high", [10.0, 10.5, math.nan])
def test_a_gain_no_larger_than_what_is_unsure_of_it_is_no_advice(high: float) -> None:
    assert advise(AS_ADVISED, [lambda _: [change(3, high=high), change(1)]]) == (change(1),)


def test_joins_of_a_query_that_will_hardly_come_back_are_left_as_they_are() -> None:
    of_run = replace(facts(query_25(), query_72()), reach=Reach.AGENT)
    for_all = advise(of_run)
    assert {c.query for c in for_all if c.is_on_joins} == {"q25"}
    assert advise(replace(of_run, passing=frozenset(["q72"]))) == for_all
    one_passes = advise(replace(of_run, passing=frozenset(["q25"])))
    assert one_passes == tuple(c for c in for_all if not c.is_on_joins)


def test_joins_of_a_query_that_reads_a_cache_are_left_as_the_agent_leaves_them() -> None:
    fact, dim = (
        side("fact", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=9_000),
        side("dim", rows=9, shuffle_bytes=99),
    )
    reading = replace(query(inner(fact, dim)), reads_cache=True)
    for reach, advised in ((Reach.AGENT, False), (Reach.TEXT, True)):
        assert any(c.is_on_joins for c in advise(facts(reading, reach=reach))) is advised
    assert any(c.is_on_joins for c in advise(facts(replace(reading, reads_cache=False), reach=Reach.AGENT)))


def test_an_empty_run_has_no_advice() -> None:
    assert advise(Facts((), facts().cluster)) == ()


_text = st.text(max_size=8) | st.sampled_from(["-1", "0", "10m", "true", "false", "nan", "inf", "1e400", "200"])
_keys = st.sampled_from(
    [
        "spark.sql.autoBroadcastJoinThreshold",
        "spark.sql.adaptive.autoBroadcastJoinThreshold",
        "spark.sql.adaptive.enabled",
        "spark.sql.shuffle.partitions",
        "spark.memory.fraction",
        "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold",
        "spark.sql.optimizer.runtime.bloomFilter.enabled",
    ]
)


@given(st.dictionaries(_keys, _text), _text, st.booleans())
def test_no_setting_breaks_an_advisor(conf: dict[str, str], version: str, per_join: bool) -> None:
    from tuner.advice.advise import ADVISORS

    job = facts(query_25(), query_72(), conf=conf, version=version, per_join=per_join)
    for advisor in ADVISORS:
        for found in advisor(job):
            predicted = found.prediction
            assert predicted
            assert 0 <= predicted.low <= predicted.after <= predicted.high < math.inf
            assert found.evidence


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4.0.1", (4, 0)), ("3.5.1-amzn-0", (3, 5)), ("4.1-preview", (4, 1)), ("", (0, 0)), ("x", (0, 0))],
)
def test_the_version_is_read_leniently(text: str, expected: tuple[int, int]) -> None:
    assert facts(version=text).version == expected


@pytest.mark.parametrize("fraction", ["much", "nan", "-1", "0", "2", ""])
def test_a_memory_fraction_that_is_none_counts_as_sparks(fraction: str) -> None:
    assert facts(conf={"spark.memory.fraction": fraction}).cap == facts().cap


def test_the_memory_fraction_counts() -> None:
    assert facts(conf={"spark.memory.fraction": "0.3"}).cap.one_bytes == pytest.approx(facts().cap.one_bytes / 2, abs=1)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(14_889_779, 18_612_223, 18_000_000), (9, 11, 10), (7, 7, 7), (1, 1, 1), (15_000_000, 15_000_000, 15_000_000)],
)
def test_round_numbers(low: int, high: int, expected: int) -> None:
    assert round_number(low, high) == expected


@given(st.integers(1, 1 << 50), st.integers(0, 1 << 50))
def test_round_numbers_stay_between(low: int, more: int) -> None:
    assert low <= round_number(low, low + more) <= low + more
