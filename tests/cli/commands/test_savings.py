"""`spark-tuner savings`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.savings import fleet
from tests.savings.fleet import book
from tuner.cli.as_text import savings
from tuner.history.asked_cohorts import none_asked
from tuner.history.store import Store

Call = Callable[..., Result]


@pytest.fixture
def filled(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/history.db"
    with Store.open(url) as store:
        book(store)
    return url


@pytest.mark.parametrize("columns", [80, 100])
def test_it_is_told_by_week_tag_cohort_and_change(
    spark_tuner: Call, filled: str, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = spark_tuner("savings", "--weeks", "520", "--core-hour-price", "0.5", "--db", filled)
    assert result.code == 0
    said = " ".join(result.out.split())
    assert "30 runs of 3 cohorts with changes in force took" in said and "less (90 % sure:" in said
    assert "after losses of 60" in result.out or "after losses of 59" in result.out
    for told in ("Week of", "2026-11-02", "DAG tag", "no tag", "finance", "Cohort", "ads.clean", "Change", "cost less"):
        assert told in result.out, told
    assert max(map(len, result.out.splitlines())) <= columns


def test_a_table_that_has_not_all_rows_says_how_many_there_are(
    spark_tuner: Call, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 212 cohorts it showed 20, and nothing told of the others."""
    asked = ("savings", "--weeks", "520", "--db", filled)
    assert "of 3" not in spark_tuner(*asked).out.split("Cohort")[1]
    monkeypatch.setattr(savings, "_MOST_LINES", 2)
    said = " ".join(spark_tuner(*asked).out.split())
    cut = "2 of 3: those that gained most, and those that gained least or lost; `spark-tuner savings --json` has all"
    assert said.count(cut) == 2, "cohorts and changes"


def test_json_is_for_machines(spark_tuner: Call, filled: str) -> None:
    told = json.loads(spark_tuner("savings", "--weeks", "520", "--json", "--db", filled).out)
    assert {one["cohort"] for one in told["changes"]} == {"etl.load", "shop.report", "ads.clean"}


def test_cohorts_and_tags_are_chosen(spark_tuner: Call, filled: str) -> None:
    def cohorts(*asked: str) -> set[str]:
        out = spark_tuner("savings", "--weeks", "520", "--json", "--db", filled, *asked).out
        return {one["cohort"] for one in json.loads(out)["cohorts"]}

    assert cohorts("--cohort", "*.load") == {"etl.load"}
    assert cohorts("--tag", "finance") == {"etl.load", "shop.report"}


@pytest.mark.parametrize(("name", "other"), [("load [x]", "load x"), ("load?", "load1")])
def test_a_cohort_is_asked_for_by_its_own_name_whatever_stands_in_it(
    spark_tuner: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, other: str
) -> None:
    url = f"sqlite:///{tmp_path}/history.db"
    monkeypatch.setattr(fleet, "COHORTS", {name: (10.0, []), other: (15.0, [])})
    with Store.open(url) as store:
        book(store)
    out = spark_tuner("savings", "--weeks", "520", "--db", url, "--json", "--cohort", name).out
    assert [one["cohort"] for one in json.loads(out)["cohorts"]] == [name]


@pytest.mark.parametrize("form", [(), ("--json",), ("--html", "savings.html")])
def test_a_pattern_that_names_no_cohort_says_which_there_are(
    spark_tuner: Call, filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    """It said that no run had a change in force, and went well."""
    monkeypatch.chdir(tmp_path)
    result = spark_tuner("savings", "--weeks", "520", "--db", filled, "--cohort", "no  such [x]", *form)
    why = none_asked("no  such [x]", ["ads.clean", "etl.load", "shop.report"])
    assert (result.code, result.out, result.err) == (1, "", f"spark-tuner: {why}\n")
    assert not (tmp_path / "savings.html").exists()


@pytest.mark.parametrize("form", [(), ("--json",), ("--html", "savings.html")])
def test_a_tag_that_no_cohort_has_says_which_there_are(
    spark_tuner: Call, filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    """It said that no run had a change in force, and went well."""
    monkeypatch.chdir(tmp_path)
    result = spark_tuner("savings", "--weeks", "520", "--db", filled, "--tag", "finanse", *form)
    assert (result.code, result.out) == (1, "")
    assert "no cohort's DAG has the tag 'finanse'; there are: " in result.err and "finance" in result.err
    assert not (tmp_path / "savings.html").exists()
    untagged = spark_tuner("savings", "--weeks", "520", "--db", filled, "--cohort", "ads.clean", "--tag", "x", *form)
    assert (untagged.code, untagged.err) == (1, "spark-tuner: no cohort's DAG has the tag 'x'; none has any\n")


def test_a_page_to_mail_is_written(spark_tuner: Call, filled: str, tmp_path: Path) -> None:
    file = tmp_path / "savings.html"
    result = spark_tuner("savings", "--weeks", "520", "--html", str(file), "--db", filled)
    assert (result.code, result.out) == (0, "") and str(file) in result.err
    assert "ads.clean" in file.read_text()
    refused = spark_tuner("savings", "--html", str(tmp_path / "no" / "where.html"), "--db", filled)
    assert refused.code == 1 and "cannot write the page" in refused.err


def test_nothing_booked_is_said(spark_tuner: Call, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/empty.db"
    Store.open(url).close()
    for asked in ((), ("--cohort", "etl.*")):
        assert "Nothing is booked since" in spark_tuner("savings", "--db", url, *asked).out
    assert spark_tuner("savings", "--db", f"sqlite:///{tmp_path}/none.db").code == 1
