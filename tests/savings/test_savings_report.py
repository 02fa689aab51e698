"""What changes gained, summed in the ways that people ask for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import tuner.savings.savings_mail as savings_mail_module
from tuner.history.store import Store
from tuner.model.run import Run
from tuner.model.saving import Saving
from tuner.savings.savings_json import savings_json
from tuner.savings.savings_mail import savings_mail
from tuner.savings.savings_report import SavingsReport, ends, savings_report
from tuner.words.savings import cut_words

from .fleet import COHORTS, MONDAY, book


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as opened:
        yield opened


@pytest.fixture
def report(store: Store) -> SavingsReport:
    book(store)
    return savings_report(store, MONDAY, store.cohorts())


def test_every_way_to_sum_comes_to_the_same(report: SavingsReport) -> None:
    total = report.total.seconds
    assert total == pytest.approx(10 * (10 + 5 - 6), rel=0.1)
    assert report.total.runs == 30
    for parts in (report.weeks, report.cohorts, report.changes):
        assert sum(one.saved.seconds for one in parts) == pytest.approx(total)
        assert sum(one.saved.core_hours for one in parts) == pytest.approx(report.total.core_hours)


def test_a_loss_is_told_beside_what_others_gained(report: SavingsReport) -> None:
    assert [one.cohort for one in report.cohorts] == ["etl.load", "shop.report", "ads.clean"]
    lost = report.cohorts[-1].saved
    assert lost.seconds == pytest.approx(-60, rel=0.1)
    assert report.total.lost_seconds == lost.lost_seconds == pytest.approx(60, rel=0.1)


def test_weeks_begin_on_mondays(report: SavingsReport) -> None:
    assert [one.week for one in report.weeks] == ["2026-11-02", "2026-11-09"]
    assert report.weeks[0].saved.runs == 3 * 3 and report.weeks[1].saved.runs == 3 * 7


def test_a_cohort_with_two_tags_counts_for_each_and_one_without_for_none(report: SavingsReport) -> None:
    found = {one.tag: (one.cohorts, round(one.saved.seconds / 10)) for one in report.tags}
    assert found == {"finance": (2, 15), "daily": (1, 5), "": (1, -6)}


def test_what_is_unsure_of_one_cohort_tells_nothing_of_another(report: SavingsReport) -> None:
    each = [one.saved.deviation for one in report.cohorts]
    assert max(each) < report.total.deviation < sum(each)


def test_changes_are_told_in_words_and_queries_by_name(report: SavingsReport) -> None:
    assert {one.words for one in report.changes} == {"/*+ BROADCAST(days) */ in SELECT revenue"}
    assert all(len(one.short_id) == 5 for one in report.changes)


def test_descriptions_are_for_who_may_read_the_code(store: Store) -> None:
    book(store, "SELECT secret")
    found = savings_report(store, MONDAY, store.cohorts(), may_read_code=lambda s: s.cohort == "etl.load")
    assert [one.cohort for one in found.changes if "secret" in one.words] == ["etl.load"]


def test_runs_of_many_cohorts_are_never_held_together(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changes do is told by the last run of each: of 500 cohorts over years these are thousands, of 0.3 MB and more each."""
    book(store)
    read, asked = store.last_runs_with, list[set[str]]()

    def last_runs_with(changes: Collection[tuple[str, str]]) -> dict[tuple[str, str], Run]:
        asked.append({cohort for cohort, _ in changes})
        return read(changes)

    monkeypatch.setattr(store, "last_runs_with", last_runs_with)
    assert len(savings_report(store, MONDAY, store.cohorts()).changes) == len(COHORTS)
    assert sorted(map(list, asked)) == [[cohort] for cohort in sorted(COHORTS)]


