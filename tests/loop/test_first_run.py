"""The first run of a job that nothing is known of, in a store where others have proven what its queries gain by."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.nightly import COLUMNS, DIRECTIVES, RELATIONS, Nightly, Spark
from tuner.history.store import Store
from tuner.loop import complete, first_run, loop
from tuner.loop.log_lines import turn_details, turn_lines
from tuner.model.agent_message import MAX_DIRECTIVES, decode_whole
from tuner.model.decision import Mode, Standing
from tuner.model.proof import Proof
from tuner.model.reason import ReasonCode
from tuner.model.run import RunState
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.plan.sealed_directives import opened
from tuner.policy.lent_changes import Lent
from tuner.steering.agent.route import Route
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import MAX_CONF_CHARACTERS, Submission
from tuner.steering.directives import Steering
from tuner.steering.lent_directives import lent_by_agent
from tuner.steering.order_sensitive import OrderSensitive
from tuner.words.decisions import decision_summary

SUBMISSION = Submission(
    SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13"),
    {"spark.jars": "/own.jar", "spark.driver.memory": "4g"},
    "hdfs:///agent.jar",
)
LENDER = "payroll.secret"
STEERED = Spark(seconds=4.0, broadcast=True, agent=True)


def job(root: Path, cohort: str) -> Nightly:
    return Nightly(root, cohort=cohort, steering=Steering.AGENT, submission=SUBMISSION)


@pytest.fixture
def lender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nightly:
    """A job that has proven a broadcast in its second run."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    found = job(tmp_path, LENDER)
    found.night("payroll/1/1")
    found.night("payroll/2/1", STEERED)
    return found


@pytest.fixture
def borrower(lender: Nightly) -> Nightly:
    return job(lender.root, "etl.load")


def proofs(of: Nightly) -> list[Proof]:
    with Store.open(of.url) as store:
        return store.proofs("", datetime.now(UTC) - timedelta(days=1), 1000)


def names(of: Any) -> Iterator[str]:
    yield from (str(value) for value in [of.conf, of.decision.unsteered, *turn_lines(of), *turn_details(of)])


def test_what_is_proven_is_kept_for_others_with_what_it_holds_for(lender: Nightly) -> None:
    (proof,) = proofs(lender)
    (change,) = proof.changes
    assert (proof.cohort, change.standing, proof.runs, proof.spark_version) == (LENDER, Standing.PROMOTED, 1, "4.0.1")
    assert proof.gained_seconds == pytest.approx(3.0, abs=0.5)
    assert proof.directives is not None
    assert (proof.directives.relations, proof.directives.columns) == (RELATIONS, COLUMNS)
    (hint,) = proof.directives.hints
    assert (hint.id, hint.neutral, len(hint.literals)) == (change.id, (), 1)
    assert hint.most_bytes > 20_000_000


def test_what_reads_a_table_that_no_log_names_is_proven_for_its_own_job_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    nameless = job(tmp_path, LENDER)
    nameless.night("payroll/1/1", Spark(names_items=False))
    nameless.night("payroll/2/1", replace(STEERED, names_items=False))
    (change,) = nameless.prepare("payroll/3/1").decision.changes
    assert (change.standing, change.change.actions[0].relations) == (Standing.PROMOTED, ("batchscan",))
    assert proofs(nameless) == []


