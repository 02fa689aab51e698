"""The panel as a FastAPI application: the same page and API in Airflow and alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Depends, FastAPI

from tuner import __version__
from tuner.history.store import Store
from tuner.panel.access import Access
from tuner.panel.act_routes import act_routes
from tuner.panel.bounded_requests import BoundedRequests
from tuner.panel.compare_routes import compare_routes
from tuner.panel.fleet_routes import fleet_routes
from tuner.panel.guarded_answers import GuardedAnswers, add_error_answers
from tuner.panel.kept_store import KeptStore
from tuner.panel.models.home import Home
from tuner.panel.page_files import page_routes
from tuner.panel.read_routes import read_routes
from tuner.panel.recent_runs import RecentRuns
from tuner.panel.viewer import Viewer


def create_app(
    store: Callable[[], Store],
    viewer: Callable[..., Viewer | Awaitable[Viewer]],
    home: Home,
    core_hour_price: float | None = None,
    *,
    is_on: bool = True,
) -> FastAPI:
    """`store` opens the history: called when first needed, and once in each process as long as it can. `viewer` is a
    FastAPI dependency that tells who asks, or raises HTTPException 401. No route answers without it. `core_hour_price` is
    what an hour of a core costs, in any currency (None: nobody said). Where the tuner is not on, nothing is promised of runs.
    """
    kept, recent, asking = KeptStore(store), RecentRuns(), Depends(viewer)

    def access_of(who: Viewer = asking) -> Access:
        return Access(kept, who, recent, is_on)

    return app_over(access_of, home, core_hour_price)


def app_over(access_of: Callable[..., Access], home: Home, core_hour_price: float | None) -> FastAPI:
    """As `create_app`; `access_of` is a dependency that tells who asks and what he may see, or raises HTTPException."""
    known = Depends(access_of)

    def may_open(dag_id: str | None = None, access: Access = known) -> None:
        # Airflow leaves {DAG_ID} as it is on pages without a DAG.
        access.require_dag(None if dag_id is None or dag_id.startswith("{") else dag_id or None)

    # Its own documentation pages would load scripts from other hosts, and anyone could read the schema.
    app = FastAPI(title="Spark tuner", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.include_router(fleet_routes(access_of, home, core_hour_price))
    app.include_router(read_routes(access_of, home, core_hour_price))
    app.include_router(compare_routes(access_of))
    app.include_router(act_routes(access_of))
    app.include_router(page_routes(for_page=[Depends(may_open)]), dependencies=[known])

    @app.get("/openapi.json", include_in_schema=False, dependencies=[known])
    def openapi() -> dict[str, Any]:
        return app.openapi()

    add_error_answers(app, home)
    app.add_middleware(BoundedRequests)
    app.add_middleware(GuardedAnswers)
    return app
