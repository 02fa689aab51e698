"""The documents in the tables that replays read: a run without its queries, and each query, as JSON."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from tuner.eventlog.as_ended import as_ended
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import Application
from tuner.model.query import Query
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.logged_run import logged_run
from tuner.replay.read_run import unused_because

# Logs whose documents are of another version are read anew: it grows with each field, and with what one means.
DOCUMENTS = 15

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunDocument:
    """An application as a run, in the cohort that its log alone names. None for one without a place in time.

    The run is without its queries and what they tell of its state; its work's `ends` tell the rest of that. `unused` says why
    a replay does not use it, or not whole, where it cannot.
    """

    run: LoggedRun | None
    ends: WorkEnds
    unused: str


_runs = msgspec.json.Decoder(RunDocument)
_queries = msgspec.json.Decoder(Query)
_encoder = msgspec.json.Encoder()


def run_document(application: Application, ends: WorkEnds, log: str) -> str | None:
    """What a replay needs to know of an application besides its queries. None where that cannot be written."""
    application = as_ended(application, datetime.now(UTC))
    run = logged_run(application, (), log)
    return _written(f"the run of {log}", RunDocument(run, ends.told_by(application), unused_because(application, run)))


def query_document(query: Query) -> str | None:
    """All of a query. None where a number in it is none that JSON or a reader takes."""
    return _written(f"query {query.id}", query)


def read_run(document: str) -> RunDocument:
    """Raises msgspec.DecodeError for what `run_document` of this version does not write."""
    return _runs.decode(document)


def read_query(document: str) -> Query:
    """Raises msgspec.DecodeError for what `query_document` of this version does not write."""
    return _queries.decode(document)


def _written(what: str, value: RunDocument | Query) -> str | None:
    try:
        return _encoder.encode(value).decode()
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        _log.warning("%s cannot be written as JSON, and is left out of replays: %s", what, error)
        return None
