"""What a join puts out is counted before it is broadcast: too many rows are not, though files and values are the same."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import HintDirective, QueryDirectives, encode_message
from tuner.model.join_site import JoinSite
from tuner.model.reason import ReasonCode
from tuner.model.strategy import Strategy
from tuner.plan.queries import queries

from .conftest import pip_spark
from .submits import compile_application

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("measured_first_app.py")
_OWN_COSTS = Path(__file__).with_name("java") / "OwnCosts.java"
_OTHER_BROADCAST = Path(__file__).with_name("java") / "OtherBroadcast.java"


def name_of_one_relation(name: str) -> bool:
    """Whether a run was of one relation, as it is or as a filter keeps it."""
    return any(word in name for word in ("day", "flag", "arms", "keyed", "table"))


def _is_of_the_result(join: JoinSite) -> bool:
    """Whether it joins what sales and returns put out with anything."""
    sides = [{name.rpartition("/")[2] for name in side.relations} for side in join.sides]
    return ({"sales", "returns"} in sides or {"sales", "returns", "a"} in sides) and any(
        "visits" in side for side in sides
    )


def test_a_result_is_broadcast_while_memory_has_room_for_it(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    own_costs = compile_application(pip_spark(), tmp_path, _OWN_COSTS)
    conf = {
        "spark.jars": f"{agent_conf['spark.jars']},{own_costs}",
        "spark.driver.memory": "1g",
        # Little of it for broadcasts: few rows fill that.
        "spark.memory.fraction": "0.15",
        "spark.eventLog.compress": "false",
        "spark.tuner.agent.trace": "true",
        "spark.sql.ui.explainMode": "cost",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    report = tmp_path / "report.json"
    logs = spark_submit(_APP, tmp_path / "tables", report, log_dir=tmp_path / "logs", conf=conf)
    same = json.loads(report.read_text(encoding="utf-8"))
    assert all(same.values()) and same.keys() == {
        "small",
        "small, hashed by tasks",
        "small, of too many bytes",
        "small, of too many bytes for Spark",
        "small, of too many bytes for results",
        "small, by costs of the job's own",
        "costs of the job's own are kept",
        "not adaptive",
        "skewed",
        "where counting fails",
        "skewed tickets",
        "hot",
        "beside a thread without the agent",
        "planned in a thread without the agent",
        "nothing kept of a plan that failed",
        "beside others",
        "beside pruned",
        "renamed s_id",
        "renamed s_ticket",
        "further down",
        "skewed further down",
        "unread",
        *(f"day {day} {hint}" for day in (1, 2) for hint in ("BROADCAST", "SHUFFLE_HASH")),
        "day 1 in a heap as it was",
        "day 1 in a smaller heap",
        "arms",
        "keyed by many",
        "keyed by many, not adaptive",
        "keyed by one",
        "keyed by one of many",
        *(f"keyed beside few {hint}" for hint in ("BROADCAST 20000", "SHUFFLE_HASH 20000", "BROADCAST 100m")),
        *(f"flag is {where} {hint}" for where in ("rare", "everywhere") for hint in ("BROADCAST", "SHUFFLE_HASH")),
        "table as analysed",
        "table loaded since",
    }
    (source,) = find_logs(logs)
    found = {query.description: query for query in queries(read_application(source)) if query.joins}
    strategies = {
        name: sorted(join.strategy for join in query.joins if _is_of_the_result(join))
        for name, query in found.items()
        if not name_of_one_relation(name)
    }
    sorts = [Strategy.SORT_MERGE]
    assert strategies == {
        "plain": sorts,
        "small": [Strategy.BROADCAST_HASH],
        "small, hashed by tasks": sorts,
        "small, of too many bytes": sorts,
        "small, of too many bytes for Spark": sorts,
        "small, of too many bytes for results": sorts,
        "small, by costs of the job's own": sorts,
        "not adaptive": sorts,
        "plain and skewed": sorts,
        "skewed": sorts,
        "where counting fails": sorts,
        "plain hot": sorts,
        "hot": sorts,
        "plain and skewed tickets": sorts,
        "skewed tickets": sorts,
        "plain in a thread without the agent": sorts,
        "beside a thread without the agent": sorts,
        "planned in a thread without the agent": sorts,
        "plain beside pruned": [],
        "beside pruned": [],
        "plain beside others": sorts,
        "beside others": [Strategy.BROADCAST_HASH],
        "plain renamed s_id": sorts,
        "renamed s_id": [Strategy.BROADCAST_HASH],
        "plain renamed s_ticket": sorts,
        "renamed s_ticket": [Strategy.BROADCAST_HASH],
        "plain further down": sorts,
        "further down": [Strategy.BROADCAST_HASH],
        "plain unread": [],
        "unread": [],
        "plain and skewed further down": sorts,
        "skewed further down": sorts,
    }
    held = {
        name: [(one.status.value, one.held.code if one.held else None) for one in query.directives]
        for name, query in found.items()
        if query.directives and not name_of_one_relation(name)
    }
    assert held == {
        "small": [("applied", None)],
        # The join below may have brought its rows together already, with no shuffle of their own that would count them.
        "small, hashed by tasks": [("held", ReasonCode.HELD_UNMEASURED_RESULT)],
        "small, of too many bytes": [("held", ReasonCode.HELD_LARGE_RESULT)],
        "small, of too many bytes for Spark": [("held", ReasonCode.HELD_LARGE_RESULT)],
        "small, of too many bytes for results": [("held", ReasonCode.HELD_LARGE_RESULT)],
        "small, by costs of the job's own": [("impossible", None)],
        "not adaptive": [("impossible", None)],
        "skewed": [("held", ReasonCode.HELD_LARGE_RESULT)],
        "where counting fails": [("held", ReasonCode.HELD_UNMEASURED_RESULT)],
        # What counts its rows is a shuffle as Spark's own: it splits the partition of a hot key.
        "hot": [("held", ReasonCode.HELD_LARGE_RESULT)],
        "skewed tickets": [("held", ReasonCode.HELD_LARGE_RESULT)],
        "beside a thread without the agent": [("impossible", None)],
        "planned in a thread without the agent": [("held", ReasonCode.HELD_UNMEASURED_RESULT)],
        "beside others": [("applied", None)],
        "beside pruned": [("applied", None)],
        "renamed s_id": [("applied", None)],
        # The join below has shuffled by the same key: what counts is a shuffle that Spark does not leave out.
        "renamed s_ticket": [("applied", None)],
        "further down": [("applied", None)],
        # Another kind of join could compute what a sort merge join never asked for.
        "unread": [("impossible", None)],
        "skewed further down": [("held", ReasonCode.HELD_LARGE_RESULT)],
    }
    of_flags, of_days, of_keys, of_tables = (
        {
            name: (
                query.joins[0].strategy,
                *((one.status.value, one.held and one.held.code) for one in query.directives),
            )
            for name, query in found.items()
            if word in name
        }
        for word in ("flag", "day", "keyed", "table")
    )
    # What tasks hash of a relation as it is may lie with one of them; it is not held back where nothing can be counted.
    assert of_keys == {
        "plain keyed": (Strategy.SORT_MERGE,),
        "keyed by many": (Strategy.SHUFFLED_HASH, ("applied", None)),
        "keyed by many, not adaptive": (Strategy.SHUFFLED_HASH, ("applied", None)),
        "plain keyed by one": (Strategy.SORT_MERGE,),
        "keyed by one": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGE_RESULT)),
        "plain keyed by one of many": (Strategy.SORT_MERGE,),
        "keyed by one of many": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGE_RESULT)),
        "plain keyed beside few": (Strategy.SORT_MERGE,),
        # The hint would have the larger side broadcast, or both shuffled, where Spark broadcasts the smaller one by itself.
        "keyed beside few BROADCAST 20000": (Strategy.BROADCAST_HASH, ("held", ReasonCode.HELD_SMALL_SIDE)),
        "keyed beside few SHUFFLE_HASH 20000": (Strategy.BROADCAST_HASH, ("held", ReasonCode.HELD_SMALL_SIDE)),
        "keyed beside few BROADCAST 100m": (Strategy.BROADCAST_HASH, ("applied", None)),
    }
    # The same value of files that are as large, but in all of their rows.
    assert of_flags == {
        "plain flag": (Strategy.SORT_MERGE,),
        "flag is rare BROADCAST": (Strategy.BROADCAST_HASH, ("applied", None)),
        "flag is rare SHUFFLE_HASH": (Strategy.SHUFFLED_HASH, ("applied", None)),
        "plain flag everywhere": (Strategy.SORT_MERGE,),
        "flag is everywhere BROADCAST": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGE_RESULT)),
        "flag is everywhere SHUFFLE_HASH": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGE_RESULT)),
    }
    # Statistics say that it is as small as ever.
    assert of_tables == {
        "plain table": (Strategy.SORT_MERGE,),
        "table as analysed": (Strategy.BROADCAST_HASH, ("applied", None)),
        "plain table that was loaded since": (Strategy.SORT_MERGE,),
        "table loaded since": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGE_RESULT)),
    }
    # What the filter keeps of a day that was never seen is counted.
    assert of_days == {
        "plain day 1": (Strategy.SORT_MERGE,),
        "plain day 2": (Strategy.SORT_MERGE,),
        "day 1 BROADCAST": (Strategy.BROADCAST_HASH, ("applied", None)),
        "day 2 BROADCAST": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGE_RESULT)),
        "day 1 SHUFFLE_HASH": (Strategy.SHUFFLED_HASH, ("applied", None)),
        "day 2 SHUFFLE_HASH": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGE_RESULT)),
        "day 1 in a heap as it was": (Strategy.BROADCAST_HASH, ("applied", None)),
        "day 1 in a smaller heap": (Strategy.SORT_MERGE, ("held", ReasonCode.HELD_LARGER_SIDE)),
    }
    # A fifth of the memory holds two or three of the eight, whenever each is made (heaps are a little smaller than asked for).
    of_arms = {
        name: Counter(
            join.strategy for join in query.joins if any("visits" in str(side.relations) for side in join.sides)
        )
        for name, query in found.items()
        if "arms" in name
    }
    assert of_arms["plain arms"] == {Strategy.SORT_MERGE: 8}
    assert [one.held and one.held.code for one in found["arms"].directives] == [ReasonCode.HELD_LARGE_RESULT]
    assert 2 <= of_arms["arms"].pop(Strategy.BROADCAST_HASH) <= 3
    assert 5 <= of_arms["arms"].pop(Strategy.SORT_MERGE) <= 6 and not of_arms["arms"]
    (skewed,) = found["skewed"].directives
    assert skewed.held is not None
    assert skewed.held.numbers["bytes"] > skewed.held.numbers["most_bytes"] > 0  # type: ignore[operator]


def test_a_broadcast_that_another_extension_makes_of_too_many_rows_costs_as_much_as_sparks(
    agent_conf: dict[str, str], tmp_path: Path
) -> None:
    hint = HintDirective("hint_join:b", "5160", "BROADCAST", ("dim",))
    (tmp_path / "told").write_text(encode_message((QueryDirectives("q", ("dim",), hints=(hint,)),)), encoding="utf-8")
    command = ["java", "-cp", f"{pip_spark()}/jars/*:{agent_conf['spark.jars']}", "org.codehaus.janino.SimpleCompiler"]
    arguments = [_OTHER_BROADCAST, "tests.steering.OtherBroadcast", tmp_path / "told", tmp_path / "compared"]
    subprocess.run([*command, *map(str, arguments)], check=True, timeout=600)
    assert int((tmp_path / "compared").read_text(encoding="utf-8")) > 0
