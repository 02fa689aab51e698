"""The tuner's history in a bench: a run that was interrupted is repeated with what was known before it."""

from __future__ import annotations

from pathlib import Path

from tuner.bench.contenders import tuned as module


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