def test_what_a_later_run_has_shown_stays_though_an_earlier_one_looks_back_for_longer(
    lender: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, look_ahead, shown = lender.prepare("payroll/3/1"), complete.look_ahead, list[Proof]()
    STEERED.run(turn)

    def slow(*given: Any) -> Any:
        monkeypatch.setattr(complete, "look_ahead", look_ahead)
        found = look_ahead(*given)
        lender.night("payroll/4/1", replace(STEERED, seconds=30.0))
        shown.extend(proofs(lender))
        return found

    monkeypatch.setattr(complete, "look_ahead", slow)
    assert loop.complete(turn, lender.url, failed=False).problems == ()
    assert lender.stored("payroll/4/1").state is RunState.SUCCEEDED
    assert proofs(lender) == shown


def test_the_first_run_has_it_sealed_and_says_nothing_of_the_other_job(borrower: Nightly) -> None:
    turn = borrower.prepare("etl/1/1")
    assert turn.problems == ()
    assert decision_summary(turn.decision).startswith("first run: it has what other jobs have proven")
    assert (turn.decision.changes, turn.decision.in_force, len(turn.decision.lent)) == ((), (), 1)
    message = decode_whole(turn.conf[DIRECTIVES])
    assert message.queries == ()
    assert [one.hints[0].hint for one in opened(message.sealed, RELATIONS, COLUMNS)] == ["BROADCAST"]
    assert turn.directives.merged["spark.sql.extensions"] == "tuner.steering.agent.Extensions"
    assert not any(word in text for text in names(turn) for word in ("payroll", "secret", "db.items", "BROADCAST"))


def test_one_whose_jar_may_not_be_there_has_none_in_its_retry_and_later_runs(borrower: Nightly) -> None:
    """Spark does not start where it cannot fetch a jar."""
    first = borrower.prepare("etl/1/1")
    assert first.directives.merged["spark.jars"] == "/own.jar,hdfs:///agent.jar"
    loop.complete(first, borrower.url, failed=True)
    retry = borrower.prepare("etl/1/2")
    assert (dict(retry.directives.merged), retry.event_log_dir) == ({}, "")
    assert "where its driver cannot write there, or cannot fetch hdfs:///agent.jar" in decision_summary(retry.decision)
    loop.complete(retry, borrower.url, failed=False)
    assert dict(borrower.prepare("etl/2/1").directives.merged) == {}


def test_what_it_had_is_its_own_trial_and_the_next_run_is_held_against_it(borrower: Nightly) -> None:
    first = borrower.night("etl/1/1", STEERED)
    assert first.problems == ()
    stored = borrower.stored("etl/1/1").decision
    assert stored.lent == ()
    (change,) = stored.changes
    assert (change.standing, change.why.code) == (Standing.TRIAL, ReasonCode.LENT)
    assert first.judgement is not None
    assert first.judgement.gained_seconds is None, "nothing is known that it could be held against"

    (held,) = (d for d in borrower.night("etl/2/1").turn.decision.changes if d.id == change.id)
    assert (held.standing, held.held and held.held.code) == (Standing.HELD, ReasonCode.NEVER_WITHOUT)
    (tried,) = (d for d in borrower.night("etl/3/1", STEERED).turn.decision.changes if d.id == change.id)
    assert (tried.standing, tried.why.code) == (Standing.TRIAL, ReasonCode.LENT)
    (known,) = (d for d in borrower.prepare("etl/4/1").decision.changes if d.id == change.id)
    assert (known.standing, known.why.code) == (Standing.PROMOTED, ReasonCode.FASTER)


def test_one_that_loses_is_rolled_back_here_and_lent_to_nobody(borrower: Nightly) -> None:
    borrower.night("etl/1/1", replace(STEERED, seconds=30.0))
    (change,) = borrower.stored("etl/1/1").decision.changes
    borrower.night("etl/2/1")
    borrower.night("etl/3/1", replace(STEERED, seconds=30.0))
    borrower.night("etl/4/1")
    (out,) = (d for d in borrower.prepare("etl/5/1").decision.changes if d.id == change.id)
    assert (out.standing, out.why.code) == (Standing.ROLLED_BACK, ReasonCode.SLOWER)
    assert [p.taken_out for p in proofs(borrower) if p.cohort == "etl.load"] == [(change.id,)]
    assert not job(borrower.root, "third").prepare("third/1/1").decision.lent


def test_of_what_it_did_not_run_nothing_stays(borrower: Nightly) -> None:
    """Its only query reads what the other's does, and was not told of it: another agent was in the run."""
    with Store.open(borrower.url) as store:
        (proof,) = store.proofs("", datetime.now(UTC) - timedelta(days=1), 10)
        (change,) = proof.changes
        action = replace(change.change.actions[0], query="e" * 16)
        other = replace(change, change=replace(change.change, id=action.id, actions=(action,), queries=("e" * 16,)))
        store.prove(LENDER, [replace(proof, query="e" * 16, changes=(other,))])
    turn = borrower.prepare("etl/1/1")
    assert len(turn.decision.lent) == 1
    Spark().run(turn)
    assert loop.complete(turn, borrower.url, failed=False).problems == ()
    stored = borrower.stored("etl/1/1").decision
    assert (stored.lent, stored.changes) == ((), ())


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.SUGGEST])
def test_it_is_for_who_lets_the_tuner_try(borrower: Nightly, mode: Mode) -> None:
    borrower.mode = mode
    turn = borrower.prepare("etl/1/1")
    assert (turn.decision.lent, DIRECTIVES in turn.conf) == ((), False)
    assert decision_summary(turn.decision) == "first run: observed"


