"""Many logs read by several processes: the same bytes as by one."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.cli.logs import write_log
from tuner import side_by_side

pytestmark = pytest.mark.processes

Call = Callable[..., Result]
LOGS = Path(__file__).parents[2] / "golden" / "logs" / "3.5.9"


@pytest.fixture
def pile(tmp_path: Path) -> list[Path]:
    """Golden logs, two in a zip file, one that breaks off, one file that is none, and a path that is not there."""
    own = tmp_path / "own"
    own.mkdir()
    write_log(own / "app-1", app_id="app-1")
    cut = write_log(own / "app-2", app_id="app-2")
    cut.write_bytes(cut.read_bytes()[:-300])
    (own / "notes").write_text("not an event\n")
    with zipfile.ZipFile(tmp_path / "history.zip", "w") as zipped:
        for name in ("app-3", "app-4"):
            zipped.write(write_log(tmp_path / name, app_id=name), name)
    return [LOGS, own, tmp_path / "history.zip", tmp_path / "nowhere"]


@pytest.mark.parametrize(
    "command",
    [
        ("harvest",),
        ("advise", "--json"),
        ("replay",),
        *(
            pytest.param(one, marks=pytest.mark.nightly)
            for one in (("harvest", "--json"), ("advise",), ("replay", "--json"))
        ),
    ],
)
def test_two_processes_say_what_one_says(
    spark_tuner: Call, pile: list[Path], command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = spark_tuner(*command, *pile, "--processes", 1)
    monkeypatch.setattr(side_by_side, "ALONE_SECONDS", -1.0)
    together = spark_tuner(*command, *pile, "--processes", 2)
    assert together == alone
    assert alone.out.strip()
    assert "nowhere" in alone.err
