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
from tuner.model.run import Outcome
from tuner.plan.queries import queries
from tuner.policy.decide import decide
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


def test_a_stop_says_that_it_ended_and_not_why() -> None:
    failure = stopped().failure
    assert failure is not None
    assert (failure.kind, failure.words) == (FailureKind.STOPPED, "its stream was stopped")


def test_nothing_in_the_log_names_the_machine_that_wrote_it() -> None:
    text = zstandard.ZstdDecompressor().decompress(LOG.read_bytes()).decode()
    assert len(text) > 1000
    for name in ("/work", "/root", "/home", "/tmp/", "site-packages"):
        assert name not in text, name
