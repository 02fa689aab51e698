"""The model's dataclasses as the JSON documents and rows that are stored."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import Enum, auto
from typing import Any, TypeVar

import msgspec

from tuner.errors import StoreError
from tuner.history.tables import RunRow
from tuner.model.cluster import Cluster
from tuner.model.decision import Decision
from tuner.model.directive_result import DirectiveResult
from tuner.model.failure import Failure
from tuner.model.imported_change import ImportedChange
from tuner.model.join_graph import JoinGraph
from tuner.model.look_ahead import LookAhead
from tuner.model.proof import Proof
from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import FilterCondition
from tuner.model.query_work import QueryWork, WorkInBrief
from tuner.model.resource_use import UNKNOWN_USE, ResourceUse
from tuner.model.row_count import RowCount
from tuner.model.run import Origin, Outcome, Run, RunDetails, RunState
from tuner.printable import printable

_Kind = TypeVar("_Kind")
_Row = TypeVar("_Row")
_Value = TypeVar("_Value")

_logger = logging.getLogger(__name__)

# When what has no time that can be read was said: before all else.
UNTOLD_TIME = datetime.fromtimestamp(0, UTC)

# In msgspec 0.19 its errors are no ValueErrors.
_UNREADABLE = (msgspec.MsgspecError, ValueError)


class Detail(Enum):
    """How much of an outcome is read; the rest of its document is skipped, not decoded.

    TIMES: what times rest on, and the conf. PAST: that and the blocks of joins, which advisors look back at. FULL: all.
    """

    TIMES = auto()
    PAST = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True)
class _BriefQuery:
    id: int
    root_id: int
    fingerprint: str
    description: str
    start_ms: int
    duration_ms: int | None
    status: QueryStatus
    input_bytes: int = 0
    source_bytes: int = 0
    directives: tuple[DirectiveResult, ...] = ()
    literals: str = ""
    main_relations: tuple[str, ...] = ()
    conditions: tuple[FilterCondition, ...] | None = None
    row_counts: tuple[RowCount, ...] = ()
    merged: bool = False
    executor_run_ms: int = 0
    executor_cpu_ms: int = 0
    work_in_brief: WorkInBrief | None = None
    not_deterministic: str = ""
    logged_conditions: tuple[FilterCondition, ...] | None = None
    repeated_run_ms: int = 0
    broadcasts_off: tuple[str, ...] = ()
    input_rows: int = 0
    runtime_filtered: tuple[str, ...] = ()
    keeps_state: bool = False


@dataclass(frozen=True, slots=True)
class _PastQuery(_BriefQuery):
    graphs: tuple[JoinGraph, ...] = ()
    work: QueryWork | None = None


@dataclass(frozen=True, slots=True)
class _BriefOutcome:
    app_id: str
    spark_version: str
    duration_ms: int | None
    cluster: Cluster
    queries: tuple[_BriefQuery, ...]
    agent_missing: bool = False
    failure: Failure | None = None
    conf: dict[str, str] = field(default_factory=dict)
    allocated_core_ms: int | None = None
    resources: ResourceUse = UNKNOWN_USE


@dataclass(frozen=True, slots=True)
class _PastOutcome(_BriefOutcome):
    queries: tuple[_PastQuery, ...]


# What a run's times rest on is kept by itself: most of what is read of a history is that, and it is a small part of the whole.
_TIMES = tuple(f.name for f in fields(_BriefOutcome) if f.name != "queries")
QUERY_TIMES = tuple(f.name for f in fields(_BriefQuery))


_decisions = msgspec.json.Decoder(Decision)
_outcomes = msgspec.json.Decoder(Outcome)
_proofs = msgspec.json.Decoder(Proof)
_imports = msgspec.json.Decoder(ImportedChange)
_details = msgspec.json.Decoder(RunDetails)
_look_aheads = msgspec.json.Decoder(LookAhead)
_parts: dict[Detail, tuple[msgspec.json.Decoder[Any], tuple[str, ...]]] = {
    Detail.TIMES: (msgspec.json.Decoder(_BriefOutcome), QUERY_TIMES),
    Detail.PAST: (msgspec.json.Decoder(_PastOutcome), tuple(f.name for f in fields(_PastQuery))),
}


def decision_document(key: str, decision: Decision) -> str:
    """The decision of run `key` as JSON. StoreError when it could not be read again."""
    document = _document(f"the decision of run {key}", decision, _decisions)
    # A reason's number may be unknown: an infinite one would be read as that.
    if _decisions.decode(document) != decision:
        raise StoreError(f"the decision of run {key} cannot be stored as JSON; its numbers must be finite")
    return document


def outcome_document(key: str, outcome: Outcome) -> str:
    """The outcome of run `key` as JSON. StoreError when it could not be read again."""
    return _document(f"the outcome of run {key}", outcome, _outcomes)


def times_document(key: str, outcome: Outcome) -> str:
    """What `Detail.TIMES` reads of the outcome of run `key`, as JSON. StoreError when it could not be read again."""
    queries = tuple(_in_brief(query) for query in outcome.queries)
    times = _BriefOutcome(**{name: getattr(outcome, name) for name in _TIMES}, queries=queries)
    return _document(f"the times of run {key}", times, _parts[Detail.TIMES][0])


def _in_brief(query: Query) -> _BriefQuery:
    # Who only reads a store need not know what work costs.
    from tuner.cost.priced_work import in_brief

    told = {name: getattr(query, name) for name in QUERY_TIMES}
    return _BriefQuery(**(told | {"work_in_brief": in_brief(query.work)} if query.work else told))


def details_document(key: str, details: RunDetails) -> str:
    """The details of run `key` as JSON. StoreError when they could not be read again."""
    return _document(f"the details of run {key}", details, _details)


def look_ahead_document(cohort: str, look_ahead: LookAhead) -> str:
    """What was decided ahead for a cohort as JSON. StoreError when it would not be read again as it is."""
    document = _document(f"what was decided ahead for {cohort}", look_ahead, _look_aheads)
    if _look_aheads.decode(document) != look_ahead:
        raise StoreError(f"what was decided ahead for {cohort} cannot be stored as JSON; its numbers must be finite")
    return document


def readable_look_ahead(document: str) -> LookAhead | None:
    """What was decided ahead; None where another version wrote it otherwise: it is decided anew."""
    try:
        return _look_aheads.decode(document)
    except _UNREADABLE:
        return None


def readable_details(key: str, document: str) -> RunDetails | None:
    """The details of run `key`; None, with a warning, when they cannot be read."""
    try:
        return _details.decode(document)
    except _UNREADABLE as error:
        skipped(f"the details of run {key}", error)
        return None


def proof_document(proof: Proof) -> str:
    """A proof as JSON. StoreError when it could not be read again."""
    return _document(f"what cohort {proof.cohort} lends", proof, _proofs)


def readable_proof(cohort: str, document: str) -> Proof | None:
    """What a cohort lends of a query; None, with a warning, when it cannot be read."""
    try:
        return _proofs.decode(document)
    except _UNREADABLE as error:
        skipped(f"what cohort {cohort} lends", error)
        return None


def import_document(imported: ImportedChange) -> str:
    """An imported change as JSON. StoreError when it could not be read again."""
    return _document(f"what cohort {imported.cohort} imports", imported, _imports)


def readable_import(cohort: str, document: str) -> ImportedChange | None:
    """A change that a cohort imported; None, with a warning, when it cannot be read."""
    try:
        return _imports.decode(document)
    except _UNREADABLE as error:
        skipped(f"what cohort {cohort} imported", error)
        return None


def readable_decision(key: str, document: str) -> Decision | None:
    """The decision of run `key`; None, with a warning, when it cannot be read."""
    try:
        return _decisions.decode(document)
    except _UNREADABLE as error:
        skipped(f"the decision of run {key}", error)
        return None


def decoded_decision(document: str) -> Decision:
    """A decision of its document. MsgspecError where another version wrote it otherwise."""
    return _decisions.decode(document)


def readable_run(
    row: RunRow,
    outcome: str | None,
    detail: Detail = Detail.FULL,
    decoded: Callable[[str], Decision] = decoded_decision,
) -> Run | None:
    """The run of a row, with the document of its outcome, or of its times; None, with a warning, when a version that writes
    it otherwise has stored it. `decoded` is `decoded_decision`, or keeps what that made."""
    try:
        return Run(
            key=of_kind(str, row.key, "key"),
            cohort=of_kind(str, row.cohort, "cohort"),
            try_number=of_kind(int, row.try_number, "try number"),
            started_at=of_kind(datetime, row.started_at, "start"),
            state=RunState(row.state),
            decision=decoded(row.decision),
            event_log_dir=of_kind(str, row.event_log_dir, "event log directory"),
            ended_at=row.ended_at,
            outcome=None if outcome is None else _outcome(outcome, detail),
            origin=_origin(row),
        )
    except _UNREADABLE as error:
        skipped(f"run {row.key}", error)
        return None


def readable_outcome(key: str, document: str, detail: Detail) -> Outcome | None:
    """The outcome of run `key`; None, with a warning, when it cannot be read."""
    try:
        return _outcome(document, detail)
    except _UNREADABLE as error:
        skipped(f"the outcome of run {key}", error)
        return None


def _outcome(document: str, detail: Detail) -> Outcome:
    if detail is Detail.FULL:
        return _outcomes.decode(document)
    decoder, names = _parts[detail]
    found = decoder.decode(document)
    return Outcome(
        found.app_id,
        found.spark_version,
        found.duration_ms,
        found.cluster,
        tuple(Query(**{name: getattr(query, name) for name in names}) for query in found.queries),
        found.conf,
        agent_missing=found.agent_missing,
        failure=found.failure,
        allocated_core_ms=found.allocated_core_ms,
        resources=found.resources,
    )


def _origin(row: RunRow) -> Origin | None:
    if row.dag_id is None or row.run_id is None or row.task_id is None:
        return None
    return Origin(row.dag_id, row.run_id, row.task_id, -1 if row.map_index is None else row.map_index)


def of_kind(kind: type[_Kind], value: object, what: str) -> _Kind:
    """A column's value; ValueError where it is of another kind: SQLite holds anything in any column."""
    if not isinstance(value, kind):
        raise ValueError(f"its {what} is {ascii(value)[:80]}")
    return value


