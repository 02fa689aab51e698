"""A store that an earlier version wrote opens with its history and its rulings, and is decided on as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Engine, text

from tuner.history.engine import open_engine
from tuner.history.schema import upgrade
from tuner.history.store import Store
from tuner.history.url import parse
from tuner.loop.next_decision import BY_AGENT
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import Decision, Mode, Standing
from tuner.policy.decide import decide
from tuner.policy.rulings import Rulings
from tuner.policy.situation import Situation
from tuner.words.reasons import why_words

from .migrate import migrate

# What the version with schema 0003 wrote of five nights: an order with its broadcast, a hint that lost, thresholds that were
# set together, statistics for a person; its thresholds were rolled back and its statistics approved by ana.
STORES = Path(__file__).parent / "stores"
WRITTEN = json.loads((STORES / "schema_0003.json").read_text(encoding="utf-8"))
# What the version with schema 0009 wrote of five nights: a broadcast that was tried in the second and stayed.
LATER = json.loads((STORES / "schema_0009.json").read_text(encoding="utf-8"))
ORDER, CALLED_FOR, LONE = (
    "order_joins:q1/block=((a c) b)",
    "hint_join:q1/join in that order=BROADCAST(dim)",
    "hint_join:q2/join of q2=BROADCAST(dim)",
)
STATIC, ADAPTIVE, CBO = (
    "set_conf:spark.sql.autoBroadcastJoinThreshold=20000000",
    "set_conf:spark.sql.adaptive.autoBroadcastJoinThreshold=20000000",
    "set_conf:spark.sql.cbo.enabled=true",
)
THRESHOLDS = f"{ADAPTIVE} + {STATIC}"
PARTITIONS = "set_conf:spark.sql.shuffle.partitions=64"


def fill(engine: Engine, revision: str, written: Mapping[str, Sequence[Mapping[str, Any]]] = WRITTEN) -> None:
    """The tables of an earlier revision, with the rows that its version wrote."""
    migrate(engine, command.upgrade, revision)
    with engine.begin() as connection:
        for table, rows in written.items():
            for row in rows:
                stored = {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()}
                columns = ", ".join(f'"{name}"' for name in stored)
                values = ", ".join(f":{name}" for name in stored)
                connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), stored)


@pytest.fixture
def store(empty_url: str) -> Iterator[Store]:
    engine = open_engine(parse(empty_url))
    fill(engine, "0003")
    engine.dispose()
    upgrade(empty_url)
    with Store.open(empty_url) as opened:
        yield opened


def standings(decision: Decision) -> dict[str, Standing]:
    return {d.id: d.standing for d in decision.changes}


def test_what_stood_together_is_one_change_and_keeps_its_standing(store: Store) -> None:
    first, second, third, *_ = (run.decision for run in store.runs("etl"))
    assert (first.changes, first.state) == ((), Decision(Mode.AUTO, ()).state)
    assert standings(second) == {
        ORDER: Standing.TRIAL,
        CALLED_FOR: Standing.TRIAL,
        LONE: Standing.TRIAL,
        THRESHOLDS: Standing.TRIAL,
        CBO: Standing.PROPOSED,
        PARTITIONS: Standing.HELD,
    }
    needs = {d.id: d.change.needs for d in second.changes if d.change.needs}
    assert needs == {CALLED_FOR: ORDER}, "the hint is nothing without the order"
    assert standings(third)[THRESHOLDS] is Standing.PROMOTED
    (statistics,) = (d.change for d in third.changes if d.id == CBO)
    assert [action.target for action in statistics.actions] == ["spark.sql.cbo.enabled", "db.sales"]


def test_every_sentence_is_said_as_it_was(store: Store) -> None:
    for row, run in zip(WRITTEN["spark_tuner_runs"], store.runs("etl"), strict=True):
        actions = row["decision"]["actions"]
        # Tables for a person to analyse are part of the change that they are for, and stand where that does.
        before = {d["reason"] for d in actions if d["action"]["kind"] != "analyze_table"}
        assert {why_words(decided) for decided in run.decision.changes} == before


def test_what_people_ruled_holds(store: Store) -> None:
    verdicts = store.verdicts("etl")
    assert [(v.change_id, v.ruling, v.by) for v in verdicts] == [
        (row["action_id"], row["ruling"], row["by"]) for row in WRITTEN["spark_tuner_verdicts"]
    ]
    (together,) = (d.change for d in store.runs("etl")[2].decision.changes if d.id == THRESHOLDS)
    assert Rulings.of(verdicts, ()).on(together) == verdicts[0], "a ruling on one of them is one on both"


def test_the_next_run_is_decided_as_the_version_that_wrote_it_would_have(store: Store) -> None:
    runs = store.runs("etl")[:4]
    details = store.details(runs[-1].key)
    assert details is not None and details.outlook is not None
    advised = [d.change for d in details.outlook.changes if d.id in (CBO, PARTITIONS)]
    found = decide(Situation(Mode.AUTO, 1, runs, advised, store.verdicts("etl"), drivable=BY_AGENT))
    assert {a.id for a in found.actions} == {a.id for a in details.outlook.actions} == {ORDER, CALLED_FOR, CBO}
    assert standings(found)[LONE] is Standing.ROLLED_BACK
    assert standings(found)[THRESHOLDS] is Standing.ROLLED_BACK


def test_a_measured_loss_keeps_other_jobs_waiting(store: Store) -> None:
    (lost,) = (d for d in store.runs("etl")[2].decision.changes if d.id == LONE)
    (ruled,) = (d for d in store.runs("etl")[3].decision.changes if d.id == ADAPTIVE)
    assert (lost.why.code.value, ruled.why.code.value) == ("slower", "recorded")


def test_it_can_be_taken_back(empty_url: str) -> None:
    engine = open_engine(parse(empty_url))
    fill(engine, "0003")
    upgrade(empty_url)
    migrate(engine, command.downgrade, "0003")
    with engine.begin() as connection:
        stored = connection.execute(text("SELECT key, decision FROM spark_tuner_runs ORDER BY key")).all()
        assert connection.execute(text("SELECT action_id FROM spark_tuner_verdicts")).all()
    engine.dispose()
    for (_, decision), row in zip(stored, WRITTEN["spark_tuner_runs"], strict=True):
        found, before = json.loads(decision)["actions"], row["decision"]["actions"]
        assert {(d["action"]["target"], d["standing"]) for d in found} >= {
            (d["action"]["target"], d["standing"]) for d in before if d["action"]["kind"] != "analyze_table"
        }


def test_what_cannot_be_read_stays_as_it_is(sqlite_url: str, caplog: pytest.LogCaptureFixture) -> None:
    engine = open_engine(parse(sqlite_url))
    fill(engine, "0003")
    with engine.begin() as connection:
        connection.execute(text("UPDATE spark_tuner_runs SET decision = 'no JSON' WHERE key = 'etl/1/1'"))
    engine.dispose()
    with Store.open(sqlite_url) as opened:
        assert [run.key for run in opened.runs("etl")] == ["etl/0/1", "etl/2/1", "etl/3/1", "etl/4/1"]
    assert "run etl/1/1 cannot be read" in caplog.text


def test_cohorts_are_listed_as_their_newest_run_left_them(store: Store) -> None:
    (summary,) = store.cohorts()
    newest = store.runs("etl", 1)[0]
    assert (summary.cohort, summary.runs, summary.last_key) == ("etl", store.count("etl"), newest.key)
    assert (summary.stance.state, summary.stance.mode) == (newest.decision.state, newest.decision.mode)
    assert summary.stance.in_force == stance_of(newest.decision).in_force
    assert summary.figures is None, "from its next run on"


def test_what_the_version_before_wrote_is_read_as_it_was(sqlite_url: str) -> None:
    engine = open_engine(parse(sqlite_url))
    fill(engine, "0009", LATER)
    engine.dispose()
    with Store.open(sqlite_url) as opened:
        runs, ahead = opened.runs("etl.load"), opened.look_ahead("etl.load")
        (saved,) = opened.saved_by_change(None, datetime(2020, 1, 1, tzinfo=UTC), 5)
        (summary,) = opened.cohorts()
    assert summary.figures and summary.figures.measured_at == runs[-1].started_at
    stood = [[d.standing for d in run.decision.in_force] for run in runs]
    assert stood == [[], [Standing.TRIAL], *[[Standing.PROMOTED]] * 3]
    assert [len(run.outcome.queries[0].joins) for run in runs if run.outcome] == [1] * 5
    assert ahead is not None and ahead.decision.in_force[0].id == saved.change_id
    assert saved.saved.runs == 4 and saved.saved.seconds > 0
