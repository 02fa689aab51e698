"""The texts of a night's queries, with literals of rows that the tables have then."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tuner.bench.stream.drawn_stream import Night
from tuner.bench.workloads.joins.kept_texts import KeptTexts
from tuner.bench.workloads.joins.part_queries import part_text
from tuner.bench.workloads.parquet_views import parquet_views


def night_texts(night: Night, number: int, tables: Path, seed: int, directory: Path) -> Mapping[str, Mapping[str, str]]:
    """Texts by job and name. Once drawn they are kept in files of `directory`: those that a query keeps in a file of their own.

    The tables must be those of the night.
    """
    directory.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, str]] = {}
    of_night, kept = KeptTexts(directory / f"night-{number:03d}.json"), KeptTexts(directory / "kept.json")
    with parquet_views(tables, seed) as connection:
        for job, executions in night.items():
            for one in executions:
                texts = kept if one.keeps else of_night
                draw = partial(part_text, connection, one.query, f"{one.purpose}/{seed}")
                found.setdefault(job, {})[one.name] = texts.get(f"{job}/{one.name}", draw)
    return found
