"""Directives beside the event log of their run."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from upath import UPath

from tuner.errors import TunerError
from tuner.loop import shared_directives
from tuner.loop.event_log_place import EventLogPlace, event_log_place, of_key
from tuner.loop.shared_directives import FILE_NAME, shared_with
from tuner.loop.steered import sharing
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.steering.agent.route import Route
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering
from tuner.steering.steering_method import SteeringMethod
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED

JAR = "s3://bucket/agent.jar"
ELSEWHERE = Submission(conf={"spark.submit.deployMode": "cluster"})


def job(base: str) -> JobToRun:
    return JobToRun("etl.load", "etl/1/1", 1, Mode.AUTO, event_log_base=base, base_is_shared=True, submission=ELSEWHERE)


def test_a_driver_elsewhere_may_read_them_whatever_the_umask_is(tmp_path: Path) -> None:
    shared = job(str(tmp_path))
    share = shared_with(shared, event_log_place(shared), JAR)
    assert share is not None
    own = os.umask(0o077)
    try:
        url = share("what to do")
    finally:
        os.umask(own)
    file = Path(url.removeprefix("file://"))
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("what to do", 0o644)


def test_a_link_that_others_put_there_gives_them_nothing(tmp_path: Path) -> None:
    """Everybody may write in a directory that another user's driver is to log in."""
    shared = job(str(tmp_path / "base"))
    place = event_log_place(shared)
    share, own = shared_with(shared, place, JAR), tmp_path / "own"
    assert share is not None
    own.touch(0o600)
    own.write_text("secret")
    file = Path(place.directory.removeprefix("file://")) / FILE_NAME
    file.symlink_to(own)
    share("what to do")
    assert (own.read_text(), stat.S_IMODE(own.stat().st_mode)) == ("secret", 0o600)
    assert (file.read_text(), file.is_symlink()) == ("what to do", False)
    assert [each.name for each in file.parent.iterdir()] == [FILE_NAME]


def test_what_cannot_be_put_there_leaves_nothing_behind(tmp_path: Path) -> None:
    shared = job(str(tmp_path))
    place = event_log_place(shared)
    share = shared_with(shared, place, JAR)
    assert share is not None
    directory = Path(place.directory.removeprefix("file://"))
    (directory / FILE_NAME).mkdir()
    with pytest.raises(TunerError, match="the directives cannot be written there"):
        share("what to do")
    assert [each.name for each in directory.iterdir()] == [FILE_NAME]


def test_they_get_into_a_bucket() -> None:
    shared = job("memory://bucket-of-directives")
    share = shared_with(shared, event_log_place(shared), JAR)
    assert share is not None
    assert UPath(share("what to do")).read_text() == "what to do"


@pytest.mark.parametrize("base", ["", "memory://bucket-of-the-tuners"])
def test_where_the_log_is_its_authors_they_lie_below_the_base(base: str, tmp_path: Path) -> None:
    (own := tmp_path / "own").mkdir()
    shared = replace(
        job(base or str(tmp_path / "base")), user_conf={EVENT_LOG_ENABLED: "true", EVENT_LOG_DIR: str(own)}
    )
    jar = "memory://bucket-of-the-tuners/agent.jar" if base else "/jars/agent.jar"
    share = shared_with(shared, event_log_place(shared), jar)
    assert share is not None
    url = share("what to do")
    assert url.startswith(base or f"{tmp_path.as_uri()}/base/") and f"{of_key(shared.key)}/" in url
    assert UPath(url).read_text() == "what to do" and not list(own.iterdir())


@pytest.mark.parametrize("jar", ["", "memory://another-bucket/agent.jar"])
def test_they_do_not_lie_where_that_driver_fetches_nothing(jar: str, tmp_path: Path) -> None:
    """Spark does not start without them, and a role may have one bucket alone."""
    conf = {EVENT_LOG_ENABLED: "true", EVENT_LOG_DIR: str(tmp_path)}
    shared = replace(job("memory://bucket-of-the-tuners"), user_conf=conf)
    share = shared_with(shared, event_log_place(shared), jar)
    assert share is not None
    with pytest.raises(TunerError, match="it fetches nothing from there: have agent_jar there, too"):
        share("what to do")


def test_a_container_of_azure_is_the_same_in_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name stands where that of a user would."""
    base = "abfss://c@a.dfs.core.windows.net"
    monkeypatch.setattr(shared_directives, "own_directory", lambda _: (f"{base}/tuner", ""))
    monkeypatch.setattr(shared_directives, "log_path", lambda *_: tmp_path)
    synapse = Submission(conf={}, platform="Synapse", agent_jar=f"{base}/agent.jar")
    way = SteeringMethod(Steering.AGENT, Route(synapse))
    route = sharing(way, replace(job(base), submission=synapse), EventLogPlace(f"{base}/own")).route
    assert route is not None and route.share is not None
    assert route.share("what to do").startswith(f"{base}/tuner/")


def test_a_base_that_a_service_has_no_file_system_for_is_told(tmp_path: Path) -> None:
    glue = Submission(conf={}, platform="Glue", schemes=frozenset({"s3"}))
    shared = replace(job(str(tmp_path)), submission=glue)
    share = shared_with(shared, EventLogPlace("s3://own"), JAR)
    assert share is not None
    with pytest.raises(TunerError, match="a path of this machine is none of Glue's"):
        share("what to do")


def test_they_go_nowhere_where_a_driver_elsewhere_has_no_directory(tmp_path: Path) -> None:
    here = replace(job(str(tmp_path)), base_is_shared=False, submission=Submission())
    assert shared_with(here, event_log_place(here), JAR) is None
