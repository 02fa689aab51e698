"""Finished runs on disk: a stopped bench resumes after its last one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.whole_file import write_whole
from tuner.errors import TunerError

_SETUP = "setup.json"


class Records:
    """The finished runs in a directory. A directory belongs to one setup: TunerError if another bench ran there.

    `identity` says what must be equal for runs to be comparable where that is not all of the setup.
    """

    def __init__(self, setup: Setup, identity: Mapping[str, Any] | None = None) -> None:
        self._directory = setup.directory
        self._directory.mkdir(parents=True, exist_ok=True)
        _claim(self._directory / _SETUP, _identity(setup) if identity is None else identity)

    def work(self, contender: str, number: int) -> Path:
        """The directory for a run's own files."""
        return self._directory / contender / f"run-{number:03d}"

    def get(self, contender: str, number: int) -> BenchRun | None:
        """A finished run, or None."""
        file = self._file(contender, number)
        if not file.exists():
            return None
        try:
            return msgspec.json.decode(file.read_bytes(), type=BenchRun)
        except msgspec.MsgspecError as error:
            raise TunerError(
                f"{file}: not a run of this version's bench ({error}); give another --directory"
            ) from error

    def add(self, run: BenchRun) -> None:
        """Written whole or not at all."""
        file = self._file(run.contender, run.number)
        write_whole(file, msgspec.json.format(msgspec.json.encode(run), indent=1))

    def of(self, contender: str, rounds: int) -> list[BenchRun]:
        """A contender's finished runs up to a round, its preparation (run 0) first."""
        found = (self.get(contender, number) for number in range(rounds + 1))
        return [run for run in found if run is not None]

    def _file(self, contender: str, number: int) -> Path:
        return self.work(contender, number) / "run.json"


def _identity(setup: Setup) -> dict[str, Any]:
    """What must be equal for runs to be comparable. The number of repeats may grow."""
    of_setup = asdict(setup)
    for name in ("directory", "runs", "repeats", "workload", "fixed_every"):
        del of_setup[name]
    return {**of_setup, "runs": setup.runs, "queries": setup.workload.queries, "tables": str(setup.workload.tables)}


def _claim(file: Path, identity: Mapping[str, Any]) -> None:
    if not file.exists():
        write_whole(file, json.dumps(identity, indent=1).encode())
        return
    there = json.loads(file.read_bytes())
    different = sorted(key for key in identity.keys() | there.keys() if identity.get(key) != there.get(key))
    if different:
        raise TunerError(
            f"{file.parent}: a bench with other {', '.join(different)} ran there; give another --directory, or remove it"
        )
