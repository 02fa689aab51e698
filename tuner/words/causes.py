"""Causes of a difference between two runs in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tuner.compare.cause import Cause, CauseCode, CauseKind, NotTold
from tuner.compare.plan_change import PlanChangeKind
from tuner.model.change import Change
from tuner.printable import listed, printable
from tuner.units import format_seconds
from tuner.words.changes import change_words
from tuner.words.counts import counted
from tuner.words.query_names import NO_NAMES, QueryNames
from tuner.words.short_ids import short_id
from tuner.words.template import Numbers, filled

_MOST_NAME = 60
_MOST_CHANGES = 2
# From here on "2.0 times as much" reads better than "100% more".
_TIMES = 1.95

_STRATEGIES = {
    "BroadcastHashJoin": "broadcast hash join",
    "ShuffledHashJoin": "shuffled hash join",
    "SortMergeJoin": "sort merge join",
    "CartesianProduct": "cartesian product",
    "BroadcastNestedLoopJoin": "broadcast nested loop join",
    "HashAggregate": "hash aggregate",
    "ObjectHashAggregate": "object hash aggregate",
    "SortAggregate": "sort aggregate",
}

Changes = Mapping[str, Change]
_NO_CHANGES: Changes = {}


def kind_words(kind: CauseKind) -> str:
    """What a difference comes from, in one or two words."""
    return _KINDS[kind]


_KINDS: Mapping[CauseKind, str] = {
    CauseKind.DATA: "data",
    CauseKind.LITERALS: "filter values",
    CauseKind.PLAN: "plan",
    CauseKind.CHANGES: "tuner's changes",
    CauseKind.SETTINGS: "settings",
    CauseKind.CLUSTER: "cluster",
    CauseKind.SCHEDULING: "scheduling",
    CauseKind.MACHINE: "machine",
    CauseKind.STATEMENT: "statement",
    CauseKind.QUERIES: "queries run",
    CauseKind.FAILURE: "failure",
    CauseKind.OUTSIDE: "outside queries",
    CauseKind.UNKNOWN: "not told",
}


def cause_words(cause: Cause, names: QueryNames = NO_NAMES, changes: Changes = _NO_CHANGES) -> str:
    """What differs, with its numbers; without its seconds, which stand beside it."""
    words = _cause(cause, names, changes)
    executions = None if cause.code is CauseCode.EDITED else cause.numbers.get("largest_of")
    return words if executions is None else f"{words}, in the one of {executions} executions that differs most"


def _cause(cause: Cause, names: QueryNames, changes: Changes) -> str:
    if cause.code is CauseCode.CHANGES:
        return _changes(cause.numbers, names, changes)
    sentence = _SENTENCES[cause.code]
    return filled(sentence, cause.numbers) if isinstance(sentence, str) else sentence(cause.numbers)


def operator_name(spark_name: str) -> str:
    """What an operator of Spark's is called in sentences."""
    return _STRATEGIES.get(spark_name, printable(spark_name, _MOST_NAME))


def _input(n: Numbers) -> str:
    if n["bytes"] and n["bytes_before"]:
        words = f"its files have {{bytes}} instead of {{bytes_before}} ({_more(n['bytes'], n['bytes_before'])})"
    else:
        words = f"read {{rows}} instead of {{rows_before}} ({_more(n['rows'], n['rows_before'])})"
    where = ", most of the difference in {table}" if n["table"] else ""
    return filled(words + where + (", with other filter values" if n["values"] else ""), _named(n, "table"))


def _rows(n: Numbers) -> str:
    if n["left"]:
        words = f"the join of {{left}} and {{right}} made {{rows}} instead of {{rows_before}}, {_of_input(n)}"
        return filled(words, _named(n, "left", "right"))
    return f"its operators did {_more(n['times'], 1)} work, {_of_input(n)}"


def _values(n: Numbers) -> str:
    of = f" of {', '.join(printable(str(column), _MOST_NAME) for column in n['columns'])}" if n["columns"] else ""
    return f"other filter values{of}: {_more(n['times'], 1)} work, {_of_input(n)}"


