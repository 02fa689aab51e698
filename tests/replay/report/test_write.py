"""A report is one file with the panel's own answers in it, or there is none."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.panel.nights import keep, night, query
from tests.replay.report.made import Made, cohort, replay, store_cohort
from tuner.errors import RequirementError, TunerError
from tuner.history.store import Store
from tuner.panel.facts import CohortFacts
from tuner.panel.recent_runs import RecentRuns
from tuner.replay.report.cohort_answers import CohortAnswers, cohort_answers
from tuner.replay.report.write import write_report


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as opened:
        yield opened


def written(path: Path, made: Made, store: Store, **options: Any) -> str:
    write_report(path, made, store, **options)
    return path.read_text()


def front(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="front">(.*?)</script>', page)
    assert found is not None
    answers: dict[str, Any] = json.loads(found[1])
    return answers


def packed(page: str) -> dict[str, Any]:
    found = re.findall(r'<script type="application/gzip" id="(cohort-\d+)">(.*?)</script>', page)
    return {id_: json.loads(gzip.decompress(base64.b64decode(text))) for id_, text in found}


def test_a_cohorts_page_holds_what_the_panel_answers(tmp_path: Path, store: Store) -> None:
    store_cohort(store, cohort())
    answers = packed(written(tmp_path / "out.html", replay(cohort()), store))["cohort-0"]
    facts = CohortFacts(store, RecentRuns(), store.cohorts()[0])
    assert answers == cohort_answers(facts).model_dump(mode="json")
    assert answers["cohort"]["may_act"] is False
    assert [run["key"] for run in answers["runs"]] == ["cli/etl.load/2/1", "cli/etl.load/1/1", "cli/etl.load/0/1"]
    assert [r["standing"] for r in answers["recommendations"]] == ["proposed", "trial"]
    assert answers["plans"].keys() == {"q1", "q2"}
    assert answers["insights"][0]["change"] == "name the alias"


def test_the_cohorts_with_the_most_core_hours_get_pages_and_all_are_in_the_table(tmp_path: Path, store: Store) -> None:
    cohorts = [cohort(f"c{n}", core_hours=n + 1) for n in range(4)]
    for each in cohorts:
        store_cohort(store, each)
    page = written(tmp_path / "out.html", replay(*cohorts), store, most_pages=2)
    assert [answers["cohort"]["cohort"] for answers in packed(page).values()] == ["c3", "c2"]
    assert [(row["cohort"], row["page"]) for row in front(page)["cohorts"]] == [
        ("c3", 0),
        ("c2", 1),
        ("c1", None),
        ("c0", None),
    ]


def test_cohorts_of_the_store_that_were_not_replayed_are_left_out(tmp_path: Path, store: Store) -> None:
    keep(store, night(0, query("q1", 20), cohort="another"))
    page = written(tmp_path / "out.html", replay(cohort("gone")), store)
    assert packed(page) == {}
    assert [(row["cohort"], row["page"]) for row in front(page)["cohorts"]] == [("gone", None)]


def test_a_page_that_cannot_be_made_is_told_and_stops_no_other(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cohorts = [cohort("good", 1), cohort("bad", 2)]
    for each in cohorts:
        store_cohort(store, each)

    def answers(facts: CohortFacts, _: float | None) -> CohortAnswers:
        return cohort_answers(facts) if facts.cohort == "good" else 1 / 0  # type: ignore[return-value]

    monkeypatch.setattr("tuner.replay.report.cohort_answers.cohort_answers", answers)
    page = written(tmp_path / "out.html", replay(*cohorts), store)
    assert [(row["cohort"], row["page"]) for row in front(page)["cohorts"]] == [("bad", None), ("good", 0)]
    assert packed(page)["cohort-0"]["cohort"]["cohort"] == "good"
    assert front(page)["problems"] == ["could not make the page of cohort bad: division by zero"]


def test_what_is_there_is_replaced_as_a_whole(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.html"
    out.write_text("before")
    monkeypatch.setattr("tuner.single_page.blocks.gzip.compress", lambda *_, **__: 1 / 0)
    store_cohort(store, cohort())
    with pytest.raises(ZeroDivisionError):
        write_report(out, replay(cohort()), store)
    assert out.read_text() == "before"
    assert [file.name for file in tmp_path.glob("*.html*")] == ["out.html"]


@pytest.mark.parametrize(("where", "why"), [("gone/out.html", "No such file"), ("file/out.html", "Not a directory")])
def test_where_no_file_can_be_it_is_said(tmp_path: Path, store: Store, where: str, why: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TunerError, match=f"cannot write the report to .*{where}: {why}.*; give another --report"):
        write_report(tmp_path / where, replay(), store)


def test_what_is_missing_is_named_before_anything_is_written(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "tuner.replay.report.requirement.find_spec", lambda name: None if name == "fastapi" else found(name)
    )
    with pytest.raises(RequirementError, match=r"need fastapi: pip install 'airflow-spark-tuner\[ui\]'"):
        write_report(tmp_path / "out.html", replay(), store)
    assert not (tmp_path / "out.html").exists()
