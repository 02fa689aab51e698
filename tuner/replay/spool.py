"""Runs on disk: logs come in the order of their files, a walk wants a cohort's in time order, and a report all of them."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import msgspec

_IN_MEMORY_BYTES = 16 << 20
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


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    started_at: datetime
    key: str
    offset: int
    length: int


class Spool(Generic[S]):
    """Takes runs in any order, and gives them in time order, decoded one by one. Memory holds a line for each."""

    def __init__(self, kind: type[S]) -> None:
        self._decoder = msgspec.json.Decoder(kind)
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._places: dict[str, dict[str, _Place]] = {}
        self._end = 0

    def put(self, run: S) -> None:
        """Take a run, in place of one with its key that the cohort has."""
        encoded = _encode(run)
        self._file.seek(self._end)
        self._file.write(encoded)
        place = _Place(run.started_at, run.key, self._end, len(encoded))
        self._places.setdefault(run.cohort, {})[run.key] = place
        self._end += len(encoded)

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
        return max((place.started_at for place in self._all()), default=None)

    def runs(self, cohort: str | None = None, since: datetime | None = None) -> Iterator[S]:
        """The runs of a cohort, or all, that started since then; oldest first."""
        places = self._all() if cohort is None else self._places.get(cohort, {}).values()
        for place in sorted(places):
            if since is None or place.started_at >= since:
                yield self._read(place)

    def _read(self, place: _Place) -> S:
        self._file.seek(place.offset)
        return self._decoder.decode(self._file.read(place.length))

    def _all(self) -> Iterator[_Place]:
        for places in self._places.values():
            yield from places.values()
