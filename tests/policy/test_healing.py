"""A job that died for want of memory is submitted once more with more of it, or without what may have made it die."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.size_change import SizeChange
from tuner.policy.healing import heals

from .histories import conf, decided, hint, run

HEAP, CORES = "spark.executor.memory", "spark.executor.cores"
WHY = Reason(ReasonCode.SIZE_CUT, {"runs": 3})


def size(name: str, value: str) -> SizeChange:
    return SizeChange(name, value, "", WHY)


def died(
    raises: Sequence[SizeChange] = (), cuts: Sequence[SizeChange] = (), in_force: Sequence[DecidedChange] = ()
) -> Run:
    failure = Failure(FailureKind.TASK_MEMORY, "a task ran out of memory", query="q1")
    found = run(1, {"q1": 10}, *in_force, state=RunState.FAILED, failure=failure)
    return replace(found, decision=replace(found.decision, raises=tuple(raises), cuts=tuple(cuts)))


def has(*raises: SizeChange, cuts: Sequence[SizeChange] = (), in_force: Sequence[DecidedChange] = ()) -> Decision:
    return Decision(Mode.AUTO, tuple(in_force), raises=tuple(raises), cuts=tuple(cuts))


def test_more_memory_heals_and_less_or_as_much_does_not() -> None:
    assert heals(died(), has(size(HEAP, "4096m")))
    assert heals(died([size(HEAP, "4096m")]), has(size(HEAP, "8192m")))
    assert heals(died([size(HEAP, "4096m")]), has(size(HEAP, "4096m"), size(CORES, "2")))
    assert heals(died([size(CORES, "2")]), has(size(CORES, "1")))
    assert not heals(died(), has())
    assert not heals(died([size(HEAP, "4096m"), size(CORES, "1")]), has())
    assert not heals(died([size(HEAP, "4096m")]), has(size(HEAP, "4096m")))


def test_the_authors_sizes_in_place_of_less_heal() -> None:
    less = [size(HEAP, "1024m")]
    assert heals(died(cuts=less), has())
    assert not heals(died(cuts=less), has(cuts=less))


def test_what_may_have_made_it_die_is_left_out_and_nothing_else_is_reason_enough() -> None:
    suspect, other = decided(hint(), Standing.TRIAL), decided(conf(), Standing.PROMOTED)
    assert heals(died(in_force=[suspect]), has())
    assert not heals(died(in_force=[suspect]), has(in_force=[suspect]))
    unrelated = decided(hint("q9"), Standing.PROMOTED, queries=["q9"])
    assert not heals(died(in_force=[unrelated]), has(in_force=[other]))


def test_what_was_left_out_to_compare_heals_as_it_comes_back() -> None:
    proven = decided(conf(), Standing.PROMOTED)
    left_out = replace(proven, standing=Standing.HELD, held=Reason(ReasonCode.LONG_IN_FORCE, {"run": "etl/0/1"}))
    assert heals(died(in_force=[left_out]), has(in_force=[proven]))
    assert not heals(died(in_force=[left_out]), has())
