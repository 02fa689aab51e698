"""`baseline export|import`: out of one store, through a file, into another; nothing is stored of what is not right."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.baseline.made import BASELINE, Q2, change
from tests.cli.conftest import Result
from tests.policy.histories import MIDNIGHT, run
from tuner.baseline.baseline_text import baseline_text
from tuner.baseline.plan_import import plan_import
from tuner.history.store import Store
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.import_plan import ImportPlan
from tuner.model.run import Run, RunDetails
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.words.short_ids import short_id

Call = Callable[..., Result]
SET = change(BASELINE.trials[2].changes[0].actions[0], queries=(Q2,))


def decided(standing: Standing) -> DecidedChange:
    return DecidedChange(SET, standing, SET.reason)


def keep(url: str, *runs: Run) -> None:
    with Store.open(url) as store:
        for one in runs:
            store.begin(one.begun)
            store.finish(one.key, one.state, one.ended_at or one.started_at, one.outcome)
        store.add_details(runs[-1].key, RunDetails(outlook=replace(runs[-1].decision, changes=())))


def dump(url: str) -> list[str]:
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        return list(connection.iterdump())


@pytest.fixture
def staging(tmp_path: Path) -> str:
    """Where one night has proven a property."""
    url = f"sqlite:///{tmp_path}/staging.db"
    keep(url, run(0, {Q2: 10.0}), run(1, {Q2: 4.0}, decided(Standing.TRIAL)))
    return url


@pytest.fixture
def production(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/history.db"
    keep(url, run(0, {Q2: 10.0}))
    return url


@pytest.fixture
def file(spark_tuner: Call, staging: str, tmp_path: Path) -> Path:
    written = tmp_path / "baseline.json"
    result = spark_tuner("baseline", "export", "etl", "--db", staging, "-o", written)
    assert (result.code, result.out) == (0, "")
    assert result.err == "etl: 1 change proven as of 2026-01-02\n"
    return written


def test_it_goes_out_of_one_store_and_into_another(spark_tuner: Call, file: Path, production: str) -> None:
    result = spark_tuner("baseline", "import", file, "--db", production)
    assert (result.code, result.err) == (0, "")
    assert "etl: 1 of 1 change imported from the baseline of etl, as of 2026-01-02" in result.said
    assert "spark.sql.shuffle.partitions=16" in result.said and "on trial in the next run" in result.said
    assert result.out.endswith(f"\nlook at it: spark-tuner status etl --db {production}\n")
    shown = spark_tuner("status", "etl", "--db", production).said
    assert f"on trial (id {short_id(SET.id)}): spark.sql.shuffle.partitions=16" in shown
    assert "imported from a baseline of etl exported as of 2026-01-02: it gained" in shown
    assert "in force in the next run: 1 on trial" in shown


def test_stdout_has_the_same_bytes_each_time(spark_tuner: Call, staging: str, file: Path) -> None:
    first, again = (spark_tuner("baseline", "export", "etl", "--db", staging).out for _ in range(2))
    assert first == again == file.read_text("utf-8")


def test_a_person_may_rule_on_it_before_the_next_run(spark_tuner: Call, file: Path, production: str) -> None:
    with Store.open(production) as store:
        (ran,) = store.runs("etl")
        store.add_details(ran.key, RunDetails(outlook=replace(ran.decision, mode=Mode.SUGGEST)))
    spark_tuner("baseline", "import", file)
    assert spark_tuner("approve", "etl", short_id(SET.id)).code == 0
    assert "in force in the next run: 1 on trial" in spark_tuner("status", "etl").said
    assert spark_tuner("reject", "etl", short_id(SET.id)).code == 0
    again = spark_tuner("baseline", "import", file)
    assert "0 of 1 change imported" in again.said and "rejected here by" in again.said


def test_a_dry_run_stores_nothing(spark_tuner: Call, file: Path, production: str) -> None:
    before = dump(production)
    result = spark_tuner("baseline", "import", file, "--pin", "--dry-run")
    assert (
        "1 of 1 change would be imported and pinned from the baseline of etl" in result.said
        and "pinned: in every run" in result.said
    )
    assert "nothing is stored: that was a dry run" in result.said
    assert dump(production) == before


def test_importing_twice_changes_nothing(spark_tuner: Call, file: Path, production: str) -> None:
    spark_tuner("baseline", "import", file)
    before = dump(production)
    result = spark_tuner("baseline", "import", file)
    assert result.code == 0 and "left out" in result.said and "imported before" in result.said
    assert dump(production) == before


def test_it_may_be_for_another_cohort_which_may_have_no_run_yet(spark_tuner: Call, file: Path, production: str) -> None:
    result = spark_tuner("baseline", "import", file, "--cohort", "new.job", "--pin", "--json")
    document = json.loads(result.out)
    assert (document["cohort"], document["from"], document["dry_run"]) == ("new.job", "etl", False)
    (one,) = document["changes"]
    assert (one["ids"], one["imported"], one["fate"], one["standing"]) == ([SET.id], True, "waits_for_run", None)
    later = spark_tuner("baseline", "import", file, "--cohort", "third.job")
    assert "waits for the first run here" in later.said and "spark-tuner status" not in later.said
    with Store.open(production) as store:
        assert [i.change.id for i in store.imports("new.job")] == [SET.id]
        assert [v.reason for v in store.verdicts("new.job")] == [
            "imported from a baseline of etl exported as of 2026-01-02"
        ]
        assert store.imports("etl") == []


def test_what_waits_for_a_first_run_is_shown_and_ruled_on(spark_tuner: Call, file: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    assert spark_tuner("db", "upgrade", "--db", url).code == 0
    assert spark_tuner("baseline", "import", file, "--pin", "--db", url).code == 0
    listed = spark_tuner("status", "--db", url)
    assert "etl: waits for its first run" in listed.said and "no runs yet" not in listed.out
    found = json.loads(spark_tuner("status", "--json", "--db", url).out)
    assert found == {"cohorts": [], "without_runs": ["etl"]}
    shown = spark_tuner("status", "etl", "--db", url).said
    assert f"pinned (id {short_id(SET.id)}): spark.sql.shuffle.partitions=16" in shown
    assert "imported from a baseline of etl exported as of 2026-01-02" in shown
    coming = json.loads(spark_tuner("status", "etl", "--json", "--db", url).out)
    assert (coming["summary"], coming["runs"], coming["next"]["actions"][0]["standing"]) == (None, [], "pinned")
    assert spark_tuner("reject", "etl", short_id(SET.id), "--reason", "not here", "--db", url).code == 0
    shown = spark_tuner("status", "etl", "--db", url).said
    assert f"held (id {short_id(SET.id)})" in shown and "rejected by" in shown and "not here" in shown
    keep(url, run(0, {Q2: 10.0}))
    assert "waits for its first run" not in spark_tuner("status", "--db", url).said
    assert spark_tuner("approve", "etl", short_id(SET.id), "--db", url).code == 0
    none = spark_tuner("status", "other", "--db", url)
    assert (none.code, "no run of cohort 'other' in the store" in none.err) == (1, True)


def test_what_runs_here_have_otherwise_is_said(spark_tuner: Call, tmp_path: Path, production: str) -> None:
    other = tmp_path / "other.json"
    other.write_text(baseline_text(replace(BASELINE, cohort="etl", spark_version="3.5.1", trials=BASELINE.trials[2:])))
    said = spark_tuner("baseline", "import", other, "--db", production).said
    assert "runs here have Spark 4.0 instead of 3.5" in said
    assert "held in the next run: proven elsewhere, but runs here have Spark 4.0 instead of 3.5" in said


def test_a_cohort_that_has_proven_nothing_has_a_baseline_of_nothing(spark_tuner: Call, production: str) -> None:
    result = spark_tuner("baseline", "export", "etl")
    assert (result.code, json.loads(result.out)["changes"]) == (0, [])
    assert result.err == "etl: 0 changes proven as of 2026-01-01\n"


def test_what_people_said_goes_along_and_both_ends_say_so(
    spark_tuner: Call, staging: str, production: str, tmp_path: Path
) -> None:
    refused = "hint_join:" + Q2 + "/" + "9" * 16 + "=BROADCAST(db.items)"
    with Store.open(staging) as store:
        store.set_mode(ModeChange("etl", Mode.OBSERVE, "ana", MIDNIGHT, "quarter end"))
        store.record(Verdict("etl", refused, Ruling.REJECT, "ben", MIDNIGHT, "too large"))
    written = tmp_path / "baseline.json"
    told = spark_tuner("baseline", "export", "etl", "--db", staging, "-o", written)
    assert told.err == "etl: 1 change proven as of 2026-01-02; mode observe; 1 change refused\n"
    planned = json.loads(spark_tuner("baseline", "import", written, "--dry-run", "--json").out)
    assert [one["here"] for one in planned["changes"]] == ["proposed: it waits for a person"]
    result = spark_tuner("baseline", "import", written)
    assert "mode observe: holds here, too" in result.said
    assert f"rejected by ben on {MIDNIGHT:%Y-%m-%d}: " in result.said and short_id(refused) in result.said
    with Store.open(production) as store:
        assert store.mode("etl") is Mode.OBSERVE
        assert [(one.change_id, one.ruling) for one in store.verdicts("etl")] == [(refused, Ruling.REJECT)]
    again = spark_tuner("baseline", "import", written)
    assert "mode observe: left out: people here have spoken" in again.said
    document = json.loads(spark_tuner("baseline", "import", written, "--json").out)
    assert document["mode"] == {"there": "observe", "imported": False}
    assert [(one["id"], one["imported"]) for one in document["refused"]] == [(refused, False)]


def test_who_speaks_while_an_import_is_planned_is_heard(
    spark_tuner: Call, file: Path, production: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planned(store: Store, *given: Any) -> ImportPlan:
        found = plan_import(store, *given)
        with Store.open(production) as other:
            other.set_mode(ModeChange("etl", Mode.OBSERVE, "eve", MIDNIGHT))
        return found

    monkeypatch.setattr("tuner.baseline.plan_import.plan_import", planned)
    result = spark_tuner("baseline", "import", file)
    assert (result.code, result.out) == (1, "")
    assert "somebody spoke of cohort etl meanwhile; look at it again" in result.err
    with Store.open(production) as store:
        assert (store.imports("etl"), store.verdicts("etl"), store.mode("etl")) == ([], [], Mode.OBSERVE)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no baseline: it is no JSON that can be read"),
        ("[" * 100_000, "is no baseline: it is nested deeper than 8 levels"),
        ("SET", "spark.jars is no property that a change may set"),
        ("\x1b", "characters that cannot be printed"),
    ],
)
def test_what_is_no_baseline_is_refused_in_one_line_and_nothing_is_stored(
    spark_tuner: Call, file: Path, production: str, text: str, why: str
) -> None:
    whole = file.read_text("utf-8")
    hostile = {
        "SET": whole.replace("spark.sql.shuffle.partitions", "spark.jars"),
        "\x1b": whole.replace('"etl"', '"\\u001b[2J"'),
    }
    file.write_text(hostile.get(text, text))
    before = dump(production)
    result = spark_tuner("baseline", "import", file)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"spark-tuner: {file} is no baseline: ") and result.err.count("\n") == 1
    assert why in result.err and "nothing is imported: export it again with" in result.err
    assert dump(production) == before


def test_what_is_not_there_is_said(spark_tuner: Call, tmp_path: Path, file: Path, production: str) -> None:
    missing = spark_tuner("baseline", "import", tmp_path / "none.json")
    assert (missing.code, "cannot read the baseline: No such file" in missing.err) == (1, True)
    assert spark_tuner("baseline", "import", tmp_path).code == 1
    assert "there is no history store" in spark_tuner("baseline", "import", file, "--db", "sqlite:////none.db").err
    assert "no run of cohort 'none'" in spark_tuner("baseline", "export", "none").err
    assert spark_tuner("baseline", "import", file, "--cohort", "a\x1b").code == 2
    there = spark_tuner("baseline", "export", "etl", "-o", tmp_path)
    assert (there.code, "cannot write the baseline" in there.err) == (1, True)
    Store.open(f"sqlite:///{tmp_path}/empty.db").close()
    with Store.open(f"sqlite:///{tmp_path}/empty.db") as store:
        store.begin(run(0, None).begun)
    unmeasured = spark_tuner("baseline", "export", "etl", "--db", f"sqlite:///{tmp_path}/empty.db")
    assert (unmeasured.code, "no run of cohort 'etl' was measured" in unmeasured.err) == (1, True)