def test_only_the_cohorts_that_are_asked_for(store: Store) -> None:
    book(store)
    some = [summary for summary in store.cohorts() if summary.cohort != "ads.clean"]
    found = savings_report(store, MONDAY, some, are_all=False)
    assert found.total.lost_seconds == 0
    assert {one.cohort for one in (*found.cohorts, *found.changes)} == {"etl.load", "shop.report"}
    assert savings_report(store, MONDAY, [], are_all=False).total.runs == 0
    assert savings_report(store, MONDAY, []).total.runs == 0, "nobody's savings are shown to who may see no cohort"


def test_nothing_since_then(store: Store) -> None:
    book(store)
    found = savings_report(store, MONDAY + timedelta(weeks=2), store.cohorts())
    assert (found.total.runs, found.weeks, found.changes) == (0, (), ())
    assert "No run had a change in force" in savings_mail(found)


def test_json_has_bounds_and_what_it_is_worth(report: SavingsReport) -> None:
    told = savings_json(report, 0.5)
    total = told["total"]
    assert total["low_seconds"] < total["seconds"] < total["high_seconds"]
    assert total["cost"] == pytest.approx(0.5 * total["core_hours"])
    assert savings_json(report)["total"]["cost"] is None
    assert {"since", "total", "weeks", "tags", "cohorts", "changes"} == set(told)
    assert set(COHORTS) == {one["cohort"] for one in told["cohorts"]}


def test_a_mail_is_one_page_without_scripts_links_or_markup_of_others(store: Store) -> None:
    book(store, "<img src=x onerror=alert(1)> \x1b[31m\U000e0049")
    page = savings_mail(savings_report(store, MONDAY, store.cohorts()), 0.5)
    assert page.startswith("<!doctype html>") and page.endswith("</html>")
    for forbidden in ("<script", "<img", "<link", "href=", "src=x onerror=alert(1)>", "\x1b", "\U000e0049"):
        assert forbidden not in page, forbidden
    for told in ("etl.load", "finance", "no tag", "less", "more", "90 % sure"):
        assert told in page, told


def test_a_mail_that_has_not_all_rows_says_how_many_there_are(
    report: SavingsReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert " of 3: " not in savings_mail(report)
    monkeypatch.setattr(savings_mail_module, "MOST_ROWS", 2)
    page = savings_mail(replace(report, changes_are_all=False))
    why = "those that gained most, and those that gained least or lost; `spark-tuner savings --json` has all"
    assert page.count(f">2 of 3: {why}</p>") == 2, "tags and cohorts"
    assert f">2 of the 3 that gained or lost most: {why}</p>" in page


def test_small_losses_are_not_said_to_be_shown_beside_gains_that_are_all_larger(store: Store) -> None:
    book(store)
    gained = [3600.0 + number for number in range(50)] + [-1.0 - number for number in range(10)]
    of_changes = [Saving("run", f"c{n}", seconds, 0.0, 0.0, 0.0, False) for n, seconds in enumerate(gained)]
    store.keep_books("etl.load", None, {"run": MONDAY}, of_changes)
    report = savings_report(store, MONDAY, store.cohorts())
    assert min(one.saved.seconds for one in report.changes) >= 3600
    for shown, said in ((20, "20 of the 50 that gained or lost most: "), (50, "the 50 that gained or lost most; ")):
        assert cut_words(shown, len(report.changes), or_more=not report.changes_are_all).startswith(said)


def test_changes_that_are_not_asked_for_are_known_to_be_there(store: Store) -> None:
    book(store)
    of_some = savings_report(store, MONDAY, store.cohorts(), most_changes=2)
    assert (len(of_some.changes), of_some.changes_are_all) == (2, False)
    assert savings_report(store, MONDAY, store.cohorts()).changes_are_all


@pytest.mark.parametrize("most", range(1, 8))
def test_of_any_number_of_savings_those_that_gained_most_come_first(most: int) -> None:
    found = ends(range(7), most)
    assert len(found) == most
    assert list(found) == sorted(found)
    assert (0 in found, 6 in found) == (True, most > 1)