def _of_input(n: Numbers) -> str:
    if n["same_input"]:
        return "from an input of the same size"
    return f"{'more' if n['times'] > 1 else 'less'} than its input explains"


def _plan(n: Numbers) -> str:
    words = _plan_change(n)
    if not words:
        return "the same plan as far as the log tells"
    if n["more"]:
        words += f", and {counted(n['more'], 'more change')} of its plan"
    return words + ("; its filter values differ, too" if n["values"] else "")


def _plan_change(n: Numbers) -> str:
    if not n["kind"]:
        return ""
    kind, m = PlanChangeKind(n["kind"]), _named(n, "left", "right")
    now, before = operator_name(n["after"]), operator_name(n["before"])
    match kind:
        case PlanChangeKind.STRATEGY if now == before:
            return filled("{left} ⋈ {right}: " + f"{now} built of the {n['build_side']} side instead of the other", m)
        case PlanChangeKind.STRATEGY:
            by_aqe = ", chosen by AQE while it ran" if n["by_aqe"] else ""
            return filled("{left} ⋈ {right}: " + f"{now} instead of {before}{by_aqe}", m)
        case PlanChangeKind.ORDER:
            return filled("joins in another order, with {left} ⋈ {right}", m)
        case PlanChangeKind.JOIN:
            return filled("{left} ⋈ {right}: " + (f"a {now} that was not there" if n["after"] else f"no {before}"), m)
        case PlanChangeKind.AGGREGATE:
            return f"{now} instead of {before}"
        case PlanChangeKind.PARTITIONS:
            return filled("{after} shuffle partitions instead of {before}", n)


def _changes(n: Numbers, names: QueryNames, changes: Changes) -> str:
    without = tuple(id_ for id_ in n["changes_out"] if id_ not in n["left_out"])
    groups = (
        ("with the tuner's change", n["changes_in"]),
        ("without the tuner's change", without),
        ("without the tuner's change, left out once to compare", n["left_out"]),
    )
    told = [f"{how}: {words}" for how, ids in groups if (words := _change_names(ids, names, changes))]
    plan = _plan_change(n)
    return "; ".join([*told, *([plan] if plan else [])])


def _change_names(ids: tuple[str, ...], names: QueryNames, changes: Changes) -> str:
    shown = [change_words(changes[id_], names) if id_ in changes else short_id(id_) for id_ in ids[:_MOST_CHANGES]]
    more = [f"{len(ids) - _MOST_CHANGES} more"] if len(ids) > _MOST_CHANGES else []
    return printable(", ".join(shown + more))


def _settings(n: Numbers) -> str:
    told = (
        [f"Spark {printable(n['version'], 20)} instead of {printable(n['version_before'], 20)}"] if n["version"] else []
    )
    told += [
        setting_words(name, before, after)
        for name, before, after in zip(n["properties"], n["values_before"], n["values_after"], strict=True)
    ]
    if n["more_settings"]:
        told.append(counted(n["more_settings"], "more setting"))
    plan = _plan_change(n)
    return ", ".join(told) + (f"; {plan}" if plan else "")


def setting_words(name: str, before: str | None, after: str | None) -> str:
    """What a property is set to, and what it was."""
    now = f"{name}={printable(after, _MOST_NAME)}" if after else f"{name} not set"
    return f"{now} instead of {printable(before, _MOST_NAME) if before else 'not set'}"


def _processors(n: Numbers) -> str:
    words = "processors took {cpu_seconds} instead of {expected_cpu_seconds} for the same work"
    if n["retries"] != n["retries_before"]:
        words += ", with {retries:attempt} to run a stage again instead of {retries_before}"
    return filled(words, n)


def _waiting(n: Numbers) -> str:
    words = "its tasks waited {waiting_share} of their time instead of {waiting_share_before}"
    words += " (disks, network, garbage collection, processors that others had)"
    if n["spilled_bytes"] > n["spilled_bytes_before"]:
        words += ", and spilled {spilled_bytes} to disks"
        words += " instead of {spilled_bytes_before}" if n["spilled_bytes_before"] else ""
    return filled(words, n)