def of_kind_or(kind: type[_Kind], value: object, otherwise: _Kind) -> _Kind:
    """A column's value; `otherwise` where it is of another kind."""
    return value if isinstance(value, kind) else otherwise


def skipped(what: str, error: Exception, instead: str = "is skipped") -> None:
    """Warns that a stored row is left out of an answer, or counts as something else `instead`."""
    told = "history store: %s cannot be read and %s (%s); it was probably stored by another version"
    _logger.warning(told, printable(what, 1000), instead, error)


def readable_rows(
    rows: Iterable[_Row], read: Callable[[_Row], _Value], named: Callable[[_Row], str]
) -> Iterator[_Value]:
    """What rows are read as; those that raise ValueError are left out, each with a warning of what it is."""
    for row in rows:
        try:
            yield read(row)
        except ValueError as error:
            skipped(named(row), error)


def _document(
    what: str,
    value: Decision | Outcome | RunDetails | LookAhead | Proof | ImportedChange | _BriefOutcome,
    decoder: msgspec.json.Decoder[Any],
) -> str:
    # JSON has no infinity: msgspec writes null, and the run would be skipped whenever it is read.
    try:
        encoded = msgspec.json.encode(value)
        decoder.decode(encoded)
    except (TypeError, *_UNREADABLE) as error:
        raise StoreError(f"{what} cannot be stored as JSON: {error}; its numbers must be finite") from error
    return encoded.decode()
