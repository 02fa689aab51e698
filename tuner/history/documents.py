"""The model's dataclasses as the JSON documents and rows that are stored."""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from tuner.errors import StoreError
from tuner.history.model import Decision, Outcome, Run, RunState
from tuner.history.tables import RunRow

_logger = logging.getLogger(__name__)

# In msgspec 0.19 its errors are no ValueErrors.
_UNREADABLE = (msgspec.MsgspecError, ValueError)

_decisions = msgspec.json.Decoder(Decision)
_outcomes = msgspec.json.Decoder(Outcome)


def decision_document(key: str, decision: Decision) -> str:
    """The decision of run `key` as JSON. StoreError when it could not be read again."""
    return _document(f"the decision of run {key}", decision, _decisions)


def outcome_document(key: str, outcome: Outcome) -> str:
    """The outcome of run `key` as JSON. StoreError when it could not be read again."""
    return _document(f"the outcome of run {key}", outcome, _outcomes)


def readable_run(row: RunRow) -> Run | None:
    """The run of a row; None, with a warning, when a version that writes it otherwise has stored it."""
    try:
        return Run(
            key=row.key,
            cohort=row.cohort,
            try_number=row.try_number,
            started_at=row.started_at,
            state=RunState(row.state),
            decision=_decisions.decode(row.decision),
            event_log_dir=row.event_log_dir,
            ended_at=row.ended_at,
            outcome=None if row.outcome is None else _outcomes.decode(row.outcome),
        )
    except _UNREADABLE as error:
        skipped(f"run {row.key}", error)
        return None


def skipped(what: str, error: Exception) -> None:
    """Warns that a stored row is left out of an answer."""
    _logger.warning(
        "history store: %s cannot be read and is skipped (%s); it was probably stored by another version", what, error
    )


def _document(what: str, value: Decision | Outcome, decoder: msgspec.json.Decoder[Any]) -> str:
    # JSON has no infinity: msgspec writes null, and the run would be skipped whenever it is read.
    try:
        encoded = msgspec.json.encode(value)
        decoder.decode(encoded)
    except (TypeError, *_UNREADABLE) as error:
        raise StoreError(f"{what} cannot be stored as JSON: {error}; its numbers must be finite") from error
    return encoded.decode()
