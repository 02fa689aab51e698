"""How long the panel's API takes to answer for a cohort of many runs and queries.

    python tests/benchmarks/panel_api.py LOG… [--runs 200] [--queries 100]

The queries are those of the LOGs, as often as it takes, with fingerprints of their own; from the tenth run on, hints are
tried, proven and in force on a fifth of them. Times are milliseconds of one request in this process, by the clock and of
CPU, the first one ("cold", the store just opened) and the median of the next five ("warm"), with the answer's size.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from fastapi.testclient import TestClient

from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.read import read_application
from tuner.history.outcome import outcome_of
from tuner.history.store import Store
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.insight import Insight, InsightKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome, Run, RunDetails, RunState
from tuner.panel.app import create_app
from tuner.panel.models.home import Home
from tuner.plan.queries import queries
from tuner.policy.baseline import baselines

START = datetime(2026, 1, 1, tzinfo=UTC)
COHORT = "nightly.load"
UNSTEERED = 10
STEPS = 60


@dataclass(frozen=True)
class Anyone:
    name: str = "benchmark"

    def readable_dags(self) -> frozenset[str] | None:
        return None

    def may_act_on(self, dag_ids: frozenset[str]) -> bool:
        return True

    def may_read_code_of(self, dag_ids: frozenset[str]) -> bool:
        return True


def outcome_of_logs(logs: Sequence[Path], count: int) -> Outcome:
    """`count` queries of the logs, each with a fingerprint and a time of its own."""
    outcomes = []
    for path in logs:
        for source in find_logs(log_path(str(path))):
            application = read_application(source)
            outcomes.append(outcome_of(application, queries(application)))
    found = [q for outcome in outcomes for q in outcome.queries if q.status is QueryStatus.SUCCEEDED and q.joins]
    if not found:
        raise SystemExit("no query with a join in these logs")
    many = (found * (count // len(found) + 1))[:count]
    draw = random.Random(1)
    renamed = (
        replace(q, fingerprint=f"{i:016x}", duration_ms=int(draw.lognormvariate(9, 1)), id=i, directives=())
        for i, q in enumerate(many)
    )
    return replace(outcomes[0], queries=tuple(renamed))


def hints(found: Sequence[Query]) -> list[Action]:
    return [Action(ActionKind.HINT_JOIN, q.joins[0].signature, Hint.BROADCAST, q.fingerprint, ("dim",)) for q in found]


def decision(number: int, actions: Sequence[Action]) -> Decision:
    standing = Standing.TRIAL if number == UNSTEERED else Standing.PROMOTED
    if number < UNSTEERED:
        standing = Standing.PROPOSED
    gained = 9.0 if number > UNSTEERED else None
    changes = map(change, actions)
    return Decision(Mode.AUTO, tuple(DecidedChange(c, standing, c.reason, gained_seconds=gained) for c in changes))


def change(action: Action) -> Change:
    why = Reason(ReasonCode.BROADCAST_HINT, {"said": "14.3 MB of 10 MB: about 9.0 s less"})
    evidence = (Evidence("build side", 14.3e6, "bytes", action.id),)
    predicted = Prediction(20.0, 11.0, 9.0, 14.0)
    return Change.of("broadcast_hint", (action,), (action.query or "",), why, evidence, predicted)


def runs(count: int, outcome: Outcome) -> Iterator[Run]:
    draw = random.Random(2)
    actions = hints(outcome.queries[:: max(1, len(outcome.queries) // 20)])
    helped = {action.query for action in actions}
    for number in range(count):
        steered = number >= UNSTEERED
        took = tuple(
            replace(
                q,
                duration_ms=int(
                    (q.duration_ms or 0) * draw.gauss(0.5 if steered and q.fingerprint in helped else 1, 0.03)
                ),
            )
            for q in outcome.queries
        )
        started = START + timedelta(days=number)
        yield Run(
            f"nightly/{number}/load/-1/1",
            COHORT,
            1,
            started,
            RunState.SUCCEEDED,
            decision(number, actions),
            "",
            started + timedelta(hours=1),
            replace(outcome, queries=took, duration_ms=sum(q.duration_ms or 0 for q in took)),
        )


def details(run: Run) -> RunDetails:
    """A picture of STEPS steps and an insight for each query."""
    found = run.outcome.queries if run.outcome else ()
    steps = tuple(
        PlanStep(StepKind.OTHER, "Project", "a label of some length", 10, 100, (i + 1,)) for i in range(STEPS - 1)
    )
    steps += (PlanStep(StepKind.SCAN, "Scan", "db.table", 10, 100),)
    evidence = (Evidence("spilled", 1e9, "bytes"),)
    return RunDetails(
        run.decision,
        tuple(
            Insight(InsightKind.SPILL, "Sort", q.fingerprint, 3.0, evidence, "a sort spilled 1 GB", "more memory")
            for q in found
        ),
        tuple(PlanPicture(q.fingerprint, q.description, steps) for q in found),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--queries", type=int, default=100)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/history.db"
        measure(url, fill(url, asked), folder)


def fill(url: str, asked: argparse.Namespace) -> list[Run]:
    made = list(runs(asked.runs, outcome_of_logs(asked.logs, asked.queries)))
    with Store.open(url) as store:
        for run in made:
            store.begin(replace(run, state=RunState.RUNNING, ended_at=None, outcome=None))
            store.finish(run.key, run.state, run.ended_at or run.started_at, run.outcome)
            store.add_details(run.key, details(run))
    return made


def measure(url: str, made: list[Run], folder: str) -> None:
    took = timed(lambda: baselines(made))
    size = Path(folder, "history.db").stat().st_size
    print(f"{len(made)} runs in {size / 1e6:.0f} MB; their baselines: {took}")
    query = made[0].decision.changes[0].change.query
    paths = [
        "cohorts",
        f"cohort?cohort={COHORT}",
        f"cohort/runs?cohort={COHORT}&limit=200",
        f"cohort/recommendations?cohort={COHORT}",
        f"cohort/insights?cohort={COHORT}",
        f"cohort/queries?cohort={COHORT}&limit=200",
        f"cohort/plan?cohort={COHORT}&query={query}",
        f"cohort/audit?cohort={COHORT}",
    ]
    for path in paths:
        client = TestClient(create_app(lambda: Store.open(url), Anyone, Home.STANDALONE))
        ask = partial(client.get, f"/api/{path}")
        cold, *warm = (timed(ask) for _ in range(6))
        answer = ask().raise_for_status()
        figures = f"cold {cold}, warm {sorted(warm)[2]}, {len(answer.content) / 1e3:6.0f} kB"
        print(f"{path.partition('?')[0]:24} {figures}")


@dataclass(frozen=True, order=True)
class Took:
    wall_ms: float
    cpu_ms: float

    def __str__(self) -> str:
        return f"{self.wall_ms:6.0f} ms ({self.cpu_ms:5.0f} CPU)"


def timed(call: Callable[[], object]) -> Took:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Took((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3)


if __name__ == "__main__":
    main()
