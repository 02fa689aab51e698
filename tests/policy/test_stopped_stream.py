"""What the real log of a stream that was stopped in mid-batch tells of the changes in force (tests/golden/streams.py)."""

from __future__ import annotations

from dataclasses import replace

import zstandard

from tests.golden.streams import LOG
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.history.outcome import outcome_of
from tuner.model.decision import Mode, Standing
from tuner.model.failure import FailureKind
from tuner.model.query import QueryStatus
from tuner.model.run import Outcome, Run
from tuner.plan.queries import queries
from tuner.policy.decide import decide
from tuner.policy.failed_run import FailedRun
from tuner.policy.ledger import read_ledger
from tuner.policy.newly_failed import newly_failed

from .histories import conf, decided, run, situation


def stopped() -> Outcome:
    (log,) = find_logs(LOG)
    application = read_application(log)
    return outcome_of(application, queries(application))


def test_the_batch_did_not_end_and_no_change_is_accused_of_it() -> None:
    outcome = stopped()
    batches = [query for query in outcome.queries if query.shuffles]
    assert {query.fingerprint for query in batches} == {batches[0].fingerprint}
    assert [query.status for query in batches] == [QueryStatus.SUCCEEDED, *[QueryStatus.UNFINISHED] * 2]

    change = decided(conf(), queries=[batches[0].fingerprint])
    whole = tuple(query for query in outcome.queries if query.status is QueryStatus.SUCCEEDED)
    runs = [
        replace(run(0), outcome=replace(outcome, queries=whole, failure=None)),
        replace(run(1, None, change), outcome=replace(outcome, conf={"spark.sql.shuffle.partitions": "16"})),
    ]
    assert newly_failed(runs[1], runs[:1]) == []
    assert read_ledger(runs)[change.id].standing is Standing.TRIAL
    assert decide(situation(Mode.AUTO, 1, runs)).unsteered is None


def batches_of(number: int, *statuses: QueryStatus) -> Run:
    """A run that goes on after these batches of one stream."""
    found = run(number, {"q1": 5})
    assert found.outcome is not None
    (query,) = found.outcome.queries
    batches = tuple(replace(query, id=id_, status=status, duration_ms=500) for id_, status in enumerate(statuses))
    return replace(found, outcome=replace(found.outcome, queries=batches))


def test_a_batch_that_fails_where_others_are_cut_each_night_is_new() -> None:
    cut, failed, done = QueryStatus.UNFINISHED, QueryStatus.FAILED, QueryStatus.SUCCEEDED
    nights = [batches_of(night, done, cut) for night in range(4)]
    assert newly_failed(batches_of(4, done, failed), nights) == ["q1"]
    assert newly_failed(batches_of(4, done, cut, cut), nights) == []


def test_a_night_whose_last_batch_is_cut_has_succeeded_without_a_change() -> None:
    change = decided(conf(), queries=["q1"])
    failed = batches_of(1, QueryStatus.SUCCEEDED, QueryStatus.FAILED)
    failed = replace(failed, decision=replace(failed.decision, changes=(change,)))
    after = batches_of(2, QueryStatus.SUCCEEDED, QueryStatus.UNFINISHED)
    (earlier,) = [batches_of(0, QueryStatus.SUCCEEDED, QueryStatus.UNFINISHED)]
    assert FailedRun(failed, [earlier], later=[after], query="q1").succeeded_without(change)


def test_a_stop_says_that_it_ended_and_not_why() -> None:
    failure = stopped().failure
    assert failure is not None
    assert (failure.kind, failure.words) == (FailureKind.STOPPED, "its stream was stopped")


def test_nothing_in_the_log_names_the_machine_that_wrote_it() -> None:
    text = zstandard.ZstdDecompressor().decompress(LOG.read_bytes()).decode()
    assert len(text) > 1000
    for name in ("/work", "/root", "/home", "/tmp/", "site-packages"):
        assert name not in text, name