def test_a_mode_that_a_person_gave_holds_from_the_first_run_on(borrower: Nightly) -> None:
    with Store.open(borrower.url) as store:
        store.set_mode(ModeChange("etl.load", Mode.OBSERVE, "ana", datetime.now(UTC)))
    assert not borrower.prepare("etl/1/1").decision.lent


@pytest.mark.parametrize(
    "own",
    [
        {"borrows": False},
        {"steering": Steering.CONF},
        {"steering": Steering.OFF},
        {"user_conf": {"spark.sql.autoBroadcastJoinThreshold": "-1"}},
        {"submission": replace(SUBMISSION, conf={"spark.sql.autoBroadcastJoinThreshold": "-1"})},
        {"submission": replace(SUBMISSION, spark=SparkAtHand(Path("/opt/spark"), "4.1.0", "2.13"))},
    ],
)
def test_who_has_it_otherwise_is_observed(borrower: Nightly, own: dict[str, Any]) -> None:
    for name, value in own.items():
        setattr(borrower, name, value)
    turn = borrower.prepare("etl/1/1")
    assert (turn.decision.lent, DIRECTIVES in turn.conf, turn.problems) == ((), False, ())
    assert decision_summary(turn.decision) == "first run: observed"


def test_what_a_person_refused_or_another_job_lost_since_is_not_lent(borrower: Nightly) -> None:
    (proof,) = proofs(borrower)
    refused = Verdict(LENDER, proof.changes[0].id, Ruling.REJECT, "ana", datetime.now(UTC))
    with Store.open(borrower.url) as store:
        store.record(refused)
    assert not borrower.prepare("etl/1/1").decision.lent


def test_a_lender_that_is_only_observed_lends_nothing(borrower: Nightly) -> None:
    with Store.open(borrower.url) as store:
        store.set_mode(ModeChange(LENDER, Mode.OBSERVE, "ana", datetime.now(UTC)))
    assert not borrower.prepare("etl/1/1").decision.lent


def test_a_lender_that_has_lost_it_since_lends_nothing(lender: Nightly, borrower: Nightly) -> None:
    lender.night("payroll/3/1", replace(STEERED, seconds=40.0))
    assert all(proof.directives is None for proof in proofs(lender))
    assert not borrower.prepare("etl/1/1").decision.lent


def test_a_lender_that_failed_without_a_word_lends_nothing_until_a_run_tells(
    lender: Nightly, borrower: Nightly
) -> None:
    turn = lender.prepare("payroll/3/1")
    assert turn.decision.in_force
    loop.complete(turn, lender.url, failed=True)
    assert proofs(lender) == []
    assert not borrower.prepare("etl/1/1").decision.lent


def test_the_retry_of_a_first_run_that_failed_is_not_steered_and_neither_is_what_follows(borrower: Nightly) -> None:
    turn = borrower.prepare("etl/1/1")
    assert turn.decision.lent
    loop.complete(turn, borrower.url, failed=True)
    again = borrower.prepare("etl/1/2")
    retry = again.decision
    assert (retry.unsteered and retry.unsteered.code, retry.lent) == (ReasonCode.UNOBSERVED, ()), "it left no log"
    loop.complete(again, borrower.url, failed=True)
    later = borrower.prepare("etl/2/1").decision
    assert (later.unsteered and later.unsteered.code, later.lent) == (ReasonCode.NOTHING_HARVESTED, ())


