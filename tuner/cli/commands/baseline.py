"""`spark-tuner baseline export|import`: what a cohort has proven, as a file for git and for other stores."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from tuner.cli.options.cohort import Cohort, given_name
from tuner.cli.options.output import AsJson
from tuner.cli.options.store import Url, stored_url
from tuner.cli.terminal.streams import utf8_stdout
from tuner.errors import TunerError
from tuner.person import this_person
from tuner.whole_file import write_whole

baseline = typer.Typer(
    help="Export what a cohort has proven to a file for git, or import such a file.", no_args_is_help=True
)


@baseline.callback()
def _group() -> None:
    """Export what a cohort has proven to a file for git, or import such a file."""


@baseline.command("export")
def export(
    cohort: Cohort,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it. [default: stdout]")
    ] = None,
    url: Url = None,
) -> None:
    """Write what a cohort has proven, its mode, its objective and what people refused as JSON, the same for the same: to review,
    and to import elsewhere."""
    from tuner.baseline.baseline_text import baseline_text
    from tuner.baseline.proven import proven_baseline
    from tuner.cli.options.cohort import require_known
    from tuner.history.store import Store
    from tuner.words.counts import counted
    from tuner.words.imports import said_words

    with Store.open(stored_url(url)) as store:
        require_known(store, cohort)
        found = proven_baseline(store, cohort)
    if found is None:
        raise TunerError(
            f"no run of cohort {cohort!r} was measured, and nobody said anything of it: there is nothing to export yet; "
            "export it after its next run"
        )
    text = baseline_text(found)
    if output is None:
        utf8_stdout()
        sys.stdout.write(text)
    else:
        _write(output, text)
    proven = f"{counted(len(found.trials), 'change')} proven as of {found.as_of}"
    typer.echo(f"{cohort}: {'; '.join([proven, *said_words(found.said)])}", err=True)


@baseline.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `spark-tuner baseline export` wrote.")],
    cohort: Annotated[
        str | None,
        typer.Option(callback=given_name, help="The cohort that may try it. [default: the one it was exported of]"),
    ] = None,
    pin: Annotated[
        bool, typer.Option("--pin", help="Pin what is imported: it stays in force, whatever is measured here.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and store nothing.")] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Let a cohort try what another has proven: on trial first, as all changes are, unless they are pinned. What people
    said of the other holds, too, where nobody here said otherwise."""
    from tuner.baseline.importer import Importer
    from tuner.baseline.plan_import import plan_import
    from tuner.baseline.read_baseline import read_baseline
    from tuner.cli.as_json.baseline_import import plan_json
    from tuner.cli.as_text.baseline_import import show_plan
    from tuner.history.store import Store
    from tuner.history.url import parse, shown
    from tuner.loop.stance_now import keep_stance_now

    found = read_baseline(_read(file), str(file))
    with Store.open(stored_url(url)) as store:
        into = cohort or found.cohort
        since = store.last_word(into)
        plan = plan_import(store, found, into, Importer(this_person(), datetime.now(UTC), pin))
        if not dry_run and plan.stores_anything:
            verdicts = (*plan.said.refusals, *plan.verdicts)
            store.keep_imports(plan.imported, verdicts, plan.said.mode, plan.said.objective, since)
            keep_stance_now(store, plan.cohort)
    if as_json:
        typer.echo(msgspec.json.encode(plan_json(plan, found, dry_run=dry_run)).decode())
    else:
        show_plan(plan, found, dry_run=dry_run, db=shown(parse(url)) if url else "")


def _read(file: Path) -> bytes:
    from tuner.baseline.document import MOST_BYTES

    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise TunerError(f"{file}: cannot read the baseline: {error.strerror}") from error


def _write(file: Path, text: str) -> None:
    try:
        write_whole(file, text.encode())
    except OSError as error:
        raise TunerError(f"{file}: cannot write the baseline: {error.strerror}") from error
