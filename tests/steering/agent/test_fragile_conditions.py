"""A condition that may fail is asked of the same pairs by every kind of join that returns them all: such a join takes hints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import AT_LENGTH

from .fragile_programs import RAISING, Fragile
from .fragile_run import FragileRun, run_fragile

# By day test_fragile.py asks some of these conditions beside orders.
pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_OTHER_ROWS = "another kind of join could ask what may fail of other rows"
_PAIRS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
# Of g no key is one of a bad row of f: no pair of equal keys fails, and many a pair would.
_OF_PAIRS = "{join} g ON x.k = g.k AND least(greatest(hash({risk}, g.gw), 0), 3) >= 1"
_OF_KEYS = "JOIN c ON least(greatest(hash({risk}), 0), 3) = c.m"
_RISKS = [risk.replace("{x}", "x") for risk in RAISING[:: 6 if AT_LENGTH else 18]]


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


@pytest.fixture(scope="module")
def told(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> FragileRun:
    phase = {"seed": 3, "order": "", "hinted": 1.0}
    return run_fragile(spark_submit, agent_conf, tmp_path_factory.mktemp("conditions"), _programs(), phase)


def test_no_program_fails_or_returns_other_rows(told: FragileRun) -> None:
    assert {name: entry["plain"][0] for name, entry in told.entries.items() if entry["plain"][0]} == {}
    assert {name: entry["steered"] for name, entry in told.entries.items() if entry["again"] is not None} == {}


@pytest.mark.parametrize("join", _PAIRS)
def test_a_join_that_returns_all_pairs_takes_hints(told: FragileRun, join: str) -> None:
    hints = [of_it for name, of_it in told.outcomes.items() if name.rpartition(" ")[0] == join]
    of_kind = [one for of_it in hints for one in of_it.values()]
    assert "applied" in {status for status, _ in of_kind}
    assert not any(_OTHER_ROWS in reason for _, reason in of_kind)


@pytest.mark.parametrize("name", ["semi", "keys"])
def test_what_stops_at_the_first_pair_and_keys_that_may_fail_are_left(told: FragileRun, name: str) -> None:
    hints = told.outcomes[name].values()
    assert {status for status, _ in hints} == {"impossible"}
    assert any(_OTHER_ROWS in reason for _, reason in hints)
