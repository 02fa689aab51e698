"""One cohort: what is in force and what it gained, what waits for a person, what failed; then its runs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console

from tuner.cli.as_text.status_runs import application_seconds, runs_table
from tuner.cli.options.cohort import known_runs
from tuner.cli.terminal.print_lines import print_lines
from tuner.history.store import Store
from tuner.loop.decision_now import DecisionNow, decision_now
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.last_round import LastRound
from tuner.model.objective import Objective
from tuner.model.reason import Reason
from tuner.model.run import Run, RunState
from tuner.panel.recent_runs import PANEL_RUNS, RunsInView
from tuner.policy.baseline import Baseline
from tuner.policy.changes_in_effect import held_in, not_followed
from tuner.policy.held_out import held_out
from tuner.policy.measure import is_reached, query_seconds
from tuner.units import format_seconds
from tuner.words.changes import change_words
from tuner.words.counts import counted
from tuner.words.decisions import STEERING_OFF, in_force_words, waiting_words
from tuner.words.failures import failure_words
from tuner.words.gains import gained_words, last_gained_words
from tuner.words.literal_rungs import values_words
from tuner.words.query_names import NO_NAMES, QueryNames
from tuner.words.reasons import reason_words, why_words
from tuner.words.short_ids import short_id
from tuner.words.sizes import size_words
from tuner.words.standings import standing_words
from tuner.words.states import UNBORN, cohort_state_words, run_state_words

# Of the last round so many that did not end well are looked up.
_MOST_NAMED = 20
_HOW = {RunState.FAILED: "failed", RunState.PARTIAL: "is not told whole", RunState.LOST: "left no log"}


@dataclass(frozen=True, slots=True)
class CohortPage:
    """A cohort's newest runs, oldest first, of which there is one at least, and what the next will have. `gained` are the query
    seconds that its latest measured run was expected to take with nothing in force, and took; None where that is not known.
    `older` are runs of its `last_round` that did not end well, and are none of the newest."""

    cohort: str
    runs: Sequence[Run]
    coming: DecisionNow
    mode: Mode
    gained: tuple[Baseline, float] | None
    names: QueryNames
    last_round: LastRound | None = None
    older: Sequence[Run] = ()


def cohort_page(store: Store, cohort: str, most_runs: int) -> CohortPage:
    """TunerError where the store has no run of it."""
    runs = known_runs(store, cohort, most_runs)
    view = RunsInView(store.runs(cohort, PANEL_RUNS, brief=True))
    coming = decision_now(store, cohort)
    ended = store.last_round(cohort)
    shown = {run.key for run in runs}
    badly = [key for key in ended.badly[:_MOST_NAMED] if key not in shown] if ended else []
    older = [run for run in map(store.run, badly) if run is not None]
    return CohortPage(cohort, runs, coming, coming.decision.mode, _gained(view), view.names, ended, older)


def show_cohort(console: Console, page: CohortPage, core_hour_price: float | None) -> None:
    """Print what asks for a reader's eye first."""
    decision = page.coming.decision
    print_lines(console, _answer(page))
    in_force = [d for d in decision.changes if d.is_in_force]
    proposed = [d for d in decision.changes if d.standing is Standing.PROPOSED]
    others = [d for d in decision.changes if not d.is_in_force and d.standing is not Standing.PROPOSED]
    print_lines(console, _section("in force:", _in_force_lines(page, in_force)))
    print_lines(console, _section(_proposed_title(page, proposed), _changes_lines(proposed, page.names)))
    print_lines(console, _section("not in force:", _changes_lines(others, page.names)))
    print_lines(console, _section("the last run was without, to compare:", _left_out_lines(page)))
    print_lines(console, _unfollowed(page.runs[-1], page.names))
    print_lines(console, _section("failed, not told whole, or left no log:", _failed_lines(page)))
    console.print()
    console.print(runs_table(page.runs, core_hour_price))


def show_unborn(console: Console, cohort: str, imported: Sequence[DecidedChange]) -> None:
    """Of a cohort that has no run yet, what was imported for it."""
    print_lines(console, [f"{cohort}: {UNBORN}"])
    print_lines(console, _section("imported, for the runs after that:", _changes_lines(imported, NO_NAMES)))


def _gained(view: RunsInView) -> tuple[Baseline, float] | None:
    """As the panel has it: what the machine alone gained or lost is no gain of the tuner's."""
    latest = view.latest
    if latest is None or not is_reached(latest):
        return None
    baseline, seconds = view.baselines.get(latest.key), query_seconds(latest)
    return None if baseline is None or seconds is None else (baseline, seconds)


def _answer(page: CohortPage) -> Iterator[str]:
    decision = page.coming.decision
    since = " (a run has ended since that was decided)" if page.coming.may_change else ""
    judged = "" if decision.objective is Objective.TIME else f", judged by {decision.objective}"
    mode = (
        f"mode {page.mode}" if page.coming.mode_is_known else f"if its job's own mode is {page.mode}, as the last run's"
    )
    yield f"{page.cohort}: {cohort_state_words(decision.state)}, {mode}{judged}"
    if decision.steering_off:
        yield f"  {STEERING_OFF}"
    yield f"  last run: {_last_run(page.runs[-1])}"
    yield from _ended(page)
    if page.gained is not None:
        band, took = page.gained
        yield f"  gained: {gained_words(band.expected, took, (band.low - took, band.high - took))}"
    may_be_another = page.coming.mode_is_known and not page.coming.mode_is_set and not decision.steering_off
    still = f", if its mode is still {page.mode}" if may_be_another else ""
    yield f"  in force in the next run: {in_force_words(decision)}{still}{since}"
    yield f"  waits for a person: {waiting_words(decision)}"
    if failed := sum(run.state is RunState.FAILED for run in page.runs):
        yield f"  failed: {failed} of the last {counted(len(page.runs), 'run')}"


