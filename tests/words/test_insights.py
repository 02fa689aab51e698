"""Insights in words: whatever their numbers are, and whichever version stored them."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.advice.insights.samples import INSIGHTS
from tests.words.alike import alike
from tuner.history.documents import details_document, readable_details
from tuner.model.insight import Insight, InsightKind
from tuner.model.reason import Number
from tuner.model.run import RunDetails
from tuner.words.insights import insight_change, insight_reason

_SAMPLES = [pytest.param(one, id=f"{number}-{one.kind}") for number, one in enumerate(INSIGHTS)]

# The details of a run as a version stored them that made the sentences before.
_EARLIER = """{"outlook": null, "pictures": [], "insights": [{"kind": "spill", "operator": "Sort by c over orders",
  "query": "q1", "seconds": 2.5, "evidence": [{"what": "spilled to disk", "value": 6000, "unit": "bytes", "of": ""}],
  "reason": "it wrote {6} kB to disk", "change": "give each task more memory", "description": "sales"}]}"""


def _said(insight: Insight) -> tuple[str, str]:
    return insight_reason(insight), insight_change(insight)


def _alike(number: Number) -> st.SearchStrategy[Number]:
    """Numbers of the kind that one is."""
    return st.sampled_from(list(type(number))) if isinstance(number, StrEnum) else alike(number)


@given(insight=st.sampled_from(INSIGHTS), data=st.data())
def test_sentences_can_be_made_of_any_numbers(insight: Insight, data: st.DataObject) -> None:
    drawn = {name: data.draw(_alike(number), name) for name, number in insight.numbers.items()}
    spelled_out = ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in drawn.items())
    for words in _said(replace(insight, numbers=drawn)):
        assert words and (not drawn or not words.endswith(f"({spelled_out})"))


@pytest.mark.parametrize("insight", _SAMPLES)
def test_every_number_is_needed(insight: Insight) -> None:
    """Without it, an insight of its kind reads otherwise."""
    alike = [one for one in INSIGHTS if one.kind is insight.kind]
    for name in insight.numbers:
        rest = (replace(one, numbers={n: v for n, v in one.numbers.items() if n != name}) for one in alike)
        assert [_said(one) for one in rest] != [_said(one) for one in alike], name


@pytest.mark.parametrize("insight", _SAMPLES)
def test_what_was_stored_reads_as_before(insight: Insight) -> None:
    stored = details_document("etl/1", RunDetails(None, (insight,)))
    details = readable_details("etl/1", stored)
    assert details is not None and details.insights == (insight,)
    assert _said(details.insights[0]) == _said(insight)


def test_what_an_earlier_version_said_is_said_as_it_is() -> None:
    details = readable_details("etl/1", _EARLIER)
    assert details is not None
    assert _said(details.insights[0]) == ("it wrote {6} kB to disk", "give each task more memory")
    assert msgspec.json.decode(details_document("etl/1", details))["insights"][0]["reason"] == "it wrote {6} kB to disk"


def test_an_insight_of_another_version_is_its_kind_and_numbers() -> None:
    found = Insight(InsightKind.SMALL_FILES, "Scan of orders", "q1", 2.5, (), numbers={"mean_bytes": 7})
    assert insight_reason(found) == "small files (mean bytes 7)"
    other_cause = Insight(InsightKind.NESTED_LOOP_JOIN, "", "q1", 2.5, (), numbers={"why": "a_newer_one"})
    assert _said(other_cause) == ("nested loop join (why a_newer_one)",) * 2
