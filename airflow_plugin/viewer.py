"""Who looks at the panel in Airflow, and what the auth manager lets them see and do.

FastAPI resolves the annotations here: they have to be names of this module.
"""

from __future__ import annotations

from functools import cached_property

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.api_fastapi.core_api.security import GetUserDep
from airflow.models.dag import DagModel


class AirflowViewer:
    """A user of Airflow, for one request. DAGs that Airflow does not have are nobody's to see."""

    def __init__(self, user: GetUserDep) -> None:
        self._user = user

    @property
    def name(self) -> str:
        """The user's name, as Airflow's own audit log has it."""
        return str(self._user.get_name())

    def readable_dags(self) -> frozenset[str]:
        """The DAGs whose task instances the user may read: what Airflow's own list of them shows."""
        return self._readable

    def may_act_on(self, dag_ids: frozenset[str]) -> bool:
        """Whether the user may read and edit all of these DAGs, of which there has to be one."""
        return bool(dag_ids) and dag_ids <= self._readable and dag_ids <= self._editable

    def may_read_code_of(self, dag_ids: frozenset[str]) -> bool:
        """Whether the user may read the code of all of these DAGs, of which there has to be one."""
        return bool(dag_ids) and dag_ids <= self._readable and all(map(self._may_read_code, dag_ids))

    @cached_property
    def _readable(self) -> frozenset[str]:
        # Airflow asks for task instances without a DAG, and for DAGs in one batch: auth managers may live elsewhere.
        allowed = get_auth_manager().is_authorized_dag(
            method="GET", access_entity=DagAccessEntity.TASK_INSTANCE, user=self._user
        )
        return self._authorized("GET") if allowed else frozenset()

    @cached_property
    def _editable(self) -> frozenset[str]:
        return self._authorized("PUT")

    def _authorized(self, method: str) -> frozenset[str]:
        return frozenset(get_auth_manager().get_authorized_dag_ids(user=self._user, method=method))

    def _may_read_code(self, dag_id: str) -> bool:
        details = DagDetails(id=dag_id, team_name=DagModel.get_team_name(dag_id))
        allowed = get_auth_manager().is_authorized_dag(
            method="GET", access_entity=DagAccessEntity.CODE, details=details, user=self._user
        )
        return bool(allowed)


async def airflow_viewer(user: GetUserDep) -> AirflowViewer:
    """FastAPI dependency: the user whom Airflow's token names, by cookie or header. 401 or 403, as Airflow, without one."""
    return AirflowViewer(user)
