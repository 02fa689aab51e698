"""What the tools over the store are asked with."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tuner.mcp.tool import Paged, Question
from tuner.model.decision import CohortState
from tuner.panel.cohort_list import CohortOrder
from tuner.panel.models.page import MOST_ITEMS
from tuner.panel.models.queries import QuerySort
from tuner.panel.models.sent import Sent
from tuner.panel.read_routes import MOST_CHARACTERS

# Two years.
MOST_WEEKS = 104

CohortName = Annotated[
    Sent, Field(max_length=MOST_CHARACTERS, description="The cohort's name, as list_cohorts has it.")
]
RunKey = Annotated[Sent, Field(max_length=MOST_CHARACTERS, description="The key of a run, as list_runs has it.")]
DagId = Annotated[Sent | None, Field(max_length=MOST_CHARACTERS, description="Only cohorts that this DAG ran.")]


class OfCohorts(Paged):
    search: Annotated[
        str, Field(max_length=MOST_CHARACTERS, description="Part of a name of a cohort, task or tag.")
    ] = ""
    dag_id: DagId = None
    state: Annotated[CohortState | None, Field(description="Only cohorts in this state.")] = None
    tag: Annotated[str, Field(max_length=MOST_CHARACTERS, description="Only cohorts whose DAG has this tag.")] = ""
    waits: Annotated[bool, Field(description="Only cohorts with changes that wait for a person.")] = False
    failed: Annotated[bool, Field(description="Only cohorts whose last run failed, or left no whole log.")] = False
    sort: Annotated[CohortOrder, Field(description="Largest or newest first.")] = CohortOrder.CORE_HOURS
    reverse: Annotated[bool, Field(description="Smallest first.")] = False


class OfCohort(Paged):
    cohort: CohortName


class OfRun(Paged):
    cohort: CohortName
    run: RunKey


class OfQueries(Paged):
    cohort: CohortName
    sort: Annotated[QuerySort, Field(description="What to sort by.")] = QuerySort.LATEST
    descending: Annotated[bool, Field(description="Most seconds first.")] = True


class OfPlan(Paged):
    cohort: CohortName
    query: Annotated[Sent, Field(max_length=MOST_CHARACTERS, description="Its fingerprint, as list_queries has it.")]
    limit: Annotated[int, Field(ge=1, le=MOST_ITEMS, description="The most lines of each plan.")] = 100


class OfTwoRuns(Question):
    cohort: CohortName
    before: Annotated[
        Sent, Field(max_length=MOST_CHARACTERS, description='Key of the earlier run; "": the one before.')
    ] = ""
    after: Annotated[Sent, Field(max_length=MOST_CHARACTERS, description='Key of the later run; "": the latest.')] = ""
    limit: Annotated[int, Field(ge=1, le=MOST_ITEMS, description="The most queries, those that differ most.")] = 10


class OfSavings(Question):
    weeks: Annotated[int, Field(ge=1, le=MOST_WEEKS, description="How many weeks back, this one included.")] = 12
    dag_id: DagId = None
    limit: Annotated[
        int, Field(ge=2, le=MOST_ITEMS, description="The most cohorts, changes and tags: half gained, half lost most.")
    ] = 20
