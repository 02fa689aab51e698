"""What a role of PostgreSQL needs that may create no tables: the lines of docs/configuration.md, and no more."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from sqlalchemy import text

from tuner.errors import StoreError
from tuner.history.schema import upgrade
from tuner.history.store import Store
from tuner.model.decision import Mode
from tuner.model.imported_change import ImportedChange
from tuner.model.objective import Objective
from tuner.model.run import RunState
from tuner.model.saving import Saving
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling, Verdict

from .database import database
from .samples import MIDNIGHT, full_decision, full_outcome, running

if TYPE_CHECKING:
    from .postgres import Server

ROLE = "tuner_jobs"
_PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
(_LINES,) = re.findall(r"^```sql\n(.*?)^```", _PAGE.read_text(encoding="utf-8"), re.M | re.S)
_GRANTS = _LINES.splitlines()


@pytest.fixture
def postgres_url(postgres_server: Server) -> str:
    """The URL of an empty database, on a server that has the role: databases share their roles."""
    with postgres_server.connect() as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone():
            connection.execute(f"CREATE ROLE {ROLE} LOGIN")
    return postgres_server.database()


def as_role(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=f"{ROLE}@").geturl()


def grant(url: str, lines: list[str]) -> None:
    with database(url) as connection:
        for line in lines:
            connection.execute(text(line))


@pytest.mark.parametrize("is_upgraded_first", [True, False])
def test_a_role_with_these_rights_keeps_all_that_a_store_keeps(postgres_url: str, is_upgraded_first: bool) -> None:
    if is_upgraded_first:
        upgrade(postgres_url)
    grant(postgres_url, _GRANTS)
    if not is_upgraded_first:
        upgrade(postgres_url)
    run = running("1", "a")
    with Store.open(as_role(postgres_url)) as store:
        store.begin(run)
        store.finish(run.key, RunState.SUCCEEDED, run.started_at + timedelta(hours=1), full_outcome())
        store.keep_books("a", None, {run.key: run.started_at}, [Saving(run.key, "x", 1.0)])
        store.keep_imports([ImportedChange("a", full_decision().changes[0].change, "ana", MIDNIGHT)])
        store.record(Verdict("a", "x", Ruling.REJECT, "ana", MIDNIGHT), since=store.last_word("a"))
        store.set_mode(ModeChange("a", Mode.OBSERVE, "ana", MIDNIGHT))
        store.set_objective(ObjectiveChange("a", Objective.COST, "ana", MIDNIGHT))
        assert (store.mode("a"), store.objective("a"), len(store.verdicts("a"))) == (Mode.OBSERVE, Objective.COST, 1)
        assert store.forget_runs("a", [run.key], run.started_at + timedelta(days=1)) == 1
    with database(postgres_url) as connection:
        connection.execute(text("CREATE TABLE of_a_later_version (id BIGSERIAL PRIMARY KEY, said TEXT)"))
    with database(as_role(postgres_url)) as connection:
        connection.execute(text("INSERT INTO of_a_later_version (said) VALUES ('new')"))


def test_it_needs_those_on_sequences(postgres_url: str) -> None:
    upgrade(postgres_url)
    grant(postgres_url, [line for line in _GRANTS if "SEQUENCES" not in line])
    with (
        Store.open(as_role(postgres_url)) as store,
        pytest.raises(StoreError, match="permission denied for sequence spark_tuner_modes_id_seq"),
    ):
        store.set_mode(ModeChange("a", Mode.OBSERVE, "ana", MIDNIGHT))
