"""Work, processor time and the clock, put together."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import replace

import pytest

from tuner.policy.evidence.comparison import Comparison, pooled
from tuner.policy.evidence.history import History
from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.evidence.metric import CLOCK, CPU, LATENCY_SECONDS
from tuner.policy.measure import Measured

CHANGE = frozenset(["change"])


def query(
    seconds: float,
    cpu: float,
    *,
    changed: bool = False,
    stages: dict[str, float] | None = None,
    cores: int = 8,
    share: float = 0.9,
) -> Measured:
    changes = CHANGE if changed else frozenset[str]()
    return Measured("q", 0, seconds, 10**9, changes, cpu_seconds=cpu, stages=stages or {}, cores=cores, cpu_share=share)


def ratio_after(*nights: Measured) -> LogRatio:
    history = History()
    for night in nights:
        history.add([night])
    found = history.effect(nights[-1], CHANGE)
    assert found is not None
    return found


def test_a_busy_first_night_claims_no_gain() -> None:
    """The clock says half, processors say the same."""
    found = ratio_after(query(40, 80), query(20, 79, changed=True))
    assert math.exp(found.mean) > 0.85
    history = History()
    for night in (query(40, 80), query(20, 79, changed=True)):
        history.add([night])
    compared = history.compared(query(20, 79, changed=True), CHANGE)
    assert compared is not None and compared.gain < 10, "not the 20 s that the clock saw"


def test_one_night_whose_tasks_waited_does_not_make_many_with_a_change_a_gain() -> None:
    """As query 18 of TPC-H (scale factor 10) ran: by default it takes 46 to 59 s, and 81 in the one night that was known."""
    slow = query(80.7, 93.0, share=0.59)
    tuned = [query(s, cpu, changed=True, share=0.9) for s, cpu in ((39.0, 66.9), (36.4, 63.6), (44.4, 75.3))]
    found = ratio_after(slow, *tuned)
    assert found.high > 0.85, "39 instead of 46 may be all"
    history = History()
    for night in (slow, tuned[0]):
        history.add([night])
    compared = history.compared(tuned[0], CHANGE)
    assert compared is not None and compared.expected < 60


def test_tasks_that_wait_in_every_night_without_a_change_do_tell() -> None:
    slow, tuned = query(80, 100, share=0.6), query(40, 70, changed=True, share=0.9)
    assert ratio_after(slow, *[tuned] * 3).high > 0.85
    assert ratio_after(*[slow] * 3, *[tuned] * 3).high < 0.75


def test_a_busy_trial_is_no_loss() -> None:
    found = ratio_after(*[query(20, 80)] * 3, query(36, 30, changed=True))
    assert found.above(1.03) < 0.9


def test_what_the_clock_says_again_and_again_counts() -> None:
    """Fewer processor seconds on one core are no gain."""
    found = ratio_after(*[query(20, 80)] * 3, *[query(60, 60, changed=True)] * 4)
    assert found.above(1.03) > 0.9


def test_a_night_that_was_slow_for_executors_that_were_taken_is_no_loss() -> None:
    """A third of its tasks ran again; what these took of processors is left out already."""
    taken = replace(query(45, 80, changed=True), repeated_share=0.3)
    found = ratio_after(*[query(20, 80)] * 3, taken)
    assert found.above(1.03) < 0.75 < ratio_after(*[query(20, 80)] * 3, query(45, 110, changed=True)).above(1.03)
    found = ratio_after(replace(query(45, 80), repeated_share=0.3), query(20, 80, changed=True))
    assert found.high > 0.9, "nor was the night after it a gain"


def test_what_is_slower_on_processors_too_is_a_loss_whatever_was_taken() -> None:
    taken = replace(query(45, 160, changed=True), repeated_share=0.1)
    assert ratio_after(*[query(20, 80)] * 3, *[taken] * 3).above(1.03) > 0.95


def test_more_cores_are_no_gain_and_fewer_no_loss() -> None:
    found = ratio_after(*[query(20, 80)] * 3, query(11, 80, changed=True, cores=16))
    assert found.below(1.0) < 0.95
    found = ratio_after(*[query(20, 80)] * 3, query(36, 81, changed=True, cores=4))
    assert found.above(1.03) < 0.9


def test_a_job_of_one_query_has_a_control_in_its_stages() -> None:
    """The stage that scans did what it always does, in three times its time: the machine was slow."""
    usual = query(20, 0, stages={"scan": 30.0, "join": 20.0})
    busy = query(60, 0, changed=True, stages={"scan": 90.0, "joined otherwise": 60.0})
    alone = query(60, 0, changed=True, stages={})
    assert ratio_after(usual, usual, busy).mean < 0.6 * ratio_after(usual, usual, alone).mean


def test_small_stages_that_come_first_now_tell_nothing_of_the_machine() -> None:
    """A query of 34.6 s that reads its dimensions before its facts takes 12.1 s: what a new JVM takes longer over what runs in it
    first, the facts took before."""
    usual = query(34.6, 17.6, stages={"facts": 50.0, "goods": 0.367, "days": 0.227}, cores=2)
    tuned = query(12.1, 2.6, changed=True, stages={"facts by day": 6.0, "goods": 1.068, "days": 1.01}, cores=2)
    history = History()
    for night in (usual, tuned):
        history.add([night])
    found = history.compared(tuned, CHANGE)
    assert found is not None
    assert 25 < found.expected < 45


def test_processor_time_tells_of_the_clock_what_is_not_latency() -> None:
    halved = LogRatio(math.log(0.5), 0.0001)
    of_short, of_long = (math.exp(CPU.on_the_clock(halved, seconds).mean) for seconds in (4.0, 400.0))
    assert of_short == pytest.approx((LATENCY_SECONDS + 1) / 4)
    assert of_long == pytest.approx(0.5, rel=0.01)


def test_a_query_that_never_ran_without_a_change_tells_nothing_of_it() -> None:
    history = History()
    history.add([query(20, 80, changed=True)])
    assert history.effect(query(20, 80, changed=True), CHANGE) is None


def scanned(seconds: float, times: int, *, gib: int = 1, changed: bool = False, told: bool = True) -> Measured:
    """A query that scans a table of one size so many times."""
    changes = CHANGE if changed else frozenset[str]()
    size = gib * 2**30
    return Measured("q", 0, seconds, times * size, changes, cpu_seconds=4 * seconds, source_bytes=size if told else 0)


def test_what_scans_a_table_once_instead_of_eight_times_gains_what_it_gains() -> None:
    """As query 88 of TPC-DS: 4.1 s, then 1.2. Its inputs are as large as they were."""
    found = ratio_after(scanned(40, 8), scanned(11, 1, changed=True))
    assert found.high < 0.5
    assert ratio_after(scanned(40, 8, told=False), scanned(11, 1, changed=True, told=False)).high > 0.5, "as it was"


def test_with_half_the_input_half_the_seconds_are_no_gain() -> None:
    found = ratio_after(*[scanned(40, 8, gib=2)] * 3, scanned(22, 8, changed=True))
    assert found.high > 0.9


def test_a_run_that_a_version_before_stored_counts_with_those_that_tell_more() -> None:
    """Eight scans, then the same eight with each file once, then one."""
    found = ratio_after(*[scanned(40, 8, told=False)] * 2, scanned(40, 8), scanned(11, 1, changed=True))
    assert found.high < 0.5


def night_of(*factors: float, changed: int | None = None) -> list[Measured]:
    """Eight queries, one after another, of which nothing but the clock is known."""
    usual = (10.0, 4.0, 7.0, 12.0, 5.0, 8.0, 20.0, 6.0)
    return [
        Measured(f"q{i}", 0, seconds * factor, 10**9, CHANGE if i == changed else frozenset())
        for i, (seconds, factor) in enumerate(zip(usual, factors, strict=True))
    ]


def loss_probability(trial: list[Measured]) -> float:
    history = History()
    for chance in (0.98, 1.02, 1.0, 0.99):
        history.add(night_of(*[chance] * 8))
    history.add(trial)
    found = history.effect(trial[5], CHANGE)
    assert found is not None
    return found.above(1.03)


def test_a_trial_in_a_slow_hour_is_no_loss() -> None:
    assert loss_probability(night_of(1, 1.02, 0.98, 1, 2, 2.1, 2, 1.9, changed=5)) < 0.7


def test_a_slow_hour_excuses_no_query_that_ran_at_another() -> None:
    assert loss_probability(night_of(2, 2.1, 1.9, 1, 1, 2, 1, 1, changed=5)) > 0.95


def test_a_trial_that_is_slow_alone_loses() -> None:
    assert loss_probability(night_of(1, 1.02, 0.98, 1, 1, 2, 1, 1.01, changed=5)) > 0.95


def all_of(seconds: float, *, changed: bool = False) -> list[Measured]:
    """Three queries of equal seconds, all reached by a property, or none."""
    changes = CHANGE if changed else frozenset[str]()
    return [Measured(f"q{i}", 0, seconds, 10**9, changes, changes, work_seconds=20.0) for i in range(3)]


def test_of_two_nights_without_changes_that_are_far_apart_the_slower_was_slow() -> None:
    """With the property nothing tells how fast the machine was; no machine is half as fast again for one night."""
    history = History()
    for night in (all_of(15), *[all_of(12, changed=True)] * 3, all_of(10), all_of(12, changed=True)):
        history.add(night)
    found = history.effect(night[0], CHANGE)
    assert found is not None
    assert math.exp(found.mean) == pytest.approx(1.2, rel=0.06)
    assert found.deviation < 0.12, "what the first night was off by is no chance of each query"


def test_a_change_to_one_query_is_held_against_the_others_whatever_the_first_night_was() -> None:
    history = History()
    for one, others, changed in ((15, 15, False), *[(12, 10, True)] * 3, (10, 10, False), (12, 10, True)):
        with_it = Measured("q", 0, one, 10**9, CHANGE if changed else frozenset(), work_seconds=20.0)
        history.add([with_it, *(Measured(f"q{i}", 0, others, 10**9, work_seconds=20.0) for i in range(5))])
    found = history.effect(with_it, CHANGE)
    assert found is not None
    assert math.exp(found.mean) == pytest.approx(1.2, rel=0.03)


def values_of_nights(*nights: tuple[float, bool], fleeting: bool) -> LogRatio:
    """What a change does by nights of one query, each with whether it had the change; work and processors follow its seconds."""
    history = History()
    for seconds, changed in nights:
        changes = CHANGE if changed else frozenset()
        last = Measured(
            "q",
            0,
            seconds,
            10**9,
            changes,
            literals="any",
            cpu_seconds=4 * seconds,
            work_seconds=seconds,
            fleeting=fleeting,
        )
        history.add([last])
    found = history.effect(last, CHANGE)
    assert found is not None
    return found


def test_one_night_of_values_that_are_others_each_night_proves_little() -> None:
    """Half the seconds may be a light night: processors and work follow the values as the clock does."""
    nights = [(10.0, False), (9.0, False), (11.0, False), (5.0, True)]
    surely, hardly = (values_of_nights(*nights, fleeting=fleeting) for fleeting in (False, True))
    assert surely.below(1.0) > 0.99 > 0.95 > hardly.below(1.0)
    assert hardly.mean == pytest.approx(math.log(0.5), abs=0.25)


def test_many_such_nights_do() -> None:
    usual = [(seconds, False) for seconds in (10.0, 8.0, 12.0, 9.0)]
    changed = [(seconds, True) for seconds in (5.0, 4.0, 6.0, 4.5, 5.5)]
    assert values_of_nights(*usual, *changed, fleeting=True).below(1.0) > 0.95


def test_a_night_of_a_job_of_one_query_is_as_slow_as_it_was_beside_what_was_foretold() -> None:
    """Nothing but the query itself told how fast the machine was, so nothing of that was taken off it."""
    history = History()
    for number in range(15):
        history.add([query((8.5 if number % 2 else 11.5) * (0.5 if number > 3 else 1), 0, changed=number > 3)])
    slow = query(30, 0, changed=True)
    usual, effect = history.usual_with(slow), history.effect(slow, CHANGE)
    assert usual is not None and effect is not None
    history.add([slow])
    assert history.night(slow, "change") == pytest.approx(30 / usual * math.exp(effect.mean), rel=1e-3)


def of_a_property_that_does_nothing(seed: int, *, nights: int) -> Comparison:
    """Twenty queries of one run without it and so many with it, by the clock alone: it and the machine are off by 0.06."""
    chance, history = random.Random(seed), History()
    for number in range(nights + 1):
        machine, changes = chance.gauss(0, 0.06), CHANGE if number else frozenset[str]()
        seconds = [20 * math.exp(machine + chance.gauss(0, 0.06)) for _ in range(20)]
        ran = [Measured(f"q{i}", 0, one, 10**9, changes, properties=changes) for i, one in enumerate(seconds)]
        history.add(ran)
    return pooled([found for one in ran if (found := history.compared(one, CHANGE)) is not None])


@pytest.mark.parametrize("nights", [4, 20])
def test_the_one_run_without_a_property_had_one_machine_for_all_its_queries(nights: int) -> None:
    found = [of_a_property_that_does_nothing(seed, nights=nights).ratio for seed in range(80)]
    held = sum(one.low <= 1 <= one.high for one in found)
    assert 0.85 * len(found) <= held <= 0.97 * len(found), "of 90 % intervals"


def learned_machine(seed: int, machine: float) -> float:
    """The variance of machines, learned from 60 nights of three queries that are off by 0.06 each."""
    chance, history = random.Random(seed), History()
    for _ in range(60):
        off = chance.gauss(0, machine)
        seconds = [20 * math.exp(off + chance.gauss(0, 0.06)) for _ in range(3)]
        history.add([Measured(f"q{i}", 0, one, 10**9) for i, one in enumerate(seconds)])
    return history._machines[CLOCK.name].variance


@pytest.mark.parametrize("machine", [0.06, 0.12])
def test_how_far_machines_vary_is_learned_though_few_queries_tell(machine: float) -> None:
    found = statistics.median(learned_machine(seed, machine) for seed in range(25))
    assert 0.7 * machine**2 < found < 1.3 * machine**2


def learned_noise(seed: int, noise: float) -> float:
    """The variance that is taken for a query's own, once five ran for three nights."""
    chance, history = random.Random(seed), History()
    for _ in range(3):
        history.add([Measured(f"q{i}", 0, 20 * math.exp(chance.gauss(0, noise)), 10**9) for i in range(5)])
    return history._spreads["clock"].variance


def test_the_noise_of_a_noisy_job_is_learned_in_its_first_nights() -> None:
    assert statistics.median(learned_noise(seed, 0.3) for seed in range(25)) > 0.3 * 0.3**2


@pytest.mark.parametrize("seed", range(6))
def test_many_short_queries_do_not_make_the_next_long_one_seem_sure(seed: int) -> None:
    """A job of 60 queries of 0.3 s and four of 20 s gets another, which took a tenth less in its first night with a change."""
    chance, history = random.Random(seed), History()

    def night(*new: Measured) -> list[Measured]:
        short = [0.3 + chance.uniform(-0.03, 0.03) for _ in range(60)]
        long = [20 * math.exp(chance.gauss(0, 0.06)) for _ in range(4)]
        return [*(Measured(f"q{i}", 0, seconds, 10**9) for i, seconds in enumerate((*long, *short))), *new]

    tuned = Measured("new", 0, 540, 10**9, CHANGE)
    for new in (*[()] * 5, (replace(tuned, seconds=600, changes=frozenset()),), (tuned,)):
        history.add(night(*new))
    found = history.effect(tuned, CHANGE)
    assert found is not None
    assert found.below(1.0) < 0.95
