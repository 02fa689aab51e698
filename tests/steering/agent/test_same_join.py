"""Many queries with a hint for one join of the same relations: which of them a plan is of, only its log tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import HintDirective, QueryDirectives, encode_message
from tuner.model.directive_result import DirectiveStatus
from tuner.model.query import Query
from tuner.plan.literals import literal_class
from tuner.plan.queries import queries

from .agent_log import agent_events
from .small_tables import write_small_tables

_APP = Path(__file__).with_name("same_join_app.py")


@pytest.mark.spark
@pytest.mark.nightly
def test_each_plan_is_told_once_and_each_query_is_told_its_own(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    tables = write_small_tables(tmp_path / "tables")

    def ran(name: str, **conf: str) -> list[Query]:
        settings = {**agent_conf, **conf, "spark.eventLog.compress": "false", "spark.sql.ansi.enabled": "false"}
        (source,) = find_logs(spark_submit(_APP, tables, log_dir=tmp_path / name, conf=settings))
        return [query for query in queries(read_application(source)) if query.joins]

    directed = [_directed(query) for query in ran("plain")]
    assert len({query.fingerprint for query in directed}) == 30
    found = ran("steered", **{"spark.tuner.directives": encode_message(directed)})
    assert len(list(agent_events(tmp_path / "steered", "PlanSteered"))) == 30
    told = [(query.fingerprint, [(d.action_id, d.status) for d in query.directives]) for query in found]
    assert told == [(query.fingerprint, [(query.fingerprint, DirectiveStatus.APPLIED)]) for query in directed]


def _directed(query: Query) -> QueryDirectives:
    (join,) = query.joins
    values = literal_class(query.conditions or ())
    hint = HintDirective(query.fingerprint, join.signature, "MERGE", literals=(values,))
    return QueryDirectives(query.fingerprint, query.relations, hints=(hint,))
