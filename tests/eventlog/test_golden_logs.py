"""Logs of every Spark version we read, checked against what their own drivers knew (see tests/golden)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tuner.eventlog.codec import detect, open_plain
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import open_log, shown
from tuner.eventlog.read import read_application
from tuner.model.application import Application, Completeness, ProblemCode, Stage
from tuner.model.join_site import JoinSite
from tuner.model.query import Query, QueryStatus
from tuner.model.strategy import Strategy
from tuner.plan.queries import queries

GOLDEN = Path(__file__).parents[1] / "golden"
KNOWN: dict[str, dict[str, Any]] = {
    f"{file.stem}/{name}": known
    for file in sorted((GOLDEN / "expected").glob("*.json"))
    for name, known in json.loads(file.read_text()).items()
}
LOGS = list(KNOWN)


def release(log: str) -> tuple[int, ...]:
    return tuple(map(int, log.split("/")[0].split(".")))


VERSIONS = sorted({log.split("/")[0] for log in LOGS}, key=release)


def logs_of(*scenarios: str) -> list[str]:
    return [log for log in LOGS if KNOWN[log]["scenario"] in scenarios]


# Spark 2 describes a query by the line that called for it, and does not tell its listeners of its plan.
SPARK_2 = [log for log in LOGS if release(log) < (3,)]
JOINED = [log for log in logs_of("basic", "small") if log not in SPARK_2]
KILLED = logs_of("killed")
# The history server has dropped what its finished jobs were.
COMPACTED = [log for log in LOGS if log.endswith("/compacted")]
# What a driver counts there is not what the query read: see the tests of these scenarios.
COUNTED_OTHERWISE = logs_of("cache", "fetch", "failures", "killed") + SPARK_2
# Before 3.4 the writer of a V2 catalog's table plans its query a second time, and the log does not show that plan.
PLANNED_TWICE = [log for log in logs_of("commands") if release(log) < (3, 4)]
# Spark 4 shows a scalar subquery below the scan that it filters too.
REUSING = logs_of("reuse") + [log for log in logs_of("basic") if release(log) >= (4,)]


@cache
def source(log: str) -> LogSource:
    (found,) = find_logs(GOLDEN / "logs" / log)
    return found


@cache
def application(log: str) -> Application:
    return read_application(source(log))


@cache
def found_queries(log: str) -> tuple[Query, ...]:
    return queries(application(log))


def query(log: str, description: str) -> Query:
    (found,) = [q for q in found_queries(log) if q.description == description]
    return found


def joined(description: str) -> Iterator[tuple[str, Query]]:
    """The same query in every log that has it."""
    return ((log, query(log, description)) for log in JOINED if description in KNOWN[log]["rows"])


def plain_text(log: str) -> Iterator[bytes]:
    for file in source(log).files:
        with open_log(file) as raw:
            yield open_plain(raw, file.name).read().replace(b" and so on", b"")  # what fills the long ones


def test_the_tree_of_logs_gives_each_of_them_once() -> None:
    found = ["/".join(shown(s.path).split("/")[-3:-1]) for s in find_logs(GOLDEN / "logs")]
    assert sorted(found) == sorted(LOGS)


def test_every_codec_occurs_in_both_layouts_and_every_version_has_several() -> None:
    layouts, codecs = ("single", "rolling"), ("none", "lz4", "lzf", "snappy", "zstd")
    written = {(known["codec"], known["layout"]) for known in KNOWN.values()}
    assert written == {(codec, layout) for codec in codecs for layout in layouts}
    for version in VERSIONS:
        here = [known for log, known in KNOWN.items() if log.startswith(f"{version}/")]
        assert len({known["codec"] for known in here}) >= 3
        assert {(k["adaptive"], k["layout"]) for k in here} == {
            (a, layout) for a in (True, False) for layout in (layouts if version >= "3" else layouts[:1])
        }


@pytest.mark.parametrize("log", LOGS)
def test_it_is_read_whole_unless_it_was_killed_or_compacted(log: str) -> None:
    read = application(log)
    lacking = dict.fromkeys(KILLED, ProblemCode.TRUNCATED) | dict.fromkeys(COMPACTED, ProblemCode.COMPACTED)
    assert read.status is (Completeness.PARTIAL if log in lacking else Completeness.COMPLETE)
    assert [problem.code for problem in read.problems] == ([lacking[log]] if log in lacking else [])
    assert all(problem.retryable is (log in KILLED) for problem in read.problems)


@pytest.mark.parametrize("log", LOGS)
def test_it_says_whose_log_it_is(log: str) -> None:
    read, (version, name) = application(log), log.split("/")
    assert (read.spark_version, read.app_name) == (version, name)
    assert (read.app_id, read.attempt) == (KNOWN[log]["app_id"], KNOWN[log]["attempt"])


def counted(stage: Stage) -> dict[str, int]:
    return {
        "tasks": stage.tasks,
        "failed": stage.failed_tasks,
        "input_records": stage.input_records,
        "shuffle_read_records": stage.shuffle_read_records,
        "shuffle_write_records": stage.shuffle_write_records,
        "shuffle_write_bytes": stage.shuffle_write_bytes,
        "output_bytes": stage.output_bytes,
        "run_time_ms": stage.executor_run_time_ms,
    }


@pytest.mark.parametrize("log", LOGS)
def test_stages_are_those_the_driver_counted(log: str) -> None:
    read = {f"{stage.stage_id:03}.{stage.attempt}": counted(stage) for stage in application(log).stages}
    known = KNOWN[log]["stages"]
    assert read.keys() <= known.keys() if log in KILLED + COMPACTED else read.keys() == known.keys()
    if log not in KILLED:
        assert read == {key: {name: known[key].get(name, 0) for name in stage} for key, stage in read.items()}


@pytest.mark.parametrize("log", LOGS)
def test_executions_are_those_the_driver_started_and_ended(log: str) -> None:
    read = {str(e.execution_id): (e.description[:30], e.end_ms is not None) for e in application(log).executions}
    known = {number: (e["description"][:30], e.get("ended", False)) for number, e in KNOWN[log]["executions"].items()}
    if log in KILLED:
        assert read.keys() <= known.keys()
    else:
        assert read == ({number: known[number] for number in read} if log in COMPACTED else known)


@pytest.mark.parametrize("log", [log for log in LOGS if log not in COUNTED_OTHERWISE + PLANNED_TWICE])
def test_joins_and_shuffles_are_those_of_the_plans_that_ran(log: str) -> None:
    for read in found_queries(log):
        known = KNOWN[log]["executions"][str(read.id)]
        assert sorted([join.strategy.value, join.output_rows] for join in read.joins) == sorted(known["joins"])
        # The reader leaves exchanges to a single partition out.
        assert sorted([s.partitions, s.rows] for s in read.shuffles) == sorted(s for s in known["shuffles"] if s[0] > 1)


def test_queries_give_as_many_rows_as_their_last_join_puts_out() -> None:
    for log, read in joined("three joins"):
        assert read.joins[0].output_rows == KNOWN[log]["rows"]["three joins"] == 200, log


def same(join: JoinSite) -> tuple[object, ...]:
    return join.signature, join.type, join.keys, measured(join)


def measured(join: JoinSite) -> tuple[int | None, ...]:
    return join.left.rows, join.right.rows, join.output_rows


@pytest.mark.parametrize(("description", "joins"), [("three joins", 3), ("replanned", 1)])
def test_joins_of_a_query_are_the_same_in_every_version_with_and_without_aqe(description: str, joins: int) -> None:
    seen = {tuple(map(same, read.joins)) for _, read in joined(description)}
    assert [len(sites) for sites in seen] == [joins]


def test_aqe_turns_a_sort_merge_join_into_a_broadcast_join() -> None:
    for log, read in joined("replanned"):
        (join,) = read.joins
        assert join.planned_strategy is Strategy.SORT_MERGE, log
        assert join.strategy is (Strategy.BROADCAST_HASH if KNOWN[log]["adaptive"] else Strategy.SORT_MERGE), log


def test_a_query_has_one_fingerprint_in_every_version_with_and_without_aqe() -> None:
    assert len({read.fingerprint for _, read in joined("replanned")}) == 1


@pytest.mark.parametrize("version", [version for version in VERSIONS if version >= "3"])
def test_a_query_with_a_scalar_subquery_has_one_fingerprint_with_and_without_aqe(version: str) -> None:
    here = {read.fingerprint for log, read in joined("three joins") if log.startswith(f"{version}/")}
    assert len(here) == 1


@pytest.mark.parametrize("log", SPARK_2)
def test_joins_of_spark_2_are_measured_and_named_like_those_of_later_versions(log: str) -> None:
    *first, replanned = found_queries(log)
    assert [len(read.joins) for read in first] == ([3] if KNOWN[log]["scenario"] == "basic" else [])
    for read, description in zip([*first, replanned], ["three joins", "replanned"][-1 - len(first) :], strict=True):
        later = query("3.5.9/adaptive-single-lz4", description)
        assert [same(join) for join in read.joins] == [same(join) for join in later.joins]
        assert read.input_rows == read_by_tasks(log, read)
    assert [join.strategy for join in replanned.joins] == [Strategy.SORT_MERGE]
    assert [shuffle.rows for shuffle in replanned.shuffles]


@pytest.mark.parametrize("log", logs_of("retries"))
def test_rows_of_a_failed_attempt_do_not_count(log: str) -> None:
    assert sum(stage.failed_tasks for stage in application(log).stages) >= 1
    (join,) = query(log, "retried").joins
    assert measured(join) == (600, 50, 600)


def fetched_twice(log: str) -> tuple[JoinSite, ...]:
    again = [stage for stage in application(log).stages if stage.attempt == 1]
    assert again
    assert any("the map output is lost" in (stage.failure or "") for stage in application(log).stages)
    return query(log, "fetched twice").joins


@pytest.mark.parametrize("log", [log for log in logs_of("fetch") if not KNOWN[log]["adaptive"]])
def test_rows_of_stages_that_run_again_count_once(log: str) -> None:
    assert [measured(join) for join in fetched_twice(log)] == [(600, 50, 600)]


# 3.0 makes all of the lost output again, in first attempts of other stages: nothing in its log tells them from new ones.
@pytest.mark.parametrize("log", [log for log in logs_of("fetch") if KNOWN[log]["adaptive"] and release(log) >= (3, 1)])
def test_rows_of_stages_that_run_again_under_aqe_count_once(log: str) -> None:
    assert [measured(join) for join in fetched_twice(log)] == [(600, 50, 600)]


@pytest.mark.parametrize("log", logs_of("speculation"))
def test_rows_of_a_speculative_task_and_of_the_one_it_overtook_count_once(log: str) -> None:
    known = KNOWN[log]["stages"].values()
    assert (sum(s.get("speculative", 0) for s in known), sum(s.get("killed", 0) for s in known)) == (1, 1)
    (join,) = query(log, "speculated").joins
    assert measured(join) == (600, 50, 600)
    assert (application(log).executors.count, application(log).executors.cores) == (2, 1)


def failed(log: str) -> set[str]:
    return {q.description for q in found_queries(log) if q.status is QueryStatus.FAILED}


@pytest.mark.parametrize("log", [log for log in logs_of("failures") if release(log) >= (3, 4)])
def test_a_query_that_fails_and_one_that_is_cancelled(log: str) -> None:
    assert failed(log) == set(KNOWN[log]["failures"])


@pytest.mark.parametrize("log", [log for log in logs_of("failures") if release(log) < (3, 4)])
def test_a_query_that_fails_and_one_that_is_cancelled_where_only_their_jobs_say_so(log: str) -> None:
    assert failed(log) == set(KNOWN[log]["failures"])


# Of the versions here, 3.0 does not show the plan below what is cached.
@pytest.mark.parametrize("log", [log for log in logs_of("cache") if release(log) >= (3, 1)])
def test_a_join_below_a_cache_is_measured_where_the_cache_was_filled(log: str) -> None:
    first, second = query(log, "first use").joins, query(log, "second use").joins
    assert [measured(join) for join in first] == [(600, 50, 600)]
    assert sorted(map(measured, second), key=str) == [(600, 60, 60), (None, None, None)]
    assert first[0].signature in {join.signature for join in second}


@pytest.mark.parametrize("log", [log for log in logs_of("cache") if release(log) >= (3, 1)])
def test_a_query_of_a_cached_plan_reads_memory_and_not_the_files_below(log: str) -> None:
    assert query(log, "second use").input_rows == 600 + 60


@pytest.mark.parametrize("log", logs_of("commands"))
def test_queries_inside_commands_are_measured_like_others(log: str) -> None:
    joins = {q.description: [measured(join) for join in q.joins] for q in found_queries(log) if q.joins}
    if log in PLANNED_TWICE:
        joins.pop("catalog", None)
    written = ["noop", "create", "insert", "save", "append"] + (["catalog"] if log not in PLANNED_TWICE else [])
    assert joins == {description: [(600, 50, 600)] for description in written}


@pytest.mark.parametrize("log", [log for log in PLANNED_TWICE if release(log) >= (3, 1)])
def test_rows_of_a_plan_that_never_ran_are_unknown(log: str) -> None:
    assert [measured(join) for join in query(log, "catalog").joins] == [(None, None, None)]


@pytest.mark.parametrize("log", [log for log in logs_of("commands") if release(log) >= (3, 4)])
def test_the_query_inside_a_command_names_it_as_its_root(log: str) -> None:
    create = query(log, "create")
    (command,) = [e for e in application(log).executions if e.description == "create" and e.execution_id != create.id]
    assert create.root_id == command.execution_id


@pytest.mark.parametrize("log", logs_of("reuse"))
def test_what_is_reused_counts_once(log: str) -> None:
    assert [measured(join) for join in query(log, "exchange").joins] == [(40, 40, 40)]
    (shuffle,) = query(log, "exchange").shuffles
    assert shuffle.rows == 40
    assert [measured(join) for join in query(log, "pruning").joins] == [(50, 1, 50)]


def read_by_tasks(log: str, found: Query) -> int:
    return sum(stage.input_records for stage in application(log).stages if stage.execution_id == found.id)


@pytest.mark.parametrize("log", [log for log in LOGS if log not in COUNTED_OTHERWISE + PLANNED_TWICE + REUSING])
def test_rows_that_scans_put_out_are_those_that_tasks_read(log: str) -> None:
    for found in found_queries(log):
        assert found.input_rows == read_by_tasks(log, found)


@pytest.mark.parametrize("log", REUSING)
def test_rows_that_scans_below_what_is_reused_put_out_count_once(log: str) -> None:
    for found in found_queries(log):
        assert found.input_rows == read_by_tasks(log, found)


@pytest.mark.parametrize("log", logs_of("rdd"))
def test_an_application_without_sql_has_stages_only(log: str) -> None:
    assert application(log).executions == ()
    assert [stage.execution_id for stage in application(log).stages] == [None, None]


@pytest.mark.parametrize("log", KILLED)
def test_only_what_ended_before_the_application_was_killed_has_an_end(log: str) -> None:
    assert source(log).in_progress
    assert application(log).end_ms is None
    # lz4 keeps back what does not fill a block: what ran last need not be there.
    ended = [e.execution_id for e in application(log).executions if e.end_ms is not None]
    assert set(map(str, ended)) <= {number for number, e in KNOWN[log]["executions"].items() if e.get("ended")}
    assert KNOWN[log]["codec"] == "lz4" or len(ended) == len(application(log).executions) - 1


def test_logs_of_several_files_come_in_order() -> None:
    for log in logs_of("long"):
        names = [file.name for file in source(log).files]
        numbers = [int(name.split("_")[1]) for name in names]
        assert numbers == list(range(numbers[0], numbers[0] + len(names))), log
        assert len(names) >= 2, log
        assert names[0].endswith(".compact") is (log in COMPACTED), log
        assert source(log).missing == ()


@pytest.mark.parametrize("log", COMPACTED)
def test_a_compacted_file_can_have_another_codec_than_its_name_says(log: str) -> None:
    """SPARK-43991: the history server names it after the log's codec, and compresses it with its own."""
    compacted = source(log).files[0]
    assert compacted.name.endswith(".zstd.compact")
    with open_log(compacted) as raw:
        codec = detect(raw.peek(16)[:16], compacted.name)
    assert codec is not None and codec.name == "lz4"


MACHINE = re.compile(rb'/root\b|/work\b|/home/|/usr/|/opt/|"root"|"vm"|//vm\b|@vm\b|\bvm:')
HOSTS = re.compile(rb'"Host":"([^"]*)"')


@pytest.mark.parametrize("log", LOGS)
def test_it_names_nothing_of_the_machine_it_was_written_on(log: str) -> None:
    for text in plain_text(log):
        assert MACHINE.findall(text) == []
        assert set(HOSTS.findall(text)) <= {b"localhost", b"127.0.0.1", b"127.0.0.2", b"127.0.0.3"}
