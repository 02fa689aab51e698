"""Runs on disk: logs come in the order of their files, a walk wants a cohort's in time order, and a report all of them."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Generic, NamedTuple, Protocol, TypeVar

import msgspec

# So many bytes of runs that were replaced are left where they are.
_LEAST_BYTES = 64 << 20

# A planner may estimate more bytes than 64 bits hold: MessagePack takes none of those, JSON does.
_encode = msgspec.json.Encoder().encode


class Spooled(Protocol):
    """What a spool tells runs apart and orders them by."""

    @property
    def key(self) -> str: ...

    @property
    def cohort(self) -> str: ...

    @property
    def started_at(self) -> datetime: ...


S = TypeVar("S", bound=Spooled)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A run as a spool keeps it, which another process may make of it."""

    cohort: str
    key: str
    started_at: datetime
    content: bytes


def encoded(run: Spooled) -> Encoded:
    return Encoded(run.cohort, run.key, run.started_at, _encode(run))


class RunOrder(NamedTuple):
    """What a cohort's runs are ordered by."""

    started_at: datetime
    key: str


def order_of(run: Spooled | Encoded) -> RunOrder:
    return RunOrder(run.started_at, run.key)


class _Place(NamedTuple):
    order: RunOrder
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class StoredRuns(Generic[S]):
    """A cohort's runs where they lie, for another process to read while the spool is there."""

    cohort: str
    _kind: type[S]
    _file: str
    _places: tuple[_Place, ...]

    @property
    def orders(self) -> tuple[RunOrder, ...]:
        return tuple(place.order for place in self._places)

    def before(self, order: RunOrder) -> StoredRuns[S]:
        """Those of these runs that come before that."""
        return replace(self, _places=tuple(place for place in self._places if place.order < order))

    def runs(self) -> Iterator[S]:
        """Oldest first, decoded one by one."""
        decoder = msgspec.json.Decoder(self._kind)
        with Path(self._file).open("rb") as file:
            for place in self._places:
                file.seek(place.offset)
                yield decoder.decode(file.read(place.length))


class Spool(Generic[S]):
    """Takes runs in any order, and gives them in time order, decoded one by one. Memory holds a line for each."""

    def __init__(self, kind: type[S]) -> None:
        self._kind, self._decoder = kind, msgspec.json.Decoder(kind)
        self._file = self._new_file()
        self._places: dict[str, dict[str, _Place]] = {}
        self._end = self._replaced = 0

    def put(self, run: S) -> None:
        """Take a run, in place of one with its key that the cohort has."""
        self.put_encoded(encoded(run))

    def put_encoded(self, run: Encoded) -> None:
        self._file.seek(self._end)
        self._file.write(run.content)
        of_cohort = self._places.setdefault(run.cohort, {})
        if run.key in of_cohort:
            self._replaced += of_cohort[run.key].length
        of_cohort[run.key] = _Place(order_of(run), self._end, len(run.content))
        self._end += len(run.content)

    def let_go_of(self, cohort: str) -> None:
        """Forget the runs of a cohort, as if it had never had any."""
        self._replaced += sum(place.length for place in self._places.pop(cohort, {}).values())

    def let_go_of_replaced(self) -> None:
        """Gives back the disk of runs that others took the place of, or that are forgotten, where that is most of it. What `runs`
        and `stored` gave before is not to be read any more."""
        if self._replaced <= max(_LEAST_BYTES, self._end - self._replaced):
            return
        file = self._new_file()
        try:
            places, end = self._copied_to(file)
        except OSError:
            file.close()
            raise
        self._file.close()
        self._file, self._end, self._replaced, self._places = file, end, 0, places

    @property
    def size_bytes(self) -> int:
        """What it takes on disk."""
        return self._end

    def _copied_to(self, file: IO[bytes]) -> tuple[dict[str, dict[str, _Place]], int]:
        """Where all runs are in the file, and its end."""
        end, places = 0, dict[str, dict[str, _Place]]()
        for cohort, of_cohort in self._places.items():
            places[cohort] = {}
            for key, place in of_cohort.items():
                file.write(self._content(place))
                places[cohort][key] = place._replace(offset=end)
                end += place.length
        return places, end

    def _new_file(self) -> IO[bytes]:
        file = tempfile.NamedTemporaryFile(prefix="spark-tuner-")  # noqa: SIM115
        weakref.finalize(self, file.close)
        return file

    def decoded(self, run: Encoded) -> S:
        return self._decoder.decode(run.content)

    def get(self, cohort: str, key: str) -> S | None:
        """The run with this key that the cohort has."""
        place = self._places.get(cohort, {}).get(key)
        return None if place is None else self._read(place)

    @property
    def cohorts(self) -> list[str]:
        return sorted(self._places)

    @property
    def newest(self) -> datetime | None:
        """When the last of all runs started."""
        return max((place.order.started_at for place in self._all(self._places)), default=None)

    def runs(self, cohorts: Iterable[str] | None = None, since: datetime | None = None) -> Iterator[S]:
        """The runs of these cohorts, or all, that started since then; oldest first."""
        places = self._all(self._places if cohorts is None else cohorts)
        return map(self._read, _in_order(places, since))

    def stored(self, cohort: str, since: datetime | None = None) -> StoredRuns[S]:
        """The same of a cohort, as it is now."""
        self._file.flush()
        places = _in_order(self._all([cohort]), since)
        return StoredRuns(cohort, self._kind, self._file.name, tuple(places))

    def _read(self, place: _Place) -> S:
        return self._decoder.decode(self._content(place))

    def _content(self, place: _Place) -> bytes:
        self._file.seek(place.offset)
        return self._file.read(place.length)

    def _all(self, cohorts: Iterable[str]) -> Iterator[_Place]:
        for cohort in cohorts:
            yield from self._places.get(cohort, {}).values()


def _in_order(places: Iterable[_Place], since: datetime | None) -> list[_Place]:
    return [place for place in sorted(places) if since is None or place.order.started_at >= since]
