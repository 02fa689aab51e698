"""What was decided when a run ended is taken up by the next one, and never where that would be decided otherwise."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from tests.nightly import Nightly, Spark, replace_in_loop
from tuner.cost.learned.calibrated_model import VARIABLE
from tuner.cost.learned.operator_times import shipped_model, write_model
from tuner.history.engine import open_engine, writer
from tuner.history.failure import Ending
from tuner.history.look_ahead_rows import document_digest
from tuner.history.store import Store
from tuner.history.url import parse
from tuner.loop import look_ahead, next_decision, prepare, stamps
from tuner.loop.known import MOST_COHORTS_ELSEWHERE
from tuner.loop.loop import Turn, complete
from tuner.model.decision import IN_FORCE, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Origin, RunState
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.spark.knobs import DRIVER_MEMORY
from tuner.spark.properties import DEPLOY_MODE, MASTER
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering

NOW = datetime(2026, 11, 20, tzinfo=UTC)
STATIC = "spark.sql.autoBroadcastJoinThreshold"
DEPLOYED = Submission(agent_jar="hdfs:///jars/agent.jar")


@dataclass
class Watched:
    """A recurring job, and how the next run of a copy of it is decided when nothing was decided ahead."""

    nightly: Nightly
    copies: Path
    monkeypatch: pytest.MonkeyPatch
    taken_up: list[bool] = field(default_factory=list)
    made: int = 0

    def __post_init__(self) -> None:
        genuine = prepare.steered_ahead

        def watched(*given: Any) -> Any:
            self.taken_up.append((found := genuine(*given)) is not None)
            return found

        self.monkeypatch.setattr(prepare, "steered_ahead", watched)

    def afresh(self, key: str) -> Turn:
        self.made += 1
        copy = replace(self.nightly, root=self.copies / str(self.made))
        shutil.copytree(self.nightly.root, copy.root)
        with self.monkeypatch.context() as changed:
            replace_in_loop(changed, "advice_stamp", lambda *_: "")
            turn = copy.prepare(key)
        assert not self.taken_up.pop()
        return turn

    def next(self, key: str = "e/9/1") -> tuple[Turn, bool]:
        """The next run's turn, and whether it was taken up; it is the one that would be decided now."""
        expected = said(self.afresh(key), self.copies / str(self.made))
        turn = self.nightly.prepare(key)
        assert said(turn, self.nightly.root) == expected
        return turn, self.taken_up[-1]


def said(turn: Turn, root: Path) -> Any:
    conf = {k: v.replace(str(root), "") for k, v in turn.conf.items()}
    return turn.decision, turn.directives, conf, turn.taught, dict(turn.names), turn.problems


@pytest.fixture(scope="module", params=[Steering.CONF, Steering.AGENT])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Nightly:
    """A job that ran four times. What changes its properties is proven; what the agent is to change is yet to be tried."""
    by_conf = request.param is Steering.CONF
    nightly = Nightly(tmp_path_factory.mktemp("ran"), submission=DEPLOYED)
    nightly.steering = Steering.CONF if by_conf else Steering.OFF
    for night in range(1, 5):
        turn = nightly.prepare(f"e/{night}/1")
        Spark(broadcast=bool(turn.decision.in_force), seconds=4.0 if turn.decision.in_force else 7.0).run(turn)
        report = complete(replace(turn, job=replace(turn.job, steering=request.param)), nightly.url, failed=False)
        assert report.problems == ()
    nightly.steering = request.param
    return nightly


