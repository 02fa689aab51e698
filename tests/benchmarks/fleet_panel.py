"""How long the panel's list of cohorts, a search in it and the savings take, with many cohorts of a year of nights.

    python -m tests.benchmarks.fleet_panel [--cohorts 300 2000 5000] [--runs 365] [--postgres URL]

Rows are written straight into the tables: runs with decisions of five changes and no outcome (nothing in these answers reads
one), cohorts with figures, weekly savings of three changes each. Times are seconds of one request by the server's own test client
(median of five, and the first), and in Chromium from the click on the address until rows are there, and from a key press in the
search until they have changed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import uvicorn
from fastapi.testclient import TestClient
from playwright.sync_api import sync_playwright
from sqlalchemy import insert

from tests.benchmarks.panel_api import Anyone, change, decision
from tuner.history.documents import decision_document
from tuner.history.engine import open_engine
from tuner.history.saving_rows import week_of
from tuner.history.schema import upgrade
from tuner.history.store import Store
from tuner.history.tables import CohortRow, RunRow, WeeklySavingRow
from tuner.history.url import parse
from tuner.model.action import Action, ActionKind, Hint
from tuner.panel.app import create_app
from tuner.panel.models.home import Home

END = datetime(2026, 11, 20, 2, tzinfo=UTC)
BATCH = 20_000
CHANGED = "before => ![null, undefined, before].includes(document.querySelector('table.cohorts tbody tr')?.innerText)"
PATHS = ("cohorts", "cohorts?search=team7", "cohorts?sort=gained", "cohorts?tag=team-3&waits=true", "savings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cohorts", type=int, nargs="+", default=[300, 2000, 5000])
    parser.add_argument("--runs", type=int, default=365)
    parser.add_argument("--postgres", help="URL of an empty database, for one number of cohorts.")
    asked = parser.parse_args()
    for cohorts in asked.cohorts:
        with tempfile.TemporaryDirectory() as folder:
            url = asked.postgres or f"sqlite:///{folder}/history.db"
            began = time.perf_counter()
            fill(url, cohorts, asked.runs)
            took = time.perf_counter() - began
            kind = "PostgreSQL" if asked.postgres else "SQLite"
            print(f"{cohorts:,} cohorts of {asked.runs} runs, {kind} (written in {took:.0f} s)", flush=True)
            ask(url)
            look(url)


def fill(url: str, cohorts: int, runs: int) -> None:
    upgrade(url)
    engine = open_engine(parse(url))
    hints = [Action(ActionKind.HINT_JOIN, f"join{n}", Hint.BROADCAST, f"q{n}", ("dim",)) for n in range(5)]
    document = decision_document("k", decision(runs, hints))
    ids = [change(hint).id for hint in hints[:3]]
    with engine.begin() as connection:
        for rows in batches(run_rows(cohorts, runs, document)):
            connection.execute(insert(RunRow), rows)
        for rows in batches(saving_rows(cohorts, runs, ids)):
            connection.execute(insert(WeeklySavingRow), rows)
        connection.execute(insert(CohortRow), list(cohort_rows(cohorts, runs)))
    engine.dispose()


def batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def name(number: int) -> str:
    return f"team{number % 40}_pipeline_{number:05}.load_warehouse"


def started(number: int, night: int, runs: int) -> datetime:
    return END - timedelta(days=runs - 1 - night, minutes=-number % 300)


def key(number: int, night: int) -> str:
    return f"{name(number)}/{night}/1"


def run_rows(cohorts: int, runs: int, document: str) -> Iterator[dict[str, Any]]:
    for number in range(cohorts):
        dag_id, task_id = name(number).split(".")
        for night in range(runs):
            at = started(number, night, runs)
            ended = {"ended_at": at + timedelta(hours=1), "app_id": "app", "duration_ms": 3_600_000}
            origin = {"dag_id": dag_id, "run_id": f"scheduled__{night}", "task_id": task_id, "map_index": -1}
            told = {"state": "succeeded", "mode": "auto", "event_log_dir": "/logs", "decision": document}
            yield {
                "key": key(number, night),
                "cohort": name(number),
                "try_number": 1,
                "started_at": at,
                **ended,
                **origin,
                **told,
            }


def saving_rows(cohorts: int, runs: int, ids: list[str]) -> Iterator[dict[str, Any]]:
    draw = random.Random(1)
    for number in range(cohorts):
        for night in range(6, runs, 7):
            first, at = started(number, night - 6, runs), started(number, night, runs)
            for id_ in ids:
                gained = {
                    "seconds": draw.gauss(140, 60),
                    "deviation": 21.0,
                    "deviation_in_run": 12.0,
                    "lost_seconds": 9.0,
                }
                held = {"core_hours": 1.4, "gib_hours": 5.6, "failed": 0, "of_run": 7 / len(ids), "runs": 7}
                of_week = {"cohort": name(number), "week": week_of(at), "change_id": id_}
                yield {**of_week, **gained, **held, "first_at": first, "last_at": at, "last_key": key(number, night)}


def cohort_rows(cohorts: int, runs: int) -> Iterator[dict[str, Any]]:
    draw = random.Random(2)
    for number in range(cohorts):
        seconds = draw.lognormvariate(6, 1)
        dag_id, task_id = name(number).split(".")
        failed = number % 37 == 0
        yield {
            "cohort": name(number),
            "runs": runs,
            "last_key": key(number, runs - 1),
            "last_started_at": started(number, runs - 1, runs),
            "last_state": "failed" if failed else "succeeded",
            "tasks": json.dumps([[dag_id, task_id]]),
            "tags": json.dumps([f"team-{number % 40}", "daily"]),
            "state": ("tuned", "trial", "observing", "rolled_back")[number % 4],
            "mode": "suggest" if number % 5 == 0 else "auto",
            "in_force": number % 4,
            "waiting": 3 if number % 11 == 0 else 0,
            "query_seconds": seconds,
            "application_seconds": seconds + 30,
            "core_hours": seconds * 16 / 3600,
            "gib_hours": seconds * 64 / 3600,
            "gained_seconds": seconds * draw.gauss(0.2, 0.15),
            "gained_deviation": seconds * 0.03,
            "gained_core_hours": seconds * 0.2 * 16 / 3600,
            "trend": json.dumps([seconds * draw.gauss(1, 0.1) for _ in range(20)]),
        }


def ask(url: str) -> None:
    app = create_app(lambda: Store.open(url), Anyone, Home.STANDALONE, 0.05)
    with TestClient(app) as client:
        client.get("/api/session")
        for path in PATHS:
            times = []
            for _ in range(6):
                began = time.perf_counter()
                answer = client.get(f"/api/{path}")
                times.append(time.perf_counter() - began)
                assert answer.status_code == 200, answer.text
            size = len(answer.content) / 1000
            print(
                f"  api/{path:32} first {times[0]:.3f} s, then {statistics.median(times[1:]):.3f} s, {size:.0f} kB",
                flush=True,
            )


def look(url: str) -> None:
    app = create_app(lambda: Store.open(url), Anyone, Home.STANDALONE, 0.05)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        for turn in ("first", "again"):
            began = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/ui?scope=nav", wait_until="commit")
            page.wait_for_selector("table.cohorts tbody tr")
            print(f"  Chromium: first rows {turn} {time.perf_counter() - began:.3f} s", flush=True)
        for typed in ("team7_", "team31_", "00012"):
            before = page.locator("table.cohorts tbody tr").first.inner_text()
            began = time.perf_counter()
            page.fill("input[type=search]", typed)
            page.wait_for_function(CHANGED, arg=before)
            print(f"  Chromium: search {typed} {time.perf_counter() - began:.3f} s", flush=True)
        began = time.perf_counter()
        page.goto(f"http://127.0.0.1:{port}/ui?scope=nav&view=savings", wait_until="commit")
        page.wait_for_selector(".savings table tbody tr")
        print(f"  Chromium: savings {time.perf_counter() - began:.3f} s", flush=True)
        browser.close()
    server.should_exit = True
    thread.join()


if __name__ == "__main__":
    main()
