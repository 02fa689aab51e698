"""A statement with its plans on real Spark, and what the agent called their parts: a file of `names/` each.

    -- file: the statement
    SELECT …
    -- logical plan
    Project [id#1]
    …
    -- physical plan
    Scan parquet db.orders » FileScan parquet db.orders[id#1] … » InMemoryFileIndex[…]
    …
    -- agent
    {"relations": …}

An operator of the physical plan is its name, its text behind the name (`»` twice where the text does not begin with it), and
where its files lie. Ids of columns are numbered anew, so that another recording differs only where Spark or the agent does;
estimates and what a scan says of its files is left out, for no name depends on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tuner.model.application import Execution, PlanInfo
from tuner.model.strategy import JoinType
from tuner.plan.joins import signature
from tuner.plan.relation import normalise_path

from .agent_log import steered_executions

NAMES = Path(__file__).with_name("names")
# Scans by path lie below it; so do catalog tables, whose names do not tell.
TABLES = "/tables"
_HEADINGS = ("-- logical plan", "-- physical plan", "-- agent")
_COLUMN_ID = re.compile(r"#(\d+)")
_LEFT_OUT = re.compile(
    r"(?:, )?\[?plan_id=\d+\]?|@[0-9a-f]{6,8}\b|, Statistics\(.*$|, Format: \w+, Location: .*$", re.MULTILINE
)
_BETWEEN = " » "


@dataclass(frozen=True, slots=True)
class PlanNames:
    """`agent` is the agent's trace (Trace.java)."""

    logical: str
    physical: PlanInfo
    agent: dict[str, Any]

    @property
    def execution(self) -> Execution:
        """What a log would hold of it."""
        return Execution(0, 0, "", 0, 1, None, self.physical, None, {}, (), self.logical)


def statements() -> dict[str, str]:
    """The SQL of every file, by the file's name."""
    return {file.stem: file.read_text(encoding="utf-8").partition(_HEADINGS[0])[0].strip() for file in _files()}


def recorded(name: str) -> PlanNames:
    """What a file holds."""
    text = (NAMES / f"{name}.txt").read_text(encoding="utf-8")
    parts = re.split("|".join(f"^{heading}\n" for heading in _HEADINGS), text, flags=re.MULTILINE)
    _, logical, physical, agent = parts
    return PlanNames(logical.strip(), _parsed(physical), json.loads(agent))


def write(name: str, statement: str, found: PlanNames) -> None:
    """Record anew what a statement gave."""
    plans = (found.logical, "\n".join(_lines(found.physical)), _agent_text(found.agent))
    sections = (f"{heading}\n{plan}\n" for heading, plan in zip(_HEADINGS, plans, strict=True))
    (NAMES / f"{name}.txt").write_text("".join([f"{statement}\n", *sections]), encoding="utf-8")


def ran(logs: Path, tables: Path) -> dict[str, PlanNames]:
    """What `names_app.py` has logged of each statement."""
    found, names = {}, statements().keys()
    for steered in steered_executions(logs):
        if steered.label in names:
            assert steered.execution.initial_plan is not None and steered.events, steered.label
            traces = {json.dumps(event["trace"], sort_keys=True) for event in steered.events}
            assert len(traces) == 1, f"{steered.label}: the agent told several plans"
            moved = _moved(logs, tables)
            stable = _numbered_anew(moved)
            logical = stable(steered.execution.logical_plan or "")
            physical = _each_text(steered.execution.initial_plan, stable)
            found[steered.label] = PlanNames(logical, physical, _of_tables(steered.events[0]["trace"], tables))
    return found


def _files() -> list[Path]:
    return sorted(NAMES.glob("*.txt"))


def _moved(logs: Path, tables: Path) -> Callable[[str], str]:
    return lambda text: text.replace(str(tables), TABLES).replace(f"{logs}/warehouse", TABLES)


def _numbered_anew(moved: Callable[[str], str]) -> Callable[[str], str]:
    numbers: dict[str, int] = {}
    following = count(1)

    def number(match: re.Match[str]) -> str:
        if match[1] not in numbers:
            numbers[match[1]] = next(following)
        return f"#{numbers[match[1]]}"

    return lambda text: _COLUMN_ID.sub(number, _LEFT_OUT.sub("", moved(text)))


def _each_text(plan: PlanInfo, stable: Callable[[str], str]) -> PlanInfo:
    place = {"Location": stable(plan.metadata["Location"])} if "Location" in plan.metadata else {}
    children = tuple(_each_text(child, stable) for child in plan.children)
    return PlanInfo(stable(plan.name), stable(plan.text), children, place)


def _of_tables(trace: dict[str, Any], tables: Path) -> dict[str, Any]:
    """The trace as if the tables lay elsewhere: a signature is one of the names that the agent tells beside it."""
    before = normalise_path(tables.as_uri().replace("file:///", "file:/"))
    text = json.dumps(trace)
    moved = json.loads(text.replace(before, f"file:{TABLES}"))
    if text == json.dumps(moved):
        return dict(trace)
    for join, as_told in zip(moved["joins"], trace["joins"], strict=True):
        assert as_told["signature"] == _signature(as_told)
        join["signature"] = _signature(join)
    return {**moved, "columns": ""}


def _signature(join: dict[str, Any]) -> str:
    return signature(JoinType(join["type"]), tuple(join["left"]), tuple(join["right"]), tuple(map(tuple, join["keys"])))


def _agent_text(agent: dict[str, Any]) -> str:
    """JSON with a line for each join and each item."""
    lines = [f'"relations": {json.dumps(agent["relations"])}', f'"columns": "{agent["columns"]}"']
    for kind in ("joins", "blocks"):
        inner = ",\n".join(f"  {json.dumps(one, ensure_ascii=False)}" for one in agent[kind])
        lines.append(f'"{kind}": [\n{inner}\n ]' if inner else f'"{kind}": []')
    return "{\n " + ",\n ".join(lines) + "\n}"


def _lines(plan: PlanInfo, depth: int = 0) -> Iterator[str]:
    place = plan.metadata.get("Location", "")
    text = plan.text[len(plan.name) :].strip() if plan.text.startswith(plan.name) else _BETWEEN.strip() + plan.text
    assert "\n" not in text and _BETWEEN not in text + place
    yield " " * depth + _BETWEEN.join([plan.name, text, place] if place else [plan.name, text]).rstrip()
    for child in plan.children:
        yield from _lines(child, depth + 1)


def _parsed(text: str) -> PlanInfo:
    lines = [line for line in text.splitlines() if line.strip()]
    position = 0

    def take() -> PlanInfo:
        nonlocal position
        line = lines[position]
        depth = len(line) - len(line.lstrip())
        position += 1
        children = []
        while position < len(lines) and len(lines[position]) - len(lines[position].lstrip()) > depth:
            children.append(take())
        name, rest, place = (*line.strip().split(_BETWEEN), "", "")[:3]
        whole = rest[1:] if rest.startswith(_BETWEEN.strip()) else f"{name} {rest}".strip()
        return PlanInfo(name, whole, tuple(children), {"Location": place} if place else {})

    return take()
