"""Jobs whose nights are not alike: full loads and small ones in turns, weekends, ends of months. What loses there goes out."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from tests.policy.histories import GB, conf, decided, hint, in_force, recommend, run, situation
from tuner.model.action import Action
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.policy.decide import decide
from tuner.policy.judging.hold_out import RUNS_IN_TURN, hold_out_one_at_a_time
from tuner.policy.record import Record


@dataclass(frozen=True)
class Night:
    """Seconds by query without the change, the factor that the change has on `q1`, and how many times as large its inputs are."""

    seconds: dict[str, float]
    factor: float
    size: float = 1.0
    values: str = ""


def nights_lost(action: Action, of: Callable[[int], Night], count: int, window: int = 60) -> tuple[list[int], float]:
    """Of so many nights those in which the change was in force on `q1` and lost, and what it lost in all, less its gains."""
    change, chance = recommend(action, before=100, after=60, high=90), random.Random(1)
    runs: list[Run] = []
    found, lost = [], 0.0
    for number in range(count):
        night = of(number)
        decision = decide(situation(Mode.AUTO, 1, runs[-window:], [change]))
        on = action.id in in_force(decision) and "q1" in night.seconds
        took = {q: s * night.size * chance.gauss(1, 0.03) for q, s in night.seconds.items()}
        if on:
            lost += took["q1"] * (night.factor - 1)
            took["q1"] *= night.factor
            found += [number] if night.factor > 1 else []
        ran = run(number, took, *decision.changes, input_bytes=round(GB * night.size))
        assert ran.outcome is not None
        queries = tuple(replace(q, literals=night.values) if q.fingerprint == "q1" else q for q in ran.outcome.queries)
        runs.append(replace(ran, outcome=replace(ran.outcome, queries=queries)))
    return found, lost


BOTH = pytest.mark.parametrize("action", [hint("q1"), conf()], ids=["hint", "property"])


@BOTH
@pytest.mark.parametrize("loss", [pytest.param(1.6, marks=pytest.mark.nightly), 3.0])
def test_what_begins_to_lose_in_a_query_of_every_other_night_goes_out(action: Action, loss: float) -> None:
    def night(number: int) -> Night:
        full = {"q1": 100.0} if not number % 2 else {}
        return Night({**full, "q2": 50, "q3": 50}, 0.7 if number < 24 else loss)

    lost, _ = nights_lost(action, night, 60)
    assert 1 <= len(lost) <= 4


def test_a_hint_of_a_weekly_query_is_proven_and_goes_out_once_it_loses() -> None:
    def night(number: int) -> Night:
        full = {"q1": 100.0} if not number % 7 else {}
        return Night({**full, "q2": 50}, 0.7 if number < 42 else 2.0)

    lost, seconds = nights_lost(hint("q1"), night, 84)
    assert 1 <= len(lost) <= 4
    assert seconds < len(lost) * 100 - 90, "it gained before"


@BOTH
@pytest.mark.nightly
def test_what_loses_little_by_little_is_left_out_once_and_goes_out(action: Action) -> None:
    def night(number: int) -> Night:
        return Night({"q1": 100, "q2": 50}, min(1.6, 0.7 + max(0, number - 35) / 50))

    lost, _ = nights_lost(action, night, 85)
    assert min(lost) > 50
    assert max(lost) < 70


def test_what_begins_to_lose_with_some_values_of_a_query_goes_out() -> None:
    def night(number: int) -> Night:
        full = not number % 2
        return Night({"q1": 100 if full else 60, "q2": 50}, loss_of(number, full), values="full" if full else "small")

    def loss_of(number: int, full: bool) -> float:
        return 2.0 if full and number >= 24 else 0.7

    lost, _ = nights_lost(conf(), night, 50)
    assert 1 <= len(lost) <= 4


@pytest.mark.parametrize("losing", [0, pytest.param(1, marks=pytest.mark.nightly)], ids=["hint", "property"])
def test_what_begins_to_lose_beside_another_goes_out_though_no_run_was_without_both(losing: int) -> None:
    """Each was left out once in the runs that count, and the query varies so that neither is told apart."""
    actions, chance = (hint("q1"), conf()), random.Random(2)
    advice = [recommend(action, before=100, after=60, high=90) for action in actions]
    runs: list[Run] = []
    lost = []
    for number in range(82):
        decision = decide(situation(Mode.AUTO, 1, runs[-60:], advice))
        on = [action.id in in_force(decision) for action in actions]
        loses = on[losing] and number >= 70
        took = 100 * math.exp(chance.gauss(0, 0.45)) * 0.5 ** (sum(on) - loses) * (3.0 if loses else 1)
        lost += [number] if loses else []
        runs.append(run(number, {"q1": took, "q2": 50 * chance.gauss(1, 0.03)}, *decision.changes))
    assert len(runs[69].decision.in_force) == 2
    assert 1 <= len(lost) <= 4


@pytest.mark.parametrize("times", [1.5, 2.0, 5.0])
@pytest.mark.parametrize("factor", [1.5, 4.0])
def test_what_loses_once_its_query_takes_longer_goes_out_though_the_first_such_night_was_without_it(
    times: float, factor: float
) -> None:
    """As where the side that it builds was too large that night; its files are a small part of all that is read."""
    action, chance = hint("q1"), random.Random(1)
    change = recommend(action, before=100, after=60, high=90)
    runs: list[Run] = []
    lost = []
    for number in range(40):
        decision = decide(situation(Mode.AUTO, 1, runs, [change]))
        changes = decision.changes if number != 12 else ()
        on = action.id in in_force(decision) and number != 12
        took = 100 * chance.gauss(1, 0.03) * (times if number >= 12 else 1)
        if on:
            took *= factor if number > 12 else 0.6
            lost += [number] if number > 12 else []
        runs.append(run(number, {"q1": took, "q2": 50 * chance.gauss(1, 0.03)}, *changes))
    assert 1 <= len(lost) <= 3


@BOTH
def test_what_lost_stays_out_though_a_month_ends(action: Action) -> None:
    def night(number: int) -> Night:
        return Night({"q1": 20, "q2": 20}, 1.6, size=10 if number % 15 == 14 else 1)

    lost, _ = nights_lost(action, night, 60, window=20)
    assert lost == [1]


@BOTH
def test_what_loses_more_on_weekends_than_it_gains_on_weekdays_goes_out(action: Action) -> None:
    def night(number: int) -> Night:
        weekend = number % 7 in {5, 6}
        return Night({"q1": 100, "q2": 50}, 4.0 if weekend and number > 14 else 0.7)

    lost, _ = nights_lost(action, night, 49)
    assert 1 <= len(lost) <= 4


def test_what_gains_more_on_weekdays_than_it_loses_on_some_nights_stays() -> None:
    def night(number: int) -> Night:
        return Night({"q1": 100, "q2": 50}, 2.0 if number in {20, 40} else 0.4)

    lost, seconds = nights_lost(hint("q1"), night, 50)
    assert lost == [20, 40]
    assert seconds < -2000


@BOTH
def test_one_slow_first_run_proves_nothing_that_processors_deny(action: Action) -> None:
    """The first run waited for its executors; after it a change costs a tenth of clock and processor time."""
    found = []
    for seed in range(6):
        chance = random.Random(seed)
        runs: list[Run] = []
        for number in range(12):
            decision = decide(situation(Mode.AUTO, 1, runs, [recommend(action, before=100, after=60, high=90)]))
            on = action.id in in_force(decision)
            cpu = 100 * (1.1 if on else 1.0) * chance.gauss(1, 0.03)
            ran = run(number, {"q1": cpu * (1 if number else 2)}, *decision.changes)
            assert ran.outcome is not None
            (query,) = ran.outcome.queries
            of_processors = replace(query, executor_cpu_ms=int(8000 * cpu), executor_run_ms=int(9000 * cpu))
            runs.append(replace(ran, outcome=replace(ran.outcome, queries=(of_processors,))))
        found += [number for number in range(8, 12) if action.id in in_force(runs[number].decision)]
    assert len(found) <= 4


@BOTH
def test_what_a_run_would_take_more_than_twice_as_long_without_is_in_each_run(action: Action) -> None:
    assert not _nights_without(action, 0.2)
    assert _nights_without(action, 0.6) == [21, 42]


def _nights_without(action: Action, factor: float) -> list[int]:
    change = recommend(action, before=100, after=60, high=90)
    runs: list[Run] = []
    for number in range(50):
        decision = decide(situation(Mode.AUTO, 1, runs[-20:], [change]))
        took = 100 * (factor if action.id in in_force(decision) else 1)
        runs.append(run(number, {"q1": took, "q2": 10}, *decision.changes))
    return [n for n, ran in enumerate(runs) if n > 1 and action.id not in in_force(ran.decision)]


def test_what_waits_for_the_end_of_a_month_keeps_no_other_change_from_its_turn() -> None:
    """The hints of three queries of every tenth night are left out in turns, each until its query comes back: meanwhile that of a
    query of each night begins to lose."""
    queries, of_months, chance = ("q1", "q2", "q3", "q4"), ("q2", "q3", "q4"), random.Random(1)
    advice = [recommend(hint(query), queries=[query], before=100, after=60, high=90) for query in queries]
    runs: list[Run] = []
    lost = []
    for number in range(55):
        decision = decide(situation(Mode.AUTO, 1, runs[-20:], advice))
        on = in_force(decision)
        took = {"q1": 100.0, "other": 50.0, **dict.fromkeys(of_months if number % 10 == 0 else (), 100.0)}
        for query in took:
            gained = 2.0 if query == "q1" and number >= 42 else 0.7
            took[query] *= chance.gauss(1, 0.03) * (gained if hint(query).id in on else 1)
        lost += [number] if hint("q1").id in on and number >= 42 else []
        assert sum(hint(query).id not in on for query in of_months) <= 1 or number < 2
        runs.append(run(number, took, *decision.changes))
    assert 1 <= len(lost) <= 4


def left_out(changes: list[DecidedChange]) -> list[DecidedChange]:
    """Of proven changes, all of them due in this order, those that the next run is without."""
    runs = [run(number, {"q1": 1}) for number in range(len(changes))]
    records = {
        one.id: Record(
            one, Standing.PROMOTED, one.why, held_out=Reason(ReasonCode.LONG_IN_FORCE, {"run": runs[place].key})
        )
        for place, one in enumerate(changes)
    }
    hold_out_one_at_a_time(records, runs)
    return [one for one in changes if records[one.id].held_out]


def test_of_more_changes_than_runs_that_count_several_are_left_out_at_once() -> None:
    """Else the last of them would have no run without it when its turn comes."""
    joins = [decided(hint(f"q{n}"), Standing.PROMOTED, [f"q{n}"]) for n in range(RUNS_IN_TURN + 1)]
    assert left_out(joins[1:]) == joins[1:2]
    assert left_out(joins) == joins[:2]
    same = decided(hint("q0", "another join"), Standing.PROMOTED, ["q0"])
    assert left_out([joins[0], same, *joins[1:]]) == joins[:2], "one of each query"
    property_ = decided(conf(), Standing.PROMOTED, ["another"])
    assert left_out([property_, *joins]) == [property_]
    assert left_out([joins[0], property_, *joins[1:]]) == joins[:2], "a property reaches all queries"


def held_out_after(hours: float, controls: int) -> bool:
    """Whether the next run is to be without a change that is due, so long after so many runs began without it whose workers
    died. The longest run took ten minutes."""
    measured = run(0, {"q1": 600})
    why = Reason(ReasonCode.LONG_IN_FORCE, {"run": measured.key})
    change = decided(hint("q1"), Standing.PROMOTED)
    held = replace(change, standing=Standing.HELD, held=why)
    died = [run(1, None, held, state=RunState.RUNNING, try_number=n + 1) for n in range(controls)]
    records = {change.id: Record(change, Standing.PROMOTED, change.why, held_out=why)}
    hold_out_one_at_a_time(records, [measured, *died], now=died[-1].started_at + timedelta(hours=hours))
    return records[change.id].held_out is not None


def test_a_run_without_it_whose_worker_died_is_waited_for_as_long_as_one_that_tries_a_change() -> None:
    assert not held_out_after(1, controls=1)
    assert held_out_after(2, controls=1)
    assert not held_out_after(2, controls=2), "to be without it may be what ends them"
