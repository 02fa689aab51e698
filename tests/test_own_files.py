"""What the tuner keeps in the data directory is not for other users of the machine, whatever the umask is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.history.samples import running
from tuner.errors import NoHomeError, StoreError
from tuner.history.store import Store
from tuner.history.url import default_url
from tuner.own_files import data_directory, make_directory, make_file


@pytest.fixture(params=[0o000, 0o002, 0o022], ids=oct)
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The data directory of a user whose umask lets others do much."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    own = os.umask(request.param)
    yield data_directory(os.environ)
    os.umask(own)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_no_other_user_reads_the_default_store(home: Path) -> None:
    with Store.open(default_url(os.environ)) as store:
        store.begin(running())
        assert {one.name: mode_of(one) for one in home.iterdir()} == {
            "history.db": 0o600,
            "history.db-shm": 0o600,
            "history.db-wal": 0o600,
        }
    assert mode_of(home) == 0o711


def test_others_get_through_to_the_agents_jar_and_put_none_there(home: Path) -> None:
    make_directory(home / "agent" / "directives", os.environ)
    assert {mode_of(one) for one in (home, home / "agent", home / "agent" / "directives")} == {0o711}


def test_what_is_there_stays_as_it_is(home: Path) -> None:
    home.mkdir(0o750, parents=True)
    home.chmod(0o750)
    (home / "history.db").touch()
    (home / "history.db").chmod(0o640)
    Store.open(default_url(os.environ)).close()
    assert (mode_of(home), mode_of(home / "history.db")) == (0o750, 0o640)


def test_a_store_that_somebody_names_elsewhere_is_as_the_umask_says(home: Path, tmp_path: Path) -> None:
    """A group may share it."""
    named = tmp_path / "shared" / "history.db"
    Store.open(f"sqlite:///{named}").close()
    umask = os.umask(0)
    os.umask(umask)
    assert (mode_of(named.parent), mode_of(named)) == (0o777 & ~umask, 0o644 & ~umask)


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", refused)


@pytest.mark.usefixtures("no_home")
def test_without_a_home_a_named_place_is_made_all_the_same(tmp_path: Path) -> None:
    make_directory(tmp_path / "a" / "b", {})
    make_file(tmp_path / "a" / "b" / "c", {})
    assert not list((tmp_path / "a" / "b").iterdir())


@pytest.mark.usefixtures("no_home")
def test_without_a_home_it_is_said_what_names_a_place_for_files_and_what_for_a_store() -> None:
    with pytest.raises(NoHomeError, match="set XDG_DATA_HOME"):
        data_directory({})
    with pytest.raises(StoreError, match="name one with --db or SPARK_TUNER_DB"):
        default_url({})
