"""What tools over logs answer: as `advise --json` and `replay --json`, within bounds."""

from __future__ import annotations

import json
import os
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.cli.conftest import Result
from tests.cli.logs import write_log
from tests.replay.test_by_hand import three_nights
from tuner.cli.mcp import log_advice as advising
from tuner.cli.mcp import log_replay as replaying
from tuner.cli.mcp.log_advice import log_advice
from tuner.cli.mcp.log_answers import LogAdvice, LogItem, LogReplay
from tuner.cli.mcp.log_folders import LogFolders, OutsideError
from tuner.cli.mcp.log_list import log_list
from tuner.cli.mcp.log_replay import log_replay, newest_within
from tuner.cli.mcp.log_tools import _ONE_AT_A_TIME, MOST_SECONDS, LogTools
from tuner.errors import TunerError
from tuner.eventlog.log_version import log_bytes
from tuner.history.asked_cohorts import none_asked
from tuner.panel.models.page import Page
from tuner.replay.run_selection import RunSelection

Call = Callable[..., Result]
ALL = RunSelection()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return three_nights(tmp_path / "logs")


@pytest.fixture
def folders(logs: Path) -> LogFolders:
    return LogFolders.named([str(logs)])


def test_logs_are_listed_newest_first_and_found_by_their_paths(folders: LogFolders, logs: Path) -> None:
    found = Page[LogItem].model_validate(log_list(folders, "", 2, 0))
    assert (found.total, len(found.items)) == (3, 2)
    assert found.items[0].written_at >= found.items[1].written_at
    assert all(Path(item.path).is_relative_to(logs) and item.bytes > 0 for item in found.items)
    assert log_list(folders, "LOCAL-1", 20, 0)["total"] == 1
    assert log_list(folders, "no such", 20, 0)["items"] == []


def test_a_log_whose_name_is_no_text_hides_no_other(folders: LogFolders, logs: Path) -> None:
    log = next(iter(logs.iterdir()))
    shutil.copy(log, os.fsencode(logs) + b"/l\xe4g")
    with zipfile.ZipFile(logs / "packed.zip", "w") as archive:
        archive.write(log, "log")
    found = Page[LogItem].model_validate(log_list(folders, "", 20, 0))
    assert found.total == 5
    assert f"{logs}/l\ufffdg" in [item.path for item in found.items]
    assert [item.path for item in found.items if item.written_at is None] == [f"{logs}/packed.zip/log"]


def test_advice_is_that_of_the_command(spark_tuner: Call, folders: LogFolders, logs: Path) -> None:
    path = log_list(folders, "local-1", 1, 0)["items"][0]["path"]
    said = json.loads(spark_tuner("advise", path, "--json").out)
    found = LogAdvice.model_validate(log_advice(folders, path, 20, 0))
    assert said["recommendations"]
    assert json.loads(json.dumps(found.recommendations.items)) == said["recommendations"]
    assert json.loads(json.dumps(found.insights.items)) == said["insights"]
    assert found.not_used == []
    assert (
        LogAdvice.model_validate(log_advice(folders, path, 20, 1)).recommendations.items == said["recommendations"][1:]
    )


def test_a_log_without_advice_is_told_with_why(folders: LogFolders, logs: Path) -> None:
    write_log(logs / "broken", ended=False)
    (logs / "notes.txt").write_text("no log\n" * 3)
    found = LogAdvice.model_validate(log_advice(folders, str(logs), 20, 0))
    assert [line for line in found.not_used if "broken: the log is partial" in line] == found.not_used
    named = LogAdvice.model_validate(log_advice(folders, "notes.txt", 20, 0))
    assert "no application could be read" in named.not_used[0]


def test_advice_is_on_a_few_logs_at_once(folders: LogFolders, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advising, "MOST_LOGS", 2)
    with pytest.raises(TunerError, match="there are 3 logs at this path, more than 2; name one"):
        log_advice(folders, str(logs), 20, 0)


def test_a_replay_is_that_of_the_command_by_cohort(spark_tuner: Call, folders: LogFolders, logs: Path) -> None:
    *_, last = spark_tuner("replay", logs, "--json").out.splitlines()
    totals = json.loads(last)["totals"]
    found = LogReplay.model_validate(log_replay(folders, "", ALL, 20, 0, None))
    assert json.loads(json.dumps(found.cohorts.items)) == totals["cohorts"]
    assert found.totals == {name: value for name, value in totals.items() if name in found.totals}
    assert (found.totals["runs"], found.left_out, found.cohorts_left_out, found.not_used) == (3, 0, 0, [])


def test_a_replay_of_no_cohort_says_which_there_are(folders: LogFolders) -> None:
    found = LogReplay.model_validate(log_replay(folders, "", RunSelection("other.*"), 20, 0, None))
    assert (found.cohorts.items, found.not_used) == ([], [none_asked("other.*", ["etl"])])


def test_a_replay_ends_in_time_and_says_what_it_left_out(folders: LogFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "READING_SECONDS", -1.0)
    found = LogReplay.model_validate(log_replay(folders, "", ALL, 20, 0, None))
    assert (found.totals["logs"], found.left_out) == (0, 3)


def test_a_replay_takes_the_newest_logs_that_fit(folders: LogFolders) -> None:
    sources = folders.sources()
    newest = newest_within(sources)
    assert len(newest) == 3
    assert newest_within(sources, most=2) == newest[:2]
    assert newest_within(sources, most_bytes=log_bytes(newest[0])) == newest[:1]
    assert newest_within(sources, most_bytes=0) == []


def test_what_lies_elsewhere_is_refused(folders: LogFolders, tmp_path: Path) -> None:
    outside = str(write_log(tmp_path / "outside" / "log"))
    with pytest.raises(OutsideError):
        log_advice(folders, outside, 20, 0)
    with pytest.raises(OutsideError):
        log_replay(folders, outside, ALL, 20, 0, None)


def test_who_waits_too_long_for_another_question_is_refused(
    folders: LogFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuner.cli.mcp.log_tools.MOST_SECONDS_IN_LINE", 0.01)
    tool = next(iter(LogTools(folders)))
    with _ONE_AT_A_TIME, pytest.raises(TunerError, match="still being read for an earlier question; ask again"):
        tool.ask(tool.question.model_validate({}))
    assert not _ONE_AT_A_TIME.locked()


def test_waiting_counts(folders: LogFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def nothing(seconds: float, *_: object) -> dict[str, Any]:
        given.append(seconds)
        return {"items": [], "total": 0, "limit": 20, "offset": 0}

    monkeypatch.setattr("tuner.cli.mcp.log_tools.in_own_process", nothing)
    tool = next(iter(LogTools(folders)))
    with _ONE_AT_A_TIME:
        asking = Thread(target=tool.ask, args=(tool.question.model_validate({}),))
        asking.start()
        time.sleep(0.2)
    asking.join(10)
    assert MOST_SECONDS - 5 < given[0] < MOST_SECONDS - 0.1


@pytest.mark.processes
def test_what_takes_too_long_is_ended_with_a_way_out(folders: LogFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.cli.mcp.log_tools.MOST_SECONDS", 0.0)
    for tool in LogTools(folders):
        path = str(folders.folders[0])
        asked = tool.question.model_validate({"path": path} if tool.name == "advise_on_log" else {})
        with pytest.raises(TunerError, match="longer than 0 s; (run|name)"):
            tool.ask(asked)
