"""The connection type `spark_tuner`: a history store as people enter it in Airflow's UI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook

from airflow_plugin.provider_info import CONNECTION_FIELDS, CONNECTION_TYPE, CONNECTION_TYPE_NAME
from airflow_plugin.store_url import connection_url

if TYPE_CHECKING:
    from tuner.history.store import Store


class HistoryStoreHook(BaseHook):
    """Opens the history store that an Airflow connection names; its id is what `store_conn_id=` takes."""

    conn_name_attr = "store_conn_id"
    default_conn_name = "spark_tuner_default"
    conn_type = CONNECTION_TYPE
    hook_name = CONNECTION_TYPE_NAME

    def __init__(self, store_conn_id: str = default_conn_name, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.store_conn_id = store_conn_id

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """What the connection's form shows, in the words of Airflow's customized_form_field_behaviours schema."""
        return CONNECTION_FIELDS

    def url(self) -> str:
        """SQLAlchemy URL of the store. It holds the password."""
        return connection_url(self.get_connection(self.store_conn_id))

    def get_conn(self) -> Store:
        """The store, to be closed by whoever asked. Raises StoreError where it cannot be opened."""
        from tuner.history.store import Store

        return Store.open(self.url())

    def test_connection(self) -> tuple[bool, str]:
        """Whether the store can be opened, and a sentence that says so: the form's Test button."""
        from tuner.errors import TunerError

        try:
            with self.get_conn() as store:
                cohorts = len(store.cohorts())
        except TunerError as error:
            return False, str(error)
        return True, f"The history store is there; cohorts in it: {cohorts}"