def _last_run(run: Run) -> str:
    queries, application = query_seconds(run), application_seconds(run)
    took = [] if queries is None else [f"queries {format_seconds(queries)}"]
    took += [] if application is None else [f"application {format_seconds(application)}"]
    state = run_state_words(run.state, has_ended=run.was_seen_to_succeed)
    return ", ".join([f"{run.started_at:%Y-%m-%d %H:%M} UTC", state, *took])


def _ended(page: CohortPage) -> Iterator[str]:
    """How the last round ended, where that is not well and the last run alone does not tell."""
    ended = page.last_round
    if ended is None or ended.is_good or (ended.badly == (page.runs[-1].key,) and ended.instances == 1):
        return
    which = f"the run of {ended.started_at:%Y-%m-%d %H:%M} UTC"
    if ended.instances > 1:
        which = f"{len(ended.badly)} of {counted(ended.instances, 'instance')} of the last DAG run"
    yield f"  ended: {run_state_words(ended.state)}, {which}"


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    """The lines below their title, apart from what comes before; nothing where there are none."""
    for number, line in enumerate(lines):
        if not number:
            yield from ("", title)
        yield line


def _proposed_title(page: CohortPage, proposed: Sequence[DecidedChange]) -> str:
    """What lets them in, where a run can carry any of them out."""
    cohort, waits = shlex.quote(page.cohort), "waits for a person"
    if page.coming.decision.steering_off:
        return "advised, and asked of nobody while steering is off:"
    if page.mode is Mode.OBSERVE:
        return f"advised, and asked of nobody in mode observe (spark-tuner mode {cohort} auto lets them be tried):"
    if not any(decided.change.carried_out for decided in proposed):
        return f"{waits} (no run can carry it out: do it, or spark-tuner reject {cohort} ID):"
    return f"{waits} (spark-tuner approve {cohort} ID lets the next run try one):"


def _in_force_lines(page: CohortPage, in_force: Sequence[DecidedChange]) -> Iterator[str]:
    yield from _changes_lines(in_force, page.names)
    for size in page.coming.decision.sizes:
        yield f"  {size_words(size)}"
        yield f"    {reason_words(size.why)}"


def _changes_lines(changes: Sequence[DecidedChange], names: QueryNames) -> Iterator[str]:
    """What several have in common is said once, below all of them."""
    told: dict[tuple[str, ...], list[str]] = {}
    for decided in changes:
        values = values_words(decided) if decided.is_in_force else ""
        told.setdefault((why_words(decided, names), values), []).append(_change_line(decided, names))
    for common, heads in told.items():
        yield from heads
        yield from (f"    {line}" for line in common if line)


def _change_line(decided: DecidedChange, names: QueryNames) -> str:
    gained = decided.gained_seconds
    last = (
        f", {last_gained_words(gained, decided.gained_between)}" if decided.is_in_force and gained is not None else ""
    )
    return (
        f"  {standing_words(decided.standing)} (id {short_id(decided.id)}){last}: {change_words(decided.change, names)}"
    )


def _left_out_lines(page: CohortPage) -> Iterator[str]:
    """What had been in force and was left out on purpose, so that the run took longer than it need have."""
    for decided in held_out(page.runs[-1]):
        yield f"  (id {short_id(decided.id)}) {change_words(decided.change, page.names)}"
        if decided.held:
            yield f"    {reason_words(decided.held, page.names)}"


def _failed_lines(page: CohortPage) -> Iterator[str]:
    shown = (*page.older, *page.runs)
    for run in shown:
        if run.state in _HOW:
            yield f"  run {run.key} {_HOW[run.state]}{_why(run, page.names)}"
    badly = page.last_round.badly if page.last_round else ()
    if more := len({*badly} - {run.key for run in shown}):
        yield f"  and {counted(more, 'more instance')} of the last DAG run"


def _why(run: Run, names: QueryNames) -> str:
    if run.state is RunState.LOST:
        return ""
    return f": {failure_words(run.failure, names) if run.failure else 'its log does not tell why'}"


def _unfollowed(run: Run, names: QueryNames) -> Iterator[str]:
    """What was in force in a run and its plans did not follow: the next decision takes it out, unless it was held."""
    changes = {decided.id: decided.change for decided in run.decision.changes}

    def lines(reasons: dict[str, Reason]) -> Iterator[str]:
        for id_, why in reasons.items():
            yield f"  (id {short_id(id_)}) {change_words(changes[id_], names)}"
            yield f"    {reason_words(why, names)}"

    yield from _section("not followed by the last run:", lines(not_followed(run)))
    yield from _section("held in the last run alone:", lines(held_in(run)))
