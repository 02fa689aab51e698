"""What holds of failures, whatever came before them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tuner.model.action import ActionKind
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.run import Run, RunState
from tuner.policy.decide import decide
from tuner.policy.held_out import held_out
from tuner.policy.ledger import read_ledger

from .failure_kinds import OUTSIDE, UNCLEAR
from .histories import conf, hint, recommend, reorder, run, situation

ADVICE = (
    recommend(hint("q1")),
    recommend(reorder("q2"), queries=["q2"]),
    recommend(conf("spark.sql.shuffle.partitions", "8"), queries=["q1"]),
)
QUERIES = ("q1", "q2", None)
# A run that somebody killed may have taken too long for him: it counts as a trial.
FROM_OUTSIDE = [kind for kind in OUTSIDE if kind is not FailureKind.KILLED]


def decision(runs: Sequence[Run]) -> Decision:
    return decide(situation(Mode.AUTO, 1, runs, ADVICE, drivable=frozenset(ActionKind)))


def failing(runs: Sequence[Run], kind: FailureKind, query: str | None) -> Run:
    """As it is decided after these runs, in less time than any of them took."""
    changes, failure = decision(runs).changes, Failure(kind, "why", query)
    return run(len(runs), {"q1": 1, "q2": 1}, *changes, state=RunState.FAILED, failure=failure)


def standings(runs: Sequence[Run]) -> dict[str, Standing]:
    return {id_: record.standing for id_, record in read_ledger(runs).items()}


@st.composite
def histories(draw: st.DrawFn, kinds: Sequence[FailureKind] = tuple(FailureKind)) -> list[Run]:
    """Runs as decided, which gain, lose, or fail."""
    runs = [run(0, {"q1": 10, "q2": 10})]
    for night in range(1, draw(st.integers(1, 7))):
        if kinds and draw(st.integers(0, 3)) == 0:
            runs.append(failing(runs, draw(st.sampled_from(kinds)), draw(st.sampled_from(QUERIES))))
        else:
            found = decision(runs)
            share = draw(st.sampled_from([0.3, 0.5, 1.0, 1.6])) if found.in_force else 1.0
            runs.append(run(night, {"q1": 10 * share, "q2": 10 * share}, *found.changes))
    return runs


@given(histories(), st.sampled_from(FROM_OUTSIDE), st.sampled_from(QUERIES), st.integers(1, 5))
def test_a_failure_from_outside_changes_no_standing_however_often_it_comes(
    runs: list[Run], kind: FailureKind, query: str | None, times: int
) -> None:
    before, in_force = standings(runs), {d.id: d.standing for d in decision(runs).in_force}
    for _ in range(times):
        runs = [*runs, failing(runs, kind, query)]
    assert {id_: of for id_, of in standings(runs).items() if id_ in before} == before
    assert {d.id: d.standing for d in decision(runs).in_force} == in_force


@given(histories(kinds=()), st.sampled_from(UNCLEAR), st.sampled_from(QUERIES), st.booleans())
def test_one_unclear_failure_takes_nothing_out(
    runs: list[Run], kind: FailureKind, query: str | None, told: bool
) -> None:
    before = {d.id: d.standing for d in decision(runs).in_force}
    runs = [*runs, failing(runs, kind, query)]
    next_ = decision(runs)
    if told and not next_.in_force:
        runs.append(run(len(runs), {"q1": 10, "q2": 10}, *next_.changes))
    after = standings(runs)
    assert {id_: after[id_] for id_ in before} == before


@given(histories())
def test_a_run_that_only_a_run_without_explains_is_followed_by_one(runs: list[Run]) -> None:
    """So that a change that breaks its job cannot fail it twice in a row. Where all of them are proven, and what was left out to
    compare is what differs from runs that succeeded, that comes back first."""
    failed = [*runs, failing(runs, FailureKind.UNKNOWN, None)]
    had, left_out = failed[-1].decision.in_force, {d.id for d in held_out(failed[-1])}
    if left_out and all(d.standing is Standing.PROMOTED for d in had):
        assert left_out <= {d.id for d in decision(failed).in_force}
    elif had:
        assert not decision(failed).in_force
