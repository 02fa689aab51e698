"""The first run of a job, with what another one proved, on a real Spark: steered where it asks the same, and nowhere else."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tuner.history.store import Store
from tuner.model.directive_result import DirectiveStatus
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.model.strategy import Strategy
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.words.query_names import NO_NAMES
from tuner.words.reasons import why_words

from .test_loop_on_spark import SUBMIT, Cohort, agent_events, spark_properties

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

# The lender's query; one that reads the same and groups otherwise; one with a filter that the lender's has not.
QUERIES = {
    "same": "SELECT d.grp, count(*), sum(f.amount), max(length(d.note)) FROM facts f JOIN dims d ON f.dim_id = d.id "
    "GROUP BY d.grp",
    "alike": "SELECT max(d.grp), min(f.amount), max(d.note) FROM facts f JOIN dims d ON f.dim_id = d.id",
    "other values": "SELECT d.grp, count(*), sum(f.amount), max(length(d.note)) FROM facts f JOIN dims d ON f.dim_id = d.id "
    "WHERE d.grp > 3 GROUP BY d.grp",
    "off": "SELECT d.grp, count(*), sum(f.amount), max(length(d.note)) FROM facts f JOIN dims d ON f.dim_id = d.id "
    "GROUP BY d.grp",
}
APP = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
tables, queries, output = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
for table in ("facts", "dims"):
    spark.read.parquet(f"{tables}/{table}").createOrReplaceTempView(table)
found = {}
for name, text in json.loads(queries).items():
    spark.sparkContext.setJobDescription(name)
    if name == "off":
        spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    found[name] = sorted([str(value) for value in row] for row in spark.sql(text).collect())
Path(output).write_text(json.dumps(found))
spark.stop()
"""


class Job(Cohort):
    """A cohort that shares its store with others."""

    def __init__(self, directory: Path, name: str, tables: Path) -> None:
        super().__init__(directory)
        self.name, self.tables, self.app = name, tables, directory / "app.py"
        self.app.write_text(APP)

    def night(self, *queries: str) -> tuple[Run, dict[str, object], str]:
        """The run, the rows of its queries, and what was said of it."""
        output = self.directory / f"{self.name}.json"
        asked = json.dumps({name: QUERIES[name] for name in queries})
        # What the first of two names is the second takes.
        options = ("--cohort", self.name)
        done = self.submit(*SUBMIT, self.app, self.tables, asked, output, options=options)
        assert done.returncode == 0, done.stderr
        with Store.open(self.store) as store:
            (run,) = store.runs(self.name, 1)
        return run, json.loads(output.read_text()), done.stderr


def lent(lender: Job) -> int:
    with Store.open(lender.store) as store:
        return sum(p.directives is not None for p in store.proofs("", datetime.now(UTC) - timedelta(days=1), 10))


def strategies(run: Run) -> dict[str, set[Strategy]]:
    assert run.outcome is not None
    return {query.description: {join.strategy for join in query.joins} for query in run.outcome.queries}


def test_a_first_run_has_what_another_job_proved_of_its_queries(join_tables: Path, tmp_path: Path) -> None:
    lender, borrower = (Job(tmp_path, name, join_tables) for name in ("team-a.lender", "team-b.borrower"))
    for _ in range(4):
        lender.night("same")
        if lent(lender):
            break
    assert lent(lender) == 1

    run, rows, said = borrower.night(*QUERIES)
    assert "it has what other jobs have proven" in said
    assert "lender" not in said
    told = json.dumps(spark_properties(run))
    assert '\\"sealed\\"' in told
    assert "dims" not in spark_properties(run)["spark.tuner.directives"]
    assert strategies(run) == {
        "same": {Strategy.BROADCAST_HASH},
        "alike": {Strategy.BROADCAST_HASH},
        "other values": {Strategy.SORT_MERGE},
        "off": {Strategy.SORT_MERGE},
    }
    assert run.outcome is not None
    results = {q.description: [d.status for d in q.directives] for q in run.outcome.queries}
    assert (results["same"], results["alike"]) == ([DirectiveStatus.APPLIED],) * 2
    assert [e["problem"] for e in agent_events(run) if "problem" in e] == [""]
    assert not run.decision.lent
    fingerprints = {q.description: q.fingerprint for q in run.outcome.queries}
    borrowed = {d.change.query: d for d in run.decision.changes}
    assert borrowed.keys() == {fingerprints["same"], fingerprints["alike"]}, "each is a trial of the query that had it"
    assert {d.id for d in changes_in_effect(run)} == {d.id for d in borrowed.values()}
    assert all(d.why.code is ReasonCode.LENT for d in borrowed.values())
    change = borrowed[fingerprints["same"]]
    assert "in 1 other job" in why_words(change, NO_NAMES)

    second, again, _ = borrower.night(*QUERIES)
    assert rows == again
    held = [d.held.code for d in second.decision.changes if d.id in {b.id for b in borrowed.values()} and d.held]
    assert held == [ReasonCode.NEVER_WITHOUT] * 2
    assert set.union(*strategies(second).values()) == {Strategy.SORT_MERGE}
