"""What differs between kinds of cohorts: rows of rates and spreads, each with where it comes from.

Spreads are standard deviations of logs. What was measured of seconds: runs of one job stay within 3.7 % of each other
(coefficient of variation; Henning et al. 2025, arXiv:2504.11826, 2,366 runs on 789 Kubernetes clusters in AWS); in this project's
README query 40 of the demo took 2.1 to 2.3 s (4 %), and query 72 in one session 18 to 22 s. Shared clusters have outliers by
factors (Zhu et al. 2023, arXiv:2304.03424, on Cosmos), and machines that fall into bands of speed (Schad et al. 2010, PVLDB 3,
on EC2). Of CPU time and work, on Spark 4.3 with 10 queries of TPC-DS (SF 1), 2 cores, and a load of 4 to 9 beside: where the
seconds of a run's queries together went up 2.5-fold, and each by itself was off by 0.25, CPU time was off by 0.10 together and
0.11 each (at 1 to 5 CPU seconds a query), and the work of the same plan at fixed prices by 0.000.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Filters(StrEnum):
    """What values the filters of a cohort's queries have.

    same: every night the same. swapping: a frequent one or a rare one. loop: one execution for each of many tenants, which
    come and go. in turns: one of a few tenants each night, in a fixed order. new: others every night, as of a batch's number.
    """

    SAME = "same"
    SWAPPING = "swapping"
    LOOP = "loop"
    IN_TURNS = "in turns"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of cohort. Rates are per night unless their name says otherwise.

    `machine_spread` is shared by all queries of a run, `query_spread` is each one's own (of CPU time: `cpu_machine_spread` and
    `cpu_spread`); a slow night takes 1.5 to 4 times as long, a stray query 1.5 to 3 times; `slow_nights_of_all` are the same
    nights for all cohorts. In a night with `slow_hours` a half of its queries, one after another, are as slow as slow nights.
    `growth` is that of input a night, `season` half the swing of a week. New values take ten times the rows in `tenfold` nights;
    in the others these swing by `week` over a week, or are spread by `values_spread`. A night with `failures` fails in up to
    `most_failing_tries`; `missing_inputs` is the share of them that miss their input. `cores`: any of them from night to night.
    CPU time takes the power `cpu_of_slowness` of what a slow machine makes of seconds: neighbours on the same system wait for
    each other, and compute the same (1.1 times where seconds were 2.5 times, 2 cores with a load of 7 beside); on a host whose
    other guests take its processors they compute longer (query 21 of TPC-DS at scale factor 1 took 1.5, then 3.1 s, of CPU 1.2
    and 3.1).
    With `properties_for_all` these move every query, so none tells how fast the machine was. The share `never_back` of a night's
    queries never ran before, and never will again, as reports that people ask for. Effects of changes follow the size of a grown
    input by a power of up to `drift`, against them; two that meet in a query are off by `interaction` from what each does. In
    `spells` the machine stays as fast as it is for as many nights on average, on another for the next as many.
    """

    name: str
    queries: tuple[int, int] = (3, 12)
    filters: Filters = Filters.SAME
    machine_spread: float = 0.04
    query_spread: float = 0.05
    cpu_machine_spread: float = 0.03
    cpu_spread: float = 0.03
    slow_nights: float = 0.01
    slow_nights_of_all: float = 0.0
    slow_hours: float = 0.0
    strays: float = 0.005
    growth: float = 0.001
    season: float = 0.05
    doublings_per_cohort: float = 0.05
    back_fills: float = 0.0
    tenfold: float = 0.0
    week: float = 0.0
    values_spread: float = 0.0
    breaks_per_broadcast: float = 0.08
    failures: float = 0.005
    most_failing_tries: int = 1
    missing_inputs: float = 0.4
    lost_logs: float = 0.005
    code_changes: float = 0.005
    moves_per_cohort: float = 0.1
    cores: tuple[int, ...] = ()
    cpu_of_slowness: float = 0.1
    properties_for_all: bool = False
    never_back: float = 0.0
    drift: float = 0.0
    interaction: float = 0.0
    spells: float = 0.0


SCENARIOS = (
    Scenario("quiet"),
    Scenario("noisy", machine_spread=0.15, query_spread=0.12, slow_nights=0.08, strays=0.03),
    Scenario("growing", growth=0.02, season=0.15, doublings_per_cohort=0.5),
    Scenario("back-fills", back_fills=0.06, season=0.10),
    Scenario("failing", failures=0.08, lost_logs=0.05, breaks_per_broadcast=0.35, doublings_per_cohort=0.5),
    Scenario("changing code", code_changes=0.12, moves_per_cohort=0.5),
    Scenario("one query", queries=(1, 1), query_spread=0.08, machine_spread=0.08),
    Scenario("few queries", queries=(2, 3), query_spread=0.08, machine_spread=0.08),
    Scenario("slow nights of all", queries=(1, 3), slow_nights_of_all=0.10),
    Scenario("slow hours", queries=(4, 12), slow_hours=0.25),
    Scenario("swapping values", filters=Filters.SWAPPING, queries=(1, 6), breaks_per_broadcast=0.2),
    Scenario("tenants in a loop", filters=Filters.LOOP, queries=(1, 3)),
    Scenario("tenants in turns", filters=Filters.IN_TURNS, queries=(1, 3)),
    Scenario("new values nightly", filters=Filters.NEW, queries=(1, 6)),
    Scenario("days of a week", filters=Filters.NEW, queries=(1, 6), week=0.5),
    Scenario("new values, some tenfold", filters=Filters.NEW, queries=(1, 6), tenfold=0.1, breaks_per_broadcast=0.2),
    Scenario("failing upstream", failures=0.15, most_failing_tries=3, missing_inputs=0.9),
    Scenario("executors come and go", cores=(4, 8, 16, 32)),
    Scenario(
        "properties for all",
        queries=(8, 30),
        machine_spread=0.12,
        query_spread=0.10,
        cpu_machine_spread=0.06,
        cpu_spread=0.15,
        cpu_of_slowness=0.8,
        slow_nights=0.05,
        slow_hours=0.15,
        properties_for_all=True,
    ),
    Scenario(
        "new values of all sizes", filters=Filters.NEW, queries=(1, 6), values_spread=1.5, breaks_per_broadcast=0.2
    ),
    Scenario("queries that never come back", queries=(6, 16), never_back=0.5, properties_for_all=True),
    Scenario("gains that wear off", growth=0.02, season=0.15, doublings_per_cohort=0.5, drift=1.0),
    Scenario("changes that meet", interaction=0.3, properties_for_all=True),
    Scenario("spells of speed", queries=(1, 6), spells=6, cpu_of_slowness=1.0),
)
