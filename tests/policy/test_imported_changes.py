"""What was imported from another cohort's baseline: tried, judged and taken back as all changes are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.advice.joins import inner, side
from tuner.loop.next_decision import BY_AGENT
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.imported_change import ImportedChange
from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.model.size_change import SizeChange
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.decide import decide
from tuner.policy.imported_changes import imports_now, is_imported, with_imports, without_source
from tuner.policy.rulings_since import rulings_since
from tuner.policy.situation import Situation
from tuner.policy.tried_elsewhere import Tried
from tuner.spark.knobs import DYNAMIC_ALLOCATION

from .histories import GB, MIDNIGHT, conf, decided, hint, recommend, reorder, run, standings, told, verdict

JOIN = inner(side("sales", rows=10), side("dim", rows=1))
HINT = hint("q1", JOIN.signature)
PROPERTY = conf(value="16")
FROM = Reason(
    ReasonCode.IMPORTED,
    {
        "cohort": "payroll.load",
        "as_of": "2025-12-31",
        "seconds": 5.0,
        "low_seconds": 4.5,
        "high_seconds": 5.5,
        "runs": 9,
        "spark_version": "4.0.1",
    },
)


def imported(*actions: Action, queries: Sequence[str] = ("q1",), needs: str = "", **known: Any) -> ImportedChange:
    change = Change.of("test", actions, tuple(queries), FROM, (), None, needs=needs)
    found = ImportedChange("etl", change, "ana", MIDNIGHT, "4.0.1", Cluster(cores=8), GB)
    return replace(found, **known)


def night(number: int, *changes: DecidedChange, seconds: float = 10.0, **known: Any) -> Run:
    """A run of q1, which has the join, and q2."""
    found = run(number, {"q1": seconds, "q2": 10.0}, *changes, **known)
    assert found.outcome is not None
    first, *rest = found.outcome.queries
    return replace(found, outcome=replace(found.outcome, queries=(replace(first, joins=(JOIN,)), *rest)))


def next_of(
    runs: Sequence[Run],
    *given: ImportedChange,
    mode: Mode = Mode.AUTO,
    advice: Sequence[Change] = (),
    verdicts: Sequence[Verdict] = (),
    **known: Any,
) -> Decision:
    imports = imports_now(given, runs[-1] if runs else None, advice)
    advised = with_imports(imports, advice)
    return decide(Situation(mode, 1, runs, advised, verdicts, unlike=imports.waiting, drivable=BY_AGENT, **known))


def test_it_is_tried_first_and_says_where_it_came_from() -> None:
    (tried,) = next_of([night(0)], imported(HINT)).changes
    assert (tried.standing, tried.id) == (Standing.TRIAL, HINT.id)
    assert told(tried) == (
        "imported from a baseline of payroll.load exported as of 2025-12-31: it gained 5.0 s a run there "
        "(4.5 s to 5.5 s, 9 runs), with Spark 4.0.1"
    )


def test_runs_here_tell_whether_it_stays() -> None:
    (tried,) = next_of([night(0)], imported(HINT)).changes
    (won,) = next_of([night(0), night(1, tried, seconds=5.0)], imported(HINT)).changes
    assert (won.standing, won.why.code) == (Standing.PROMOTED, ReasonCode.FASTER)
    (lost,) = next_of([night(0), night(1, tried, seconds=20.0)], imported(HINT)).changes
    assert (lost.standing, lost.why.code) == (Standing.ROLLED_BACK, ReasonCode.SLOWER)
    after = [night(0), night(1, tried, seconds=20.0), night(2, lost)]
    assert standings(next_of(after, imported(HINT))) == {HINT.id: Standing.ROLLED_BACK}, "not tried again"


def test_the_first_run_is_observed() -> None:
    found = next_of([], imported(HINT))
    assert (found.changes, found.unsteered) == ((), Reason(ReasonCode.FIRST_RUN))


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.SUGGEST])
def test_a_mode_that_leaves_it_to_people_does(mode: Mode) -> None:
    (found,) = next_of([night(0)], imported(HINT), mode=mode).changes
    assert found.standing is Standing.PROPOSED
    (approved,) = next_of([night(0)], imported(HINT), mode=mode, verdicts=[verdict(HINT, Ruling.APPROVE)]).changes
    assert approved.standing is (Standing.TRIAL if mode is Mode.SUGGEST else Standing.PROPOSED)


@pytest.mark.parametrize(
    ("ruling", "standing"),
    [
        (Ruling.REJECT, Standing.HELD),
        (Ruling.ROLL_BACK, Standing.ROLLED_BACK),
        (Ruling.PIN, Standing.PINNED),
        (Ruling.APPROVE, Standing.TRIAL),
    ],
)
def test_what_a_person_says_counts(ruling: Ruling, standing: Standing) -> None:
    found = next_of([night(0)], imported(HINT), verdicts=[verdict(HINT, ruling)])
    assert standings(found) == {HINT.id: standing}


@pytest.mark.parametrize(
    "other",
    [
        imported(hint("q9", JOIN.signature), queries=["q9"]),
        imported(hint("q1", "another join")),
        imported(reorder("q1")),
        imported(hint("q1", JOIN.signature, Hint.FILTER_BY_KEY)),
        imported(PROPERTY, queries=["q9"]),
        imported(HINT, needs=reorder("q1").id),
    ],
    ids=["query", "join", "block", "filter", "property", "needed"],
)
def test_what_the_latest_run_has_not_waits(other: ImportedChange) -> None:
    assert next_of([night(0)], other).changes == ()


def test_a_filter_by_key_waits_for_an_input_that_it_filters() -> None:
    ran = night(0)
    assert ran.outcome is not None
    site = KeyFilterSite(JOIN.signature, ("sales",), 10, 0.1, True, ("dim",), 1)
    queries = tuple(replace(query, key_filters=(site,)) for query in ran.outcome.queries)
    there = replace(ran, outcome=replace(ran.outcome, queries=queries))
    by_key = hint("q1", JOIN.signature, Hint.FILTER_BY_KEY)
    assert standings(next_of([there], imported(by_key))) == {by_key.id: Standing.TRIAL}


def test_a_property_is_for_the_queries_that_are_here() -> None:
    (found,) = next_of([night(0)], imported(PROPERTY, queries=["q1", "q9"])).changes
    assert (found.standing, found.queries) == (Standing.TRIAL, ("q1",))


@pytest.mark.parametrize(
    ("known", "difference"),
    [
        ({"input_bytes": 5 * GB}, "inputs of 1.0 GB instead of 5.0 GB"),
        ({"input_bytes": 0}, "inputs of 1.0 GB instead of ones that are not known"),
        ({"input_bytes": 2 * GB}, ""),
        ({"spark_version": "3.5.1"}, "Spark 4.0 instead of 3.5"),
        ({"spark_version": ""}, ""),
        ({"cluster": Cluster(cores=400)}, "8 cores instead of 400"),
        ({"cluster": Cluster(cores=2)}, "8 cores instead of 2"),
        ({"cluster": Cluster(cores=10)}, ""),
        ({"cluster": Cluster()}, ""),
    ],
)
def test_a_property_that_was_proven_with_others_waits_for_a_person(known: dict[str, Any], difference: str) -> None:
    """Nothing here says what it holds for, as the sizes of a join do."""
    (found,) = next_of([night(0)], imported(PROPERTY, **known)).changes
    if not difference:
        assert found.standing is Standing.TRIAL
        return
    assert found.held == Reason(ReasonCode.PROVEN_WITH_OTHER, {"difference": difference})
    assert f"held: proven elsewhere, but runs here have {difference}" in told(found)
    verdicts = [verdict(PROPERTY, Ruling.APPROVE)]
    assert standings(next_of([night(0)], imported(PROPERTY, **known), verdicts=verdicts)) == {
        PROPERTY.id: Standing.TRIAL
    }
    assert standings(next_of([night(0)], imported(HINT, **known))) == {HINT.id: Standing.TRIAL}, (
        "the agent has its sizes"
    )


@pytest.mark.parametrize("there", [0, 5 * GB])
def test_a_property_waits_for_no_inputs_where_none_are_known_here(there: int) -> None:
    found = next_of([night(0, input_bytes=0)], imported(PROPERTY, input_bytes=there))
    assert standings(found) == {PROPERTY.id: Standing.TRIAL}


def test_a_property_that_moves_no_partitions_waits_for_no_cores() -> None:
    threshold = conf("spark.sql.autoBroadcastJoinThreshold", "64m")
    found = next_of([night(0)], imported(threshold, cluster=Cluster(cores=400)))
    assert standings(found) == {threshold.id: Standing.TRIAL}


def test_what_a_job_asks_for_are_its_cores_whatever_one_night_had() -> None:
    """Executors that were taken make no other job of it, and dynamic allocation gives another number every night."""
    found = night(0)
    assert found.outcome is not None
    few = replace(found.outcome, cluster=Cluster(cores=4, executors=2, cores_per_executor=2))
    fewer = SizeChange("spark.executor.instances", "2", "4", Reason(ReasonCode.EXECUTORS_CUT, {"executors": 4}))
    cut = replace(found, outcome=few, decision=replace(found.decision, cuts=(fewer,)))
    elastic = replace(found, outcome=replace(few, conf={DYNAMIC_ALLOCATION.property: "true"}))
    for latest, standing in (
        (replace(found, outcome=few), Standing.HELD),
        (cut, Standing.TRIAL),
        (elastic, Standing.TRIAL),
    ):
        assert standings(next_of([latest], imported(PROPERTY))) == {PROPERTY.id: standing}


def test_what_is_advised_here_too_stands_on_both() -> None:
    advice = recommend(PROPERTY)
    (found,) = next_of([night(0)], imported(PROPERTY, input_bytes=9 * GB), advice=advice).changes
    assert (found.standing, found.change.prediction) == (Standing.TRIAL, advice[0].prediction)
    assert told(found).endswith("with Spark 4.0.1; here: 5.0 s less")


def test_it_is_tried_before_what_is_advised_in_its_place() -> None:
    other = conf(value="64")
    found = next_of([night(0)], imported(PROPERTY), advice=recommend(other))
    assert standings(found) == {PROPERTY.id: Standing.TRIAL, other.id: Standing.HELD}
    assert found.changes[1].held == Reason(ReasonCode.TRIED_AFTER_ANOTHER)


@pytest.mark.parametrize("standing", [Standing.PROMOTED, Standing.PINNED])
def test_it_replaces_nothing_that_is_proven_or_pinned_here(standing: Standing) -> None:
    other = conf(value="64")
    verdicts = [verdict(other, Ruling.PIN)] if standing is Standing.PINNED else []
    runs = [night(0), night(1, decided(other), seconds=5.0)]
    assert standings(next_of(runs, imported(PROPERTY), verdicts=verdicts)) == {other.id: standing}


def test_losses_of_other_jobs_do_not_hold_what_is_proven_for_this_query() -> None:
    losing = {f"{ActionKind.HINT_JOIN} {Hint.BROADCAST}": Tried(won=0, lost=5)}
    advised = next_of([night(0)], advice=recommend(HINT), elsewhere=losing)
    assert standings(advised) == {HINT.id: Standing.HELD}
    assert standings(next_of([night(0)], imported(HINT), elsewhere=losing)) == {HINT.id: Standing.TRIAL}


def test_what_was_imported_since_the_last_run_stands_in_the_outlook() -> None:
    outlook, made = next_of([night(0)]), MIDNIGHT
    imports = imports_now([imported(HINT)], night(0))
    assert standings(rulings_since(outlook, made, [], Mode.AUTO, imports)) == {HINT.id: Standing.TRIAL}
    suggested = rulings_since(replace(outlook, mode=Mode.SUGGEST), made, [], Mode.SUGGEST, imports)
    assert standings(suggested) == {HINT.id: Standing.PROPOSED}
    pinned = rulings_since(outlook, made, [verdict(HINT, Ruling.PIN)], Mode.AUTO, imports)
    assert standings(pinned) == {HINT.id: Standing.PINNED}


def test_other_cohorts_are_not_told_where_it_came_from() -> None:
    change = imported(HINT).change
    assert is_imported(without_source(change))
    assert "payroll" not in told(DecidedChange(without_source(change), Standing.TRIAL, without_source(change).reason))
    (own,) = recommend(HINT)
    assert without_source(own) is own
