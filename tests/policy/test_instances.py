"""Mapped tasks whose instances ask queries of their own: each has what it is advised, tried and proven where it asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from tuner.loop.known_runs import HISTORY_DAG_RUNS
from tuner.model.action import Action
from tuner.model.change import Change
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query_values import FilterCondition
from tuner.model.reason import ReasonCode
from tuner.model.row_count import RowCount
from tuner.model.run import Origin, Run, RunState
from tuner.model.verdict import Ruling
from tuner.plan.literals import literal_class
from tuner.policy.awaited_run import LONGEST_WAIT
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.decide import decide
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.policy.instances import ask_alike, latest_of_instance, latest_of_its_queries, queries_of_others
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.long_away import LONGEST_AWAY
from tuner.policy.situation import Situation

from .histories import GB, conf, decided, hint, in_force, recommend, run, situation, verdict


def own(night: int, index: int) -> list[str]:
    return [f"q{index}"]


def instance(index: int) -> str:
    return f"etl/load/{index}"


def ran(night: int, index: int, *queries: str, state: RunState = RunState.SUCCEEDED, beside: bool = True) -> Run:
    """An instance of ten minutes, which began with the others, or when the one before it had ended."""
    found = run(night, dict.fromkeys(queries, 20.0), state=state)
    started = found.started_at + (timedelta(seconds=index) if beside else timedelta(minutes=15 * index))
    return replace(
        found,
        key=f"etl/{night}/load/{index}/1",
        started_at=started,
        ended_at=found.ended_at and started + timedelta(minutes=10),
        origin=Origin("etl", str(night), "load", index),
    )


@dataclass
class Mapped:
    """A mapped task, night after night: each instance is advised on by what the run had that its decision rests on.

    `effects` are the factors by which changes move the queries that they are for, by their ids; `asks` tells those of a night
    and an index; `beside` says that instances begin before one has ended.
    """

    instances: int = 20
    beside: bool = True
    asks: Callable[[int, int], Sequence[str]] = own
    effects: Mapping[str, float] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    advice: Callable[[str], tuple[Change, ...]] = lambda query: recommend(hint(query), queries=[query])
    runs: list[Run] = field(default_factory=list)
    told_apart: bool = True
    window: int = 60

    def nights(self, *numbers: int) -> None:
        for night in numbers:
            begun: list[Run] = []
            for index in range(self.instances):
                begun.append(self._begin(night, index, begun))
                if not self.beside:
                    self.runs.append(self._end(begun.pop(), night, index))
            self.runs += [self._end(one, night, index) for index, one in enumerate(begun)]

    def decide(self, index: int, begun: Sequence[Run] = ()) -> Decision:
        name = instance(index) if self.told_apart else ""
        known = self._known(name, begun)
        latest = latest_of_instance(known, name)
        asked = dict.fromkeys(q.fingerprint for q in latest.outcome.queries) if latest and latest.outcome else {}
        had = {one.id for one in changes_in_effect(latest)} if latest else set()
        advised = [c for query in asked for c in self.advice(query) if c.id not in had]
        return decide(Situation(Mode.AUTO, 1, known, advised, instance=name))

    def _known(self, name: str, begun: Sequence[Run]) -> list[Run]:
        """As they are read: the newest, and of an instance that asks queries of its own older ones."""
        older, newest = self.runs[: len(begun) - self.window], [*self.runs, *begun][-self.window :]
        if latest_of_its_queries(newest, name) is None or not queries_of_others(newest, name):
            return newest
        return [*[one for one in older if one.instance == name][-self.window :], *newest]

    def _begin(self, night: int, index: int, begun: Sequence[Run]) -> Run:
        decision = self.decide(index, begun)
        found = ran(night, index, state=RunState.RUNNING, beside=self.beside)
        return replace(found, decision=decision, outcome=None, ended_at=None)

    def _end(self, begun: Run, night: int, index: int) -> Run:
        asked = self.asks(night, index)
        took = {query: 20.0 * self._factor(query, begun.decision) for query in asked}
        measured = run(night, took, input_bytes=self.sizes.get(asked[0], GB)).outcome
        assert measured is not None
        ended = begun.started_at + timedelta(minutes=10)
        return replace(begun, state=RunState.SUCCEEDED, ended_at=ended, outcome=measured)

    def _factor(self, query: str, decision: Decision) -> float:
        factor = 1.0
        for one in decision.in_force:
            factor *= self.effects.get(one.id, 1.0) if query in one.queries else 1.0
        return factor

    def of_night(self, night: int) -> list[Run]:
        return [one for one in self.runs if one.origin and one.origin.run_id == str(night)]

    def with_change(self, action: Action) -> list[Run]:
        return [one for one in self.runs if action.id in in_force(one.decision)]


def index_of(found: Run) -> int:
    assert found.origin is not None
    return found.origin.map_index


GAINS = {hint(f"q{index}").id: 0.5 for index in range(30)}
LOSES = {hint(f"q{index}").id: 1.8 for index in range(30)}


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("instances", [2, pytest.param(20, marks=pytest.mark.nightly)])
def test_each_has_what_its_own_queries_are_advised(instances: int, beside: bool) -> None:
    job = Mapped(instances, beside, effects=GAINS)
    job.nights(*range(4))
    for found in job.of_night(3):
        mine = hint(f"q{index_of(found)}").id
        assert in_force(found.decision) == {mine}
        standing = {d.id: d.standing for d in found.decision.changes}
        assert standing[mine] is Standing.PROMOTED, found.key
    trials = [(index_of(one), d.id) for one in job.runs for d in one.decision.in_force if d.standing is Standing.TRIAL]
    by_first_night = {(index, id_) for index, id_ in trials if hint(f"q{index}").id != id_}
    # The second one that ever ran takes it that all ask the same.
    assert by_first_night <= {(1, hint("q0").id)}


@pytest.mark.parametrize("beside", [True, False])
def test_what_loses_is_tried_once_where_it_is_asked(beside: bool) -> None:
    """Though others, which ran since, read far more, or far less."""
    sizes = {f"q{index}": GB * 3 ** (index % 4) for index in range(8)}
    job = Mapped(8, beside, effects=LOSES, sizes=sizes)
    job.nights(*range(7))
    for index in range(8):
        mine = [one for one in job.with_change(hint(f"q{index}")) if index_of(one) == index]
        assert len(mine) == 1, index
        (last,) = (one for one in job.of_night(6) if index_of(one) == index)
        assert {d.id: d.standing for d in last.decision.changes}[hint(f"q{index}").id] is Standing.ROLLED_BACK


@pytest.mark.parametrize("beside", [True, False])
def test_what_is_proven_is_left_out_again_where_it_is_asked(beside: bool) -> None:
    job = Mapped(2, beside, effects=GAINS, window=8)
    job.nights(*range(22))
    for index in range(2):
        left_out = [one for one in job.runs if hint(f"q{index}").id in one.decision.left_out_for_long]
        assert left_out and {index_of(one) for one in left_out} == {index}
        mine = [one for one in job.runs if index_of(one) == index]
        assert sum(hint(f"q{index}").id not in in_force(one.decision) for one in mine[3:]) <= 3


@pytest.mark.parametrize("beside", [True, False])
def test_a_property_that_is_to_be_left_out_waits_for_the_instance_that_asks_its_queries(beside: bool) -> None:
    nights = [proven_for_the_first(night, beside) for night in range(4)]
    runs = [one for several in nights for one in several]
    last = decide(Situation(Mode.AUTO, 1, runs, instance=instance(0)))
    assert last.left_out_for_long == {conf().id}
    without = [replace(ran(4, 0, "q0", beside=beside), decision=last), *proven_for_the_first(4, beside)[1:]]
    assert in_force(decide(Situation(Mode.AUTO, 1, [*runs, *without], instance=instance(0)))) == {conf().id}


def test_a_property_waits_no_longer_for_a_query_that_its_instance_asks_no_more() -> None:
    runs = [one for night in range(4) for one in proven_for_the_first(night)]
    for night in range(4, 4 + LONGEST_WAIT):
        out = decide(Situation(Mode.AUTO, 1, runs, instance=instance(0)))
        assert not in_force(out)
        runs += [replace(ran(night, 0, "q"), decision=out), *proven_for_the_first(night)[1:]]
    assert in_force(decide(Situation(Mode.AUTO, 1, runs, instance=instance(0)))) == {conf().id}


def proven_for_the_first(night: int, beside: bool = True) -> list[Run]:
    """A night of as many other instances as runs that a property waits for, and more, with one that is proven for the first."""
    first, *others = (ran(night, index, f"q{index}", beside=beside) for index in range(LONGEST_WAIT + 3))
    with_it = Decision(Mode.AUTO, (decided(conf(), Standing.PROMOTED, ["q0"]),))
    return [replace(first, decision=with_it), *others]


def alike(night: int, index: int) -> list[str]:
    return ["q1", "q2"]


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("effects", [GAINS, LOSES, {}])
def test_instances_that_ask_the_same_are_decided_as_if_they_were_not_told_apart(
    beside: bool, effects: Mapping[str, float]
) -> None:
    apart, as_one = (Mapped(4, beside, alike, effects, told_apart=told_apart) for told_apart in (True, False))
    for job in (apart, as_one):
        job.nights(*range(6))
    assert apart.runs == as_one.runs
    assert ask_alike(apart.runs)


@pytest.mark.parametrize("beside", [True, False])
def test_a_list_in_another_order_each_night_is_steered_as_if_instances_were_not_told_apart(beside: bool) -> None:
    def turned(night: int, index: int) -> list[str]:
        return [f"q{(night + index) % 5}"]

    apart, as_one = (Mapped(5, beside, turned, GAINS, told_apart=told_apart) for told_apart in (True, False))
    for job in (apart, as_one):
        job.nights(*range(8))
    # Of the second night nobody knows yet that none keeps its query.
    saved = [
        sum(20.0 - query.seconds for one in job.runs[10:] if one.outcome for query in one.outcome.queries)
        for job in (apart, as_one)
    ]
    assert saved[0] >= saved[1] > 0


@pytest.mark.parametrize("beside", [True, False])
def test_a_list_that_has_moved_by_one_is_steered_again_after_two_nights(beside: bool) -> None:
    def moved(night: int, index: int) -> list[str]:
        return [f"q{index if night < 5 else (index + 1) % 6}"]

    job = Mapped(6, beside, moved, GAINS)
    job.nights(*range(8))
    for found in job.of_night(7):
        mine = hint(f"q{(index_of(found) + 1) % 6}").id
        assert mine in in_force(found.decision) or mine in found.decision.left_out_for_long, found.key


def test_one_that_has_other_queries_each_night_keeps_nothing_from_the_others() -> None:
    def asks(night: int, index: int) -> list[str]:
        return [f"of {night}"] if index == 0 else own(night, index)

    job = Mapped(6, True, asks, GAINS)
    job.nights(*range(6))
    for found in job.of_night(5)[1:]:
        assert hint(f"q{index_of(found)}").id in in_force(found.decision)


def test_an_instance_that_is_new_tries_nothing_of_others() -> None:
    job = Mapped(5, True, effects=GAINS)
    job.nights(0, 1)
    assert any(d.standing is Standing.TRIAL for d in job.decide(0).changes)
    assert not job.decide(5).in_force
    job.instances = 6
    job.nights(2, 3, 4, 5)
    (new,) = (found for found in job.of_night(5) if index_of(found) == 5)
    assert hint("q5").id in in_force(new.decision)


def test_a_property_is_in_the_runs_that_have_its_queries_alone() -> None:
    """Each would have another."""

    def advice(query: str) -> tuple[Change, ...]:
        return recommend(conf(value=f"{int(query[1:]) + 1}00"), queries=[query])

    effects = {change.id: 0.5 for index in range(4) for change in advice(f"q{index}")}
    job = Mapped(4, True, effects=effects, advice=advice)
    job.nights(*range(6))
    for found in job.of_night(5):
        (mine,) = advice(f"q{index_of(found)}")
        assert in_force(found.decision) <= {mine.id}
    assert sum(bool(found.decision.in_force) for found in job.of_night(5)) >= 3


class ByDagRun(Mapped):
    """A decision knows the runs of the latest DAG runs, the one under way among these."""

    def _known(self, name: str, begun: Sequence[Run]) -> list[Run]:
        runs = [*self.runs, *begun]
        latest = list(dict.fromkeys(one.origin.run_id for one in reversed(runs) if one.origin))[:HISTORY_DAG_RUNS]
        of_latest = sum(bool(one.origin and one.origin.run_id in latest) for one in runs)
        return runs[-max(HISTORY_RUNS, of_latest) :]


@pytest.mark.nightly
def test_trials_of_many_instances_that_ask_the_same_come_to_an_end() -> None:
    job = ByDagRun(24, True, alike)
    job.nights(*range(MAX_TRIALS + 3))
    tried = [any(one.decision.in_force for one in job.of_night(night)) for night in range(MAX_TRIALS + 3)]
    assert tried == [False, *[True] * MAX_TRIALS, False, False]


class Dated(Mapped):
    """Each asks for the rows of its night, of which there are about as many each night; the agent acts on the values of its
    directives alone."""

    def _end(self, begun: Run, night: int, index: int) -> Run:
        day = (FilterCondition("db.t.ds", str(night)),)
        asked = set(self.asks(night, index))
        had = [one for one in begun.decision.in_force if not asked.isdisjoint(one.queries)]
        out = [one.id for one in had if literal_class(day, {*one.neutral, *one.fleeting}) not in one.literals]
        followed = Decision(Mode.AUTO, tuple(one for one in begun.decision.changes if one.id not in out))
        ended = super()._end(replace(begun, decision=followed), night, index)
        assert ended.outcome is not None
        told = tuple(
            DirectiveResult(one.id, DirectiveStatus.HELD if one.id in out else DirectiveStatus.APPLIED) for one in had
        )
        queries = tuple(
            replace(
                query,
                conditions=day,
                literals=literal_class(day),
                row_counts=(RowCount("db.t#0", 100_000),),
                directives=told,
            )
            for query in ended.outcome.queries
        )
        return replace(ended, decision=begun.decision, outcome=replace(ended.outcome, queries=queries))


class Tenants(Mapped):
    """Each asks the same of a tenant of its own; the agent acts on the values of its directives alone."""

    def _end(self, begun: Run, night: int, index: int) -> Run:
        tenant = f"tenant {index}"
        ended = super()._end(begun, night, index)
        assert ended.outcome is not None
        told = tuple(
            DirectiveResult(one.id, DirectiveStatus.APPLIED if tenant in one.literals else DirectiveStatus.HELD)
            for one in begun.decision.in_force
        )
        queries = tuple(replace(query, literals=tenant, directives=told) for query in ended.outcome.queries)
        return replace(ended, outcome=replace(ended.outcome, queries=queries))


def test_of_tenants_side_by_side_a_trial_is_in_the_run_of_the_one_that_it_is_for() -> None:
    job = Tenants(3, True, alike)
    job.nights(0, 1, 2)
    for night in (1, 2):
        had = [changes_in_effect(found) for found in job.of_night(night)]
        assert [bool(changes) for changes in had] == [False, False, True]
        assert [bool(found.decision.in_force) for found in job.of_night(night)] == [False, False, True]
    assert not ask_alike(job.runs)
    held = [one.held.code for one in job.of_night(2)[0].decision.changes if one.held]
    assert ReasonCode.VALUES_OF_OTHERS in held, "it is shown, and can be ruled on"


def test_of_tenants_one_after_another_each_keeps_it_for_those_that_follow() -> None:
    job = Tenants(3, False, alike)
    observed = [job._end(ran(0, index, *alike(0, index), beside=False), 0, index) for index in range(3)]
    job.runs = [replace(one, decision=Decision(Mode.OBSERVE, ())) for one in observed]
    job.nights(1)
    assert any(changes_in_effect(found) for found in job.of_night(1))
    assert ask_alike(job.runs)


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("instances", [5, pytest.param(20, marks=pytest.mark.nightly)])
def test_a_day_that_advances_is_learned_of_however_many_instances(instances: int, beside: bool) -> None:
    job = Dated(instances, beside, effects=GAINS)
    job.nights(*range(6))
    for found in job.of_night(5):
        assert [one.id for one in changes_in_effect(found)] == [hint(f"q{index_of(found)}").id], found.key


def test_what_a_person_asked_for_reaches_all() -> None:
    job = Mapped(3, True, effects=GAINS)
    job.nights(0, 1, 2)
    everywhere = recommend(conf(), queries=["q0"])
    for ruling, standing in ((Ruling.PIN, Standing.PINNED), (Ruling.APPROVE, Standing.TRIAL)):
        said = verdict(conf(), ruling, 2.9)
        known = situation(Mode.AUTO, 1, job.runs, [everywhere], [said], instance=instance(2))
        assert {d.id: d.standing for d in decide(known).changes}[conf().id] is standing


# --- Whose run, and whose queries ---

NIGHTS = [ran(night, index, f"q{index}", "all") for night in range(2) for index in range(3)]


def test_a_decision_rests_on_the_latest_run_that_had_its_queries() -> None:
    assert latest_of_instance(NIGHTS, instance(0)) is NIGHTS[3]
    assert latest_of_instance(NIGHTS, "") is latest_of_instance(NIGHTS, instance(7)) is NIGHTS[5]
    assert latest_of_its_queries(NIGHTS, "") is latest_of_its_queries(NIGHTS, instance(7)) is None
    failed = [*NIGHTS, ran(2, 0, "q0", state=RunState.FAILED), ran(2, 1, "q1", "all")]
    assert latest_of_instance(failed, instance(0)) is NIGHTS[3]
    moved = ran(2, 1, "q0", "all", "more")
    assert latest_of_instance([*NIGHTS, moved], instance(0)) is moved
    same = [ran(night, index, "q") for night in range(2) for index in range(3)]
    assert latest_of_instance(same, instance(0)) is same[-1]
    nothing = ran(2, 0)
    assert latest_of_instance([*NIGHTS, nothing], instance(0)) is NIGHTS[3]
    unmapped = [run(0, {"q": 1}), run(1, {"q": 1})]
    assert latest_of_instance(unmapped, "") is unmapped[-1]
    assert latest_of_instance([], instance(0)) is None


def test_of_others_is_what_they_ask_and_it_does_not() -> None:
    assert queries_of_others(NIGHTS, instance(0)) == {"q1", "q2"}
    assert queries_of_others(NIGHTS, instance(7)) == {"q0", "q1", "q2"}
    assert queries_of_others(NIGHTS, "") == queries_of_others([], instance(0)) == frozenset()
    assert queries_of_others([one for one in NIGHTS if index_of(one) == 0], instance(0)) == frozenset()


def test_what_it_had_on_another_night_is_its_own_unless_others_have_had_it_since() -> None:
    monday = [ran(0, index, f"q{index}", *(["mondays"] if index == 0 else [])) for index in range(2)]
    tuesday = [ran(1, index, f"q{index}") for index in range(2)]
    assert queries_of_others([*monday, *tuesday], instance(0)) == {"q1"}
    assert queries_of_others([*monday, *tuesday], instance(1)) == {"q0", "mondays"}
    handed_on = [ran(1, 0, "q0"), ran(1, 1, "q1", "mondays")]
    assert queries_of_others([*monday, *handed_on], instance(0)) == {"q1", "mondays"}


def test_where_none_keeps_its_queries_there_are_none_of_others() -> None:
    turned = [ran(night, index, f"q{(night + index) % 3}", "all") for night in range(2) for index in range(3)]
    assert queries_of_others(turned, instance(0)) == frozenset()
    assert latest_of_instance(turned, instance(0)) is turned[-1]
    half = [
        ran(night, index, f"q{night}{index}" if index == 0 else f"q{index}") for night in range(2) for index in range(3)
    ]
    assert queries_of_others(half, instance(0)) == {"q1", "q2"}
    assert queries_of_others(half, instance(1)) == {"q00", "q10", "q2"}


def test_runs_ask_alike_where_all_of_them_had_the_same_queries() -> None:
    assert ask_alike([]) and ask_alike([run(0, {"q": 1}), run(1, {"q": 2})])
    assert not ask_alike(NIGHTS)
    dated = [ran(night, index, "q") for night in range(2) for index in range(2)]
    for number, one in enumerate(dated):
        assert one.outcome
        queries = tuple(replace(query, literals=f"day {number // 2}") for query in one.outcome.queries)
        dated[number] = replace(one, outcome=replace(one.outcome, queries=queries))
    assert ask_alike(dated)


@pytest.mark.parametrize(("queries", "has_come_back"), [(("q0", "q1"), True), (("q", "q"), False)])
def test_runs_beside_one_another_count_as_one_where_they_have_the_same_query(
    queries: tuple[str, str], has_come_back: bool
) -> None:
    """Of each night all instances begin before one has ended: so does each after those of other queries, night after night."""
    nights = range(2) if has_come_back else range(1)
    ledger = LedgerState()
    for found in (ran(night, index, query) for night in nights for index, query in enumerate(queries)):
        ledger.take_in(found)
        ledger.learn(found)
    (measured,) = ledger.measured
    assert ledger.histories.of(found).has_come_back(measured) is has_come_back


def test_runs_of_others_are_not_nights_in_which_its_query_was_away() -> None:
    """One after another more of them than a change to an absent query is known for."""
    job = Mapped(LONGEST_AWAY + 2, beside=False, effects=LOSES)
    begun = [decided(hint("q0"), Standing.ROLLED_BACK, ["q0"])]
    job.runs = [ran(night, index, f"q{index}", beside=False) for night in range(2) for index in range(job.instances)]
    for place in (0, job.instances):
        job.runs[place] = replace(job.runs[place], decision=Decision(Mode.AUTO, tuple(begun)))
    known = Situation(Mode.AUTO, 1, job.runs, instance=instance(0))
    assert hint("q0").id in {d.id for d in decide(known).changes}
    assert hint("q0").id not in {d.id for d in decide(replace(known, instance="")).changes}
