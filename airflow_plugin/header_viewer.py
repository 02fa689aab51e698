"""Who asks by a header of his own: what a browser sends along for a page of any site does not count.

FastAPI resolves the annotations here: they have to be names of this module.
"""

from __future__ import annotations

from typing import Annotated

from airflow.api_fastapi.core_api.security import resolve_user_from_token
from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from airflow_plugin.viewer import AirflowViewer

Sent = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]


async def header_viewer(sent: Sent) -> AirflowViewer:
    """FastAPI dependency: the user whom the token in `Authorization: Bearer` names. Cookies are not looked at. 401 or 403, as
    Airflow, without one."""
    return AirflowViewer(await resolve_user_from_token(sent.credentials if sent else None))
