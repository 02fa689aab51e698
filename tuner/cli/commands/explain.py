"""`spark-tuner explain`: what operators take, as learned, and what a query's seconds are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from tuner.cli.options.cohort import known_name
from tuner.cli.options.logs import named_paths
from tuner.cli.options.output import AsJson
from tuner.cli.options.store import Url
from tuner.errors import TunerError
from tuner.whole_file import write_whole
from tuner.words.counts import counted


def explain(
    paths: Annotated[
        list[str] | None,
        typer.Argument(callback=named_paths, help="Event logs, or directories of them. [default: the store's runs]"),
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Train on all of them, and show prices and cross-validated errors.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(help="Write the trained model here: SPARK_TUNER_MODEL=FILE then puts it to use.")
    ] = None,
    cohort: Annotated[
        str | None, typer.Option(callback=known_name, help="Only this cohort's runs of the store.")
    ] = None,
    query: Annotated[int | None, typer.Option(help="Only the SQL execution with this number.")] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Show what each query's seconds are made of by the cost model; with --model, the model and how far it is off."""
    # numpy and, to train, scikit-learn: no other command waits for them.
    from tuner.cli.as_json.explain_model import model_json
    from tuner.cli.as_json.explain_queries import explained
    from tuner.cli.as_text import explain_model, explain_queries
    from tuner.cli.reading.measured_queries import samples_of_logs, samples_of_store
    from tuner.cost.learned.calibrated_model import configured_model

    if save is not None and not model:
        raise typer.BadParameter("--save writes what --model trains: give both")
    if paths and cohort is not None:
        raise typer.BadParameter("--cohort chooses among the store's runs: leave out the paths, or --cohort")
    found, unread = samples_of_logs(paths) if paths else (samples_of_store(url, cohort), 0)
    prior = configured_model()
    if model:
        if unread:
            raise TunerError(f"{counted(unread, 'log')} cannot be read: no model is trained without what was asked for")
        from tuner.cli.reading.trained_model import trained_model

        trained = trained_model(found, prior)
        if save is not None:
            _write(save, trained)
        _print(as_json, model_json(trained), lambda: explain_model.show(trained, prior))
        return
    queries = explained(found, prior, query)
    if queries:
        _print(as_json, {"queries": queries}, lambda: explain_queries.show(queries))
    elif not unread or found:
        raise TunerError(_nothing_to_explain(query if found else None))
    if unread:
        raise typer.Exit(1)


def _nothing_to_explain(query: int | None) -> str:
    """`query` is the number that none of the queries has that there are."""
    if query is not None:
        return f"no query {query} that succeeded: `spark-tuner explain` without --query lists all that did, with their numbers"
    return "no query to explain: give the path of an event log with a query that succeeded, or run a job first"


def _write(path: Path, trained: Any) -> None:
    from tuner.cost.learned.operator_times import write_model

    try:
        write_whole(path, write_model(trained))
    except OSError as error:
        raise TunerError(f"cannot write the model to {path}: {error.strerror or error}") from error


def _print(as_json: bool, document: dict[str, Any], show: Any) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(document).decode())
    else:
        show()
