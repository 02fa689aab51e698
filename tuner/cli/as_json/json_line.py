"""An application's line of JSON, as long as it may be: what its lists hold lies on disk until the line is printed."""

from __future__ import annotations

import tempfile
import weakref
from array import array
from collections.abc import Iterator
from typing import Any

import msgspec

from tuner.cli.as_json.application import application_json, job_json, problem_json, query_json, stage_json
from tuner.model.application import Application, Work
from tuner.plan.queries import query
from tuner.words.query_names import QueryNames

_IN_MEMORY_BYTES = 1 << 20
_encode = msgspec.json.Encoder().encode


class _Parts:
    """Encoded values that are put in with a key and come out in its order."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._places = array("q")  # key, offset and length of each
        self._end = 0

    def add(self, key: int, value: dict[str, Any]) -> None:
        encoded = _encode(value)
        self._file.write(encoded)
        self._places.extend((key, self._end, len(encoded)))
        self._end += len(encoded)

    def in_order(self) -> Iterator[bytes]:
        places = self._places
        for at in sorted(range(0, len(places), 3), key=places.__getitem__):
            self._file.seek(places[at + 1])
            yield self._file.read(places[at + 2])


class JsonLine:
    """Takes the work of one application; `chunks` are then its line, as DESIGN's contract has it."""

    def __init__(self) -> None:
        self._lists = {"queries": _Parts(), "jobs": _Parts(), "stages": _Parts()}
        self._names = QueryNames()

    def take(self, work: Work) -> None:
        if work.execution and (found := query(work.execution, work.stages, work.steering)):
            self._lists["queries"].add(found.id, query_json(found, self._names.add(found)))
        for job in work.jobs:
            self._lists["jobs"].add(job.job_id, job_json(job))
        for stage in work.stages:
            self._lists["stages"].add(stage.stage_id, stage_json(stage))

    def chunks(self, application: Application) -> Iterator[bytes]:
        yield _encode(application_json(application)).removesuffix(b"}")
        for name, parts in self._lists.items():
            yield b',"%s":[' % name.encode()
            separator = b""
            for part in parts.in_order():
                yield separator + part
                separator = b","
            yield b"]"
        yield b',"problems":' + _encode([problem_json(p) for p in application.problems]) + b"}\n"
