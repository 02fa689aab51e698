"""Who may do what in the panel, on a real API server with Airflow's own simple auth manager."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.airflow_plugin.api_server import SIMPLE, Airflow, ApiServer, api_server
from tests.airflow_plugin.panel_history import OF_DAGS, SHARED, fill
from tests.airflow_plugin.panel_routes import PREFIX, READS, WRITES, body, listed, read, write

pytestmark = [pytest.mark.airflow]

ROLES = ("viewer", "user", "op", "admin")
ACTING = ("user", "op", "admin")


@pytest.fixture(scope="module")
def server(migrated_airflow: Airflow, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """With a user for each role, whose name and password are the role's."""
    home = tmp_path_factory.mktemp("simple")
    (home / "passwords.json").write_text(json.dumps({role: role for role in ROLES}))
    fill(url := f"sqlite:///{home}/history.db")
    airflow = migrated_airflow.with_settings(
        AIRFLOW__CORE__AUTH_MANAGER=SIMPLE,
        AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS=",".join(f"{role}:{role}" for role in ROLES),
        AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE=str(home / "passwords.json"),
        SPARK_TUNER_DB=url,
    )
    with api_server(airflow, home / "api-server.log") as running:
        yield running


@pytest.fixture(scope="module")
def tokens(server: ApiServer) -> dict[str, str]:
    return {role: server.token(role, role) for role in ROLES}


@pytest.fixture(scope="module")
def clients(server: ApiServer, tokens: dict[str, str]) -> Iterator[dict[str, httpx.Client]]:
    clients = {role: server.client(token) for role, token in tokens.items()}
    yield clients
    for client in clients.values():
        client.close()


@pytest.fixture
def nobody(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.mark.parametrize("route", READS)
def test_nobody_reads_anything(route: str, nobody: httpx.Client) -> None:
    assert read(nobody, route).status_code == 401


@pytest.mark.parametrize("route", WRITES)
def test_nobody_changes_anything(route: str, nobody: httpx.Client) -> None:
    assert write(nobody, route).status_code == 401


@pytest.mark.parametrize("route", READS)
def test_a_forged_token_is_refused_as_airflow_refuses_it(route: str, server: ApiServer, tokens: dict[str, str]) -> None:
    head, payload, _ = tokens["admin"].split(".")
    with server.client(f"{head}.{payload}.{'A' * 43}") as forger:
        assert read(forger, route).status_code == forger.get("/api/v2/dags").status_code == 403


@pytest.mark.parametrize("route", READS)
@pytest.mark.parametrize("role", ROLES)
def test_every_role_reads(role: str, route: str, clients: dict[str, httpx.Client]) -> None:
    assert read(clients[role], route).status_code == 200


@pytest.mark.parametrize("role", ROLES)
def test_the_list_has_the_cohorts_of_airflows_dags_alone(role: str, clients: dict[str, httpx.Client]) -> None:
    assert listed(clients[role]) == dict.fromkeys({*OF_DAGS, SHARED}, role in ACTING)


@pytest.mark.parametrize("route", WRITES)
def test_a_viewer_changes_nothing(route: str, clients: dict[str, httpx.Client]) -> None:
    before = read(clients["viewer"], "api/cohort/audit?cohort=etl.nightly").json()["total"]
    refused = write(clients["viewer"], route)
    assert refused.status_code == 403
    assert "edit access" in refused.json()["detail"]
    assert read(clients["viewer"], "api/cohort/audit?cohort=etl.nightly").json()["total"] == before


@pytest.mark.parametrize("route", WRITES)
@pytest.mark.parametrize("role", ACTING)
def test_what_others_change_is_kept_with_their_name(role: str, route: str, clients: dict[str, httpx.Client]) -> None:
    changed = write(clients[role], route, "sales.nightly")
    assert changed.status_code == 200, changed.text
    newest = read(clients["viewer"], "api/cohort/audit?cohort=sales.nightly").json()["items"][0]
    assert (newest["by"], newest["did"]) == (role, "mode" if route.endswith("mode") else "approve")


@pytest.mark.parametrize("cohort", ["gone.nightly", "laptop", "no-such-cohort"])
def test_what_airflow_has_no_dag_of_is_not_there_even_for_an_admin(
    cohort: str, clients: dict[str, httpx.Client]
) -> None:
    assert read(clients["admin"], f"api/cohort?cohort={cohort}").status_code == 404
    assert write(clients["admin"], "api/cohort/mode", cohort).status_code == 404


class TestSignedInByCookie:
    """As the browser does it: Airflow keeps its token in a cookie that scripts cannot read."""

    @pytest.fixture
    def browser(self, server: ApiServer, tokens: dict[str, str]) -> Iterator[httpx.Client]:
        with server.client() as client:
            client.cookies.set("_token", tokens["admin"])
            yield client

    @pytest.mark.parametrize("route", READS)
    def test_reads(self, route: str, browser: httpx.Client) -> None:
        assert read(browser, route).status_code == 200

    @pytest.mark.parametrize("route", WRITES)
    def test_changes_from_the_panels_page(self, route: str, browser: httpx.Client) -> None:
        assert write(browser, route, **{"Sec-Fetch-Site": "same-origin"}).status_code == 200

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    @pytest.mark.parametrize("route", WRITES)
    def test_a_page_of_another_site_changes_nothing(self, route: str, site: str, browser: httpx.Client) -> None:
        assert write(browser, route, **{"Sec-Fetch-Site": site}).status_code == 403

    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
    @pytest.mark.parametrize("route", WRITES)
    def test_what_a_form_of_another_site_can_send_changes_nothing(
        self, route: str, kind: str, browser: httpx.Client
    ) -> None:
        sent = browser.post(PREFIX + route, content=json.dumps(body(route)), headers={"Content-Type": kind})
        assert sent.status_code == 415

    @pytest.mark.parametrize("route", READS)
    def test_no_other_site_may_frame_it_or_guess_what_it_is(self, route: str, browser: httpx.Client) -> None:
        headers = read(browser, route).headers
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("page", ["docs", "redoc"])
def test_there_are_no_pages_of_documentation(page: str, clients: dict[str, httpx.Client]) -> None:
    assert read(clients["admin"], page).status_code == 404


def test_airflow_shows_the_tabs(clients: dict[str, httpx.Client]) -> None:
    plugins = clients["admin"].get("/api/v2/plugins").json()["plugins"]
    (ours,) = [plugin for plugin in plugins if plugin["name"] == "spark_tuner"]
    assert len(ours["external_views"]) == 5
    assert clients["admin"].get("/api/v2/plugins/importErrors").json()["total_entries"] == 0


@pytest.mark.parametrize("icon", ["icon.svg", "icon-dark.svg"])
def test_the_icons_of_the_tabs_are_there(icon: str, clients: dict[str, httpx.Client]) -> None:
    answer = read(clients["viewer"], f"static/{icon}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/svg+xml")


def test_the_tests_know_every_route(clients: dict[str, httpx.Client]) -> None:
    paths = read(clients["viewer"], "openapi.json").json()["paths"]
    known = {"/" + route.split("?")[0] for route in (*READS, *WRITES)}
    assert known >= set(paths)
