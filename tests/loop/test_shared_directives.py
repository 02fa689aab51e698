"""Directives beside the event log of their run."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

from upath import UPath

from tuner.loop.event_log_place import event_log_place
from tuner.loop.shared_directives import shared_with
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.steering.agent.submission import Submission

ELSEWHERE = Submission(conf={"spark.submit.deployMode": "cluster"})


def job(base: str) -> JobToRun:
    return JobToRun("etl.load", "etl/1/1", 1, Mode.AUTO, event_log_base=base, base_is_shared=True, submission=ELSEWHERE)


def test_a_driver_elsewhere_may_read_them_whatever_the_umask_is(tmp_path: Path) -> None:
    shared = job(str(tmp_path))
    share = shared_with(shared, event_log_place(shared))
    assert share is not None
    own = os.umask(0o077)
    try:
        url = share("what to do")
    finally:
        os.umask(own)
    file = Path(url.removeprefix("file://"))
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("what to do", 0o644)


def test_they_get_into_a_bucket() -> None:
    shared = job("memory://bucket-of-directives")
    share = shared_with(shared, event_log_place(shared))
    assert share is not None
    assert UPath(share("what to do")).read_text() == "what to do"


def test_they_go_nowhere_where_a_driver_elsewhere_has_no_directory(tmp_path: Path) -> None:
    here = replace(job(str(tmp_path)), base_is_shared=False, submission=Submission())
    assert shared_with(here, event_log_place(here)) is None
