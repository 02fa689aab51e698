"""A replay as text: where the time went, what each run would have been given, what that would have saved, what was left
out."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from tuner.cli.as_text.insights import insights_lines
from tuner.cli.as_text.resources import resources_lines
from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column
from tuner.errors import TunerError
from tuner.model.change import Prediction
from tuner.model.run import RunState
from tuner.policy.already_set import already_set
from tuner.replay.cohort_replay import Advised, Backtest, CohortReplay, Observed, ReplayedRun, ReplaySummary, UnreadLog
from tuner.replay.newest_run import details_of_newest_run, newest_whole, order_insights
from tuner.replay.replayed import Replayed
from tuner.units import format_bytes, format_hours, format_money, format_seconds, format_share
from tuner.words.already_set import already_set_words
from tuner.words.changes import change_words
from tuner.words.decisions import decision_summary
from tuner.words.query_names import QueryNames
from tuner.words.reasons import why_words
from tuner.words.standings import standing_words
from tuner.words.states import run_state_words

# What fits on a few screens; --json and --report have all.
MOST_COHORTS = 8
MOST_RUNS = 12
MOST_ADVISED = 6
MOST_UNREAD = 10
MAX_LINE = 1500
# A log does not tell who set what its run had.
_IF_UNSET = "if you take out settings that they run with"


def show_replay(
    console: Console,
    found: Replayed,
    *,
    backtest: bool,
    core_hour_price: float | None = None,
    resources: bool = False,
) -> None:
    """Print it; the logs of the newest runs are read once more, for insights."""
    summary = found.summary
    _say(console, [_headline(summary), _savings(summary.cohorts), *_money(summary, core_hour_price)])
    for cohort in summary.cohorts[:MOST_COHORTS]:
        console.print()
        _say(console, [_cohort_line(cohort)])
        console.print(_runs_table(deque(found.runs(cohort.cohort), maxlen=MOST_RUNS)))
        if cohort.runs > MOST_RUNS:
            _say(console, [f"  and {cohort.runs - MOST_RUNS} earlier runs"])
        _say(console, _cohort_lines(cohort))
        _say(console, _insights(found, cohort))
    _say(console, ["", *_rest(summary), *_score(summary.backtest)])
    if resources:
        _say(console, resources_lines(summary.cohorts))
    if backtest:
        _say(console, [line for cohort in summary.cohorts for line in map(_observed_line, cohort.observed)])
    _say(console, [*_unread(summary.unread), *summary.problems])


def _say(console: Console, lines: Iterable[str]) -> None:
    print_lines(console, lines, MAX_LINE)


def _headline(summary: ReplaySummary) -> str:
    cohorts = summary.cohorts
    runs, measured = sum(c.runs for c in cohorts), sum(c.measured for c in cohorts)
    seconds, core_hours = sum(c.query_seconds for c in cohorts), sum(c.core_hours for c in cohorts)
    read = f"{_counted(summary.logs, 'log')} ({format_bytes(summary.size_bytes)})"
    had = f"{_counted(len(cohorts), 'cohort')}, {_counted(runs, 'run')} ({measured} measured)"
    return f"{read}: {had}, {format_seconds(seconds)} of queries, {_hours(core_hours)}"


def _money(summary: ReplaySummary, core_hour_price: float | None) -> Iterator[str]:
    """What executors held, and what could have been saved, at a price."""
    if core_hour_price is None:
        return
    told = sum(c.allocated_runs for c in summary.cohorts)
    held = f"executors of {_counted(told, 'run')} cost {format_money(summary.allocated_core_hours * core_hour_price)}"
    saved = f"what could have been saved is worth {format_money(summary.saved_core_hours * core_hour_price)}"
    yield f"at {format_money(core_hour_price)} a core-hour: {held if told else 'no log tells what executors held'}; {saved}"


def _savings(cohorts: Sequence[CohortReplay]) -> str:
    """By these runs, and by the next one of each cohort."""
    saved = _with_unset(
        sum(c.saved_core_hours for c in cohorts), sum(c.saved_core_hours_if_unset for c in cohorts), _hours
    )
    following = _with_unset(
        sum(c.next_saved.gain for c in cohorts if c.next_saved),
        sum(c.next_saved_if_unset for c in cohorts),
        format_seconds,
    )
    told = [f"these runs could have saved {saved}"] if saved else []
    told += [f"the next runs should save {following}"] if following else []
    return "; ".join(told) or "nothing to recommend: no change should gain enough"


def _with_unset(saved: float, unset: float, words: Callable[[float], str]) -> str:
    """What is saved, and what taking out settings would add to that; "" for nothing."""
    return _joined(words(saved) if saved else "", words(unset) if unset else "")


def _joined(saved: str, unset: str) -> str:
    more = f"and {unset} more" if saved else unset
    return " ".join(filter(None, (saved, f"{more} {_IF_UNSET}" if unset else "")))


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _hours(core_hours: float) -> str:
    return f"{format_hours(core_hours)} core-hours"


def _cohort_line(c: CohortReplay) -> str:
    days = f"{c.first_at:%Y-%m-%d}" + ("" if c.first_at.date() == c.last_at.date() else f" to {c.last_at:%Y-%m-%d}")
    took = f"{format_seconds(c.query_seconds)} of queries, {_hours(c.core_hours)}"
    saved = _joined(
        f"{_saved(c.saved)}, {_hours(c.saved_core_hours)}" if c.saved else "",
        f"{format_seconds(c.saved_if_unset)}, {_hours(c.saved_core_hours_if_unset)}" if c.saved_if_unset else "",
    )
    could = f"; could have saved {saved}" if saved else ""
    return f"{c.cohort}: {_counted(c.runs, 'run')}, {days}, {took}{could}"


def _saved(p: Prediction) -> str:
    low, high = sorted((p.before - p.high, p.before - p.low))
    return f"{format_seconds(p.gain)} (between {format_seconds(low)} and {format_seconds(high)})"


def _runs_table(runs: Iterable[ReplayedRun]) -> Table:
    found = table(
        text_column("run (UTC)"),
        number_column("queries s"),
        number_column("could save s"),
        text_column("decision"),
    )
    for run in runs:
        measured = "-" if run.actual_seconds is None else f"{run.actual_seconds:,.1f}"
        saved = "-" if run.predicted_seconds is None else f"{run.predicted_seconds.gain:,.1f}"
        ended = "" if run.state is RunState.SUCCEEDED else f"{run_state_words(run.state)}; "
        differs = " (the live run was given another)" if run.as_live is False else ""
        decision = text_cell(f"{ended}{decision_summary(run.decision)}{differs}")
        found.add_row(f"{run.started_at:%Y-%m-%d %H:%M}", measured, saved, decision)
    return found


def _cohort_lines(c: CohortReplay) -> Iterator[str]:
    names = QueryNames.known(c.names)
    if c.allocated_runs:
        among = (
            ""
            if c.allocated_runs == c.runs
            else f" in {c.allocated_runs} of {_counted(c.runs, 'run')}, as far as logs tell"
        )
        yield f"  executors held {_hours(c.allocated_core_hours)}, busy or idle{among}"
    if c.live:
        yield f"  decisions: {c.as_live} of {c.live} are the same as the live tuner's"
    would = _joined(
        _saved(c.next_saved) if c.next_saved else "",
        format_seconds(c.next_saved_if_unset) if c.next_saved_if_unset else "",
    )
    yield f"  the next run: {decision_summary(c.next)}{f', should save {would}' if would else ''}"
    for decided in c.next.changes[:MOST_ADVISED]:
        p = decided.change.prediction
        interval = f": should take {_took(p)}" if p else ""
        yield f"    {standing_words(decided.standing)}: {change_words(decided.change, names)}{interval}"
        yield f"      {why_words(decided, names)}"
        yield from _already_set_line(already_set([decided.change], c.next_already_set))
    if len(c.next.changes) > MOST_ADVISED:
        yield f"    and {len(c.next.changes) - MOST_ADVISED} more: --json has them all"
    lacked = [a for a in c.advised if a.runs]
    if lacked:
        yield "  what these runs could have saved, most core-hours first:"
    for advised in lacked[:MOST_ADVISED]:
        yield from _advised_lines(advised, names)


def _advised_lines(a: Advised, names: QueryNames) -> Iterator[str]:
    words = ", ".join(change_words(decided.change, names) for decided in a.last)
    yield f"    {_saved(a.seconds)} in {_counted(a.runs, 'run')}, {_hours(a.core_hours)}: {words}"
    yield from _already_set_line(a.already_set)


def _already_set_line(found: Mapping[str, str]) -> Iterator[str]:
    if found:
        yield f"      {already_set_words(found)}"


def _took(p: Prediction) -> str:
    return f"{p.after:.1f} s instead of {p.before:.1f} s (between {p.low:.1f} and {p.high:.1f})"


def _insights(found: Replayed, cohort: CohortReplay) -> Iterable[str]:
    """Of the newest whole run; none where its log is gone since."""
    try:
        runs = newest_whole(found.logged(cohort.cohort))
        insights = details_of_newest_run(runs[-1], more=order_insights(runs)).insights if runs else ()
    except (TunerError, OSError):
        return ()
    return insights_lines(insights, QueryNames(runs[-1].outcome.queries)) if insights else ()


def _rest(summary: ReplaySummary) -> Iterator[str]:
    if (more := len(summary.cohorts) - MOST_COHORTS) > 0:
        yield f"and {more} more cohorts, with less to save: --json and --report have them all"


def _score(found: Backtest | None) -> Iterator[str]:
    if found is None or not found.pairs:
        yield "predictions cannot be checked: no later run had a change that was recommended before it"
        return
    ranks = "" if found.rank_correlation is None else f", rank correlation {found.rank_correlation:.2f}"
    yield (
        f"predictions, checked on {_counted(found.pairs, 'recommended change')} that a later run had ({found.by_tuner} by the "
        f"tuner): {format_share(found.right or 0)} were faster with it, {format_share(found.coverage or 0)} within the interval "
        f"foretold; shares gained were off by {format_share(found.median_error or 0)} (median){ranks}"
    )


def _observed_line(o: Observed) -> str:
    p, where = o.predicted, "within" if o.within else "outside"
    took = f"took {o.after:.1f} s instead of {o.before:.1f} s in run {o.seen_in}"
    return f"  {o.words}: {took}, {where} what was foretold: {p.after:.1f} s (between {p.low:.1f} and {p.high:.1f})"


def _unread(unread: Sequence[UnreadLog]) -> Iterator[str]:
    if not unread:
        return
    yield "not used, or only in part:"
    for u in unread[:MOST_UNREAD]:
        yield f"  {u.log}: {u.why}"
    if len(unread) > MOST_UNREAD:
        more = Counter(u.why.partition(":")[0] for u in unread[MOST_UNREAD:])
        yield "  and " + ", ".join(f"{count} more: {why}" for why, count in more.most_common())
