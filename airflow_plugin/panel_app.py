"""The panel's app, as Airflow's API server mounts it. Importing it costs seconds: only the plugin does, when asked."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from airflow_plugin import settings
from airflow_plugin.store_url import store_url
from airflow_plugin.viewer import airflow_viewer
from tuner.errors import StoreError, TunerError
from tuner.frames import frames_of
from tuner.history.store import Store
from tuner.panel.app import create_app
from tuner.panel.kept_store import KeptStore
from tuner.panel.models.home import Home

if TYPE_CHECKING:
    from fastapi import APIRouter, FastAPI

_log = logging.getLogger(__name__)


def panel_app() -> FastAPI:
    """The app over the store that `[spark_tuner]` names, for users of Airflow. The store is opened when first needed."""
    store, price, is_on = KeptStore(configured_store), _core_hour_price(), _is_on()
    app = create_app(store, airflow_viewer, Home.AIRFLOW, price, is_on=is_on)
    if (tools := _tools(store, price, is_on=is_on)) is not None:
        app.include_router(tools)
    return app


def _tools(store: Callable[[], Store], core_hour_price: float | None, *, is_on: bool) -> APIRouter | None:
    """Tools for agents, where they are asked for; None, and a log entry, where they cannot be there: the panel can."""
    try:
        if not settings.mcp():
            return None
        from airflow_plugin.header_viewer import header_viewer
        from tuner.mcp.http_route import http_route

        return http_route(store, header_viewer, Home.AIRFLOW, core_hour_price, is_on=is_on)
    except TunerError as error:
        _log.warning("Spark tuner: %s", error)
    except ImportError as error:
        _log.warning("Spark tuner: [spark_tuner] mcp: %s; pip install 'airflow-spark-tuner[mcp]'", error)
    return None


def _is_on() -> bool:
    """Whether this server's configuration has the tuner switched on; True, and a line in the log, where it does not tell."""
    try:
        return settings.load().enabled
    except TunerError as error:
        _log.warning("Spark tuner: %s", error)
    except Exception as error:
        # Airflow's own, of what is no flag.
        _log.warning("Spark tuner: [spark_tuner] could not be read (%s)", type(error).__name__)
    return True


def _core_hour_price() -> float | None:
    """None, and a line in the log, where what is configured is no price: the panel shows hours then."""
    try:
        return settings.core_hour_price()
    except TunerError as error:
        _log.warning("Spark tuner: %s", error)
        return None


def configured_store() -> Store:
    """The store of the environment and airflow.cfg. StoreError, whatever is wrong, where there is none to open."""
    try:
        return Store.open(store_url(settings.load(), os.environ))
    except StoreError:
        raise
    except TunerError as error:
        raise StoreError(str(error)) from error
    except Exception as error:
        _log.error(
            "Spark tuner: the history store could not be opened (%s)\n%s", type(error).__name__, frames_of(error)
        )
        raise StoreError(f"the history store could not be opened ({type(error).__name__})") from error
