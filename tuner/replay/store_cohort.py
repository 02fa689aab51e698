"""A cohort's replayed runs in a history store: for people to look at, or for live runs to go on from."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from tuner.history.store import Store
from tuner.loop.books import keep_books
from tuner.loop.decision_since import decision_since
from tuner.loop.stance_now import keep_stance_now
from tuner.model.decision import TAKEN_OUT, Decision
from tuner.model.insight import Insight
from tuner.model.run import Run, RunState
from tuner.plan.digest import digest
from tuner.policy.usable import usable
from tuner.problems import Problems
from tuner.replay.cohort_replay import CohortReplay, LoggedRun
from tuner.replay.logged_run import moment
from tuner.replay.newest_run import details_of_newest_run, newest_whole, order_insights
from tuner.replay.replayed import Replayed
from tuner.replay.run_in_effect import after, run_in_effect

# As many as the panel's chart shows: older ones say nothing of the next run.
KEPT_RUNS = 200
# A key of a store's own: what a log says of its key could be that of a run to come.
_PREFIX = "imported"
_EVER = datetime.min.replace(tzinfo=UTC)


def store_cohort(
    store: Store, cohort: CohortReplay, replayed: Replayed, problems: Problems, cohort_name: str = ""
) -> int:
    """Store a cohort's newest runs that are not there yet, by their applications and attempts; returns how many. A run whose log
    broke off is there only so far: once it is whole, it takes its place. So does one that has gone on since it was read. Of the
    tuner's own runs those that it gave up as lost are stored as what they were.

    The others belong to no task instance, whatever their logs say. Under `cohort_name` where it is given. The newest whole run
    gets its plans, insights and the decision to come; so does the newest that nothing steered, to compare with.
    """
    name = cohort_name or cohort.cohort
    there, lost = _There(store.whole(name)), _lost(store, name)
    kept = deque[tuple[LoggedRun, Run]](maxlen=KEPT_RUNS)
    for read, found in zip(replayed.logged(cohort.cohort), replayed.runs(cohort.cohort), strict=True):
        logged = after(read, (run for _, run in kept))
        kept.append((logged, replace(run_in_effect(found.decision, logged), cohort=name, origin=None)))
    kept = deque((logged, replace(run, key=_key(store, name, logged, lost))) for logged, run in kept)
    added = {
        run.key
        for logged, run in kept
        if run.outcome and not there.holds(run) and not _is_live(store, logged, lost) and _stored(store, run)
    }
    _add_details(store, cohort, kept, added, problems)
    if added:
        problems.guard("keep the books", partial(keep_books, store, name, None, most=KEPT_RUNS), None)
        keep_stance_now(store, name)
    return len(added)


class _There:
    """The runs that a store has whole: those that were imported by their keys, for an application has a run for each attempt; the
    tuner's own by their applications."""

    def __init__(self, whole: Mapping[str, tuple[str, int]]) -> None:
        imported = f"{_PREFIX}/"
        self._imported_ms = {key: ms for key, (_, ms) in whole.items() if key.startswith(imported)}
        self._live = {app_id for key, (app_id, _) in whole.items() if not key.startswith(imported)}

    def holds(self, run: Run) -> bool:
        """Not where the run took longer than it is known: a log without an end was taken as ended when it was quiet."""
        if run.outcome is None or run.outcome.app_id in self._live:
            return True
        known_ms = self._imported_ms.get(run.key)
        return known_ms is not None and (run.outcome.duration_ms or 0) <= known_ms


def _lost(store: Store, cohort: str) -> frozenset[str]:
    """Keys of the newest runs whose logs the tuner's own loop never found, and looks for no more."""
    marks = store.marks(cohort, KEPT_RUNS)
    return frozenset(mark.key for mark in marks if mark.state == RunState.LOST.value and mark.app_id is None)


def _is_live(store: Store, run: LoggedRun, lost: Collection[str]) -> bool:
    """Whether the tuner's own loop knows of the run, and will harvest it."""
    return run.steered and run.key not in lost and store.cohort_of(run.key) is not None


def _stored(store: Store, run: Run) -> bool:
    if not store.begin(run.begun) and store.cohort_of(run.key) != run.cohort:
        # An import of another cohort, whose application has the same id, came first: the next one gives it another key.
        return False
    return store.finish(run.key, run.state, run.ended_at or _last_moment(run), run.outcome, goes_on=True)


def _last_moment(run: Run) -> datetime:
    """The last that the log of a run tells, where that breaks off."""
    queries = run.outcome.queries if run.outcome else ()
    last_ms = max((query.end_ms for query in queries), default=0)
    return max(run.started_at, moment(last_ms) or run.started_at)


def _key(store: Store, cohort: str, run: LoggedRun, lost: Collection[str]) -> str:
    """Ids of applications are those of their cluster: others start some in the same second."""
    if run.steered and run.key in lost:
        return run.key
    of_it, cluster = f"{run.outcome.app_id}/{run.try_number}", run.platform.cluster_id
    # Imported by an earlier version it has a key without its cluster.
    if cluster and store.cohort_of(f"{_PREFIX}/{of_it}") != cohort:
        of_it = f"{cluster}/{of_it}"
    holder = store.cohort_of(f"{_PREFIX}/{of_it}")
    return f"{_PREFIX}/{of_it}" if holder in (None, cohort) else f"{_PREFIX}/{digest(cohort)}/{of_it}"


def _add_details(
    store: Store,
    cohort: CohortReplay,
    kept: Collection[tuple[LoggedRun, Run]],
    added: Collection[str],
    problems: Problems,
) -> None:
    whole = [(logged, run) for logged, run in kept if usable(run)]
    if not whole:
        return
    newest = whole[-1]
    orders = partial(order_insights, newest_whole(logged for logged, _ in kept))
    insights = problems.guard("look at join orders", orders, tuple[Insight, ...]())
    ruled = partial(_as_ruled, store, newest[1], [run for _, run in kept], cohort.next)
    outlook = problems.guard("heed what people ruled", ruled, cohort.next)
    _look_closer(store, *newest, added, problems, outlook, insights)
    plain = next((pair for pair in reversed(whole) if not pair[1].decision.in_force), newest)
    if plain is not newest:
        _look_closer(store, *plain, added, problems)


def _as_ruled(store: Store, newest: Run, runs: Sequence[Run], outlook: Decision) -> Decision:
    """What a walk, which knows only logs, decided for the next run, as people have it: what they said before that, too. But for
    approvals of what has lost since."""
    cohort, decided_at = newest.cohort, newest.ended_at or newest.started_at
    taken_out = {decided.id for decided in outlook.changes if decided.standing in TAKEN_OUT}
    verdicts = store.verdicts(cohort)
    holding = [v for v in verdicts if v.at > decided_at or v.change_id not in taken_out or not v.is_asked_for]
    mode = store.mode(cohort) or outlook.mode
    return decision_since(store, cohort, outlook, _EVER, runs, holding, mode)


def _look_closer(
    store: Store,
    logged: LoggedRun,
    run: Run,
    added: Collection[str],
    problems: Problems,
    outlook: Decision | None = None,
    insights: tuple[Insight, ...] = (),
) -> None:
    if run.key not in added:
        return
    look = problems.guard(
        f"look closer at {logged.log}", partial(details_of_newest_run, logged, outlook, insights), None
    )
    if look is not None:
        store.add_details(run.key, look)
