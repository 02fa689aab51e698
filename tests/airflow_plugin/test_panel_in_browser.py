"""The panel as people use it: Chromium on a real Airflow whose scheduler ran a real Spark job."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.airflow_plugin.live_airflow import LiveAirflow, live_airflow
from tuner.history.store import Store
from tuner.model.decision import Mode, Standing
from tuner.model.run import Run
from tuner.model.strategy import Strategy
from tuner.model.verdict import Ruling

pytestmark = [pytest.mark.airflow, pytest.mark.spark, pytest.mark.nightly]

DAG, TASK, COHORT = "nightly", "join", "nightly.join"
WIDTH, HEIGHT = 1400, 1300
# Where the screenshots are to stay; by default they are with the test's other files.
SCREENSHOTS = "SPARK_TUNER_SCREENSHOTS"
_JOB = Path(__file__).parents[1] / "join_job.py"
_DAG_FILE = """
from airflow.sdk import DAG
from airflow_plugin.operator import SparkTunedOperator

with DAG("{dag}", schedule=None, catchup=False):
    SparkTunedOperator(
        task_id="{task}",
        application="{job}",
        application_args=["{tables}", "{output}"],
        driver_memory="3g",
        mode="suggest",
        conf={{"spark.ui.enabled": "false"}},
    )
"""


@dataclass
class Person:
    """Someone with a browser of their own."""

    airflow: LiveAirflow
    page: Any
    pictures: Path

    def sign_in(self, name: str) -> None:
        self.page.goto(f"{self.airflow.server.url}/auth/login")
        self.page.locator("input[name=username]").fill(name)
        self.page.locator("input[name=password]").fill(name)
        self.page.locator("button[type=submit]").click()
        self.page.wait_for_url(lambda url: "/auth/login" not in url)

    def open(self, path: str) -> Any:
        """The panel in the frame that Airflow shows at this address."""
        self.page.goto(self.airflow.server.url + path)
        frame = self.page.frame_locator("iframe")
        frame.locator("main").wait_for()
        return frame

    def picture(self, name: str, height: int = HEIGHT) -> None:
        """A screenshot; the frame scrolls by itself, so that what is to be seen of it takes a window as high."""
        self.page.set_viewport_size({"width": WIDTH, "height": height})
        self.page.screenshot(path=str(self.pictures / f"{name}.png"))
        self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


@pytest.fixture(scope="module")
def airflow(join_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveAirflow]:
    """With a DAG that has run once, and waits for a person."""
    home = tmp_path_factory.mktemp("live") / "airflow"
    text = _DAG_FILE.format(dag=DAG, task=TASK, job=_JOB, tables=join_tables, output=home / "output.json")
    connection = '{"conn_type": "spark", "host": "local[2]"}'
    with live_airflow(home, {"nightly.py": text}, AIRFLOW_CONN_SPARK_DEFAULT=connection) as live:
        live.run_dag(DAG)
        yield live


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = Path(os.environ.get(SCREENSHOTS) or tmp_path_factory.mktemp("screenshots"))
    directory.mkdir(parents=True, exist_ok=True)
    return directory


@pytest.fixture
def browse(airflow: LiveAirflow, chromium: Any, pictures: Path) -> Iterator[Any]:
    """Opens browsers; what they ask of other hosts, and what scripts throw, fails the test."""
    contexts, wrong = [], []

    def person(name: str, **options: Any) -> Person:
        context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT}, **options)
        context.on("request", lambda r: wrong.append(r.url) if not _is_ours(r.url, airflow) else None)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        contexts.append(context)
        found = Person(airflow, page, pictures)
        if name:
            found.sign_in(name)
        return found

    yield person
    for context in contexts:
        context.close()
    assert wrong == []


def _is_ours(url: str, airflow: LiveAirflow) -> bool:
    return url.startswith((airflow.server.url, "data:", "blob:", "about:"))


def brightest(element: Any) -> int:
    """The largest part of red, green and blue in an element's background, whatever colour space it is given in."""
    found: int = element.evaluate(
        """element => {
          const canvas = document.createElement("canvas").getContext("2d");
          canvas.fillStyle = getComputedStyle(element).backgroundColor;
          canvas.fillRect(0, 0, 1, 1);
          return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
        }"""
    )
    return found


def runs(airflow: LiveAirflow) -> list[Run]:
    with Store.open(airflow.store_url) as store:
        return store.runs(COHORT)


def strategies(run: Run) -> list[Strategy]:
    assert run.outcome is not None
    return [join.strategy for query in run.outcome.queries for join in query.joins]


def opened(panel: Any) -> tuple[Any, Any]:
    """The row of the broadcast, and what is below it."""
    row = panel.locator("tr.change-row", has_text="BROADCAST(dims)")
    row.wait_for()
    expander = row.locator("button.expander")
    if expander.get_attribute("aria-expanded") == "false":
        expander.click()
    return row, row.locator("xpath=following-sibling::tr[1]")