def test_a_first_run_whose_query_failed_blames_what_it_had(borrower: Nightly) -> None:
    borrower.night("etl/1/1", replace(STEERED, error="java.util.concurrent.TimeoutException: broadcast"), failed=True)
    run = borrower.stored("etl/1/1")
    assert (run.state, [d.standing for d in run.decision.changes]) == (RunState.FAILED, [Standing.TRIAL])
    assert borrower.prepare("etl/1/2").directives.conf == {}
    assert borrower.prepare("etl/2/1").decision.in_force == ()


def test_runs_that_start_at_once_borrow_no_more_than_the_first(borrower: Nightly) -> None:
    assert borrower.prepare("etl/1/load/0/1").decision.lent
    assert not borrower.prepare("etl/1/load/1/1").decision.lent


def test_a_first_run_that_ended_unseen_has_what_it_ran(borrower: Nightly) -> None:
    turn = borrower.prepare("etl/1/1")
    STEERED.run(turn)
    borrower.prepare("etl/1/2")
    decision = borrower.stored("etl/1/1").decision
    assert (decision.lent, [d.why.code for d in decision.changes]) == ((), [ReasonCode.LENT])


def test_a_retry_of_what_nobody_recorded_borrows_nothing(borrower: Nightly) -> None:
    assert not borrower.prepare("etl/1/2").decision.lent


def test_a_bug_in_it_only_observes(borrower: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_run, "lent_changes", lambda *_, **__: 1 / 0)
    turn = borrower.prepare("etl/1/1")
    assert turn.problems == ("could not look at what other jobs lend: division by zero",)
    assert decision_summary(turn.decision) == "first run: observed"


def test_of_many_lenders_it_takes_what_a_message_holds_and_no_long_time(borrower: Nightly) -> None:
    (proof,) = proofs(borrower)
    assert proof.directives is not None
    directives = proof.directives
    with Store.open(borrower.url) as store:
        for number in range(200):
            several = []
            for query in range(5):
                fingerprint = f"{number * 5 + query:016x}"
                (change,) = proof.changes
                action = replace(change.change.actions[0], query=fingerprint)
                other = replace(change, change=replace(change.change, id=action.id, actions=(action,)))

                told = structs.replace(directives, fingerprint=fingerprint, relations=(f"db.{number}.{query}",))
                gained = float(number)
                several.append(
                    replace(proof, query=fingerprint, changes=(other,), directives=told, gained_seconds=gained)
                )
            store.prove(f"lender {number}", several)
    start = time.process_time()
    turn = borrower.prepare("etl/1/1")
    assert time.process_time() - start < 3
    assert 20 <= len(turn.decision.lent) <= first_run.MOST_LENT <= MAX_DIRECTIVES
    assert {d.why.numbers["seconds"] for d in turn.decision.lent} >= {199.0, 198.0}
    assert turn.problems == ()


def test_where_no_file_gets_to_the_driver_it_takes_what_a_property_holds(lender: Nightly) -> None:
    (proof,) = proofs(lender)
    assert proof.directives is not None
    found = [Lent(proof.changes, structs.replace(proof.directives, columns=f"{n:016x}")) for n in range(200)]
    in_cluster = {"spark.master": "k8s://x", "spark.submit.deployMode": "cluster"}
    routes = [Route(replace(SUBMISSION, conf=conf)) for conf in ({}, in_cluster)]
    (_, all_), (directives, some) = (lent_by_agent(found, {}, route, OrderSensitive.STABLE) for route in routes)
    assert len(directives.conf[DIRECTIVES]) <= MAX_CONF_CHARACTERS
    assert 0 < len(some) < len(all_) == 200
    assert some == found[: len(some)]
