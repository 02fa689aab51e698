"""How long a decision takes over a long history: read, learned from, advised on and decided, and all of it end to end;
afresh, after a person ruled on one change, and with what was worked out when the last run ended.

    python -m tests.benchmarks.decision_speed DIRECTORY [--runs 1000] [--queries 100] [--beside 100000] [--repeat 20]
        [--db URL] [--logs LOG…] [--profile FILE]

A cohort of so many runs of so many queries is put into a store (SQLite in DIRECTORY, or URL, which must be empty), with so many
runs of other cohorts beside it. The queries are those of real logs (tests/golden, ../shared/eventlogs where that is there, and
LOGs), with other names and times: the policy proves some hints, rolls others back, and has some on trial. A store that is there
already is measured as it is. What a new process pays once (imports, the first statement) is measured in processes of their own.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert

from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.history.engine import open_engine, writer
from tuner.history.store import Store
from tuner.history.tables import LookAheadRow, RunRow, VerdictRow
from tuner.history.url import parse
from tuner.loop import look_ahead as ahead
from tuner.loop.known_runs import known_runs
from tuner.loop.loop import JobToRun, prepare
from tuner.loop.next_decision import facts_now, next_decision
from tuner.loop.time_limits import MostSeconds
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.application import Completeness
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome, Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.plan.queries import queries
from tuner.problems import Problems
from tuner.steering.agent.submission import Submission
from tuner.words.decisions import decision_summary

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "logs"
LOGS = (GOLDEN, ROOT.parent / "shared" / "eventlogs")
COHORT = "nightly.load"
NEWEST = datetime(2026, 11, 1, 2, tzinfo=UTC)
CLUSTER = Cluster(32, 8, 4, 16 << 30, 8 << 30)
# What `prepare` may take of a core, by what there is to work with.
AFRESH, RULED, AHEAD = ("prepare, afresh", "prepare, after a verdict", "prepare, with what was left for it")
TARGETS_MS = {AFRESH: 200.0, AHEAD: 50.0}
BATCH = 10_000


def templates(logs: Sequence[Path]) -> list[Query]:
    """The queries of real logs that join, of each log and fingerprint once."""
    found: dict[str, Query] = {}
    for log in logs:
        for source in find_logs(log) if log.exists() else ():
            application = read_application(source)
            if application.status is Completeness.COMPLETE:
                found |= {q.fingerprint: q for q in queries(application) if q.joins and q.duration_ms}
    return list(found.values())


def night(made_of: Sequence[Query], number: int, count: int) -> Outcome:
    """The outcome of one run: every query some 6 % longer or shorter than it usually takes."""
    chance = random.Random(number)
    found = tuple(_copy(query, n, chance) for n, query in enumerate(islice(cycle(made_of), count)))
    return Outcome(f"app-{number}", "4.0.1", sum(q.duration_ms or 0 for q in found), CLUSTER, found, _CONF)


_CONF = {
    "spark.master": "yarn",
    "spark.executor.memory": "16g",
    "spark.driver.memory": "8g",
    "spark.executor.cores": "4",
}


def _copy(query: Query, number: int, chance: random.Random) -> Query:
    """One that the agent tells from other copies: it reads other columns."""
    fingerprint, columns = (f"{digest[:12]}{number:04}" for digest in (query.fingerprint, query.columns))
    took = _took(query, number, chance)
    return replace(query, id=number, root_id=number, fingerprint=fingerprint, columns=columns, duration_ms=took)


def _took(query: Query, number: int, chance: random.Random) -> int:
    return int(((query.duration_ms or 0) + 1000 * (number % 13)) * chance.gauss(1, 0.06))


def decided(outcome: Outcome, night_of: int) -> tuple[DecidedChange, ...]:
    """A hint for every third query: most are proven, some were rolled back, and of the last few nights some are on trial."""
    hinted = [q for n, q in enumerate(outcome.queries) if n % 3 == 0]
    return tuple(_decided(query, _standing(n, night_of)) for n, query in enumerate(hinted)) if night_of else ()


def _standing(number: int, night_of: int) -> Standing:
    if number % 5 == 4:
        return Standing.ROLLED_BACK
    return Standing.TRIAL if number % 7 == 3 and night_of % 20 == 19 else Standing.PROMOTED


def _decided(query: Query, standing: Standing) -> DecidedChange:
    join = query.joins[0]
    action = Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, query.fingerprint, join.right.relations)
    seconds = (query.duration_ms or 0) / 1e3
    evidence = (Evidence("rows", 198_263, "rows", "dim"), Evidence("bytes", 14_274_936, "bytes", "dim"))
    predicted = Prediction(seconds, seconds / 2, seconds / 3, seconds * 0.8)
    why = Reason(ReasonCode.FASTER, {"said": "20.0 s became 10.0 s over 1 query"})
    change = Change.of("broadcast_hint", (action,), (query.fingerprint,), why, evidence, predicted)
    return DecidedChange(change, standing, why, gained_seconds=10.0)


def fill(url: str, made_of: Sequence[Query], runs: int, count: int) -> None:
    """The cohort's history, through the store as live runs do."""
    with Store.open(url, migrate=True) as store:
        for number in range(runs):
            outcome = night(made_of, number, count)
            decision = Decision(Mode.AUTO, decided(outcome, number))
            started = NEWEST - timedelta(days=runs - number)
            run = Run(f"nightly/{number}/load/-1/1", COHORT, 1, started, RunState.RUNNING, decision, "")
            store.begin(run)
            store.finish(run.key, RunState.SUCCEEDED, started + timedelta(hours=1), outcome)


