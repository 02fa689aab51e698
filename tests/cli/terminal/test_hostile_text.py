"""What logs and people wrote is one printable line on the terminal, wherever it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from tests.cli.conftest import Result
from tests.words.samples import REASONS
from tuner.cli.as_text.demo import show
from tuner.cli.terminal.print_lines import print_lines
from tuner.demo.table import rows
from tuner.history.store import Store
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason
from tuner.model.run import Outcome, Run, RunState

HOSTILE = "a\x1b[2J\x07\u202e\u200b\U000e0049[red]\nforged line"
AT = datetime(2026, 1, 1, tzinfo=UTC)


def hostile(reason: Reason) -> Reason:
    """The same with hostile names in place of names, but for those that are one of a list."""
    listed = {"making", "mode", "ruling", "standing", "status"}
    numbers = {
        name: HOSTILE if isinstance(number, str) and name not in listed else number
        for name, number in reason.numbers.items()
    }
    return Reason(reason.code, numbers, tuple(map(hostile, reason.because)))


@pytest.fixture
def run() -> Run:
    """A run that failed, with a hostile change for each reason there is."""
    changes = []
    for number, reason in enumerate(REASONS):
        action = Action(ActionKind.HINT_JOIN, str(number), Hint.BROADCAST, "q1", (HOSTILE,))
        change = Change.of("test", (action,), ("q1",), hostile(reason), (), None)
        changes.append(DecidedChange(change, Standing.HELD, change.reason, change.reason))
    failure = Failure(FailureKind.UNKNOWN, HOSTILE, None, HOSTILE)
    outcome = Outcome("app-1", "4.3.0", 1000, Cluster(cores=2), (), failure=failure)
    return Run("etl/1", "etl.nightly", 1, AT, RunState.FAILED, Decision(Mode.AUTO, tuple(changes)), "", AT, outcome)


def is_clean(shown: str) -> bool:
    return all(char == "\n" or char.isprintable() or char == "\ufffd" for char in shown) and "\nforged" not in shown


def test_status(spark_tuner: Callable[..., Result], run: Run, tmp_path: Path) -> None:
    unsteered = Decision(Mode.AUTO, (), unsteered=Reason(REASONS[-1].code, {"why": HOSTILE}))
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        for one in (replace(run, key="etl/0", decision=unsteered), run):
            store.begin(replace(one, state=RunState.RUNNING, ended_at=None, outcome=None))
            store.finish(one.key, one.state, AT, one.outcome)
    shown = spark_tuner("status", "etl.nightly").out
    assert shown.count("forged line") >= 2 * len(REASONS)
    assert is_clean(shown)


def test_the_demo(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    in_force = (replace(decided, standing=Standing.TRIAL) for decided in run.decision.changes)
    show(Console(width=300), rows([replace(run, decision=Decision(Mode.AUTO, tuple(in_force)))]))
    shown = capsys.readouterr().out
    assert "forged line" in shown
    assert is_clean(shown)


def test_a_line_is_no_markup_and_is_cut_at_its_limit(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(Console(width=80), ["[bold]" + "x" * 100], limit=60)
    assert capsys.readouterr().out.splitlines() == ["[bold]" + "x" * 53 + "…"]
