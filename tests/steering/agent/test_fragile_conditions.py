"""Which joins take hints beside their conditions: what may fail is asked of the same pairs by every kind of join that returns
them all, and some Sparks lose rows of a shuffled hash join that has a condition, or builds the side whose rows all stay."""

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
_LOST = "some Sparks lose rows of such a hash join"
# Each builds e; of those that test rows, once with a condition that cannot fail (SPARK-52873), and of outer joins once of the
# side whose rows all stay (SPARK-46037).
_LOSING = {
    "LEFT SEMI": "SELECT x.id FROM f x LEFT SEMI JOIN e ON x.j = e.j AND x.n > e.p",
    "LEFT ANTI": "SELECT x.id FROM f x LEFT ANTI JOIN e ON x.j = e.j AND x.n > e.p",
    "existence": "SELECT x.id FROM f x WHERE x.k < 3 OR EXISTS (SELECT 1 FROM e WHERE e.j = x.j AND x.n > e.p)",
    "LEFT OUTER": "SELECT e.j, x.id FROM e LEFT JOIN f x ON x.j = e.j",
    "RIGHT OUTER": "SELECT e.j, x.id FROM f x RIGHT JOIN e ON x.j = e.j",
}
_KEEPING = {
    "LEFT SEMI": "SELECT x.id FROM f x LEFT SEMI JOIN e ON x.j = e.j",
    "LEFT ANTI": "SELECT x.id FROM f x LEFT ANTI JOIN e ON x.j = e.j",
    "existence": "SELECT x.id FROM f x WHERE x.k < 3 OR EXISTS (SELECT 1 FROM e WHERE e.j = x.j)",
    "LEFT OUTER": "SELECT e.j, x.id FROM f x LEFT JOIN e ON x.j = e.j",
    "RIGHT OUTER": "SELECT e.j, x.id FROM e RIGHT JOIN f x ON x.j = e.j",
}
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


@pytest.fixture(scope="module")
def hashed(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> FragileRun:
    named = {"losing": _LOSING, "keeping": _KEEPING}
    programs = {f"{name}: {kind}": Fragile(text) for name, texts in named.items() for kind, text in texts.items()}
    phase = {"seed": 3, "order": "", "hinted": 1.0, "hints": ["SHUFFLE_HASH"], "build": "e"}
    return run_fragile(spark_submit, agent_conf, tmp_path_factory.mktemp("hashed"), programs, phase)


@pytest.mark.parametrize("kind", _LOSING)
def test_no_hash_join_that_some_sparks_lose_rows_of_is_asked_for(hashed: FragileRun, kind: str) -> None:
    assert list(hashed.outcomes[f"losing: {kind}"].values()) == [("impossible", _LOST)]
    assert list(hashed.outcomes[f"keeping: {kind}"].values()) == [("applied", "")]
    assert {name: entry["again"] for name, entry in hashed.entries.items() if entry["again"] is not None} == {}
