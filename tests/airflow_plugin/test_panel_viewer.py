"""Whom Airflow's auth manager lets see and do what. The auth manager is asked as Airflow's own pages ask it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity

from airflow_plugin import viewer
from airflow_plugin.viewer import AirflowViewer

READ_INSTANCES = (DagAccessEntity.TASK_INSTANCE, None, None)
TEAMS = {"etl": "data", "sales": None}


@dataclass
class AuthManager:
    """Knows DAGs by method, and which entities may be read: of all DAGs (no id), or of one and its team."""

    by_method: dict[str, set[str]] = field(default_factory=lambda: {"GET": {"etl", "sales"}, "PUT": {"etl"}})
    entities: set[tuple[DagAccessEntity, str | None, str | None]] = field(default_factory=lambda: {READ_INSTANCES})
    asked: list[str] = field(default_factory=list)

    def get_authorized_dag_ids(self, *, user: Any, method: str) -> set[str]:
        self.asked.append(method)
        return self.by_method[method]

    def is_authorized_dag(self, *, method: str, user: Any, access_entity: DagAccessEntity, details: Any = None) -> bool:
        assert method == "GET"
        dag = (details.id, details.team_name) if details else (None, None)
        return (access_entity, *dag) in self.entities


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> AuthManager:
    manager = AuthManager()
    monkeypatch.setattr(viewer, "get_auth_manager", lambda: manager)
    monkeypatch.setattr(viewer.DagModel, "get_team_name", TEAMS.get)
    return manager


@pytest.fixture
def ann(manager: AuthManager) -> AirflowViewer:
    return AirflowViewer(SimpleNamespace(get_name=lambda: "ann"))


def test_has_the_name_that_airflow_knows(ann: AirflowViewer) -> None:
    assert ann.name == "ann"


def test_sees_the_dags_whose_task_instances_airflow_lists(ann: AirflowViewer) -> None:
    assert ann.readable_dags() == {"etl", "sales"}


def test_sees_nothing_who_may_read_dags_but_no_task_instances(ann: AirflowViewer, manager: AuthManager) -> None:
    manager.entities.clear()
    assert ann.readable_dags() == frozenset()


@pytest.mark.parametrize(
    ("dag_ids", "may"),
    [
        ({"etl"}, True),
        ({"etl", "sales"}, False),  # may read both, edit one
        ({"unknown"}, False),
        (set(), False),  # a run outside Airflow
    ],
)
def test_acts_on_what_every_dag_of_may_be_edited(dag_ids: set[str], may: bool, ann: AirflowViewer) -> None:
    assert ann.may_act_on(frozenset(dag_ids)) is may


def test_does_not_act_on_what_may_be_edited_and_not_read(ann: AirflowViewer, manager: AuthManager) -> None:
    manager.by_method = {"GET": {"sales"}, "PUT": {"etl", "sales"}}
    assert not ann.may_act_on(frozenset({"etl"}))


@pytest.mark.parametrize(
    ("dag_ids", "may"),
    [({"etl"}, True), ({"etl", "sales"}, False), ({"unknown"}, False), (set(), False)],
)
def test_reads_the_code_of_dags_whose_team_lets_it(
    dag_ids: set[str], may: bool, ann: AirflowViewer, manager: AuthManager
) -> None:
    manager.entities |= {(DagAccessEntity.CODE, "etl", "data"), (DagAccessEntity.CODE, "unknown", None)}
    assert ann.may_read_code_of(frozenset(dag_ids)) is may


def test_asks_for_lists_of_dags_once_a_request(ann: AirflowViewer, manager: AuthManager) -> None:
    for _ in range(3):
        ann.readable_dags()
        ann.may_act_on(frozenset({"etl"}))
    assert manager.asked == ["GET", "PUT"]