def _tasks_at_once(n: Numbers) -> str:
    """With as many digits as tell the two apart."""
    now, before = n["tasks_at_once"], n["tasks_at_once_before"]
    digits = next((d for d in (1, 2) if f"{now:.{d}f}" != f"{before:.{d}f}"), 3)
    words = f"{now:.{digits}f} of its tasks ran at once, on average, instead of {before:.{digits}f}"
    return f"{words}: cores that were not free, one long task, or the driver"


def _machine(n: Numbers) -> str:
    return f"as others did, which took {_more(n['speed'], 1)} time for the same work"


def _edited(n: Numbers) -> str:
    """Of the same tables also what first differs in its plan."""
    by_spark = ", or what another version or settings of Spark make of it," if n["by_other_rules"] else ""
    reads = [
        *([f"it also reads {_relations(n['reads_now'])}"] if n["reads_now"] else []),
        *([f"it no longer reads {_relations(n['read_before'])}"] if n["read_before"] else []),
    ]
    words = f"its statement{by_spark} is another one"
    without = f"; without {counted(len(n['changes_out']), 'change')} of the tuner's" if n["changes_out"] else ""
    if reads:
        return f"{words}: {'; '.join(reads)}{without}"
    plan = _plan_change(n)
    return f"{words}, of the same tables{without}" + (f"; {plan}" if plan else "")


def _relations(names: Sequence[str]) -> str:
    return listed(printable(name, _MOST_NAME) for name in names)


def _disappeared(n: Numbers) -> str:
    match n["state"]:
        case "failed":
            return "did not run: the run failed"
        case "partial":
            return "is not in the log, which is not whole"
        case _:
            return "did not run"


def _not_told(n: Numbers) -> str:
    match NotTold(n["why"]):
        case NotTold.UNMEASURED:
            return "what its tasks did was not measured in both runs"
        case NotTold.VERSION_OR_MACHINE:
            return "the version of Spark or the machine: they cannot be told apart"
        case NotTold.PLAN_NOT_KEPT:
            return "its plan, its rows or the machine: what ran was not kept of all of so many executions"
        case NotTold.PLAN_OR_MACHINE:
            plan = f" ({change})" if "kind" in n and (change := _plan_change(n)) else ""
            return f"its plan{plan} or the machine: too few queries did the same work in both runs to tell them apart"


_SENTENCES: Mapping[CauseCode, str | Callable[[Numbers], str]] = {
    CauseCode.INPUT: _input,
    CauseCode.ROWS: _rows,
    CauseCode.VALUES: _values,
    CauseCode.PLAN: _plan,
    CauseCode.SETTINGS: _settings,
    CauseCode.CORES: "{cores:core} instead of {cores_before}",
    CauseCode.TASKS_AT_ONCE: _tasks_at_once,
    CauseCode.PROCESSORS: _processors,
    CauseCode.WAITING: _waiting,
    CauseCode.MACHINE: _machine,
    CauseCode.EDITED: _edited,
    CauseCode.APPEARED: "did not run before",
    CauseCode.DISAPPEARED: _disappeared,
    CauseCode.EXECUTIONS: "ran {executions:time} instead of {executions_before}",
    CauseCode.FAILED: "{status}, before: {status_before}",
    CauseCode.OUTSIDE: "{seconds} without a query instead of {seconds_before}: start, the job's own code, waiting for executors",
    CauseCode.NOT_TOLD: _not_told,
}


def _named(n: Numbers, *names: str) -> Numbers:
    """With names at a length that a sentence can hold."""
    return {**n, **{name: printable(n[name], _MOST_NAME) for name in names}}


def _more(now: float, before: float) -> str:
    """`2.0 times as much`, `8% more`, `12% less`."""
    ratio = now / before
    if ratio >= _TIMES:
        return f"{ratio:.1f} times as much"
    return f"{abs(ratio - 1):.0%} {'more' if ratio >= 1 else 'less'}"


def signed_seconds(seconds: float) -> str:
    """`+3 min 2 s`, `-0.42 s`."""
    return f"{'+' if seconds > 0 else ''}{format_seconds(seconds)}"
