"""Rounds of walks count whole, the newest walk of each cohort, wherever a replay is killed."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")

from tuner.pipeline.walks import STAGING, Walked, clean, commit, name_of_next, place_of, walked

from .local_directory import KilledError, LocalDirectory


def walk(directory: LocalDirectory, round_: str, **digests: str) -> None:
    staged = directory.root / STAGING / round_
    staged.mkdir(parents=True)
    (staged / "part-0.parquet").write_text(round_)
    commit(directory, round_, f"{STAGING}/{round_}", digests)


def rounds(root: Path) -> list[str]:
    """The rounds whose rows are there; each has a manifest."""
    there = sorted(entry.name for entry in (root / place_of("")).iterdir())
    assert there == sorted(entry.stem for entry in (root / "_replay" / "rounds").iterdir())
    return there


def test_the_newest_walk_of_a_cohort_counts(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    walk(directory, "r1", a="1", b="1")
    walk(directory, "r2", a="2", c="1")
    assert walked(directory) == {"a": Walked("r2", "2"), "b": Walked("r1", "1"), "c": Walked("r2", "1")}


def test_a_walk_by_a_clock_that_is_behind_is_the_newest_all_the_same(tmp_path: Path) -> None:
    """Replays of one directory start on other machines, and a clock is set back: what was walked last, counts."""
    directory, noon = LocalDirectory(tmp_path), datetime(2026, 11, 27, 12, tzinfo=UTC)
    names = []
    for digest, minute in (("1", 0), ("2", -5), ("3", -5), ("4", 1)):
        names.append(name_of_next(directory, noon + timedelta(minutes=minute)))
        walk(directory, names[-1], a=digest)
        assert walked(directory) == {"a": Walked(names[-1], digest)}
    assert len({name.rpartition("-")[2] for name in names}) == len(names), "no two machines take one name"
    assert names[-1].startswith("20261127T120100000000-")


def test_a_round_goes_with_the_last_of_its_cohorts(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    walk(directory, "r1", a="1", b="1")
    walk(directory, "r2", a="2")
    clean(directory, {"a", "b"})
    assert rounds(tmp_path) == ["r1", "r2"]
    walk(directory, "r3", b="2")
    clean(directory, {"a", "b"})
    assert rounds(tmp_path) == ["r2", "r3"]
    clean(directory, {"b"})
    assert rounds(tmp_path) == ["r3"]


def test_killed_anywhere_a_round_counts_whole_or_not_at_all(tmp_path: Path) -> None:
    ways_to_die = 0
    for changes in itertools.count():
        root = tmp_path / str(changes)
        root.mkdir()
        walk(LocalDirectory(root), "r1", a="1", b="1")
        before = walked(LocalDirectory(root))
        mortal = LocalDirectory(root, changes)
        try:
            walk(mortal, "r2", a="2", b="2")
            clean(mortal, {"a", "b"})
        except KilledError:
            ways_to_die += 1
        else:
            break
        clean(LocalDirectory(root), {"a", "b"})
        after = walked(LocalDirectory(root))
        assert after in (before, {"a": Walked("r2", "2"), "b": Walked("r2", "2")})
        assert rounds(root) == sorted({walk.round for walk in after.values()})
        assert not (root / STAGING).exists()
    assert ways_to_die > 3
