"""The texts that people read, beside what they say: `reasons.md`, `changes.md`, `decisions.md` and others.

`SPARK_TUNER_RECORD=words pytest tests/words` writes them anew: git then shows what reads otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.advice.insights.samples import INSIGHTS
from tests.words.samples import (
    ACTIONS,
    CAUSES,
    CHANGES,
    DECIDED,
    DECISIONS,
    FAILURES,
    FOR_VALUES,
    NAMES,
    OPERATORS,
    REASONS,
)
from tuner.compare.cause import CauseCode, CauseKind
from tuner.model.decision import Standing
from tuner.model.insight import InsightKind
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.words.actions import action_words
from tuner.words.causes import cause_words, kind_words
from tuner.words.changes import change_words
from tuner.words.decisions import decision_summary, in_force_words, waiting_words
from tuner.words.failures import failure_words
from tuner.words.gains import gained_words, last_gained_words, night_words
from tuner.words.insights import insight_change, insight_reason
from tuner.words.literal_rungs import values_words
from tuner.words.operators import operator_words
from tuner.words.reasons import reason_words, why_words
from tuner.words.standings import standing_words

_RECORDS = os.environ.get("SPARK_TUNER_RECORD") == "words"


def _reasons() -> Iterator[str]:
    yield "# Reasons\n\nThe query q1 is called daily sales.\n"
    code = None
    for reason in REASONS:
        if reason.code is not code:
            code = reason.code
            yield f"## {code}\n"
        yield from _said(_of_reason(reason), reason_words(reason, NAMES))


def _changes() -> Iterator[str]:
    yield "# Changes\n\nThe query q1 is called daily sales.\n\n## Actions\n"
    for action in ACTIONS:
        yield from _said(action.id, action_words(action, NAMES))
    yield "## Changes\n"
    for change in CHANGES:
        yield from _said(change.id, change_words(change, NAMES))


def _decisions() -> Iterator[str]:
    yield "# Decisions\n\n## Standings\n"
    for standing in Standing:
        yield from _said(standing, standing_words(standing))
    yield "## Why a change stands where it stands\n"
    for decided in DECIDED:
        held = f", held: {decided.held.code}" if decided.held else ""
        yield from _said(f"{decided.standing}, why: {decided.why.code}{held}", why_words(decided, NAMES))
    yield "## Which filter values a change acts on\n"
    for decided in FOR_VALUES:
        rung = f"rung {decided.rung}, classes: {len(decided.literals)}, neutral: {', '.join(decided.neutral)}"
        yield from _said(rung, values_words(decided))
    for title, words in (
        ("Summaries", decision_summary),
        ("What a run has in force", in_force_words),
        ("What waits for a person", waiting_words),
    ):
        yield f"## {title}\n"
        for decision in DECISIONS:
            what = [decided.standing for decided in decision.changes]
            what += [decision.unsteered.code] if decision.unsteered else []
            yield from _said(f"mode {decision.mode}: {', '.join(what) or 'no change'}", words(decision))
    yield "## What was gained\n"
    for before, after, between in ((7.0, 4.0, (2.1, 4.0)), (7.0, 7.5, (-0.9, -0.1)), (7.0, 7.5, (-1.5, 0.4))):
        what = f"expected {before} s, took {after} s, gained between {between[0]} s and {between[1]} s"
        yield from _said(what, gained_words(before, after, between))
        yield from _said(f"in a run: {what}", night_words("1 query", before, after, between))
    yield from _said("expected 0.0 s, took 0.5 s", gained_words(0.0, 0.5, (-0.5, -0.5)))
    for gained, within in ((2.5, (2.0, 3.0)), (-0.4, None), (-42.4, (-54.1, 63.6))):
        yield from _said(f"a change: {gained} s, between {within}", last_gained_words(gained, within))


def _failures() -> Iterator[str]:
    yield "# Failures\n\nThe query q1 is called daily sales.\n"
    for failure in FAILURES:
        what = f"{failure.kind}: {failure.words}; query: {failure.query}; where: {failure.where}"
        yield from _said(what, failure_words(failure, NAMES))


def _insights() -> Iterator[str]:
    yield "# Insights\n\nEach with what a person can change.\n"
    kind = None
    for insight in INSIGHTS:
        if insight.kind is not kind:
            kind = insight.kind
            yield f"## {kind}\n"
        yield from _said(_numbers(insight.numbers), insight_reason(insight))
        yield f"> {insight_change(insight)}\n"


def _causes() -> Iterator[str]:
    yield "# Causes of a difference between two runs\n\nThe query q1 is called daily sales.\n\n## Kinds\n"
    for kind in CauseKind:
        yield from _said(kind, kind_words(kind))
    code = None
    changes = {change.id: change for change in CHANGES}
    for cause in CAUSES:
        if cause.code is not code:
            code = cause.code
            yield f"## {code}\n"
        yield from _said(_numbers(cause.numbers), cause_words(cause, NAMES, changes))
    yield "## Operators\n"
    for one in OPERATORS:
        yield from _said(f"{one.kind}: {one.before} → {one.after}", operator_words(one))


def _of_reason(reason: Reason) -> str:
    because = "".join(f"; because {one.code}" for one in reason.because)
    numbers = _numbers(reason.numbers) if reason.numbers or not because else ""
    return f"{numbers}{because}"


def _numbers(numbers: Mapping[str, Number]) -> str:
    return ", ".join(f"{name}={value}" for name, value in numbers.items()) or "no numbers"


def _said(what: str, words: str) -> Iterator[str]:
    yield f"`{what}`\n"
    yield f"> {words}\n"


@pytest.mark.parametrize(
    ("file", "texts"),
    [
        ("reasons.md", _reasons),
        ("changes.md", _changes),
        ("decisions.md", _decisions),
        ("failures.md", _failures),
        ("causes.md", _causes),
        ("insights.md", _insights),
    ],
)
def test_texts_read_as_recorded(file: str, texts: Callable[[], Iterator[str]]) -> None:
    golden, found = Path(__file__).parent / file, "\n".join(texts())
    if _RECORDS:
        golden.write_text(found, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == found


def test_every_code_has_a_text() -> None:
    assert {reason.code for reason in REASONS} == set(ReasonCode)
    assert {cause.code for cause in CAUSES} == set(CauseCode)
    assert {insight.kind for insight in INSIGHTS} == set(InsightKind)
