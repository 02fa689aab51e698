"""What holds of every log, however damaged: the whole way from the files to the JSON that is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tuner.cli.as_json.json_line import JsonLine
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Application, Completeness, Problem, Work


def read_all(path: Path) -> dict[str, Application]:
    """The applications at a path by the names of their files, each checked."""
    found = {source.path.name: read_application(source) for source in find_logs(path)}
    for application in found.values():
        check(application)
    return found


def check(application: Application) -> dict[str, Any]:
    """Its JSON: whole, printable, and saying of whatever is not complete what is wrong with it."""
    text = as_json(application).decode().removesuffix("\n")
    assert is_printable(text), "a control character in JSON"
    found: dict[str, Any] = json.loads(text)
    complete = application.status is Completeness.COMPLETE
    assert complete == (not application.problems), (application.status, application.problems)
    for problem in application.problems:
        check_problem(problem)
    return found


def as_json(application: Application) -> bytes:
    """What `harvest --json` prints of it."""
    line, of_none = JsonLine(), [s for s in application.stages if s.execution_id is None]
    line.take(Work(None, application.jobs, tuple(of_none)))
    for execution in application.executions:
        own = tuple(stage for stage in application.stages if stage.execution_id == execution.execution_id)
        line.take(Work(execution, (), own))
    return b"".join(line.chunks(application))


def check_problem(problem: Problem) -> None:
    assert problem.file
    assert problem.line >= 0
    assert 0 < len(problem.message) < 1000
    assert is_printable(problem.file + problem.message)


def is_printable(text: str) -> bool:
    """Whether a terminal shows all of it, and acts on nothing."""
    return not any(char < " " or "\x7f" <= char < "\xa0" or char in "\u202d\u202e\u2028\u2066" for char in text)
