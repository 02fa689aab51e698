"""What an import will do, before it does it: what people ruled and what runs have shown here counts more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.policy.histories import GB, MIDNIGHT, run
from tuner.baseline.baseline_text import baseline_text
from tuner.baseline.importer import Importer
from tuner.baseline.plan_import import plan_import
from tuner.baseline.read_baseline import read_baseline
from tuner.history.store import Store
from tuner.model.action import Action
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.exported_baseline import ExportedBaseline, Refused, SaidThere
from tuner.model.import_plan import Fate, ImportPlan, LeftOut
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunDetails
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.words.imports import fate_words, gain_words, planned_said_words, refusal_fate_words

from .made import BASELINE, PROPERTY, Q1, Q2, REJECTED, SAID, SET, change

NOW = MIDNIGHT + timedelta(days=9)
FILE = read_baseline(baseline_text(replace(BASELINE, trials=BASELINE.trials[2:])).encode(), "b.json")
# Proven with inputs as they are here.
AT_ONCE = replace(FILE, trials=(replace(FILE.trials[0], input_bytes=GB),))
OTHER = change(replace(PROPERTY, value="64"), queries=(Q1,))
LOST = Reason(ReasonCode.NO_GAIN, {"runs": 4})
Plan = Callable[..., ImportPlan]


def decided(standing: Standing, action: Action = PROPERTY, why: Reason | None = None) -> DecidedChange:
    one = change(action, queries=(Q1,))
    return DecidedChange(one, standing, why or one.reason)


def night(*changes: DecidedChange, mode: Mode = Mode.AUTO) -> Run:
    found = run(0, {Q1: 10.0}, mode=mode)
    assert found.outcome is not None
    cluster = Cluster(8, 2, 4, 4 << 30, 2 << 30)
    return replace(
        found, decision=replace(found.decision, changes=changes), outcome=replace(found.outcome, cluster=cluster)
    )


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """In a store where this stands for the next run."""

    def planned(
        ran: Run | None, *verdicts: Verdict, baseline: ExportedBaseline = FILE, pins: bool = False, keep: bool = False
    ) -> ImportPlan:
        with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
            if ran is not None and ran.ended_at is not None:
                store.begin(ran.begun)
                store.finish(ran.key, ran.state, ran.ended_at, ran.outcome)
                store.add_details(ran.key, RunDetails(outlook=ran.decision))
            for said in verdicts:
                store.record(said)
            found = plan_import(store, baseline, "etl", Importer("ana", NOW, pins))
            if keep:
                store.keep_imports(found.imported, found.verdicts)
            return found

    return planned


def said(plan: ImportPlan) -> tuple[Fate, str]:
    (one,) = plan.trials
    assert one.is_taken is bool(plan.imported)
    return one.fate, fate_words(one)


@pytest.mark.parametrize(
    ("here", "fate", "words"),
    [
        (decided(Standing.PROMOTED), Fate.PROVEN_HERE, "proven here already"),
        (decided(Standing.TRIAL), Fate.TRIED_HERE, "on trial here already"),
        (decided(Standing.ROLLED_BACK, why=LOST), Fate.OUT_HERE, "rolled back here: no gain beyond noise in 4 runs"),
        (decided(Standing.EXPIRED, why=LOST), Fate.OUT_HERE, "expired here: no gain beyond noise in 4 runs"),
        (
            decided(Standing.PROMOTED, OTHER.actions[0]),
            Fate.OTHER_PROVEN_HERE,
            "something else is proven here in its place",
        ),
        (decided(Standing.TRIAL, OTHER.actions[0]), Fate.DECIDED, "on trial in the next run"),
        (decided(Standing.PROPOSED), Fate.DECIDED, "on trial in the next run"),
    ],
)
def test_what_runs_here_have_shown_counts_more(plan: Plan, here: DecidedChange, fate: Fate, words: str) -> None:
    assert said(plan(night(here), baseline=AT_ONCE)) == (fate, words)


def test_a_pin_with_the_import_counts_more_than_what_was_measured(plan: Plan) -> None:
    found = plan(night(decided(Standing.ROLLED_BACK, why=LOST)), pins=True)
    assert said(found) == (Fate.DECIDED, "pinned: in every run from the next one on")
    (verdict,) = found.verdicts
    assert (verdict.by, verdict.reason) == ("ana", "imported from a baseline of etl.nightly exported as of 2026-11-24")


@pytest.mark.parametrize("pins", [False, True])
@pytest.mark.parametrize(
    ("change_id", "ruling", "fate", "words"),
    [
        (SET[0].id, Ruling.REJECT, Fate.REFUSED_HERE, "rejected here by ben on 2026-01-02: too few"),
        (SET[0].id, Ruling.ROLL_BACK, Fate.REFUSED_HERE, "rolled back here by ben on 2026-01-02: too few"),
        (SET[0].id, Ruling.PIN, Fate.PINNED_HERE, "pinned here already"),
        (OTHER.id, Ruling.PIN, Fate.OTHER_PINNED_HERE, "something else is pinned here in its place"),
    ],
)
def test_what_people_ruled_counts_most(
    plan: Plan, change_id: str, ruling: Ruling, fate: Fate, words: str, pins: bool
) -> None:
    both = night(decided(Standing.PROPOSED), decided(Standing.PROPOSED, OTHER.actions[0]))
    verdict = Verdict("etl", change_id, ruling, "ben", MIDNIGHT + timedelta(days=1), "too few")
    found = plan(both, verdict, pins=pins)
    assert said(found) == (fate, words)
    assert found.verdicts == ()


def test_without_a_run_it_waits_for_one(plan: Plan) -> None:
    assert said(plan(None)) == (Fate.WAITS_FOR_RUN, "waits for the first run here")


def test_without_its_query_it_waits_for_that(plan: Plan) -> None:
    hint = read_baseline(baseline_text(replace(BASELINE, trials=BASELINE.trials[1:2])).encode(), "b.json")
    found = plan(night(), baseline=hint)
    assert said(found) == (Fate.WAITS_FOR_QUERY, "waits until its query, with these joins, runs here")


def test_a_mode_leaves_it_to_people(plan: Plan) -> None:
    assert said(plan(night(mode=Mode.SUGGEST))) == (Fate.DECIDED, "proposed: it waits for a person")


def test_a_property_with_other_inputs_is_held_and_says_so(plan: Plan) -> None:
    (trial,) = FILE.trials
    found = plan(night(), baseline=replace(FILE, trials=(replace(trial, input_bytes=10**12),)))
    assert said(found) == (
        Fate.DECIDED,
        "held in the next run: proven elsewhere, but runs here have inputs of 1.0 GB instead of 1.0 TB: it waits for a person "
        "to approve it",
    )


def test_what_was_imported_before_is_not_again_until_it_says_something_else(plan: Plan) -> None:
    assert said(plan(night(), keep=True))[0] is Fate.DECIDED
    assert said(plan(None)) == (Fate.IMPORTED_BEFORE, "imported before")
    newer = replace(FILE, spark_version="4.0.2")
    assert said(plan(None, baseline=newer))[0] is Fate.DECIDED
    assert said(plan(None, pins=True, keep=True))[0] is Fate.DECIDED, "now it is pinned"
    assert said(plan(None, pins=True))[0] is Fate.PINNED_HERE


def test_another_context_is_said(plan: Plan) -> None:
    other = replace(FILE, spark_version="3.5.1", cluster=Cluster(100, 25, 4, 16 << 30, 2 << 30))
    assert plan(night(), baseline=other).differences == (
        "Spark 4.0 instead of 3.5",
        "executors of 4.3 GB instead of 17.2 GB",
        "8 cores instead of 100",
    )
    assert plan(None).differences == ()


def test_the_gain_is_told_as_far_as_it_is_known(plan: Plan) -> None:
    baseline = read_baseline(baseline_text(BASELINE).encode(), "b.json")
    words = [gain_words(one) for one in plan(None, baseline=baseline).trials]
    assert words == ["16.5 s (15.2 s to 17.0 s, 12 runs)", "0.40 s", ""]


def test_of_what_is_tried_together_all_or_nothing_is_taken(plan: Plan) -> None:
    baseline = read_baseline(baseline_text(replace(BASELINE, trials=BASELINE.trials[:1])).encode(), "b.json")
    (trial,) = baseline.trials
    out = Verdict("etl", trial.changes[1].id, Ruling.REJECT, "ben", MIDNIGHT + timedelta(days=1))
    found = plan(night(), out, baseline=baseline)
    assert (said(found)[0], found.imported) == (Fate.REFUSED_HERE, ())
    assert Q2 not in trial.names


# --- What people said there ---


def file_saying(mode: Mode | None = None, *refused: Refused) -> ExportedBaseline:
    said = SaidThere(ModeChange("etl.nightly", mode, "ana", REJECTED.at) if mode else None, refused=refused)
    return replace(AT_ONCE, said=said)


def test_a_file_refuses_nothing_that_keeps_out_what_it_has_proven(plan: Plan) -> None:
    hint, property_ = SAID.refused
    file = file_saying(None, *SAID.refused)
    found = plan(night(), baseline=file)
    assert said(found) == (Fate.DECIDED, "on trial in the next run")
    assert [verdict.change_id for verdict in found.said.refusals] == [hint.change_id]
    assert refusal_fate_words(property_, found.said) == "left out: this file has proven a change of the same property"
    assert refusal_fate_words(hint, found.said) == "holds here, too"


def test_a_refusal_goes_along_where_what_the_file_has_proven_does_not(plan: Plan) -> None:
    found = plan(night(decided(Standing.ROLLED_BACK, why=LOST)), baseline=file_saying(None, *SAID.refused))
    assert said(found)[0] is Fate.OUT_HERE
    assert {verdict.change_id for verdict in found.said.refusals} == {one.change_id for one in SAID.refused}


def test_a_mode_goes_along_while_steering_is_off(plan: Plan) -> None:
    off = night(mode=Mode.OBSERVE)
    off = replace(off, decision=replace(off.decision, steering_off=True))
    found = plan(off, baseline=file_saying(Mode.OBSERVE))
    assert found.said.mode is not None and found.said.mode.mode is Mode.OBSERVE


def proven_in_part(with_: Action) -> Run:
    """It had this beside the property, and both are proven."""
    both = change(PROPERTY, with_, queries=(Q1,))
    return night(DecidedChange(both, Standing.PROMOTED, both.reason))


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.SUGGEST])
def test_a_refusal_of_an_action_is_one_of_what_runs_here_have_proven_with_it(plan: Plan, mode: Mode) -> None:
    other = replace(PROPERTY, target="spark.sql.adaptive.advisoryPartitionSizeInBytes", value="64m")
    ran = proven_in_part(other)
    ran = replace(ran, decision=replace(ran.decision, mode=mode))
    refused = Refused(other.id, other.id, REJECTED)
    found = plan(ran, baseline=file_saying(None, refused))
    assert (found.said.refusals, found.said.left_out) == ((), {other.id: LeftOut.PROVEN_HERE})
    assert refusal_fate_words(refused, found.said) == "left out: runs here have proven it"


@pytest.mark.parametrize(
    ("here", "there", "words"),
    [
        (Mode.AUTO, Mode.OBSERVE, "holds here, too"),
        (Mode.SUGGEST, Mode.OBSERVE, "holds here, too"),
        (Mode.OBSERVE, Mode.SUGGEST, "left out: the job's mode here is as strict, or stricter"),
        (Mode.SUGGEST, Mode.SUGGEST, "left out: the job's mode here is as strict, or stricter"),
        (Mode.OBSERVE, Mode.AUTO, "left out: who wants it here says so with `spark-tuner mode`"),
    ],
)
def test_a_mode_there_only_holds_back(plan: Plan, here: Mode, there: Mode, words: str) -> None:
    file = file_saying(there)
    found = plan(night(mode=here), baseline=file)
    assert planned_said_words(file.said, found.said) == [f"mode {there}: {words}"]
    assert (found.said.mode is not None) is (words == "holds here, too")


@pytest.mark.parametrize(
    ("ran", "verdicts"),
    [
        (night(decided(Standing.PROMOTED, OTHER.actions[0])), []),
        (night(decided(Standing.TRIAL, OTHER.actions[0])), []),
        (
            night(decided(Standing.PROPOSED, OTHER.actions[0])),
            [Verdict("etl", OTHER.id, Ruling.PIN, "ben", MIDNIGHT + timedelta(days=1))],
        ),
    ],
)
def test_a_mode_there_takes_nothing_out_that_is_in_force_here(plan: Plan, ran: Run, verdicts: list[Verdict]) -> None:
    file = file_saying(Mode.OBSERVE)
    found = plan(ran, *verdicts, baseline=file)
    assert (found.said.mode, found.said.mode_left_out) == (None, LeftOut.IN_FORCE_HERE)
    (words,) = planned_said_words(file.said, found.said)
    assert words.startswith("mode observe: left out: changes are in force here; ")


def test_a_mode_there_holds_where_no_run_tells_of_another(plan: Plan) -> None:
    found = plan(None, baseline=file_saying(Mode.SUGGEST))
    assert found.said.mode is not None and found.said.mode.mode is Mode.SUGGEST