def fill_beside(url: str, runs: int) -> None:
    """Runs of other cohorts, a hundred each, of few queries: what the index has to tell apart."""
    engine = writer(open_engine(parse(url)))
    try:
        for first in range(0, runs, BATCH):
            with engine.begin() as connection:
                connection.execute(insert(RunRow), [_row(n) for n in range(first, min(runs, first + BATCH))])
    finally:
        engine.dispose()


def _row(number: int) -> dict[str, Any]:
    started = NEWEST - timedelta(minutes=number)
    return {
        "key": f"other/{number}/1",
        "cohort": f"other_{number // 100}.load",
        "try_number": 1,
        "state": "succeeded",
        "mode": "auto",
        "started_at": started,
        "ended_at": started + timedelta(minutes=5),
        "app_id": f"app-{number}",
        "duration_ms": 300_000,
        "event_log_dir": f"file:///events/other/{number}",
        "dag_id": f"other_{number // 100}",
        "task_id": "load",
        "run_id": f"{number}",
        "map_index": -1,
        "decision": '{"mode":"auto","changes":[]}',
        "outcome": None,
    }


class Laps:
    """Milliseconds of each step over several rounds, on the clock and of a core."""

    def __init__(self) -> None:
        self.of: dict[str, list[tuple[float, float]]] = {}

    def time(self, name: str, step: Callable[[], Any]) -> Any:
        since, used = time.perf_counter(), time.process_time()
        found = step()
        took = (time.perf_counter() - since) * 1e3, (time.process_time() - used) * 1e3
        self.of.setdefault(name, []).append(took)
        return found

    def lines(self) -> Iterator[str]:
        for name, laps in self.of.items():
            wall = sorted(lap for lap, _ in laps)
            worst, used = wall[min(len(wall) - 1, int(0.95 * len(wall)))], self.cpu_ms(name)
            yield f"  {name:<40} {statistics.median(wall):>8.1f} ms  {worst:>8.1f} ms  {used:>8.1f} ms"

    def cpu_ms(self, name: str) -> float:
        """The median of what a step took of a core."""
        return statistics.median(used for _, used in self.of[name])


def measure(url: str, directory: Path, repeat: int, laps: Laps) -> Decision:
    """The steps of one decision in this process, and `prepare` around them; returns the last decision."""
    decision = Decision(Mode.OBSERVE, ())
    for round_ in range(repeat):
        problems, job = Problems(), _job(directory, round_)
        decision = _step_by_step(url, laps, problems)
        forget_ahead(url)
        afresh = _prepare(url, job, laps, AFRESH)
        laps.time("look ahead, when a run has ended", partial(look_ahead, url, job))
        ahead = _prepare(url, job, laps, AHEAD)
        if afresh != ahead or problems.found:
            raise AssertionError((afresh, ahead, problems.found))
        _rule(url, decision)
        _prepare(url, job, laps, RULED)
        _delete(url, VerdictRow)
    return decision


def _prepare(url: str, job: JobToRun, laps: Laps, name: str) -> Decision:
    turn = laps.time(name, partial(prepare, job, url))
    if turn.problems:
        raise AssertionError(turn.problems)
    _forget(url, job.key)
    return turn.decision


def look_ahead(url: str, job: JobToRun) -> None:
    """Leaves for the next run what the end of the last one would have left."""
    problems = Problems()
    with Store.open(url) as store:
        runs = known_runs(store, COHORT)
        ahead.look_ahead(store, job, runs, "4.0.1", problems)
        if problems.found or store.look_ahead(COHORT) is None:
            raise AssertionError(problems.found)


def forget_ahead(url: str) -> None:
    """Leaves nothing for the next run."""
    _delete(url, LookAheadRow)


def _rule(url: str, decision: Decision) -> None:
    with Store.open(url) as store:
        store.record(Verdict(COHORT, decision.in_force[0].id, Ruling.REJECT, "ana", NEWEST))


def _delete(url: str, table: type[LookAheadRow | VerdictRow]) -> None:
    engine = writer(open_engine(parse(url)))
    with engine.begin() as connection:
        connection.execute(delete(table).where(table.cohort == COHORT))
    engine.dispose()


