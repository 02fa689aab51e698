"""A condition that may fail is asked of the same pairs by every kind of join that returns them all: such a join takes hints."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import AT_LENGTH

from .agent_log import steered_executions
from .fragile_programs import RAISING, Fragile
from .fragile_tables import write_fragile_tables

pytestmark = [pytest.mark.spark]
_APP = Path(__file__).with_name("fragile_app.py")
_OTHER_ROWS = "another kind of join could ask what may fail of other rows"
_PAIRS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
# Of g no key is one of a bad row of f: no pair of equal keys fails, and many a pair would.
_OF_PAIRS = "{join} g ON x.k = g.k AND least(greatest(hash({risk}, g.gw), 0), 3) >= 1"
_OF_KEYS = "JOIN c ON least(greatest(hash({risk}), 0), 3) = c.m"
_RISKS = [risk.replace("{x}", "x") for risk in RAISING[:: 6 if AT_LENGTH else 9]]


def _programs() -> dict[str, Fragile]:
    of_pairs = {
        f"{join} {number}": f"SELECT x.id, g.gw FROM f x {_OF_PAIRS.format(join=join, risk=risk)}"
        for join in _PAIRS
        for number, risk in enumerate(_RISKS)
    }
    semi = f"SELECT x.id FROM f x {_OF_PAIRS.format(join='LEFT SEMI JOIN', risk=_RISKS[0])}"
    of_keys = f"SELECT x.id FROM (SELECT * FROM f WHERE k < 8) x {_OF_KEYS.format(risk=_RISKS[0])}"
    texts = {**of_pairs, "semi": semi, "keys": of_keys}
    return {name: Fragile(text, codegen=number % 2 == 0) for number, (name, text) in enumerate(texts.items())}


Outcomes = dict[str, list[tuple[str, str]]]


@pytest.fixture(scope="module")
def told(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[dict[str, Any]], Outcomes]:
    """What came of each program, and of the hints of each."""
    root = tmp_path_factory.mktemp("conditions")
    (root / "work").mkdir()
    options = {
        "tables": str(write_fragile_tables(root / "tables")),
        "work": str(root / "work"),
        "programs": {name: asdict(program) for name, program in _programs().items()},
        "phase": {"seed": 3, "order": "", "hinted": 1.0},
    }
    (root / "options.json").write_text(json.dumps(options), encoding="utf-8")
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.shuffle.partitions": "2",
    }
    logs = spark_submit(_APP, root / "options.json", root / "report.json", log_dir=root / "logs", conf=conf)
    hints: Outcomes = {}
    for steered in steered_executions(logs):
        if steered.label.startswith("steered: "):
            hints.setdefault(steered.label.partition(": ")[2], []).extend(steered.outcomes.values())
    return json.loads((root / "report.json").read_text(encoding="utf-8")), hints


def test_no_program_fails_or_returns_other_rows(told: tuple[list[dict[str, Any]], Outcomes]) -> None:
    report, _ = told
    assert {entry["name"]: entry["plain"][0] for entry in report if entry["plain"][0]} == {}
    assert {entry["name"]: entry["steered"] for entry in report if entry["again"] is not None} == {}


@pytest.mark.parametrize("join", _PAIRS)
def test_a_join_that_returns_all_pairs_takes_hints(told: tuple[list[dict[str, Any]], Outcomes], join: str) -> None:
    _, hints = told
    of_it = [one for name, outcomes in hints.items() if name.rpartition(" ")[0] == join for one in outcomes]
    assert "applied" in {status for status, _ in of_it}
    assert not any(_OTHER_ROWS in reason for _, reason in of_it)


@pytest.mark.parametrize("name", ["semi", "keys"])
def test_what_stops_at_the_first_pair_and_keys_that_may_fail_are_left(
    told: tuple[list[dict[str, Any]], Outcomes], name: str
) -> None:
    _, hints = told
    assert {status for status, _ in hints[name]} == {"impossible"}
    assert any(_OTHER_ROWS in reason for _, reason in hints[name])
