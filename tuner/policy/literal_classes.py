"""Which class of values each execution was of: what is measured in one class tells nothing of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from operator import itemgetter

from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import FilterCondition
from tuner.model.run import Run
from tuner.plan.literals import literal_class
from tuner.policy.fleeting_columns import fleeting_columns
from tuner.policy.latest_executions import Ran
from tuner.policy.neutral_columns import neutral_columns
from tuner.policy.untold_columns import classes_in_full, told_in_full
from tuner.policy.usable import usable


@dataclass(frozen=True, slots=True)
class LiteralClasses:
    """`neutral` are a query's columns whose values move few rows, by its fingerprint, and `fleeting` those whose values are
    others in each run: classes are told apart by neither. `earlier` is the class that each id of a run from before conditions
    were told apart stands for, by fingerprint and id; `in_full` that of an execution whose log alone told of it, by fingerprint
    and its own class (`tuner.policy.untold_columns`)."""

    neutral: Mapping[str, frozenset[str]] = field(default_factory=dict)
    earlier: Mapping[tuple[str, str], str] = field(default_factory=dict)
    fleeting: Mapping[str, frozenset[str]] = field(default_factory=dict)
    in_full: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def of(self, query: Query) -> str:
        """The class of an execution, "" where its values are not known."""
        if query.conditions is not None:
            own = _class_of(query.conditions, self.not_told_by(query.fingerprint))
            return self.in_full.get((query.fingerprint, own), own) if query.logged_conditions is None else own
        return self.earlier.get((query.fingerprint, query.literals), query.literals)

    def not_told_by(self, fingerprint: str) -> frozenset[str]:
        """The columns of a query that may take any values within one class."""
        neutral = self.neutral.get(fingerprint, frozenset())
        return neutral | self.fleeting[fingerprint] if fingerprint in self.fleeting else neutral


@lru_cache(maxsize=10_000)
def _class_of(conditions: tuple[FilterCondition, ...], neutral: frozenset[str]) -> str:
    """Most of a cohort's executions ask the same values night after night."""
    return literal_class(conditions, neutral)


def literal_classes(runs: Sequence[Run]) -> LiteralClasses:
    """Those of a cohort's runs, oldest first: the more runs, the more columns are known not to matter."""
    by_query = _by_query(runs)
    neutral: dict[str, frozenset[str]] = {}
    for (fingerprint, _), ran in by_query.items():
        for executions in _as_told(ran):
            if found := neutral_columns(executions):
                neutral[fingerprint] = max(found, neutral.get(fingerprint, found), key=len)
    known = LiteralClasses(neutral, fleeting=_fleeting(by_query, neutral))
    known = replace(known, in_full=_in_full(by_query, known))
    several: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        for query in run.outcome.queries if run.outcome else ():
            if query.literals and query.conditions is not None:
                several.setdefault((query.fingerprint, query.literals), set()).add(known.of(query))
    return replace(known, earlier={key: min(classes) for key, classes in several.items() if len(classes) == 1})


def _by_query(runs: Sequence[Run]) -> dict[tuple[str, bool], list[Ran]]:
    """The executions whose values are known, in the order of their nights. Rows of a merged plan are those of several values
    together: they tell of one another only."""
    found: dict[tuple[str, bool], list[Ran]] = {}
    for night, run in sorted(zip(_nights(runs), runs, strict=True), key=itemgetter(0)):
        for query in run.outcome.queries if run.outcome and usable(run) else ():
            if query.status is QueryStatus.SUCCEEDED and query.conditions is not None:
                found.setdefault((query.fingerprint, query.merged), []).append((night, query))
    return {key: _that_read(ran) for key, ran in found.items()}


def _that_read(ran: list[Ran]) -> list[Ran]:
    """Without those that read nothing where others of them did: an upstream was late, whatever their values."""
    return [(night, query) for night, query in ran if query.input_bytes] or ran


def _in_full(by_query: Mapping[tuple[str, bool], Sequence[Ran]], known: LiteralClasses) -> dict[tuple[str, str], str]:
    return {
        (fingerprint, logged): class_
        for (fingerprint, _), ran in by_query.items()
        for logged, class_ in classes_in_full(ran, partial(_class_of, neutral=known.not_told_by(fingerprint))).items()
    }


def _as_told(ran: Sequence[Ran]) -> Iterator[Sequence[Ran]]:
    """Those whose values are all known; and all of them, of which there may be more that tell something."""
    in_full = told_in_full(ran)
    yield in_full
    if len(in_full) < len(ran):
        yield ran


def _nights(runs: Sequence[Run]) -> list[int]:
    """Of each run the number of its night: the mapped instances of one DAG run are of one, as executions in a loop are."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(run.origin.run_id if run.origin else run.key, len(numbers)) for run in runs]


def _fleeting(
    by_query: Mapping[tuple[str, bool], Sequence[Ran]], neutral: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for (fingerprint, is_merged), ran in by_query.items():
        # A merged plan tells no condition of its own; where it alternates with others, nothing is the same every night.
        for executions in () if is_merged else _as_told(ran):
            if columns := fleeting_columns(executions, neutral.get(fingerprint, frozenset())):
                found.setdefault(fingerprint, columns)
    return found


def with_literal_classes(runs: Sequence[Run], classes: LiteralClasses | None = None) -> list[Run]:
    """The runs, with the classes of their executions as `Query.literals`; of runs that have them already nothing changes."""
    known = literal_classes(runs) if classes is None else classes
    return [_classed(run, known) for run in runs]


def _classed(run: Run, classes: LiteralClasses) -> Run:
    if run.outcome is None:
        return run
    queries = tuple(_with_class(query, classes) for query in run.outcome.queries)
    if all(query is before for query, before in zip(queries, run.outcome.queries, strict=True)):
        return run
    return replace(run, outcome=replace(run.outcome, queries=queries))


def _with_class(query: Query, classes: LiteralClasses) -> Query:
    class_, are_fleeting = classes.of(query), query.fingerprint in classes.fleeting
    if (class_, are_fleeting) == (query.literals, query.fleeting):
        return query
    return replace(query, literals=class_, fleeting=are_fleeting)
