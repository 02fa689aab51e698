"""The logs behind paths; what lies among tables that are written is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.logs import write_log
from tuner.cli.reading.log_sources import log_sources


@pytest.mark.parametrize("as_url", [False, True])
def test_what_lies_among_the_tables_that_are_written_is_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_url: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    log = write_log(tmp_path / "logs" / "app-1")
    write_log(tmp_path / "logs" / "out" / "part-0")
    out = (tmp_path / "logs" / "out").as_uri() if as_url else "logs/out"
    found, failures = log_sources(["logs"], out)
    assert ([str(source.path) for source in found], failures) == ([str(log)], 0)


def test_tables_that_only_spark_can_write_hold_no_log_that_is_read_here(tmp_path: Path) -> None:
    log = write_log(tmp_path / "app-1")
    found, failures = log_sources([str(log)], "no-such-scheme://host/out")
    assert (len(found), failures) == (1, 0)


def test_a_log_that_is_given_twice_is_one(tmp_path: Path) -> None:
    log = write_log(tmp_path / "logs" / "app-1")
    (tmp_path / "link").symlink_to(log)
    found, failures = log_sources([str(tmp_path / "logs"), str(log), str(tmp_path / "logs"), str(tmp_path / "link")])
    assert ([(str(source.path), source.named) for source in found], failures) == ([(str(log), True)], 0)


def test_of_a_log_and_a_copy_of_it_while_it_was_written_the_log_is_taken(tmp_path: Path) -> None:
    """So does a shell hand them over for `logs/*`."""
    log, copy = write_log(tmp_path / "app-1"), write_log(tmp_path / "app-1.inprogress", ended=False)
    for paths in ([log, copy], [copy, log]):
        found, failures = log_sources(map(str, paths))
        assert ([source.path for source in found], failures) == ([log], 0)
