"""The tuner's history in a bench: a run that was interrupted is repeated with what was known before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.bench.contenders import tuned as module
from tuner.history.store import Store
from tuner.loop.loop import prepare
from tuner.loop.time_limits import DEFAULT
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.model.run import RunState


def test_a_run_that_is_repeated_has_the_history_from_before_it_also_where_jobs_share_one(tmp_path: Path) -> None:
    history = tmp_path / "tuner" / "history.db"
    first, second = (tmp_path / job / "tuner" / "run-001" for job in ("repeats-0", "repeats-100"))
    module._as_before(first, history)
    history.write_text("half a run of the first")
    (first / "events").mkdir()
    module._as_before(first, history)
    assert not history.exists()
    assert not (first / "events").exists()
    history.write_text("the first")
    module._as_before(second, history)
    history.write_text("the first, and half a run of the second")
    history.with_name("history.db-wal").write_text("more of it")
    module._as_before(second, history)
    assert history.read_text() == "the first"
    assert not history.with_name("history.db-wal").exists()


@pytest.mark.processes
def test_a_run_is_completed_as_long_as_a_task_waits_for_it(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/history.db"
    job = JobToRun(
        "bench", "bench/run-001/1", 1, Mode.AUTO, event_log_base=str(tmp_path / "events"), most_seconds=DEFAULT
    )
    seconds, said = module._completed(prepare(job, store), store, 1)
    assert 0 < seconds <= DEFAULT.after_run() + 1
    assert any("event log" in line for line in said)
    with Store.open(store) as opened:
        assert [run.state for run in opened.runs("bench")] == [RunState.FAILED]
