"""A mapped task whose instances each ask a query of their own, with a real store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.nightly import Nightly, Spark
from tuner.history.store import Store
from tuner.loop import known_runs as known_runs_module
from tuner.loop import prepare as prepare_module
from tuner.loop.known_runs import known_runs
from tuner.loop.loop import JobToRun, Turn, complete, prepare
from tuner.model.agent_message import DIRECTIVES, decode_whole
from tuner.model.decision import Standing
from tuner.model.run import Origin
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering


@dataclass
class Mapped:
    """A table each: instance n reads those of schema n."""

    nightly: Nightly
    instances: int
    beside: bool
    asked: dict[int, str] = field(default_factory=dict)

    def job(self, night: int, index: int) -> JobToRun:
        return replace(self.nightly.job(f"e/{night}/load/{index}/1"), origin=Origin("e", str(night), "load", index))

    def prepare(self, night: int, index: int) -> Turn:
        return prepare(self.job(night, index), self.nightly.url)

    def night(self, night: int) -> list[Turn]:
        if self.beside:
            turns = [self.prepare(night, index) for index in range(self.instances)]
            for index, turn in enumerate(turns):
                self.run(index, turn)
            return turns
        return [self.run(index, self.prepare(night, index)) for index in range(self.instances)]

    def run(self, index: int, turn: Turn) -> Turn:
        assert turn.problems == ()
        has_it = self.asked.get(index) in self.told(turn)
        is_told = DIRECTIVES in turn.conf
        Spark(4.0 if has_it else 7.0, broadcast=has_it, agent=is_told, schema=f"db{index}").run(turn)
        report = complete(turn, self.nightly.url, failed=False)
        assert report.problems == ()
        assert report.run is not None and report.run.outcome is not None
        (query,) = report.run.outcome.queries
        self.asked[index] = query.fingerprint
        return turn

    @staticmethod
    def told(turn: Turn) -> set[str]:
        """The queries that the agent is told of."""
        directives = turn.conf.get(DIRECTIVES, "")
        return {query.fingerprint for query in decode_whole(directives).queries} if directives else set()


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapped:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    nightly = Nightly(tmp_path, steering=Steering.AGENT, submission=Submission(agent_jar="hdfs:///jars/agent.jar"))
    return Mapped(nightly, 2, beside=False)


@pytest.fixture
def three(two: Mapped, monkeypatch: pytest.MonkeyPatch) -> Mapped:
    """More than are read whole."""
    monkeypatch.setattr(known_runs_module, "LEARN_RUNS", 2)
    two.instances = 3
    return two


@pytest.mark.parametrize("beside", [True, False])
def test_each_instance_has_what_is_proven_of_its_own_query(three: Mapped, beside: bool) -> None:
    three.beside = beside
    for night in range(2):
        three.night(night)
    assert len(set(three.asked.values())) == three.instances
    for night, standings in ((2, {Standing.TRIAL, Standing.PROMOTED}), (3, {Standing.PROMOTED})):
        for index, turn in enumerate(three.night(night)):
            assert three.told(turn) == {three.asked[index]}
            (mine,) = turn.decision.in_force
            assert mine.standing in standings


def test_of_instances_that_are_more_than_are_looked_at_each_knows_what_it_had(
    three: Mapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_runs_module, "HISTORY_RUNS", 5)
    monkeypatch.setattr(known_runs_module, "HISTORY_DAG_RUNS", 1)
    three.beside = True
    for night in range(5):
        turns = three.night(night)
    assert [[d.standing for d in turn.decision.in_force] for turn in turns] == [[Standing.PROMOTED]] * 3
    with Store.open(three.nightly.url) as store:
        known = [run.key for run in known_runs(store, three.nightly.cohort, Origin("e", "5", "load", 1))]
    assert known == [
        *(f"e/{night}/load/1/1" for night in (0, 1, 2)),
        "e/3/load/1/1",
        "e/3/load/2/1",
        *(f"e/4/load/{index}/1" for index in range(3)),
    ]


@pytest.fixture
def taken_up(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    found: list[bool] = []
    genuine = prepare_module.steered_ahead

    def watched(*given: object) -> object:
        steered = genuine(*given)  # type: ignore[arg-type]
        found.append(steered is not None)
        return steered

    monkeypatch.setattr(prepare_module, "steered_ahead", watched)
    return found


def test_what_was_decided_when_one_ended_is_for_the_same_instance(two: Mapped, taken_up: Sequence[bool]) -> None:
    for night in range(3):
        two.night(night)
    with Store.open(two.nightly.url) as store:
        ahead = store.look_ahead(two.nightly.cohort)
    assert ahead is not None and ahead.instance == "e/load/1"
    turn = two.prepare(3, 1)
    assert taken_up[-1] and two.told(turn) >= {two.asked[1]}
    two.run(1, turn)
    turn = two.prepare(3, 0)
    assert not taken_up[-1] and two.told(turn) >= {two.asked[0]}


def test_where_all_ask_the_same_it_is_for_any(two: Mapped, taken_up: Sequence[bool]) -> None:
    two.instances = 1
    for night in range(3):
        two.night(night)
    two.prepare(3, 1)
    assert taken_up[-1]


def test_the_run_that_an_instances_decision_rests_on_is_whole(three: Mapped) -> None:
    three.night(0)
    with Store.open(three.nightly.url) as store:
        for index in range(3):
            runs = known_runs(store, three.nightly.cohort, Origin("e", "1", "load", index))
            whole = {run.key for run in runs if run.outcome and run.outcome.queries[0].joins}
            assert whole == {f"e/0/load/{one}/1" for one in (index, 1, 2)}