@pytest.fixture
def watched(ran: Nightly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """That job, before its fifth run."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(VARIABLE, raising=False)
    shutil.copytree(ran.root, tmp_path / "job")
    return Watched(replace(ran, root=tmp_path / "job"), tmp_path / "copies", monkeypatch)


def test_the_next_run_takes_up_what_was_decided_when_the_last_one_ended(watched: Watched) -> None:
    turn, taken_up = watched.next()
    assert taken_up
    assert turn.decision.in_force and turn.taught == "prices learned from 4 runs of its own"
    assert watched.nightly.stored("e/9/1").decision == turn.decision


def test_what_is_taken_up_reads_no_run_and_loads_no_rules(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("recent", "runs"):
        monkeypatch.setattr(Store, name, lambda *_, **__: pytest.fail("read runs"))
    monkeypatch.setattr(prepare, "load_rules", lambda: pytest.fail("loaded what decides"))
    turn = watched.nightly.prepare("e/9/1")
    assert watched.taken_up == [True]
    assert turn.decision.in_force and turn.problems == ()


@pytest.mark.parametrize("ruled", [False, True])
def test_what_was_decided_ahead_is_read_once_for_what_it_may_be_taken_up_for(
    watched: Watched, ruled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ruled:
        _rule_on_another(watched)
    reads: list[str] = []
    genuine = Store.look_ahead
    monkeypatch.setattr(Store, "look_ahead", lambda store, cohort: reads.append(cohort) or genuine(store, cohort))
    watched.nightly.prepare("e/9/1")
    assert watched.taken_up == [not ruled]
    assert len(reads) == 1 + ruled  # once more for its prices and its advice, beside the runs


def test_a_new_cohort_is_decided_for_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It learns from other cohorts, whose runs come and go."""
    (tmp_path / "job").mkdir()
    watched = Watched(Nightly(tmp_path / "job"), tmp_path / "copies", monkeypatch)
    for night in (1, 2):
        watched.nightly.night(f"e/{night}/1")
    _, taken_up = watched.next()
    assert not taken_up


# --- What may come between two runs ---


def _rule(ruling: Ruling) -> Callable[[Watched], None]:
    def rule(watched: Watched) -> None:
        with Store.open(watched.nightly.url) as store:
            ahead = store.look_ahead(watched.nightly.cohort)
            assert ahead is not None
            decided = (ahead.decision.in_force or ahead.decision.changes)[0]
            store.record(Verdict(watched.nightly.cohort, decided.id, ruling, "ana", datetime.now(UTC), "so"))

    return rule


def _rule_on_another(watched: Watched) -> None:
    with Store.open(watched.nightly.url) as store:
        store.record(Verdict(watched.nightly.cohort, "set_conf:a=b", Ruling.PIN, "ana", datetime.now(UTC)))


def _set_mode(watched: Watched) -> None:
    with Store.open(watched.nightly.url) as store:
        store.set_mode(ModeChange(watched.nightly.cohort, Mode.OBSERVE, "ana", datetime.now(UTC)))


def _conf(conf: Mapping[str, str]) -> Callable[[Watched], None]:
    def change(watched: Watched) -> None:
        watched.nightly.user_conf = conf

    return change


def _given(**changes: Any) -> Callable[[Watched], None]:
    def change(watched: Watched) -> None:
        for name, value in changes.items():
            setattr(watched.nightly, name, value)

    return change


def _other_steering(watched: Watched) -> None:
    other = Steering.AGENT if watched.nightly.steering is Steering.CONF else Steering.CONF
    watched.nightly.steering = other


def _another_run(watched: Watched) -> None:
    """Of another process, of a version that decides nothing ahead."""
    with watched.monkeypatch.context() as changed:
        changed.setattr(look_ahead, "_keep_ahead", lambda *_: None)
        watched.nightly.night("e/5/1", Spark(seconds=30, broadcast=True))


def _failed_run(watched: Watched) -> None:
    with watched.monkeypatch.context() as changed:
        changed.setattr(look_ahead, "_keep_ahead", lambda *_: None)
        turn = watched.nightly.prepare("e/5/1")
        Spark(error="java.lang.OutOfMemoryError: Not enough memory to build and broadcast").run(turn)
        complete(turn, watched.nightly.url, failed=True, ending=Ending(1))


def _run_under_way(watched: Watched) -> None:
    watched.nightly.prepare("e/5/1")


def _run_harvested_late(watched: Watched) -> None:
    Spark(seconds=4, broadcast=True).run(watched.nightly.prepare("e/5/1"))


def _lost_elsewhere(watched: Watched) -> None:
    """In three other cohorts what this one is to have has lost."""
    for number in range(3):
        _ended_elsewhere(watched, number, Standing.ROLLED_BACK, ReasonCode.SLOWER)


def _ended_elsewhere(watched: Watched, number: int, standing: Standing, why: ReasonCode) -> None:
    """Another cohort's latest run tells of all that this one is to have."""
    with Store.open(watched.nightly.url) as store:
        mine, ahead = store.runs(watched.nightly.cohort)[-1], store.look_ahead(watched.nightly.cohort)
        assert ahead is not None
        found = tuple(replace(one, standing=standing, why=Reason(why, {})) for one in ahead.decision.changes)
        now, decision = datetime.now(UTC), Decision(Mode.AUTO, found)
        run = replace(mine.begun, key=f"o{number}/{now}/1", cohort=f"o{number}", started_at=now, decision=decision)
        store.begin(run)
        store.finish(run.key, RunState.SUCCEEDED, now, mine.outcome)


def _write(watched: Watched, statement: str, **values: str) -> None:
    engine = writer(open_engine(parse(watched.nightly.url)))
    with engine.begin() as connection:
        assert connection.execute(text(statement), values).rowcount == 1
    engine.dispose()


def _kept(watched: Watched) -> str:
    engine = open_engine(parse(watched.nightly.url))
    with engine.connect() as connection:
        found: str = connection.scalar(text("SELECT document FROM spark_tuner_look_aheads"))
    engine.dispose()
    return found


def _tampered(watched: Watched) -> None:
    document = _kept(watched)
    stands = next(word for word in map('"{}"'.format, IN_FORCE) if word in document)
    written = document.replace(stands, '"rolled_back"')
    _write(watched, "UPDATE spark_tuner_look_aheads SET document = :d", d=written)


def _of_another_version(watched: Watched) -> None:
    document = msgspec.json.encode({**msgspec.json.decode(_kept(watched)), "decision": "in other words"}).decode()
    values = {"d": document, "n": document_digest(document)}
    _write(watched, "UPDATE spark_tuner_look_aheads SET document = :d, digest = :n", **values)


def _forgotten(watched: Watched) -> None:
    _write(watched, "DELETE FROM spark_tuner_look_aheads")


def _gone_run(watched: Watched) -> None:
    _write(watched, "DELETE FROM spark_tuner_runs WHERE key = 'e/2/1'")


def _other_model(watched: Watched) -> None:
    model = shipped_model()
    file = watched.copies.parent / "model.json"
    file.write_bytes(write_model(replace(model, costs=replace(model.costs, merge=model.costs.merge * 50))))
    watched.monkeypatch.setenv(VARIABLE, str(file))


def _no_model(watched: Watched) -> None:
    watched.monkeypatch.setenv(VARIABLE, str(watched.copies.parent / "nowhere.json"))


def _other_version(watched: Watched) -> None:
    watched.monkeypatch.setattr(stamps, "_installed", lambda: "another version")


BETWEEN: dict[str, Callable[[Watched], None]] = {
    "rejected": _rule(Ruling.REJECT),
    "pinned": _rule(Ruling.PIN),
    "rolled back": _rule(Ruling.ROLL_BACK),
    "approved": _rule(Ruling.APPROVE),
    "another ruled on": _rule_on_another,
    "mode given": _set_mode,
    "job's mode": _given(mode=Mode.SUGGEST),
    "own setting": _conf({STATIC: "10m"}),
    "own setting of something else": _conf({"spark.app.tag": "s3cret"}),
    "own heap": _conf({DRIVER_MEMORY.property: "1g"}),
    "cluster's heap": _given(submission=Submission(None, {DRIVER_MEMORY.property: "1g"}, DEPLOYED.agent_jar)),
    "another release": _given(submission=replace(DEPLOYED, told_runtime="emr-7.5.0")),
    "another master": _given(submission=Submission(None, {MASTER: "yarn"}, DEPLOYED.agent_jar)),
    "no jar any more": _given(submission=Submission(None, {"spark.remote": "sc://there"}, DEPLOYED.agent_jar)),
    "another jar": _given(submission=Submission(agent_jar="hdfs:///jars/another.jar")),
    "steered otherwise": _other_steering,
    "not steered": _given(steering=Steering.OFF),
    "another run": _another_run,
    "a failed run": _failed_run,
    "a run under way": _run_under_way,
    "a run harvested late": _run_harvested_late,
    "tampered with": _tampered,
    "of another version": _of_another_version,
    "forgotten": _forgotten,
    "a run gone": _gone_run,
    "another model": _other_model,
    "no model": _no_model,
    "another version of the tuner": _other_version,
}


@pytest.mark.parametrize("between", BETWEEN)
def test_what_comes_between_is_decided_on_as_ever(watched: Watched, between: str) -> None:
    BETWEEN[between](watched)
    _, taken_up = watched.next()
    assert not taken_up


def test_what_others_came_to_counts_for_what_is_new_here(watched: Watched) -> None:
    """Of what is proven the job's own runs tell: elsewhere there is always somebody who has it proven, or lost with it."""
    with Store.open(watched.nightly.url) as store:
        ahead = store.look_ahead(watched.nightly.cohort)
    assert ahead is not None
    is_proven = all(d.standing is Standing.PROMOTED for d in ahead.decision.changes)
    assert is_proven is (watched.nightly.steering is Steering.CONF)
    _lost_elsewhere(watched)
    assert watched.next()[1] is is_proven


def test_a_hint_that_is_proven_here_is_taken_up_whatever_became_of_it_elsewhere(watched: Watched) -> None:
    by_agent = watched.nightly.steering is Steering.AGENT
    watched.nightly.night("e/5/1", Spark(seconds=4, broadcast=True, agent=by_agent))
    _ended_elsewhere(watched, 0, Standing.PROMOTED, ReasonCode.FASTER)
    turn, taken_up = watched.next()
    assert taken_up
    assert [d.standing for d in turn.decision.in_force] == [Standing.PROMOTED]


def test_how_many_won_elsewhere_makes_no_other_decision(watched: Watched) -> None:
    for number in range(2 * MOST_COHORTS_ELSEWHERE):
        _ended_elsewhere(watched, number, Standing.PROMOTED, ReasonCode.FASTER)
    watched.nightly.night("e/5/1", Spark(seconds=4, broadcast=True))
    _ended_elsewhere(watched, 0, Standing.ROLLED_BACK, ReasonCode.SLOWER)
    assert watched.next()[1]


def test_a_run_whose_worker_died_hours_ago_keeps_what_is_decided_ahead_no_longer(watched: Watched) -> None:
    assert watched.nightly.prepare("e/5/1").decision.in_force
    hours_ago = (datetime.now(UTC) - timedelta(hours=6)).replace(tzinfo=None)
    _write(watched, "UPDATE spark_tuner_runs SET started_at = :at WHERE key = 'e/5/1'", at=str(hours_ago))
    assert watched.nightly.night("e/6/1").turn.decision.in_force
    assert watched.next()[1]
    assert watched.nightly.stored("e/5/1").state is RunState.RUNNING


@pytest.mark.parametrize("failure", ["java.lang.OutOfMemoryError: Java heap space", "java.net.UnknownHostException: x"])
def test_a_second_try_is_decided_on_by_what_became_of_the_first(watched: Watched, failure: str) -> None:
    turn = watched.nightly.prepare("e/5/1")
    assert turn.decision.in_force
    Spark(error=failure).run(turn)
    complete(turn, watched.nightly.url, failed=True, ending=Ending(1))
    _, taken_up = watched.next("e/5/2")
    assert not taken_up


def test_the_run_after_a_retry_takes_up_what_was_decided_for_it(watched: Watched) -> None:
    """A run of its own is not held to what a retry may carry."""
    turn = watched.nightly.prepare("e/5/1")
    Spark(error="java.net.UnknownHostException: x").run(turn)
    complete(turn, watched.nightly.url, failed=True, ending=Ending(1))
    watched.nightly.night("e/5/2")
    _, taken_up = watched.next("e/6/1")
    assert taken_up


@pytest.mark.parametrize(
    ("name", "was", "now"), [(MASTER, "yarn", "k8s://api:443"), (DEPLOY_MODE, "client", "cluster")]
)
def test_where_a_run_takes_place_counts(watched: Watched, name: str, was: str, now: str) -> None:
    watched.nightly.user_conf = {name: was}
    watched.nightly.night("e/5/1")
    watched.nightly.user_conf = {name: now}
    assert not watched.next()[1]


def test_a_task_that_is_mapped_now_is_decided_for_anew(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = Nightly.job
    mapped = Origin("e", "9", "load", 0)
    monkeypatch.setattr(Nightly, "job", lambda nightly, key: replace(genuine(nightly, key), origin=mapped))
    assert not watched.next()[1]


def test_statements_of_another_day_change_nothing_that_the_agent_is_told(watched: Watched) -> None:
    watched.nightly.statements = ("SELECT * FROM sales s JOIN items i ON s.item = i.id WHERE day = 3",)
    by_agent = watched.nightly.steering is Steering.AGENT
    assert watched.next()[1] == by_agent


def test_no_secret_of_the_users_is_kept(watched: Watched) -> None:
    watched.nightly.user_conf = {"spark.hadoop.fs.s3a.secret.key": "hunter2"}
    watched.nightly.night("e/5/1")
    kept = _kept(watched)
    assert "hunter2" not in kept
    # Nor is a digest of it, which a reader of the store could hold guesses against.
    watched.nightly.user_conf = {"spark.hadoop.fs.s3a.secret.key": "correct horse"}
    assert watched.next()[1]


@pytest.mark.parametrize("ran", [Steering.CONF], indirect=True)
def test_a_change_that_sets_what_nobody_knows_of_is_decided_on_as_ever(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of an earlier version: whether the user's own value speaks against it, only its value tells."""
    monkeypatch.setattr(stamps, "KNOBS", {})
    watched.nightly.night("e/5/1")
    assert not watched.next()[1]


def test_prices_and_advice_outlive_a_verdict(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    _rule(Ruling.REJECT)(watched)
    expected = said(watched.afresh("e/9/1"), watched.copies / "1")
    for name in ("_learned", "_advise"):
        monkeypatch.setattr(next_decision, name, lambda *_: pytest.fail("worked out again"))
    found = watched.nightly.prepare("e/9/1")
    assert said(found, watched.nightly.root) == expected
    assert not found.decision.in_force


def test_where_these_hold_nothing_is_loaded_that_learns_and_advises(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    _rule(Ruling.REJECT)(watched)
    monkeypatch.setattr(prepare, "load_rules", lambda: pytest.fail("loaded what advises"))
    turn = watched.nightly.prepare("e/9/1")
    assert (watched.taken_up, turn.problems) == ([False], ())


def test_what_advisors_failed_at_is_not_kept(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> Any:
        raise RuntimeError("boom")

    with monkeypatch.context() as changed:
        changed.setattr(next_decision, "_advise", broken)
        assert watched.nightly.night("e/5/1").problems
    turn, taken_up = watched.next()
    assert (taken_up, turn.problems) == (False, ())


# --- Many nights ---


@pytest.mark.parametrize("seed", range(3))
def test_night_after_night_nothing_is_decided_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    chance = random.Random(seed)
    (tmp_path / "job").mkdir()
    steering = chance.choice([Steering.CONF, Steering.AGENT])
    nightly = Nightly(tmp_path / "job", steering=steering, submission=DEPLOYED)
    watched = Watched(nightly, tmp_path / "copies", monkeypatch)
    happen = ["rejected", "pinned", "approved", "mode given", "own heap", "a run under way", "forgotten"]
    for night in range(10):
        with Store.open(nightly.url) as store:
            ahead = store.look_ahead(nightly.cohort)
        if ahead and ahead.decision.changes and chance.random() < 0.4:
            BETWEEN[chance.choice(happen)](watched)
        turn, _ = watched.next(f"n/{night}/1")
        error = "java.lang.OutOfMemoryError: Java heap space" if chance.random() < 0.15 else None
        is_broadcast = bool(turn.decision.in_force)
        Spark(chance.choice([4, 7, 12]), broadcast=is_broadcast, error=error).run(turn)
        complete(turn, nightly.url, failed=error is not None, ending=Ending(1 if error else 0))
    assert any(watched.taken_up) and not all(watched.taken_up)
