"""What becomes of tables at night: rows that are there stay, new ones fit in, and a seed decides every byte."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.bench.workloads.made import SCALE_FACTOR, SEED
from tuner.bench.workloads.joins.night_changes import (
    GROWTH,
    LATE,
    LATE_TABLES,
    REWRITTEN,
    YEAR,
    Kind,
    change_tables,
    night_changes,
)
from tuner.bench.workloads.joins.schema import TABLES
from tuner.bench.workloads.parquet_views import parquet_views

TITLES = 10_000
NIGHTS = 8
_KINDS = {night: [change.kind for change in night_changes(night)] for night in range(1, 13)}


def copied(catalogue: Path, to: Path, nights: int = NIGHTS) -> Path:
    shutil.copytree(catalogue, to)
    for night in range(1, nights + 1):
        change_tables(to, SCALE_FACTOR, SEED, night)
    return to


@pytest.fixture(scope="module")
def changed(catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(catalogue, tmp_path_factory.mktemp("nights") / "tables")


def counts(directory: Path, query: str = "SELECT count(*) FROM {}") -> Mapping[str, Any]:
    with parquet_views(directory, SEED) as connection:
        return {name: connection.execute(query.format(name)).fetchone()[0] for name in TABLES}


def test_what_happens_when() -> None:
    assert _KINDS[1] == []
    assert all(kinds[0] is Kind.GROWTH for night, kinds in _KINDS.items() if night > 1)
    assert [night for night, kinds in _KINDS.items() if Kind.LATE in kinds] == [3, 6, 9, 12]
    rewritten = {night: changes[-1] for night in (4, 8, 12, 24) if (changes := list(night_changes(night)))}
    assert [(one.kind, one.tables) for one in rewritten.values()] == [
        (Kind.COMPACTED, ("credit",)),
        (Kind.SPREAD, ("title",)),
        (Kind.COMPACTED, ("title_attribute",)),
        (Kind.SPREAD, ("credit",)),
    ]
    assert len(REWRITTEN) % 2


@pytest.mark.nightly
def test_tables_grow_by_titles_and_what_belongs_to_them(catalogue: Path, changed: Path) -> None:
    before, after = counts(catalogue), counts(changed)
    assert after["title"] == before["title"] + (NIGHTS - 1) * TITLES * GROWTH
    for name, table in TABLES.items():
        late = 2 * LATE if name in LATE_TABLES else 0.0
        grows = table.part_of == "title" or name == "title"
        expected = 1 + ((NIGHTS - 1) * GROWTH + late if grows else 0.0)
        assert after[name] / before[name] == pytest.approx(expected, rel=0.03), name


def test_keys_are_new_and_lead_to_rows(changed: Path) -> None:
    assert counts(changed, "SELECT count(*) - count(DISTINCT id) FROM {}") == dict.fromkeys(TABLES, 0)
    with parquet_views(changed, SEED) as connection:
        for name, table in TABLES.items():
            for column, to in table.references:
                query = f"SELECT count(*) FROM {name} WHERE {column} NOT IN (SELECT id FROM {to})"
                assert connection.execute(query).fetchone() == (0,), (name, column)


def test_new_titles_are_of_the_year_and_late_rows_of_older_titles(changed: Path) -> None:
    with parquet_views(changed, SEED) as connection:
        years = connection.execute(f"SELECT DISTINCT release_year FROM title WHERE id > {TITLES}").fetchall()
        assert years == [(YEAR,)]
        late = str(changed / "title_release" / "night-006-late.parquet")
        oldest, newest = connection.execute(
            f"SELECT max(title_id), max(year(released)) FROM read_parquet('{late}')"
        ).fetchone()
        assert oldest <= TITLES
        assert newest <= YEAR


def test_rows_that_are_there_stay_whatever_is_rewritten(catalogue: Path, changed: Path) -> None:
    assert len(list((changed / "title").glob("*.parquet"))) == 4
    with parquet_views(changed, SEED) as connection:
        for name in ("credit", "title"):
            gone = f"FROM read_parquet('{catalogue / name}/*.parquet') EXCEPT FROM {name}"
            assert connection.execute(f"SELECT count(*) FROM ({gone})").fetchone() == (0,), name


@pytest.mark.nightly
def test_a_seed_and_a_night_decide_every_byte(catalogue: Path, changed: Path, tmp_path: Path) -> None:
    again = copied(catalogue, tmp_path / "again")
    files = {file.relative_to(changed) for file in changed.rglob("*.parquet")}
    assert files == {file.relative_to(again) for file in again.rglob("*.parquet")}
    assert not [file for file in files if (again / file).read_bytes() != (changed / file).read_bytes()]
