"""What the API could answer for one cohort, by its own models."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import cast

from tuner.compare.cause import CauseKind
from tuner.compare.operator_difference import OperatorKind
from tuner.model.action import ActionKind
from tuner.model.change import Risk
from tuner.model.decision import CohortState, Mode, Standing
from tuner.model.insight import InsightKind
from tuner.model.objective import Objective
from tuner.model.plan_picture import StepKind
from tuner.model.run import RunState
from tuner.model.verdict import Ruling
from tuner.panel.models.acts import Done
from tuner.panel.models.answer import Answer
from tuner.panel.models.audit import AuditItem
from tuner.panel.models.cohort import Cohort, Held, ModeSetting, Turned
from tuner.panel.models.cohort_list import CohortItem, CohortList, CohortTotalsItem, TaskRef
from tuner.panel.models.comparison import (
    CauseItem,
    ComparedOperator,
    ComparedQuery,
    ComparedRun,
    Comparison,
    OperatorSide,
)
from tuner.panel.models.evidence import EvidenceItem
from tuner.panel.models.gain import GainItem
from tuner.panel.models.home import Home
from tuner.panel.models.in_force import InForce
from tuner.panel.models.insights import InsightItem
from tuner.panel.models.page import Page
from tuner.panel.models.plan import PictureItem, PlanComparison, StepItem
from tuner.panel.models.queries import QueriesTogether, QueryItem, QueryPage
from tuner.panel.models.query_ref import QueryRef
from tuner.panel.models.recommendations import ActionItem, Measured, Recommendation, RiskItem, Seconds
from tuner.panel.models.runs import Band, LeftOut, RunItem, SizeItem
from tuner.panel.models.savings import SavedItem, SavedOfChange, SavedOfCohort, SavedOfTag, SavedOfWeek, Savings
from tuner.panel.models.session import Session

COHORT = "sales.nightly"
START = datetime(2026, 3, 1, 2, tzinfo=UTC)
HINT = "/*+ BROADCAST(date_dim) */"
# Of several recommendations.
WAITING = 3


@dataclass(frozen=True, slots=True)
class Texts:
    """Every text that a log, a query or a person wrote."""

    name: str = COHORT
    words: str = f"{HINT} in query q72"
    copied: str = HINT
    sentence: str = "Broadcasting date_dim saves the shuffle of 28.8M rows."
    run: str = "scheduled__2026-03-01T02:00:00+00:00"
    label: str = "inv_date_sk = d_date_sk"
    person: str = "anna"
    tag: str = "finance"
    failure: str = "an executor ran out of memory in query q72"
    size: str = "spark.executor.memory=16g instead of 8g"
    died: str = "run run-2 died with 8g: an executor ran out of memory"


@dataclass(slots=True)
class World:
    """Answers by path; `posted` keeps what the page sent. `measured`: runs have ended and their logs were read. Of several
    `recommendations` the first WAITING wait for a person and the others are promoted, two for each query."""

    texts: Texts = field(default_factory=Texts)
    runs: int = 12
    may_act: bool = True
    measured: bool = True
    standing: Standing = Standing.PROPOSED
    rulings: tuple[Ruling, ...] = (Ruling.APPROVE, Ruling.REJECT)
    gained_seconds: float | None = 10.0
    recommendations: int = 1
    mode: Mode = Mode.AUTO
    mode_is_known: bool = True
    mode_by: str = ""
    steering_off: str = ""
    switched_off: str = ""
    gives_back: dict[Mode, list[str]] = field(default_factory=dict)
    a_run_has_ended_since: bool = False
    hours_between_runs: int = 24
    last_run: RunState = RunState.SUCCEEDED
    leaves_out: bool = False
    approved: set[str] = field(default_factory=set)
    posted: list[tuple[str, object]] = field(default_factory=list)

    def answer(self, path: str, query: dict[str, str]) -> Answer | None:
        """None where there is no such path."""
        answers = {
            "session": lambda: Session(user=self.texts.person, home=Home.STANDALONE, version="1.0"),
            "cohorts": lambda: self.cohorts(query),
            "savings": self.savings,
            "cohort": self.cohort,
            "cohort/runs": lambda: page([self.run(night) for night in reversed(range(self.runs))], query),
            "cohort/recommendations": lambda: page(self.recommended(), query),
            "cohort/insights": lambda: page([self.insight()], query),
            "cohort/queries": lambda: self.queries(query),
            "cohort/plan": lambda: self.plan(query["query"]),
            "cohort/compare": lambda: self.comparison(query["before"], query["after"]),
            "cohort/audit": lambda: page([self.audited()], query),
        }
        return answers[path]() if path in answers else None

    def accept(self, path: str, body: dict[str, object]) -> Answer:
        self.posted.append((path, body))
        if body.get("ruling") == Ruling.REJECT:
            self.standing, self.rulings = Standing.HELD, (Ruling.APPROVE,)
        if body.get("ruling") == Ruling.APPROVE:
            self.approved.update(map(str, cast("list[object]", body["change_ids"])))
        return Done(message="it holds from the next run on")

    def cohort(self) -> Cohort:
        return Cohort(
            cohort=self.texts.name,
            tasks=[TaskRef(dag_id=self.texts.name, task_id="nightly")],
            runs=self.runs,
            tags=[],
            state=CohortState.TRIAL,
            mode=self.mode,
            in_force=3,
            waiting=1,
            last_run_at=START + timedelta(days=self.runs),
            last_run_state=self.last_run,
            last_ended_state=None if self.last_run is RunState.RUNNING else self.last_run,
            query_seconds=128.0,
            application_seconds=240.0,
            core_hours=0.5,
            gib_hours=2.25,
            cost=0.04,
            gained=GainItem(seconds=72.0, low=60.0, high=84.0, core_hours=0.2),
            trend=[200.0, 198.0, None, 128.0],
            measured_at=START,
            is_measured=self.last_run is RunState.SUCCEEDED,
            may_act=self.may_act,
            next_decision="1 on trial, 2 promoted",
            next_decision_may_change=self.a_run_has_ended_since,
            mode_setting=ModeSetting(
                mode=self.mode,
                is_known=self.mode_is_known,
                by=self.mode_by,
                off=self.steering_off,
                gives_back=self.gives_back,
            ),
            objective=Objective.COST,
            counts={self.standing: 1},
            baseline_seconds=200.0,
            latest_seconds=128.0,
            queries=60,
            spark_version="4.1.0",
            held=Held(core_hours_before=0.5, core_hours=0.5, gib_hours_before=2.25, gib_hours=0.9),
            turned=Turned(
                run_key=self.texts.run,
                at=START,
                difference="Spark 4.1 instead of 4.0",
                runs_since=9,
                since="since 2026-03-01 02:00 UTC runs have Spark 4.1 instead of 4.0 (9 runs)",
                prevented=f"without the tuner 1 of 60 queries would have got slower, by 9.5 s a run; {self.texts.words}",
                slower_seconds=9.5,
                prevented_seconds=9.5,
            ),
        )

    def cohorts(self, asked: dict[str, str]) -> CohortList:
        """Two: the second failed, and nothing is known of its times."""
        other = {
            "cohort": f"{self.texts.name} 2",
            "query_seconds": None,
            "application_seconds": None,
            "core_hours": None,
        }
        other |= {"gib_hours": None, "cost": None, "gained": None, "trend": [], "waiting": 0, "tags": []}
        fields = {name: getattr(self.cohort(), name) for name in CohortItem.model_fields}
        first = CohortItem(**{**fields, "tags": [self.texts.tag]})
        failed = {"last_run_state": RunState.FAILED, "last_ended_state": RunState.FAILED}
        items = [first, CohortItem(**{**fields, **other, **failed})]
        if any(asked.get(name) for name in ("waits", "search", "run_id")):
            items = items[:1]
        if asked.get("reverse"):
            items = items[::-1]
        gained = GainItem(seconds=72.0, low=60.0, high=84.0, core_hours=0.2)
        known = {"known": 1, "measured": 1, "query_seconds": 128.0, "core_hours": 0.5, "cost": 0.04, "tuned": 1}
        totals = CohortTotalsItem(**known, gained=gained, waiting=1, failed=len(items) - 1)
        offset = int(asked.get("offset", "0"))
        of_page = {"items": items[offset:], "total": len(items), "offset": offset, "limit": 50}
        return CohortList(**of_page, totals=totals, tags=[self.texts.tag], off=self.switched_off)

    def savings(self) -> Savings:
        def saved(seconds: float, lost: float = 0.0) -> SavedItem:
            bounds = {"seconds": seconds, "low": seconds - 20, "high": seconds + 20, "core_hours": seconds / 900}
            return SavedItem(
                **bounds, lost_seconds=lost, gib_hours=seconds / 300, cost=0.1, runs=9, failed_runs=int(lost > 0)
            )

        name, total, lost = self.texts.name, saved(300.0, 40.0), saved(-40.0, 40.0)
        change = {"words": self.texts.words, "first_at": START, "last_at": START}
        return Savings(
            since="2026-03-02",
            total=total,
            cohorts_in_all=3,
            weeks=[SavedOfWeek(week="2026-03-02", saved=total)],
            tags=[
                SavedOfTag(tag=self.texts.tag, cohorts=1, saved=total),
                SavedOfTag(tag="", cohorts=1, saved=lost),
            ],
            cohorts=[SavedOfCohort(cohort=name, tags=[self.texts.tag], saved=total)],
            changes=[
                SavedOfChange(cohort=name, **change, saved=total),
                SavedOfChange(cohort=name, **{**change, "words": ""}, saved=lost),
            ],
        )

    def run(self, night: int) -> RunItem:
        return RunItem(
            key=f"run-{night}",
            dag_id="sales",
            run_id=f"{self.texts.run}/{night}",
            task_id="nightly",
            map_index=-1,
            try_number=1,
            state=self.last_run if night == self.runs - 1 else RunState.SUCCEEDED,
            started_at=START + timedelta(hours=night * self.hours_between_runs),
            query_seconds=(200.0 if night < 6 else 128.0) if self.measured else None,
            application_seconds=240.0 if self.measured else None,
            allocated_core_hours=0.5 if self.measured else None,
            allocated_gib_hours=2.25 if self.measured else None,
            cost=0.04 if self.measured else None,
            band=Band(low=190.0, expected=200.0, high=215.0) if night else None,
            mode=Mode.AUTO,
            decision=self.texts.sentence,
            in_force=[] if night < 6 else [self.in_force()],
            failure=self.texts.failure if night == self.runs - 1 and self.last_run is RunState.FAILED else "",
            sizes=[SizeItem(words=self.texts.size, why=self.texts.died)] if night == 3 else [],
            left_out=[LeftOut(words=self.texts.words, why=self.texts.sentence)] if self.leaves_out else [],
            href="dags/sales/runs/1/tasks/nightly",
        )

    def in_force(self) -> InForce:
        return InForce(change_id="hint", action_id="hint", words=self.texts.words, standing=Standing.TRIAL)

    def recommended(self) -> list[Answer]:
        if self.recommendations == 1:
            return [self.recommendation()]
        return [self.one_of_several(number) for number in range(self.recommendations)]

    def one_of_several(self, number: int) -> Recommendation:
        first, change = self.recommendation(), f"hint {number}"
        standing = Standing.PROPOSED if number < WAITING else Standing.PROMOTED
        if change in self.approved:
            standing = Standing.TRIAL
        waits = standing is Standing.PROPOSED
        rulings = [Ruling.APPROVE, Ruling.REJECT] if waits else [Ruling.PIN, Ruling.ROLL_BACK]
        action = first.actions[0].model_copy(
            update={"change_id": change, "short_words": f"change {number}", "standing": standing, "rulings": rulings}
        )
        measured = Measured(seconds=9.0, low=7.0, high=11.0, probability=0.98, queries=1, not_named=0, runs=4)
        risk = RiskItem(words="may cost up to 2.0 s (predicted)", may_harm=True)
        return first.model_copy(
            update={
                "id": f"r{number}",
                "standing": standing,
                "waits": waits,
                "stands_since": first.stands_since if number in range(1, 1 + WAITING) else None,
                "actions": [action],
                "measured": None if waits else measured,
                "gained_seconds": None if waits else 10.0,
                "risks": [risk] if number == 1 else [],
                "queries": [QueryRef(fingerprint=f"q{number // 2}", name=f"query {number // 2}")],
                "rulings": rulings,
            }
        )

    def recommendation(self) -> Recommendation:
        action = ActionItem(
            change_id="hint",
            action_id="hint",
            kind=ActionKind.HINT_JOIN,
            words=self.texts.words,
            short_words=self.texts.copied,
            copy_text=self.texts.copied,
            standing=self.standing,
            rulings=list(self.rulings),
        )
        return Recommendation(
            id="first",
            standing=self.standing,
            waits=self.standing is Standing.PROPOSED,
            stands_since=START + timedelta(days=self.runs),
            stood=None,
            sentence=self.texts.sentence,
            status=self.texts.sentence,
            values=self.texts.sentence,
            actions=[action],
            evidence=[EvidenceItem(what="probe side rows", value=28_800_991, unit="rows", of=self.texts.name)],
            predicted=Seconds(before=52.0, after=40.0, low=36.0, high=46.0, gain=12.0),
            gained_seconds=self.gained_seconds,
            measured=None,
            measured_runs=2,
            risk=Risk.LOW,
            risks=[RiskItem(words=self.texts.sentence, may_harm=False)],
            reaches_all=False,
            queries=[self.query(0).query],
            since_run="run-6",
            since_at=START,
            or_earlier=False,
            rulings=list(self.rulings),
        )

    def insight(self) -> InsightItem:
        return InsightItem(
            kind=InsightKind.IGNORED_HINT,
            operator=self.texts.label,
            query=self.query(0).query,
            seconds=30.0,
            reason=self.texts.sentence,
            change=self.texts.sentence,
            evidence=[],
        )

    def query(self, number: int) -> QueryItem:
        reference = QueryRef(fingerprint=f"q{number}", name=f"{self.texts.sentence} {number}")
        return QueryItem(
            query=reference,
            baseline_seconds=80.0 - number,
            latest_seconds=70.0 - number,
            gained_seconds=10.0,
            share=0.02,
            in_force=[self.in_force()],
            has_plan=True,
        )

    def queries(self, asked: dict[str, str]) -> QueryPage:
        """Sorted by their numbers, whatever is asked for."""
        numbers = sorted(range(60), reverse=asked["descending"] == "false")
        found = page([self.query(number) for number in numbers], asked)
        return QueryPage(
            **dict(found),
            together=QueriesTogether(
                run_at=START,
                queries=60,
                new=1,
                gone=2,
                baseline_seconds=200.0,
                latest_seconds=128.0,
                gained_seconds=72.0,
                properties=[self.in_force()],
            ),
        )

    def plan(self, fingerprint: str) -> PlanComparison:
        def picture(strategy: str, *, after: bool) -> PictureItem:
            join = StepItem(
                kind=StepKind.JOIN,
                operator=strategy,
                label=self.texts.label,
                rows=1_432_000,
                bytes=None,
                inputs=[1, 2],
                strategy=strategy,
                changed="sort merge became broadcast",
                seconds=4.0,
            )
            sides = [
                StepItem(
                    kind=StepKind.SCAN,
                    operator="Scan",
                    label=self.texts.label,
                    rows=rows,
                    bytes=4_200,
                    inputs=[],
                    seconds=seconds,
                    costliest=seconds == 36.0,
                )
                for rows, seconds in ((28_800_991, 36.0), (73_049, None))
            ]
            return PictureItem(
                run_key="run",
                run_at=START,
                query_seconds=52.0,
                in_force=[self.in_force()] if after else [],
                steps=[join, *sides],
            )

        item = self.query(int(fingerprint.removeprefix("q")))
        return PlanComparison(
            query=item.query,
            item=item,
            before=picture("SortMergeJoin", after=False),
            after=picture("BroadcastHashJoin", after=True),
        )

    def comparison(self, before: str, after: str) -> Comparison:
        reference = self.query(0).query
        lost = CauseItem(
            kind=CauseKind.PLAN,
            label="plan",
            seconds=60.0,
            words=f"{self.texts.label}: sort merge join instead of broadcast hash join",
            query=reference,
            queries=1,
        )
        operator = ComparedOperator(
            kind=OperatorKind.JOIN,
            name=self.texts.label,
            before=OperatorSide(how="broadcast hash join", rows=1_432_000, bytes=None, seconds=None),
            after=OperatorSide(how="sort merge join", rows=1_432_000, bytes=9_000_000, seconds=4.2),
        )
        slower = ComparedQuery(
            query=reference,
            executions_before=2,
            executions_after=3,
            seconds_before=50.0,
            seconds_after=110.0,
            difference_seconds=60.0,
            share=0.83,
            is_noise=False,
            causes=[lost],
            operators=[operator],
        )
        alike = slower.model_copy(
            update={
                "query": self.query(1).query,
                "executions_before": 1,
                "executions_after": 1,
                "seconds_after": 50.5,
                "difference_seconds": 0.5,
                "share": 0.01,
                "is_noise": True,
                "causes": [],
                "operators": [],
            }
        )
        return Comparison(
            before=self.compared(before),
            after=self.compared(after),
            headline=f"72.0 s slower (56.2%): 3 min 20 s instead of 2 min 8 s, {self.texts.sentence}",
            difference_seconds=72.0,
            is_same=False,
            is_noise=False,
            causes=[lost],
            queries=[slower, alike],
            more_queries=3,
            others=[f"heap of executors: {self.texts.sentence}"],
        )

    def compared(self, key: str) -> ComparedRun:
        return ComparedRun(
            key=key,
            run_id=self.texts.run,
            started_at=START,
            state=RunState.SUCCEEDED,
            application_seconds=240.0,
            query_seconds=200.0,
            queries=60,
        )

    def audited(self) -> AuditItem:
        return AuditItem(
            at=START, by=self.texts.person, did="approve", words=self.texts.words, reason=self.texts.sentence
        )


def page(items: list[Answer], query: dict[str, str] | None = None) -> Answer:
    limit, offset = (int((query or {}).get(name, default)) for name, default in (("limit", "50"), ("offset", "0")))
    kind = type(items[0]) if items else Answer
    return Page[kind](items=items[offset : offset + limit], total=len(items), offset=offset, limit=limit)  # type: ignore[valid-type]
