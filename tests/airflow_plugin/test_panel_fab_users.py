"""Who may do what in the panel, on a real API server with FAB: roles for single DAGs."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.airflow_plugin.api_server import FAB, FAB_PASSWORD, FAB_USERS, Airflow, ApiServer, api_server
from tests.airflow_plugin.panel_history import LITERAL, OF_DAGS, SHARED, fill
from tests.airflow_plugin.panel_routes import OF_A_COHORT, OF_WHAT, READS, WRITES, listed, read, write

pytest.importorskip("airflow.providers.fab", reason="pip install apache-airflow-providers-fab")
pytestmark = [pytest.mark.airflow, pytest.mark.nightly]


@pytest.fixture(scope="module")
def server(migrated_airflow: Airflow, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    home = tmp_path_factory.mktemp("fab")
    fill(url := f"sqlite:///{home}/history.db")
    airflow = migrated_airflow.with_settings(AIRFLOW__CORE__AUTH_MANAGER=FAB, SPARK_TUNER_DB=url)
    with api_server(airflow, home / "api-server.log") as running:
        yield running


@pytest.fixture(scope="module")
def clients(server: ApiServer) -> Iterator[dict[str, httpx.Client]]:
    clients = {user: server.client(server.token(user, FAB_PASSWORD)) for user in FAB_USERS}
    yield clients
    for client in clients.values():
        client.close()


@pytest.mark.parametrize("route", READS)
def test_nobody_reads_anything(route: str, server: ApiServer) -> None:
    with server.client() as nobody:
        assert read(nobody, route).status_code == 401


@pytest.mark.parametrize("route", WRITES)
def test_nobody_changes_anything(route: str, server: ApiServer) -> None:
    with server.client() as nobody:
        assert write(nobody, route).status_code == 401


@pytest.mark.parametrize("route", READS)
def test_a_wrong_token_is_refused_as_airflow_refuses_it(route: str, server: ApiServer) -> None:
    with server.client("no.real.token") as forger:
        assert read(forger, route).status_code == forger.get("/api/v2/dags").status_code == 403


@pytest.mark.parametrize("user", ["viewer", "admin"])
@pytest.mark.parametrize("route", READS)
def test_who_may_read_all_dags_reads(route: str, user: str, clients: dict[str, httpx.Client]) -> None:
    assert read(clients[user], route).status_code == 200


@pytest.mark.parametrize(
    ("user", "cohorts"),
    [
        ("viewer", dict.fromkeys({*OF_DAGS, SHARED}, False)),
        ("admin", dict.fromkeys({*OF_DAGS, SHARED}, True)),
        ("etl", {"etl.nightly": False}),
        ("titles", {}),
        # Reads all DAGs and edits one: what another DAG has a part in is not theirs to change.
        ("half", {"etl.nightly": True, "sales.nightly": False, "secret.nightly": False, SHARED: False}),
    ],
)
def test_the_list_has_what_the_user_may_read(
    user: str, cohorts: dict[str, bool], clients: dict[str, httpx.Client]
) -> None:
    assert listed(clients[user]) == cohorts


@pytest.mark.parametrize("view", OF_A_COHORT)
@pytest.mark.parametrize("cohort", ["secret.nightly", SHARED])
def test_what_a_user_may_not_read_looks_like_what_is_not_there(
    cohort: str, view: str, clients: dict[str, httpx.Client]
) -> None:
    hidden = read(clients["etl"], f"api/cohort{view}?cohort={cohort}&{OF_WHAT}")
    missing = read(clients["etl"], f"api/cohort{view}?cohort=no-such-cohort&{OF_WHAT}")
    assert (hidden.status_code, hidden.json()) == (missing.status_code, missing.json()) == (404, hidden.json())


@pytest.mark.parametrize("route", WRITES)
@pytest.mark.parametrize("cohort", ["secret.nightly", SHARED])
def test_nor_can_a_user_tell_by_changing_it(cohort: str, route: str, clients: dict[str, httpx.Client]) -> None:
    hidden = write(clients["etl"], route, cohort)
    missing = write(clients["etl"], route, "no-such-cohort")
    assert (hidden.status_code, hidden.json()) == (missing.status_code, missing.json()) == (404, hidden.json())


def test_a_dag_by_name_is_refused_whether_it_exists_or_not(clients: dict[str, httpx.Client]) -> None:
    hidden, missing = (read(clients["etl"], f"api/cohorts?dag_id={dag_id}") for dag_id in ("secret", "no-such-dag"))
    assert (hidden.status_code, hidden.json()) == (missing.status_code, missing.json()) == (403, hidden.json())
    assert read(clients["etl"], "api/cohorts?dag_id=etl").json()["total"] == 1


@pytest.mark.parametrize("route", WRITES)
@pytest.mark.parametrize(
    ("user", "cohort", "status"),
    [
        ("viewer", "etl.nightly", 403),
        ("etl", "etl.nightly", 403),
        ("half", "etl.nightly", 200),
        ("half", "sales.nightly", 403),
        ("half", SHARED, 403),
        ("admin", SHARED, 200),
    ],
)
def test_changes_take_edit_access_to_every_dag(
    user: str, cohort: str, status: int, route: str, clients: dict[str, httpx.Client]
) -> None:
    assert write(clients[user], route, cohort).status_code == status


@pytest.mark.parametrize("user", ["half", "admin"])
def test_what_users_change_is_kept_with_their_name(user: str, clients: dict[str, httpx.Client]) -> None:
    write(clients[user], "api/cohort/rulings")
    newest = read(clients["etl"], "api/cohort/audit?cohort=etl.nightly").json()["items"][0]
    assert (newest["by"], newest["did"]) == (user, "approve")


@pytest.mark.parametrize(("user", "shown"), [("etl", False), ("half", False), ("viewer", True), ("admin", True)])
def test_literals_of_queries_are_for_those_who_may_read_the_dags_code(
    user: str, shown: bool, clients: dict[str, httpx.Client]
) -> None:
    said = [read(clients[user], f"api/cohort{view}?cohort=etl.nightly&{OF_WHAT}").text for view in OF_A_COHORT]
    assert any(LITERAL in text for text in said) is shown


def test_the_tabs_take_a_permission_of_their_own(clients: dict[str, httpx.Client]) -> None:
    """FAB gives Viewer none on plugins: the page opens by its address, Airflow does not show its tabs."""
    tabs = {user: clients[user].get("/api/v2/plugins").status_code for user in ("viewer", "admin")}
    assert tabs == {"viewer": 403, "admin": 200}
