"""Who is stopped while he writes leaves what was there."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tuner import whole_file
from tuner.whole_file import write_whole


def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    write_whole(file, b"before")
    monkeypatch.setattr(Path, "replace", _refuse)
    with pytest.raises(OSError, match="full"):
        write_whole(file, b"after")
    assert (file.read_bytes(), list(tmp_path.iterdir())) == (b"before", [file])


def _refuse(*_: object) -> None:
    raise OSError("full")


def test_links_and_pipes_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"content")
    assert ((tmp_path / "link").is_symlink(), (tmp_path / "file").read_bytes()) == (True, b"content")
    write_whole(Path("/dev/null"), b"content")
    assert not Path("/dev/null").is_file()


def test_nothing_is_written_through_what_others_put_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever guesses the name keeps a file from being written, and no more."""
    (tmp_path / "own").write_bytes(b"secret")
    monkeypatch.setattr(whole_file, "token_hex", lambda _: "guessed")
    (tmp_path / ".a-guessed").symlink_to(tmp_path / "own")
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "a", b"content")
    assert (tmp_path / "own").read_bytes() == b"secret"
    assert not (tmp_path / "a").exists()


def test_it_may_be_its_owners_alone(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"", 0o600)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
