"""Which history store an operator uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_plugin.provider_info import CONNECTION_TYPE
from airflow_plugin.settings import Settings

# libpq's own: Airflow's, such as `cursor`, are none.
_QUERY_EXTRAS = (
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "sslcrl",
    "channel_binding",
    "connect_timeout",
    "tcp_user_timeout",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "target_session_attrs",
    "load_balance_hosts",
    "application_name",
    "options",
)


def store_url(settings: Settings, environ: Mapping[str, str], connection: Any = None) -> str:
    """SQLAlchemy URL: the connection's, else SPARK_TUNER_DB, else `sql_alchemy_conn`, else a SQLite file."""
    from tuner.history.url import resolve

    if connection is not None:
        return resolve(connection_url(connection), environ)
    return resolve(settings.sql_alchemy_conn or None if is_asked(environ, connection) else None, environ)


def is_asked(environ: Mapping[str, str], connection: Any) -> bool:
    """Whether `sql_alchemy_conn` is asked for the URL."""
    return connection is None and not environ.get("SPARK_TUNER_DB")


def connection_url(connection: Any) -> str:
    """SQLAlchemy URL of an Airflow connection: its type names the database, `schema` the database's name or file.

    The type spark_tuner is PostgreSQL where there is a host, SQLite where there is none.
    Airflow's own URI of a connection will not do: it puts every extra into the query.
    """
    from sqlalchemy.engine import URL

    extra = connection.extra_dejson
    kind = connection.conn_type
    if kind == CONNECTION_TYPE:
        kind = "postgresql" if connection.host else "sqlite"
    url = URL.create(
        kind,
        username=connection.login or None,
        password=connection.password or None,
        host=None if kind == "sqlite" else connection.host or None,
        port=connection.port or None,
        database=connection.schema or (connection.host if kind == "sqlite" else None) or None,
        query={name: str(extra[name]) for name in _QUERY_EXTRAS if name in extra},
    )
    return url.render_as_string(hide_password=False)
