"""One engine of a process for all stores at one URL, which closes its connections with the last of them."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.engine import URL

from tuner.errors import StoreError
from tuner.history.shared_engines import SharedEngines, shared_engines
from tuner.history.store import Store
from tuner.history.url import parse


@pytest.fixture
def url(tmp_path: Path) -> URL:
    return parse(f"sqlite:///{tmp_path}/history.db")


def ask(engine: Engine) -> None:
    with engine.connect() as connection:
        connection.execute(text("SELECT 1")).all()


def closed(engine: Engine) -> list[object]:
    """What is closed of its connections, from now on."""
    found: list[object] = []
    event.listen(engine, "close", lambda connection, _: found.append(connection))
    return found


def test_it_is_compiled_for_once(url: URL) -> None:
    engines = SharedEngines()
    first = engines.take(url)
    assert engines.take(url) is first
    engines.give_back(first)
    engines.give_back(first)
    assert engines.take(url) is first


def test_connections_stay_for_who_uses_it_and_close_with_the_last(url: URL) -> None:
    engines = SharedEngines()
    engine = engines.take(url)
    found = closed(engines.take(url))
    ask(engine)
    engines.give_back(engine)
    assert found == []
    engines.give_back(engine)
    assert len(found) == 1
    ask(engines.take(url))


def test_few_that_nobody_uses_are_kept(tmp_path: Path) -> None:
    engines = SharedEngines()
    urls = [parse(f"sqlite:///{tmp_path}/{number}.db") for number in range(4)]
    used, *others = [engines.take(url) for url in urls]
    for engine in others:
        engines.give_back(engine)
    assert [engines.take(url) is engine for url, engine in zip(urls, [used, *others], strict=True)] == [
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("database", [":memory:", "history.db", "file:history.db?uri=true"])
def test_what_may_be_another_database_each_time_has_its_own(database: str) -> None:
    engines, url = SharedEngines(), parse(f"sqlite:///{database}")
    first, second = engines.take(url), engines.take(url)
    assert first is not second
    engines.give_back(first)
    engines.give_back(second)


def test_a_password_is_part_of_what_it_is_for() -> None:
    pytest.importorskip("psycopg")
    engines = SharedEngines()
    one, other = (engines.take(parse(f"postgresql://ann:{secret}@db/tuner")) for secret in ("a", "b"))
    assert one is not other


def test_a_directory_that_has_gone_is_made_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new/history.db"
    Store.open(url).close()
    shutil.rmtree(tmp_path / "new")
    with Store.open(url) as store:
        assert store.cohorts() == []


def test_a_store_that_cannot_be_opened_keeps_none(tmp_path: Path) -> None:
    (tmp_path / "history.db").write_text("no database, and long enough to be read as the head of one: " * 20)
    url = f"sqlite:///{tmp_path}/history.db"
    for _ in range(2):
        with pytest.raises(StoreError):
            Store.open(url)
    (tmp_path / "history.db").unlink()
    with Store.open(url) as store:
        assert store.cohorts() == []


def test_a_store_closes_once(url: URL) -> None:
    text_url = url.render_as_string(hide_password=False)
    kept, other = Store.open(text_url), Store.open(text_url)
    found = closed(kept._engine)
    other.close()
    other.close()
    assert found == []
    assert kept.cohorts() == []
    kept.close()
    assert found != []


def test_threads_open_and_close_at_once(url: URL) -> None:
    text_url = url.render_as_string(hide_password=False)

    def cohorts(_: int) -> int:
        with Store.open(text_url) as store:
            return len(store.cohorts())

    Store.open(text_url).close()
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(cohorts, range(100))) == {0}


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_has_engines_of_its_own_and_leaves_the_parents_connections(url: URL) -> None:
    engines = shared_engines()
    engine = engines.take(url)
    with engine.connect() as connection:
        child = os.fork()
        if not child:
            own = shared_engines().take(url)
            os._exit(0 if own is not engine and shared_engines() is not engines else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert connection.execute(text("SELECT 1")).scalar() == 1
    engines.give_back(engine)
