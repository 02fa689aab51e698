"""Every route of the panel, as somebody who may do everything would ask it."""

from __future__ import annotations

from typing import Any

import httpx

from tests.airflow_plugin.panel_history import CHANGE_ID

PREFIX = "/spark-tuner/"
OF_A_COHORT = ("", "/runs", "/recommendations", "/insights", "/queries", "/plan", "/compare", "/audit")
# What some of these ask for besides; each takes what it knows.
OF_WHAT = "query=q72&before=etl.nightly/0&after=etl.nightly/0"

READS = (
    "ui",
    "static/icon.svg",
    "openapi.json",
    "api/session",
    "api/cohorts",
    "api/savings",
    *(f"api/cohort{view}?cohort=etl.nightly&{OF_WHAT}" for view in OF_A_COHORT),
)
WRITES = ("api/cohort/rulings", "api/cohort/mode")


def body(route: str, cohort: str = "etl.nightly") -> dict[str, Any]:
    """What a POST sends."""
    if route == "api/cohort/mode":
        return {"cohort": cohort, "mode": "suggest", "reason": "month's end"}
    return {"cohort": cohort, "change_ids": [CHANGE_ID], "ruling": "approve"}


def read(client: httpx.Client, route: str) -> httpx.Response:
    return client.get(PREFIX + route)


def write(client: httpx.Client, route: str, cohort: str = "etl.nightly", **headers: str) -> httpx.Response:
    return client.post(PREFIX + route, json=body(route, cohort), headers=headers)


def listed(client: httpx.Client) -> dict[str, bool]:
    """The cohorts that the list shows, and whether each says that the user may act on it."""
    answer = read(client, "api/cohorts")
    assert answer.status_code == 200, answer.text
    return {item["cohort"]: item["may_act"] for item in answer.json()["items"]}
