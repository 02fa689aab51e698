"""A bench or a stream that came to its end, as a file that others are told by."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from tuner.bench.bench_result import BenchResult
from tuner.bench.bench_run import BenchRun
from tuner.bench.in_pairs import in_pairs
from tuner.bench.stream.stream_result import StreamResult
from tuner.errors import TunerError
from tuner.whole_file import write_whole

_FILE = "result.json"
# A stream's own directory, in that of its bench.
STREAM = "stream"
Result = TypeVar("Result")


# Without slots: Python 3.11 makes no instance of a frozen generic class with them by its alias.
@dataclass(frozen=True)
class Finished(Generic[Result]):
    """Its result, the command that measures it anew, and where and when it was measured (ISO 8601). `spark_defaults` is what
    spark-defaults.conf set, as it may be told."""

    result: Result
    command: str
    machine: str
    version: str
    started_at: str
    ended_at: str
    spark_defaults: str = ""


FinishedBench = Finished[BenchResult]
FinishedStream = Finished[StreamResult]


def when_measured(runs: Iterable[BenchRun]) -> tuple[str, str]:
    """The start of the first of these runs and the end of the last, to the second; empty if there is none."""
    spans = [(datetime.fromisoformat(run.started_at), _seconds(run)) for run in runs if run.started_at]
    if not spans:
        return "", ""
    ended = max(start + timedelta(seconds=seconds) for start, seconds in spans)
    return min(start for start, _ in spans).isoformat(timespec="seconds"), ended.isoformat(timespec="seconds")


def command_of(options: Mapping[str, object]) -> str:
    """`spark-tuner bench` with those options that are not empty, as a shell reads it; True is a flag that is given."""
    words = ["spark-tuner", "bench"]
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(name)
            elif one is not None and one is not False and one != "":
                words += [name, f"{one:g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)


def _seconds(run: BenchRun) -> float:
    return max(run.application_seconds, run.tuning_seconds)


def write_finished(directory: Path, finished: FinishedBench | FinishedStream) -> None:
    """Into the bench's directory, whole or not at all."""
    folder = directory / STREAM if isinstance(finished.result, StreamResult) else directory
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / _FILE, msgspec.json.format(msgspec.json.encode(finished), indent=1))


def read_finished(directory: Path) -> tuple[FinishedBench | None, FinishedStream | None]:
    """The bench and the stream that ran in a directory. TunerError where neither came to its end, or another version's."""
    bench, stream = _read(directory / _FILE, FinishedBench), _read(directory / STREAM / _FILE, FinishedStream)
    if bench is None and stream is None:
        raise TunerError(
            f"{directory}: no bench came to its end there; run spark-tuner bench --directory {directory}, and see that it ends"
        )
    # What was measured is as it was; what follows from it is as this version tells it.
    return bench and replace(bench, result=in_pairs(bench.result)), stream


def _read(file: Path, of: type[Result]) -> Result | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=of)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TunerError(f"{file}: cannot be read ({error.strerror}); give a directory that you may read") from error
    except msgspec.MsgspecError as error:
        raise TunerError(
            f"{file}: not a result of this version ({error}); run the bench again with the same options, it only reads its runs"
        ) from error
