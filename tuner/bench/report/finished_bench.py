"""A bench that came to its end, as a file that others are told by."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from tuner.bench.bench_run import BenchRun
from tuner.bench.results import BenchResult
from tuner.bench.whole_file import write_whole
from tuner.errors import TunerError

_FILE = "result.json"


@dataclass(frozen=True, slots=True)
class FinishedBench:
    """Its result, the command that measures it anew, and where and when it was measured (ISO 8601)."""

    result: BenchResult
    command: str
    machine: str
    version: str
    started_at: str
    ended_at: str


def when_measured(runs: Iterable[BenchRun]) -> tuple[str, str]:
    """The start of the first of these runs and the end of the last, to the second; empty if there is none."""
    spans = [(datetime.fromisoformat(run.started_at), _seconds(run)) for run in runs if run.started_at]
    if not spans:
        return "", ""
    ended = max(start + timedelta(seconds=seconds) for start, seconds in spans)
    return min(start for start, _ in spans).isoformat(timespec="seconds"), ended.isoformat(timespec="seconds")


def command_of(options: Mapping[str, object]) -> str:
    """`spark-tuner bench` with those options that are not empty, as a shell reads it."""
    words = ["spark-tuner", "bench"]
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one not in (None, ""):
                words += [name, f"{one:g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)


def _seconds(run: BenchRun) -> float:
    return max(run.application_seconds, run.tuning_seconds)


def write_finished(directory: Path, finished: FinishedBench) -> None:
    """Into the bench's directory, whole or not at all."""
    write_whole(directory / _FILE, msgspec.json.format(msgspec.json.encode(finished), indent=1))


def read_finished(directory: Path) -> FinishedBench:
    """The bench that ran in a directory. TunerError where none came to its end, or another version's did."""
    file = directory / _FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=FinishedBench)
    except OSError as error:
        raise TunerError(
            f"{directory}: no bench came to its end there ({error.strerror}); run spark-tuner bench --directory {directory}"
        ) from error
    except msgspec.MsgspecError as error:
        raise TunerError(
            f"{file}: not a result of this version ({error}); run the bench again with the same options, it only reads its runs"
        ) from error
