"""Batches become visible whole, wherever a harvest is killed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")

from tuner.pipeline.batches import (
    MOST_MERGED,
    HarvestedLog,
    Manifest,
    clean,
    commit,
    finished,
    of_earlier_layout,
    to_merge,
)
from tuner.pipeline.schema import LAYOUT, TABLES

from .local_directory import KilledError, LocalDirectory


def stage(root: Path, run: str, *batches: str) -> str:
    for batch in batches:
        for table in TABLES:
            rows = root / "_staging" / run / batch / table
            rows.mkdir(parents=True)
            (rows / "part-0.parquet").write_text(batch)
    return f"_staging/{run}"


def visible(root: Path) -> dict[str, set[str]]:
    """The batches each table shows."""
    return {table: {entry.name for entry in (root / table).glob("batch=*")} for table in TABLES}


def first(directory: LocalDirectory) -> None:
    staged = stage(directory.root, "r1", "r1-settled", "r1-unsettled")
    logs = {"r1-settled": (HarvestedLog("a", "1"),), "r1-unsettled": (HarvestedLog("b", "1", False),)}
    commit(directory, "r1", staged, Manifest(logs))
    clean(directory)


def second(directory: LocalDirectory) -> None:
    clean(directory)
    staged = stage(directory.root, "r2", "r2-settled")
    commit(directory, "r2", staged, Manifest({"r2-settled": (HarvestedLog("b", "2"),)}, ("r1-unsettled",)))
    clean(directory)


def third(directory: LocalDirectory) -> None:
    clean(directory)
    staged = stage(directory.root, "r3", "r3-unsettled")
    commit(directory, "r3", staged, Manifest({"r3-unsettled": (HarvestedLog("b", "3", False),)}, ("r2-settled",)))
    clean(directory)


def in_all(*batches: str) -> dict[str, set[str]]:
    return {table: {f"batch={batch}" for batch in batches} for table in TABLES}


def test_a_batch_that_is_replaced_is_gone(tmp_path: Path) -> None:
    first(LocalDirectory(tmp_path))
    assert visible(tmp_path) == in_all("r1-settled", "r1-unsettled")
    second(LocalDirectory(tmp_path))
    assert visible(tmp_path) == in_all("r1-settled", "r2-settled")
    assert finished(LocalDirectory(tmp_path)) == {
        "r1-settled": (HarvestedLog("a", "1"),),
        "r2-settled": (HarvestedLog("b", "2"),),
    }


def test_a_manifest_goes_with_the_last_of_its_batches(tmp_path: Path) -> None:
    first(LocalDirectory(tmp_path))
    stage(tmp_path, "r2", "r2-settled")
    logs = {"r2-settled": (HarvestedLog("a", "2"), HarvestedLog("b", "2"))}
    commit(LocalDirectory(tmp_path), "r2", "_staging/r2", Manifest(logs, ("r1-settled", "r1-unsettled")))
    clean(LocalDirectory(tmp_path))
    assert [entry.name for entry in (tmp_path / "_batches").iterdir()] == ["r2.json"]
    assert visible(tmp_path) == in_all("r2-settled")


def test_a_batch_that_was_replaced_does_not_come_back_when_what_replaced_it_goes(tmp_path: Path) -> None:
    first(LocalDirectory(tmp_path))
    second(LocalDirectory(tmp_path))
    third(LocalDirectory(tmp_path))
    assert finished(LocalDirectory(tmp_path)).keys() == {"r1-settled", "r3-unsettled"}
    assert visible(tmp_path) == in_all("r1-settled", "r3-unsettled")
    assert sorted(entry.name for entry in (tmp_path / "_batches").iterdir()) == ["r1.json", "r3.json"]


@pytest.mark.parametrize("harvest", [first, second])
def test_killed_anywhere_the_next_harvest_finds_all_or_nothing_of_it(
    tmp_path: Path, harvest: Callable[[LocalDirectory], None]
) -> None:
    ways_to_die = 0
    for changes in itertools.count():
        root = tmp_path / str(changes)
        root.mkdir()
        if harvest is second:
            first(LocalDirectory(root))
        before = finished(LocalDirectory(root))
        try:
            harvest(LocalDirectory(root, changes))
        except KilledError:
            ways_to_die += 1
        else:
            break
        clean(LocalDirectory(root))
        after = finished(LocalDirectory(root))
        assert visible(root) == in_all(*after)
        assert after == before or any(batch.startswith("r1" if harvest is first else "r2") for batch in after)
        assert not (root / "_staging").exists()
    assert ways_to_die > len(TABLES)


def test_batches_of_an_earlier_layout_are_known_until_they_are_replaced(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    first(directory)
    assert of_earlier_layout(directory) == {"r1-settled", "r1-unsettled"}
    clean(directory)
    staged = stage(tmp_path, "r2", "r2-settled")
    commit(directory, "r2", staged, Manifest({"r2-settled": (HarvestedLog("a", "1"),)}, ("r1-settled",), LAYOUT))
    clean(directory)
    assert of_earlier_layout(directory) == {"r1-unsettled"}


@pytest.mark.parametrize(
    ("logs", "sizes", "taken"),
    [
        (100, {}, []),
        (1, {"a": 100}, []),
        (100, {"a": 100, "b": 300}, ["a"]),
        (100, {"a": 100, "b": 200, "c": 400, "d": 801}, ["a", "b", "c"]),
        (MOST_MERGED, {"a": MOST_MERGED, "b": 5}, ["b"]),
    ],
)
def test_batches_as_small_as_a_new_one_are_merged_into_it(logs: int, sizes: dict[str, int], taken: list[str]) -> None:
    assert to_merge(logs, sizes) == taken


def test_a_year_of_nights_is_few_batches_and_a_log_is_rewritten_few_times() -> None:
    batches: dict[str, int] = {}
    rewritten = 0
    for night in range(365):
        taken = to_merge(1_000, batches)
        moved = sum(batches.pop(batch) for batch in taken)
        rewritten += moved
        batches[f"night {night}"] = 1_000 + moved
        assert len(batches) <= 5 + (night + 1) * 1_000 // MOST_MERGED
    assert rewritten / 365_000 < 5
