"""The steps that run on workers, without Spark around them: Arrow batches in, the local reader's rows out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fsspec.implementations.memory import MemoryFile
from upath import UPath

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")

from tests.eventlog.samples import application_end, driver_updates, event, execution_end, execution_start  # noqa: E402
from tests.eventlog.test_pieces import JOIN, LATER, directed_head  # noqa: E402
from tuner.eventlog.find import find_logs  # noqa: E402
from tuner.eventlog.log_version import version  # noqa: E402
from tuner.model.join_site import JoinSide, JoinSite  # noqa: E402
from tuner.model.strategy import JoinType, Strategy  # noqa: E402
from tuner.pipeline.decode import read_pieces  # noqa: E402
from tuner.pipeline.pieces import Piece, Place, pieces, slices  # noqa: E402
from tuner.pipeline.rows import join_row  # noqa: E402
from tuner.pipeline.schema import RECORD, TABLES  # noqa: E402

from .fleet import comparable, local_tables, small_log, write_fleet, write_rolled  # noqa: E402
from .worker_tables import as_rows, worker_tables  # noqa: E402


def harvested(root: Path) -> dict[str, list[dict[str, Any]]]:
    return worker_tables(find_logs(root))


def test_what_the_workers_make_of_a_fleet_is_what_the_local_reader_says(tmp_path: Path) -> None:
    root = write_fleet(tmp_path / "logs")
    expected, found = local_tables(root), harvested(root)
    for table in TABLES:
        assert comparable(found[table]) == comparable(expected[table]), table
        assert found[table]


def test_what_the_planner_knew_nothing_of_is_estimated_at_as_much_as_a_column_holds() -> None:
    """Every log that tells estimates has some: its rows were made twice."""
    sides = (JoinSide(("a",), rows=7, estimated_bytes=10**40), JoinSide(("b",), estimated_bytes=1 << 20))
    join = JoinSite("a b", 0, JoinType.INNER, Strategy.SORT_MERGE, None, (), *sides, 1, None)
    row = join_row(join)
    assert (row["left"]["estimated_bytes"], row["right"]["estimated_bytes"]) == ((1 << 63) - 1, 1 << 20)
    assert join_row(replace(join, left=JoinSide(("a",))))["left"]["estimated_bytes"] is None
    pa.RecordBatch.from_pylist([{"log": "app-1", "joins": {"query_id": 1, "join_id": 0, **row}}], schema=RECORD)


def test_a_log_in_many_files_is_one_application(tmp_path: Path) -> None:
    lines = small_log("app-1", tasks=200).splitlines(keepends=True)
    (application,) = harvested(write_rolled(tmp_path / "eventlog_v2_app-1", lines, 50))["applications"]
    assert (application["app_id"], application["status"]) == ("app-1", "complete")


def test_directives_of_a_log_in_many_files_are_those_of_the_local_reader(tmp_path: Path) -> None:
    ran = [part for n in range(3) for part in (execution_start(n, sparkPlanInfo=JOIN), execution_end(n), *LATER)]
    lines = [*directed_head(), event("tuner.steering.agent.AgentLoaded", version=1), *ran, application_end()]
    root = write_rolled(tmp_path / "eventlog_v2_app-1", lines, 3)
    expected, found = local_tables(root), harvested(root)
    assert [row["status"] for row in expected["directives"]] == ["impossible"] * 3
    for table in ("directives", "queries"):
        assert comparable(found[table]) == comparable(expected[table]), table


def test_what_cannot_be_sent_of_a_file_costs_its_log_alone(tmp_path: Path) -> None:
    wild = [driver_updates(0, (101, (1 << 63) - 1))] * 3
    lines = [*directed_head(), execution_start(sparkPlanInfo=JOIN), *wild, execution_end(), application_end()]
    tables = harvested(write_rolled(tmp_path / "eventlog_v2_app-1", lines, 2))
    assert [row["code"] for row in tables["problems"]] == ["corrupt_data"]
    assert [row["status"] for row in tables["applications"]] == ["partial"]


def test_a_number_beyond_64_bits_that_spark_added_up_costs_nothing(tmp_path: Path) -> None:
    info = {"Stage ID": 0, "Completion Time": 7000, "Accumulables": [{"ID": 7, "Name": "mine", "Value": 10**30}]}
    ended = event("SparkListenerStageCompleted", Stage_Info=info)
    lines = [*directed_head(), execution_start(sparkPlanInfo=JOIN), ended, execution_end(), application_end()]
    tables = harvested(write_rolled(tmp_path / "eventlog_v2_app-1", lines, 2))
    assert not tables["problems"]
    assert [row["status"] for row in tables["applications"]] == ["complete"]


def test_a_file_that_went_away_is_a_problem_of_its_log_alone(tmp_path: Path) -> None:
    directory = write_rolled(tmp_path / "logs" / "eventlog_v2_app-1", small_log("app-1").splitlines(keepends=True), 3)
    (tmp_path / "logs" / "app-2").write_bytes(small_log("app-2"))
    found = [msgspec.msgpack.encode(p) for source in find_logs(tmp_path / "logs") for p in pieces(source)]
    (directory / "events_2_app").unlink()
    (tmp_path / "logs" / "app-2").unlink()
    rows = as_rows(read_pieces([pa.RecordBatch.from_pydict({"piece": found})]))
    left = [row for row in rows if row["fragment"]]
    (problem,) = [row["problems"] for row in rows if row["problems"]]
    assert [row["position"] for row in left] == [0, 1, 2]
    assert (problem["code"], problem["file"]) == ("unreadable_file", str(tmp_path / "logs" / "app-2"))


class _RefusingFile(MemoryFile):
    def read(self, size: int | None = -1) -> bytes:
        raise RefusedError("no credentials")

    readinto = read  # type: ignore[assignment]


class RefusedError(Exception):
    """What botocore and aiohttp raise is no OSError."""


def _expired(path: str, **options: Any) -> Any:
    raise PermissionError("Access Denied")  # so does s3fs tell of a token that has expired


def _refused(path: str, **options: Any) -> Any:
    raise RefusedError("no credentials")


@pytest.mark.parametrize("opened", [_expired, _refused, lambda path, **options: _RefusingFile()])
@pytest.mark.parametrize("files", [1, 3])
def test_a_log_that_a_worker_cannot_get_at_is_read_again_by_the_next_harvest(
    opened: Any, files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = UPath("memory://refused/logs/eventlog_v2_app-1")
    root.mkdir(parents=True)
    try:
        for number in range(1, files + 1):
            (root / f"events_{number}_app").write_bytes(small_log("app-1"))
        sources = find_logs(root)
        monkeypatch.setattr(root.fs, "open", opened)
        tables = worker_tables(sources)
    finally:
        monkeypatch.undo()
        root.fs.rm("/refused", recursive=True)
    assert {row["code"] for row in tables["problems"]} == {"unreadable_file"}
    assert [row["status"] for row in tables["applications"]] == ["failed"]


@pytest.mark.parametrize("count", [1, 2])
def test_a_log_whose_package_a_worker_lacks_is_read_again_by_the_next_harvest(count: int) -> None:
    place = Place("nosuch://key:hunter2@bucket/events_1_app")
    found = [Piece("log", place, place, place, place, n, count, False, (), True, 1) for n in range(count)]
    rows = as_rows(read_pieces([pa.RecordBatch.from_pydict({"piece": [msgspec.msgpack.encode(p) for p in found]})]))
    left = [msgspec.msgpack.decode(row["fragment"])["fragment"]["problems"] for row in rows if row["fragment"]]
    told = [row["problems"] for row in rows if row["problems"]] + [problem for some in left for problem in some]
    assert [(problem["code"], problem["retryable"]) for problem in told] == [("unreadable_file", True)] * count
    assert "hunter2" not in str(rows)


def test_what_is_left_of_a_piece_holds_no_credentials_of_its_url() -> None:
    place = Place("memory://key:hunter2@bucket/events_1_app")
    piece = Piece("log", place, place, place, place, 0, 2, False, (), True, 1)
    assert b"hunter2" not in msgspec.msgpack.encode(piece.told())
    assert b"bucket/events_1_app" in msgspec.msgpack.encode(piece.told())


def test_slices_are_of_about_the_same_bytes() -> None:
    sizes = [100, 1, 1, 50, 50, 30, 70, 1, 97]
    filled = slices([_piece(number, size) for number, size in enumerate(sizes)], least=4)
    weights = [sum(piece.size_bytes for piece in some) for some in filled]
    assert sum(weights) == sum(sizes) and len(weights) == 4
    assert max(weights) <= 101
    assert sorted(piece.position for some in filled for piece in some) == list(range(9))


def test_a_large_log_makes_more_slices_than_asked_for() -> None:
    assert len(slices([_piece(n, 128 << 20) for n in range(10)], least=2)) == 10


def test_no_pieces_make_one_empty_slice() -> None:
    assert slices([], least=4) == [[]]


def _piece(number: int, size: int) -> Piece:
    there = Place("log")
    return Piece("log", there, there, there, there, number, 9, False, (), True, size)


def test_a_version_changes_with_the_files(tmp_path: Path) -> None:
    log = tmp_path / "app-1"
    log.write_bytes(small_log("app-1"))
    (source,) = find_logs(log)
    before = version(source)
    assert version(source) == before
    log.write_bytes(small_log("app-1", tasks=4))
    assert version(source) != before
