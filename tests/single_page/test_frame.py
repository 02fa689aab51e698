"""The page allows just what stands in it, and its own modules keep the panel's promises."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from tests.panel.test_page import BLOCKED_IN_A_SANDBOX, NAMESPACES, RUNS_TEXT, WRITES_MARKUP
from tuner.bench.result_page import STATIC as BENCH
from tuner.replay.report.write import STATIC as REPLAY
from tuner.single_page.frame import PANEL, SHARED, Frame, frame, sheets

MODULES = sorted(file for folder in (SHARED, REPLAY, BENCH) for file in (folder / "js").glob("*.js"))


@pytest.fixture(params=[(REPLAY, "report_main"), (BENCH, "bench_main")], ids=["replay", "bench"])
def around(request: pytest.FixtureRequest) -> Frame:
    return frame("A page", *request.param)


def test_policy_names_each_script_and_sheet_by_its_hash_and_no_host(around: Frame) -> None:
    page = around.head + around.tail
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    inside = re.findall(r"<(?:script|style)(?: type=\"module\")?>(.*?)</(?:script|style)>", page, re.DOTALL)
    hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in inside}
    assert len(inside) == 5
    for rule in policy[1].split("; "):
        name, *sources = rule.split()
        if name in ("script-src", "style-src"):
            hashes -= set(sources)
            assert all(source.startswith("'sha256-") for source in sources)
        else:
            assert sources in (["'none'"], ["data:"])
    assert policy[1].startswith("default-src 'none'; ")
    assert hashes == set()


def test_page_refers_to_nothing_outside_it(around: Frame) -> None:
    assert not re.search(r'<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)="(?!data:,")', around.head + around.tail)


@pytest.mark.parametrize(("own", "last"), [(REPLAY, "report.css"), (BENCH, "bench.css")])
def test_sheets_are_the_panels_and_the_pages_own(own: Path, last: str) -> None:
    names = [sheet.name for sheet in sheets(own)]
    assert names[0] == "tokens.css"
    assert names[-1] == last
    assert set(names) == {sheet.name for folder in (PANEL, own) for sheet in (folder / "css").glob("*.css")}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_module_makes_no_markup_and_names_no_host(module: Path) -> None:
    source = module.read_text()
    for forbidden in (WRITES_MARKUP, RUNS_TEXT, BLOCKED_IN_A_SANDBOX):
        assert not forbidden.search(source)
    assert set(re.findall(r"https?://[\w./-]+", source)) <= NAMESPACES
