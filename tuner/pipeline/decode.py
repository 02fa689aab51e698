"""What runs on the workers: Arrow batches of pieces in, Arrow batches of rows out, with the decoder of the local reader."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby, islice
from typing import Any

import msgspec
import pyarrow as pa

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.properties import redact
from tuner.eventlog.read import join_pieces, stream_piece
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import Application, Completeness, Executors, Problem, ProblemCode
from tuner.pipeline.pieces import Piece
from tuner.pipeline.rows import TableRow, application_rows, log_rows, works_rows
from tuner.pipeline.schema import RECORD
from tuner.replay.logged_run import UNTOLD

BATCH_ROWS = 2_000
_MAX_LONG = (1 << 63) - 1


class _Left(msgspec.Struct):
    """What a file of a log leaves to where they are joined: what is open at its end, and how the rest of its work ended."""

    fragment: Fragment
    ends: WorkEnds


def read_pieces(batches: Iterable[pa.RecordBatch], *, documents: bool = False) -> Iterator[pa.RecordBatch]:
    """Input column `piece`: encoded `Piece`s."""
    encoded = (value for batch in batches for value in batch.column("piece").to_pylist())
    found = (msgspec.msgpack.decode(value, type=Piece) for value in encoded)
    return _to_batches(record for piece in found for record in _read(piece, documents))


def join_fragments(batches: Iterable[pa.RecordBatch], *, documents: bool = False) -> Iterator[pa.RecordBatch]:
    """Input columns `log`, `position`, `piece` and `fragment`, the rows of a log together and in order."""
    rows = (row for batch in batches for row in batch.to_pylist())
    logs = groupby(rows, key=lambda row: row["log"])
    return _to_batches((record for log, parts in logs for record in _join(log, parts, documents)))


def _read(piece: Piece, documents: bool) -> Iterator[dict[str, Any]]:
    if piece.count == 1:
        for table, row in _guarded(piece.log, lambda: log_rows(piece.alone(), documents=documents)):
            yield {"log": piece.log, table: row}
        return
    left = _Left(Fragment(), WorkEnds())
    try:
        works = works_rows(stream_piece(piece.alone(), min(1, piece.position)), left.ends, documents=documents)
        while True:
            try:
                table, row = next(works)
            except StopIteration as end:
                left.fragment = end.value
                break
            yield {"log": piece.log, table: row}
    except Exception as error:
        left.fragment.problems.append(_problem(piece.log, error))
    told = msgspec.msgpack.encode(piece.told())
    yield {"log": piece.log, "position": piece.position, "piece": told, "fragment": _encoded(piece.log, left)}


def _encoded(log: str, left: _Left) -> bytes:
    try:
        return msgspec.msgpack.encode(left)
    except Exception as error:  # sums beyond 64 bits
        fragment = Fragment(problems=[*left.fragment.problems, _problem(log, error)])
        return msgspec.msgpack.encode(_Left(fragment, left.ends))


def _join(log: str, parts: Iterator[dict[str, Any]], documents: bool) -> Iterator[dict[str, Any]]:
    first = next(parts)
    piece = msgspec.msgpack.decode(first["piece"], type=Piece)
    ends = WorkEnds()
    fragments = _fragments(chain([first], parts), ends)

    def rows() -> Iterator[TableRow]:
        application = yield from works_rows(join_pieces(piece.whole(), fragments), ends, documents=documents)
        # A join that gave up has not asked for all.
        deque(fragments, maxlen=0)
        yield from application_rows(application, ends, named=piece.named, document_of=log if documents else None)

    for table, row in _guarded(log, rows):
        yield {"log": log, table: row}


def _fragments(parts: Iterable[dict[str, Any]], ends: WorkEnds) -> Iterator[Fragment]:
    """What is open at the end of each file; `ends` takes in how the rest of its work ended."""
    for part in parts:
        left = msgspec.msgpack.decode(part["fragment"], type=_Left)
        ends.absorb(left.ends)
        yield left.fragment


def _guarded(log: str, rows: Callable[[], Iterator[TableRow]]) -> Iterator[TableRow]:
    """The rows of a log; whatever goes wrong in it is told as its problem and stops no other."""
    try:
        yield from rows()
    except Exception as error:
        problem = _problem(log, error)
        failed = Application("", "", None, "", None, None, Completeness.FAILED, Executors(), {}, problems=(problem,))
        yield from application_rows(failed, UNTOLD, document_of=log)


def _problem(log: str, error: Exception) -> Problem:
    # A worker may lack the file system's package, or what that needs.
    retryable = isinstance(error, OSError | EventLogNotFoundError)
    code = ProblemCode.UNREADABLE_FILE if retryable else ProblemCode.CORRUPT_DATA
    return Problem(log, 0, code, redact(f"cannot be read: {type(error).__name__}: {error}"), retryable)


def _to_batches(records: Iterable[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    remaining = iter(records)
    while rows := list(islice(remaining, BATCH_ROWS)):
        yield _to_batch(rows)


def _to_batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    try:
        return pa.RecordBatch.from_pylist(rows, schema=RECORD)
    except (pa.ArrowException, OverflowError, UnicodeError):
        # Hostile values: numbers beyond 64 bits, text that is no Unicode.
        return pa.RecordBatch.from_pylist([_storable(row) for row in rows], schema=RECORD)


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_storable(key): _storable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(inner) for inner in value]
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-_MAX_LONG, min(_MAX_LONG, value))
    return value
