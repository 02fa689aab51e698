"""Tables come to the night that is asked for, whatever night they are of, and whatever was interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.bench.stream.night_tables import bring_to_night, night_of


@pytest.fixture
def start(tmp_path: Path) -> Path:
    (tmp_path / "start" / "title").mkdir(parents=True)
    (tmp_path / "start" / "title" / "part-0").write_text("start")
    (tmp_path / "start" / "_complete").touch()
    return tmp_path / "start"


class Changes:
    """Adds a file each night; stops once before the night `stops_in` has all."""

    def __init__(self, stops_in: int = 0) -> None:
        self.nights: list[int] = []
        self._stops_in = stops_in

    def __call__(self, directory: Path, night: int) -> None:
        self.nights.append(night)
        (directory / "title" / f"part-{night}").write_text(f"night {night}")
        if night == self._stops_in:
            self._stops_in = 0
            raise KeyboardInterrupt


def files(directory: Path) -> list[str]:
    return sorted(file.name for file in (directory / "title").iterdir())


def test_only_what_is_missing_is_changed(start: Path, tmp_path: Path) -> None:
    changes = Changes()
    for night in (1, 2, 2, 4):
        bring_to_night(tmp_path / "tables", start, night, changes)
        assert night_of(tmp_path / "tables") == night
    assert changes.nights == [2, 3, 4]
    assert files(tmp_path / "tables") == ["part-0", "part-2", "part-3", "part-4"]
    assert files(start) == ["part-0"]


def test_tables_that_are_ahead_are_made_anew(start: Path, tmp_path: Path) -> None:
    changes = Changes()
    for night in (3, 2):
        bring_to_night(tmp_path / "tables", start, night, changes)
    assert changes.nights == [2, 3, 2]
    assert files(tmp_path / "tables") == ["part-0", "part-2"]


def test_an_interrupted_change_is_done_again_from_the_start(start: Path, tmp_path: Path) -> None:
    changes = Changes(stops_in=3)
    with pytest.raises(KeyboardInterrupt):
        bring_to_night(tmp_path / "tables", start, 3, changes)
    assert night_of(tmp_path / "tables") is None
    bring_to_night(tmp_path / "tables", start, 3, changes)
    assert changes.nights == [2, 3, 2, 3]
    assert files(tmp_path / "tables") == ["part-0", "part-2", "part-3"]
