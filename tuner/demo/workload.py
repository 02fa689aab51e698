"""The demo's job on disk: the application, its queries, and the results each run left."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuner.demo.tables import query_texts

# Query 50 first: it bears the start-up of a cold JVM in every run. It and 40 are there to stay as they are.
QUERIES = (50, 72, 25, 17, 29, 40)


@dataclass(frozen=True, slots=True)
class Workload:
    """Where the parts of the job lie."""

    application: Path
    queries: Path
    tables: Path
    results: Path
    names: tuple[str, ...]


def write_workload(directory: Path, tables: Path, numbers: Sequence[int] = QUERIES) -> Workload:
    """Write the application and its query texts under `directory`."""
    queries = directory / "queries"
    queries.mkdir(parents=True)
    texts = query_texts()
    names = []
    for position, number in enumerate(numbers, start=1):
        name = f"{position:02d}-query-{number}"
        (queries / f"{name}.sql").write_text(texts[number], encoding="utf-8")
        names.append(name)
    application = directory / "nightly.py"
    shutil.copyfile(Path(__file__).with_name("nightly.py"), application)
    return Workload(application, queries, tables, directory / "results", tuple(names))


def date_of(run: int) -> str:
    """The night a run is for, which the DAG puts into the name of its results."""
    return f"2026-01-{run:02d}"


def finished_queries(workload: Workload, run: int) -> list[str]:
    """The queries of a run that have their result written."""
    return sorted(file.stem for file in (workload.results / date_of(run)).glob("*.json"))


def different_results(workload: Workload, run: int) -> list[str]:
    """The queries whose rows differ from the first run's, in whatever order; empty when all are equal."""
    return [n for n in workload.names if _rows(workload, run, n) != _rows(workload, 1, n)]


def _rows(workload: Workload, run: int, name: str) -> list[Any] | None:
    file = workload.results / date_of(run) / f"{name}.json"
    if not file.exists():
        return None
    return sorted(json.loads(file.read_text(encoding="utf-8")), key=repr)