def _step_by_step(url: str, laps: Laps, problems: Problems) -> Decision:
    store: Store = laps.time("open the store", lambda: Store.open(url))
    runs: list[Run] = laps.time("read the history", lambda: known_runs(store, COHORT))
    facts = laps.time("facts, prices", lambda: facts_now(runs, Reach.AGENT, problems))
    decision: Decision = laps.time("advise and decide", lambda: _decide(store, runs, facts, problems))
    store.close()
    return decision


def _decide(store: Store, runs: Sequence[Run], facts: Facts | None, problems: Problems) -> Decision:
    return next_decision(
        runs,
        facts,
        key="nightly/next/load/-1/1",
        try_number=1,
        mode=Mode.AUTO,
        verdicts=store.verdicts(COHORT),
        reach=Reach.AGENT,
        problems=problems,
    )


def _job(directory: Path, number: int) -> JobToRun:
    submission = Submission(agent_jar="hdfs:///jars/agent.jar")
    return JobToRun(
        COHORT,
        f"nightly/next{number}/load/-1/1",
        1,
        Mode.AUTO,
        event_log_base=str(directory / "events"),
        submission=submission,
        most_seconds=MostSeconds(60.0, 60.0),
    )


def _forget(url: str, key: str) -> None:
    engine = writer(open_engine(parse(url)))
    with engine.begin() as connection:
        connection.execute(RunRow.__table__.delete().where(RunRow.key == key))  # type: ignore[attr-defined]
    engine.dispose()


# Installed packages are compiled; what forbids that here would make imports look slow.
_COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def in_new_processes(url: str, directory: Path, name: str, count: int = 5) -> dict[str, list[float]]:
    """Milliseconds of importing the loop, and of the first `prepare`, which afresh imports advisors and numpy, in new processes:
    on the clock, and of a core."""
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "since, used = time.perf_counter(), time.process_time()\n"
        "import tuner.loop.loop\n"
        "imported, used_by_import = time.perf_counter(), time.process_time()\n"
        "from tests.benchmarks.decision_speed import _forget, _job\n"
        "job = _job(Path(sys.argv[2]), 0)\n"
        "start, used_before = time.perf_counter(), time.process_time()\n"
        "turn = tuner.loop.loop.prepare(job, sys.argv[1])\n"
        "end, used_after = time.perf_counter(), time.process_time()\n"
        "assert not turn.problems, turn.problems\n"
        "_forget(sys.argv[1], job.key)\n"
        "clock, core = (imported - since, end - start), (used_by_import - used, used_after - used_before)\n"
        "print(*(seconds * 1e3 for seconds in (*clock, *core)))\n"
    )
    steps = ("import tuner.loop.loop", f"{name}, first of a process")
    found: dict[str, list[float]] = {step + of: [] for of in ("", ": CPU") for step in steps}
    for _ in range(count):
        done = subprocess.run(
            [sys.executable, "-c", code, url, str(directory)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=_COMPILED,
        )
        for name, value in zip(found, map(float, done.stdout.split()), strict=True):
            found[name].append(value)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--beside", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--db", help="the URL of an empty store, or of one that this has filled")
    parser.add_argument("--logs", nargs="*", type=Path, default=[])
    parser.add_argument("--profile", type=Path, help="where cProfile's figures go")
    options = parser.parse_args()
    directory = options.directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    url = options.db or f"sqlite:///{directory}/history.db"
    with Store.open(url, migrate=True) as store:
        empty = not store.count(COHORT)
    if empty:
        since = time.perf_counter()
        fill(url, templates([*LOGS, *options.logs]), options.runs, options.queries)
        fill_beside(url, options.beside)
        print(f"filled in {time.perf_counter() - since:.0f} s")
    laps = Laps()
    measure(url, directory, 1, Laps())
    profile = cProfile.Profile()
    measured = partial(measure, url, directory, options.repeat, laps)
    decision = profile.runcall(measured) if options.profile else measured()
    if options.profile:
        profile.dump_stats(options.profile)
    print(
        f"{options.repeat} rounds: median, 95th percentile, median of CPU time; the decision: {decision_summary(decision)}"
    )
    print("\n".join(laps.lines()))
    forget_ahead(url)
    once = in_new_processes(url, directory, AFRESH)
    look_ahead(url, _job(directory, 0))
    once |= in_new_processes(url, directory, AHEAD)
    for name, each in once.items():
        print(f"  {name:<58} {statistics.median(each):>8.1f} ms  {max(each):>8.1f} ms (worst of {len(each)})")
    slow = [name for name, most in TARGETS_MS.items() if laps.cpu_ms(name) > most]
    for name, most in TARGETS_MS.items():
        print(f"  {name}: target {most:.0f} ms of CPU time {'missed' if name in slow else 'met'}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
