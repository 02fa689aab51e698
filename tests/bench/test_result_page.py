"""A bench's page opened as a file: tables and plots of the same figures, for pointers and keyboards, from nobody else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.opened_file import opened
from tuner.bench.bench_result import BenchResult
from tuner.bench.result_page import write_page
from tuner.bench.results import results
from tuner.errors import TunerError

from .made import run, runs, setup

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TITLES = {"default": "Spark's defaults", "tuner": "the <i>tuner</i>", "cbo": "CBO"}


def result() -> BenchResult:
    default = [{"q1": 10.0, "q2": 5.0}] * 5
    tuned = ({"q1": 10, "q2": 5}, *[{"q1": 2, "q2": 5}] * 4)
    cbo = [*runs("cbo", *[{"q1": 4, "q2": 8}] * 4), run("cbo", 5, {"q1": 4, "q2": 8}, failed=["q1"])]
    return results(setup(), TITLES, {"default": runs("default", *default), "tuner": runs("tuner", *tuned), "cbo": cbo})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tables_and_plots(chromium: Browser, tmp_path: Path, scheme: str) -> None:
    page_file = tmp_path / "bench of mine.html"
    write_page(page_file, result(), "a machine with <b>2</b> cores")
    with opened(chromium, page_file, scheme) as page:
        page.get_by_role("heading", name="two queries").wait_for()
        assert page.get_by_text("a machine with <b>2</b> cores").count() == 1
        row = page.get_by_role("row", name="the <i>tuner</i>").first
        assert "2.14x" in row.inner_text()
        assert page.get_by_role("row", name="q1 10.0 s").get_by_text("5.00x").count() == 1
        assert page.get_by_text("slower", exact=True).count() >= 1
        pictures = page.get_by_role("img", name="")
        page.locator(".chart-picture svg").nth(2).wait_for()
        assert page.locator(".chart-picture svg").count() == 3
        assert pictures.count() >= 3
        assert "In run 5: Spark's defaults 15.0 s, the <i>tuner</i> 7.0 s" in (
            page.locator(".chart-picture").first.get_attribute("aria-label") or ""
        )
        if directory := os.environ.get("SPARK_TUNER_SCREENSHOTS"):
            page.screenshot(path=Path(directory) / f"bench_{scheme}.png", full_page=True)


def test_what_fails_has_no_ratio(chromium: Browser, tmp_path: Path) -> None:
    default = [run("default", n, {"q1": 10, "q2": 0.1}, failed=["q2"]) for n in range(1, 6)]
    broken = [run("cbo", n, {"q1": 1, "q2": 1}, failed=["q1", "q2"]) for n in range(1, 6)]
    tuned = runs("tuner", *[{"q1": 5, "q2": 60}] * 5)
    write_page(
        tmp_path / "page.html", results(setup(), TITLES, {"default": default, "tuner": tuned, "cbo": broken}), ""
    )
    with opened(chromium, tmp_path / "page.html", "light") as page:
        page.locator(".chart-picture svg").nth(2).wait_for()
        row = page.get_by_role("row", name="q2 failed").inner_text()
        assert "by default it fails" in row
        assert row.endswith("failed")
        assert "x" not in row, "no ratio"
        assert "CBO: at best" not in (page.locator(".chart-picture").nth(2).get_attribute("aria-label") or "")


def test_what_gave_other_rows_has_no_ratio(chromium: Browser, tmp_path: Path) -> None:
    empty = [run("cbo", n, {"q1": 0.1, "q2": 4}, digests={"q1": "none"}) for n in range(1, 6)]
    took = {"default": runs("default", *[{"q1": 10, "q2": 5}] * 5), "cbo": empty}
    write_page(tmp_path / "page.html", results(setup(), TITLES, took), "")
    with opened(chromium, tmp_path / "page.html", "light") as page:
        page.locator(".chart-picture svg").nth(2).wait_for()
        row = page.get_by_role("row", name="q1 10.0 s").inner_text()
        assert "other rows" in row
        assert "x" not in row.replace("other rows", ""), "no ratio"
        dots = page.locator(".chart-picture").nth(2).get_attribute("aria-label") or ""
        assert "CBO: at best 1.3 times, q2" in dots


def test_a_page_that_cannot_be_written_leaves_what_is_there(tmp_path: Path) -> None:
    target = tmp_path / "none" / "page.html"
    with pytest.raises(TunerError, match="give another --report"):
        write_page(target, result(), "")
    assert not target.parent.exists()
    shutil.rmtree(tmp_path)
