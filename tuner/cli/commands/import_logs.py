"""`spark-tuner import`: old logs into the history, so that the first run is steered where they suffice."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from functools import partial
from time import time
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from tuner.cli.options.checks import require_none_typed, some_number
from tuner.cli.options.cohort import CohortGlob, given_name
from tuner.cli.options.logs import Paths, Processes
from tuner.cli.options.output import AsJson
from tuner.cli.options.replay import By, Carrier, Months, Pattern, Since, SqlText, chosen, cohort_rules
from tuner.cli.options.store import Url, store_url
from tuner.cli.reading.log_sources import log_sources, on_stderr
from tuner.cli.reading.replay_failures import told_failures
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.eventlog.location import shown as shown_path
from tuner.eventlog.log_watch import goes_on
from tuner.history.asked_cohorts import ALL
from tuner.history.url import parse, shown
from tuner.model.decision import Mode
from tuner.problems import Problems
from tuner.words.counts import counted
from tuner.words.decisions import decision_summary

if TYPE_CHECKING:
    from tuner.history.store import Store
    from tuner.replay.cohort_of import CohortRules
    from tuner.replay.imported import Imported
    from tuner.replay.run_selection import RunSelection
    from tuner.replay.walk import Walker

_GOES_ON = "is still being written: left until it has ended, or nothing was written to it for an hour"


def import_logs(
    ctx: typer.Context,
    paths: Paths,
    as_cohort: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="COHORT", callback=given_name, help="The cohort that all these logs are of: dag_id.task_id."
        ),
    ] = None,
    cohort: CohortGlob = ALL,
    cohort_pattern: Pattern = None,
    since: Since = None,
    months: Months = None,
    steering: Carrier = By.AGENT,
    sql: SqlText = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on until interrupted, and take in logs as they come.")
    ] = False,
    every: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1.0,
            max=604_800.0,
            callback=some_number,
            help="With --watch: how long to wait between two looks.",
        ),
    ] = 60.0,
    processes: Processes = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Put the runs of old event logs into the history store: the next run is decided on them as on its own."""
    from tuner.cli.reading.import_watch import WatchedImport, look_until_ended
    from tuner.history.store import Store
    from tuner.replay.local import LocalReplay
    from tuner.replay.walk import Walker

    if not watch:
        require_none_typed(ctx, {"every": "--every"}, "give --watch, too")
    rules, which = cohort_rules(cohort_pattern, as_cohort or ""), chosen(cohort, since, months)
    walker = Walker(Mode.AUTO, agent=steering is By.AGENT, text=sql)
    store_at = store_url(url)
    tell = partial(_tell_as_json, store_at) if as_json else _tell
    with Store.open(store_at) as store:
        if watch:
            on_stderr(f"importing into {shown(parse(store_at))} as logs come; Ctrl+C ends it")
            ended = look_until_ended(
                WatchedImport(paths, LocalReplay(walker, rules, which), store, processes, by_agent=walker.agent),
                every,
                tell,
            )
            # As any command that Ctrl-C ends; SIGTERM is how a service is asked to.
            raise typer.Exit(128 + signal.SIGINT if ended is signal.SIGINT else 0)
        news, failed = _once(paths, walker, rules, which, store, processes)
    tell(news)
    if not as_json and news.kept:
        _tell_where(store_at, [cohort.cohort for cohort, _ in news.kept], given=url is not None)
    if failed:
        raise typer.Exit(1)


def _once(
    paths: list[str],
    walker: Walker,
    rules: CohortRules,
    which: RunSelection,
    store: Store,
    processes: int | None,
) -> tuple[Imported, bool]:
    """What was imported, and whether something that was asked for is not there; what is still written is there later."""
    from tuner.cli.reading.imported_cohort import imported_cohort
    from tuner.cli.reading.replaying import replayed_here
    from tuner.replay.cohort_replay import UnreadLog
    from tuner.replay.imported import Imported

    found_now, failures = log_sources(paths)
    now = time()
    being_written = [source for source in found_now if goes_on(source, now)]
    sources = [source for source in found_now if source not in being_written]
    left = [UnreadLog(shown_path(source.path), _GOES_ON) for source in being_written]
    problems = Problems()
    with replayed_here(sources, walker, rules, which, processes) as found:
        summary = found.summary
        kept = [imported_cohort(store, c, found, problems, by_agent=walker.agent) for c in summary.cohorts]
    failures += told_failures(sources, summary, which)
    news = Imported(kept, [*summary.unread, *left], [*summary.problems, *problems.found])
    return news, bool(failures) or not (kept or left)


def _tell_as_json(store_at: str, imported: Imported) -> None:
    cohorts = [
        {"cohort": c.cohort, "runs": c.runs, "imported": added, "next": decision_summary(c.next)}
        for c, added in imported.kept
    ]
    unread = [{"log": u.log, "why": u.why} for u in imported.unread]
    document = {
        "store": shown(parse(store_at)),
        "cohorts": cohorts,
        "unread": unread,
        "problems": imported.problems,
    }
    typer.echo(msgspec.json.encode(document).decode())


def _tell(imported: Imported) -> None:
    out = console()
    for c, added in imported.kept:
        runs = f"{added} of {counted(c.runs, 'run')} imported; the next run: {decision_summary(c.next)}"
        print_lines(out, [f"{c.cohort}: {runs}"])
    unused = [*(f"{u.log}: {u.why}" for u in imported.unread), *imported.problems]
    print_lines(out, [f"  {line}" for line in unused])


def _tell_where(store_at: str, cohorts: Sequence[str], *, given: bool) -> None:
    """Which store has it now, without its password, and how to look at it."""
    place = shown(parse(store_at))
    which = f" {shlex.quote(cohorts[0])}" if len(cohorts) == 1 else ""
    out = console()
    where = f" --db {shlex.quote(place)}" if given else ""
    print_to_copy(out, ["", "stored in:", f"  {place}", "look at it:", f"  spark-tuner status{which}{where}"])
