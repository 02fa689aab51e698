"""Finished runs on disk: a stopped bench resumes after its last one."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from tuner import __version__
from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.spark_used import DEFAULTS, NO_DEFAULTS, SPARK, spark_used
from tuner.bench.told_setting import told_value
from tuner.errors import TunerError
from tuner.machine import machine
from tuner.source_digest import source_digest
from tuner.whole_file import write_whole

_SETUP = "setup.json"
_MEASURED_BY = "measured_by"
_TUNER = "airflow-spark-tuner"
_SOURCE = "source"
_MACHINE = "the machine"
_UNKNOWN = "unknown"
_FOR_OWNER_ALONE = 0o600
_DIGEST = re.compile(r"sha256:[0-9a-f]{16}")


class Records:
    """The finished runs in a directory. A directory belongs to one setup: TunerError if another bench ran there.

    `identity` says what must be equal for runs to be comparable where that is not all of the setup.
    """

    def __init__(self, setup: Setup, identity: Mapping[str, Any] | None = None) -> None:
        self._directory = setup.directory
        self._directory.mkdir(parents=True, exist_ok=True)
        self._measured_by = _claim(self._directory / _SETUP, _identity(setup) if identity is None else identity)

    @property
    def version(self) -> str:
        """Of the tuner that measured the runs on record, with a digest of its source; this one's where that is not known."""
        version, source = self._measured_by.get(_TUNER, __version__), self._measured_by.get(_SOURCE)
        return f"{version} (source {source})" if source else version

    @property
    def machine(self) -> str:
        """That the runs on record were measured on, and the Spark; those at hand where that is not known."""
        by = self._measured_by if _MACHINE in self._measured_by else _measured_by()
        # Versions that looked at no defaults had Spark's version in the machine's words.
        return f"{by[_MACHINE]}, Spark {by[SPARK]}" if DEFAULTS in by else by[_MACHINE]

    @property
    def spark_defaults(self) -> str:
        """What spark-defaults.conf set for the runs on record, as it may be told; "" for nothing, or where that is not known."""
        told = self._measured_by.get(DEFAULTS, NO_DEFAULTS)
        return "" if told == NO_DEFAULTS else told

    def require_like_those(self) -> None:
        """TunerError where the runs on record were measured by another version, source, machine or Spark, or with other defaults
        of that: no other run compares with them. What an old directory does not tell is taken for the same, but for its source,
        which digests rows otherwise."""
        now = _measured_by()
        those = {_SOURCE: _UNKNOWN, **self._measured_by}.items()
        if other := [f"{name} {was}, not {now[name]}" for name, was in those if was != now.get(name, was)]:
            raise TunerError(
                f"{self._directory}: its runs were measured with {'; '.join(other)}: seconds of both do not compare; "
                "give another --directory, or remove it"
            )

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

    def forget_after(self, contender: str, number: int) -> None:
        """A contender's runs beyond one, with their directories."""
        for later in self.work(contender, number).parent.glob("run-[0-9]*"):
            if int(later.name.removeprefix("run-")) > number:
                shutil.rmtree(later)

    def _file(self, contender: str, number: int) -> Path:
        return self.work(contender, number) / "run.json"


def _identity(setup: Setup) -> dict[str, Any]:
    """What must be equal for runs to be comparable. The number of repeats may grow."""
    of_setup = asdict(setup)
    for name in ("directory", "runs", "repeats", "workload", "fixed_every"):
        del of_setup[name]
    return {**of_setup, "runs": setup.runs, "queries": setup.workload.queries, "tables": str(setup.workload.tables)}


def _claim(file: Path, identity: Mapping[str, Any]) -> Mapping[str, str]:
    """What the runs in the directory are measured by; empty where it does not tell."""
    mine = _without_secrets(identity)
    if not file.exists():
        measured_by = _measured_by()
        _write(file, {**mine, _MEASURED_BY: measured_by})
        return measured_by
    stored = json.loads(file.read_bytes())
    there = _without_secrets({key: value for key, value in stored.items() if key != _MEASURED_BY})
    different = sorted(key for key in mine.keys() | there.keys() if mine.get(key) != there.get(key))
    if different:
        raise TunerError(
            f"{file.parent}: a bench with other {', '.join(different)} ran there; give another --directory, or remove it"
        )
    if there.get("conf") != stored.get("conf"):
        # Earlier versions kept secrets as they are.
        _write(file, {**stored, "conf": there["conf"]})
    found: Mapping[str, str] = stored.get(_MEASURED_BY, {})
    return found


def _write(file: Path, content: Mapping[str, Any]) -> None:
    write_whole(file, json.dumps(content, indent=1).encode(), _FOR_OWNER_ALONE)


def _measured_by() -> dict[str, str]:
    return {_TUNER: __version__, _SOURCE: source_digest(), **spark_used(), _MACHINE: machine()}


def _without_secrets(identity: Mapping[str, Any]) -> dict[str, Any]:
    """With a digest of each setting that is not known to be none: it tells another value, and nothing else."""
    if "conf" not in identity:
        return dict(identity)
    return {
        **identity,
        "conf": {key: told_value(key, value, _digest(value)) for key, value in identity["conf"].items()},
    }


def _digest(value: str) -> str:
    """Of what is none yet."""
    return value if _DIGEST.fullmatch(value) else f"sha256:{hashlib.sha256(value.encode()).hexdigest()[:16]}"