def test_a_recommendation_is_seen_approved_tried_and_rolled_back(airflow: LiveAirflow, browse: Any) -> None:
    (first,) = runs(airflow)
    assert strategies(first) == [Strategy.SORT_MERGE]
    ana = browse("admin")

    panel = ana.open(f"/dags/{DAG}/tasks/{TASK}/plugin/spark-tuner-task")
    row, card = opened(panel)
    assert panel.get_by_role("heading", level=1).inner_text() == COHORT
    assert "Proposed" in row.inner_text()
    assert "400k rows" in card.inner_text()
    ana.picture("1_proposed")
    card.get_by_role("button", name="Approve").click()
    card.locator(".verdict").first.wait_for()
    assert "Approved by admin" in card.inner_text()
    ana.picture("2_approved")
    # Pinned, it stays in force whatever a busy machine measures.
    card.get_by_role("button", name="Pin").click()
    card.locator(".verdict", has_text="Pinned by admin").wait_for()

    run_id = airflow.run_dag(DAG)
    second = runs(airflow)[-1]
    assert strategies(second) == [Strategy.BROADCAST_HASH]
    assert second.origin is not None and second.origin.run_id == run_id

    panel = ana.open(f"/dags/{DAG}/runs/{quote(run_id, safe='')}/tasks/{TASK}/plugin/spark-tuner-task-instance")
    row, card = opened(panel)
    assert "In force since" in card.inner_text()
    assert "measured" in row.inner_text() and "not yet" not in card.inner_text()
    panel.locator(".chart-fold > summary").click()
    panel.locator(".chart-picture svg").first.wait_for()
    ana.picture("3_measured")

    panel.get_by_role("tab", name="Queries and plans").click()
    panel.locator("table.queries a").first.click()
    panel.locator(".step-title", has_text="Broadcast hash join").wait_for()
    panel.locator(".step-title", has_text="Sort merge join").wait_for()
    ana.picture("4_plans", height=2600)

    panel.get_by_role("tab", name="Recommendations").click()
    _, card = opened(panel)
    card.get_by_role("button", name="Roll back").click()
    card.get_by_label("Reason").fill("quarter end")
    card.locator("form").get_by_role("button", name="Roll back").click()
    panel.locator("tr.details .verdict", has_text="quarter end").first.wait_for()
    panel.get_by_role("tab", name="Audit").click()
    panel.get_by_role("tabpanel").get_by_text("quarter end").first.wait_for()
    ana.picture("5_rolled_back")
    with Store.open(airflow.store_url) as store:
        said = {(verdict.ruling, verdict.by) for verdict in store.verdicts(COHORT)}
    assert said == {(ruling, "admin") for ruling in (Ruling.APPROVE, Ruling.PIN, Ruling.ROLL_BACK)}


def test_the_next_run_goes_without_what_was_rolled_back(airflow: LiveAirflow) -> None:
    airflow.run_dag(DAG)
    third = runs(airflow)[-1]
    assert third.decision.in_force == ()
    assert Standing.ROLLED_BACK in {d.standing for d in third.decision.changes}
    assert strategies(third) == [Strategy.SORT_MERGE]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("navigation", "/plugin/spark-tuner"),
        pytest.param("dag", f"/dags/{DAG}/plugin/spark-tuner-dag", marks=pytest.mark.nightly),
        pytest.param("dag_run", f"/dags/{DAG}/runs/{{run}}/plugin/spark-tuner-dag-run", marks=pytest.mark.nightly),
        pytest.param("task", f"/dags/{DAG}/tasks/{TASK}/plugin/spark-tuner-task", marks=pytest.mark.nightly),
        ("task_instance", f"/dags/{DAG}/runs/{{run}}/tasks/{TASK}/plugin/spark-tuner-task-instance"),
    ],
)
def test_each_tab_shows_the_cohort_in_light_and_in_dark(
    airflow: LiveAirflow, browse: Any, name: str, path: str
) -> None:
    first = runs(airflow)[0]
    assert first.origin is not None
    ana = browse("admin")
    for theme in ("light", "dark"):
        ana.page.evaluate("theme => localStorage.setItem('theme', theme)", theme)
        panel = ana.open(path.format(run=quote(first.origin.run_id, safe="")))
        panel.get_by_text(COHORT).first.wait_for()
        panel.locator(f"html[data-theme={theme}]").wait_for(state="attached")
        assert (brightest(panel.locator("body")) < 90) is (theme == "dark")
        ana.picture(f"tab_{name}_{theme}")


def test_a_viewer_sees_the_numbers_and_may_not_act(airflow: LiveAirflow, browse: Any) -> None:
    vic = browse("viewer")
    panel = vic.open(f"/dags/{DAG}/tasks/{TASK}/plugin/spark-tuner-task")
    panel.locator("tr.change-row").first.wait_for()
    panel.get_by_text("You may look but not act").wait_for()
    assert panel.get_by_role("button", name="Approve").count() == 0
    assert panel.get_by_role("button", name="Change mode").count() == 0
    vic.picture("viewer")
    status = vic.page.evaluate(
        """cohort => fetch("/spark-tuner/api/cohort/mode", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({cohort, mode: "auto", reason: ""})}).then(answer => answer.status)""",
        COHORT,
    )
    assert status == 403
    with Store.open(airflow.store_url) as store:
        assert store.mode(COHORT) is None


def test_nobody_sees_nothing(airflow: LiveAirflow, browse: Any) -> None:
    nobody = browse("")
    answer = nobody.page.goto(f"{airflow.server.url}/spark-tuner/ui?scope=nav")
    assert answer.status == 401
    assert COHORT not in nobody.page.content()


def test_the_mode_is_changed_by_keyboard_alone(airflow: LiveAirflow, browse: Any) -> None:
    ana = browse("admin")
    panel = ana.open(f"/dags/{DAG}/tasks/{TASK}/plugin/spark-tuner-task")
    button = panel.get_by_role("button", name="Change mode")
    button.focus()
    button.press("Enter")
    panel.get_by_role("radio", name="observe").press("Space")
    panel.get_by_role("radio", name="observe").press("Enter")
    panel.locator(".mode-row", has_text="set by admin").wait_for()
    with Store.open(airflow.store_url) as store:
        assert store.mode(COHORT) is Mode.OBSERVE
