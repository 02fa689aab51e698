"""Which of several logs of one run the local replay takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nightly import START_MS, Spark
from tuner.eventlog.find import find_logs
from tuner.model.run import RunState
from tuner.replay.local import LocalReplay
from tuner.replay.walk import Walker
from tuner.spark.run_tags import KEY
from tuner.steering.submit_conf import EVENT_LOG_DIR


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("ended", "state"), [(True, RunState.FAILED), (False, RunState.SUCCEEDED)])
def test_of_two_applications_of_one_run_the_later_counts_as_in_the_live_loop(
    tmp_path: Path, reverse: bool, ended: bool, state: RunState
) -> None:
    """As where YARN started it again; one that breaks off tells less than the one before it."""
    conf = {EVENT_LOG_DIR: tmp_path.as_uri(), KEY: "etl/manual/load/-1/1", "spark.master": "local[2]"}
    Spark(7, start_ms=START_MS).write(conf, "local-1")
    Spark(9, start_ms=START_MS + 60_000, error="out of memory" if ended else "", ended=ended).write(conf, "local-2")
    replay = LocalReplay(Walker(agent=False))
    replay.read(sorted(find_logs(tmp_path), key=lambda source: str(source.path), reverse=reverse), processes=1)
    list(replay.walk(processes=1))
    assert [run.state for run in replay.runs()] == [state]
    assert len(replay.summary.unread) == 1
