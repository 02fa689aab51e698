"""The instances of a mapped task, which may each ask queries of their own: whose run a decision rests on, and what is others'."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from tuner.model.run import Run
from tuner.policy.end_of_run import began_after
from tuner.policy.runs_beside import RunsBeside, are_of_one_dag_run
from tuner.policy.usable import latest_usable, usable


def latest_of_instance(runs: Sequence[Run], instance: str) -> Run | None:
    """The run that a decision for an instance (`Run.instance`) rests on: of its own queries, or the latest usable one of all of
    these runs, oldest first."""
    return latest_of_its_queries(runs, instance) or latest_usable(runs)


def latest_of_its_queries(runs: Sequence[Run], instance: str) -> Run | None:
    """The latest usable run that had all queries which this instance's own latest one had: where all instances ask the same, that
    is the latest of all. None for an instance that has none, or had others each time, and of a task that is not mapped ("")."""
    instances = _instances(runs) if instance else {}
    if instance not in instances or not _keep_their_queries(instances[instance], _common(instances)):
        return None
    asked = instances[instance][-1].fingerprints
    return next(run for run in reversed(runs) if usable(run) and asked <= run.fingerprints)


def runs_of_its_queries(runs: Sequence[Run], instance: str) -> Sequence[Run]:
    """An instance's own runs, and those of others that share a query with the run that its decision rests on: where all ask the
    same, all. So it is for an instance that has no such run, and of a task that is not mapped ("")."""
    if (latest := latest_of_its_queries(runs, instance)) is None:
        return runs
    asked = latest.fingerprints
    return [run for run in runs if run.instance == instance or not asked.isdisjoint(run.fingerprints)]


def queries_of_others(runs: Iterable[Run], instance: str) -> frozenset[str]:
    """The queries (fingerprints) that other instances of a mapped task ask, and this one does not: what it did not have where
    others had it, in the DAG run of its latest usable run, and what none of its usable runs had.

    One that is new is taken to ask what all others do; one that had other queries each time, as where the list that a task is
    mapped over comes in another order, leaves to others what these keep. Of a task that is not mapped ("") there are none.
    """
    instances = _instances(runs) if instance else {}
    others = {name: several for name, several in instances.items() if name != instance}
    if not others:
        return frozenset()
    own, asked = instances.get(instance), [_asked(several) for several in others.values()]
    if own is None:
        return _union(asked) - asked[0].intersection(*asked)
    latest = own[-1].fingerprints
    common = _common(instances)
    if not _keep_their_queries(own, common):
        return _asked(several[-1] for several in others.values() if _keep_their_queries(several, common)) - latest
    beside = _asked(run for several in others.values() for run in several if are_of_one_dag_run(run, own[-1]))
    return (_union(asked) - _asked(own)) | (beside - latest)


def are_of_others(queries: Collection[str], of_others: frozenset[str]) -> bool:
    """Whether a change for these queries is for none but `queries_of_others`."""
    return bool(queries) and of_others.issuperset(queries)


def ask_alike(runs: Iterable[Run]) -> bool:
    """Whether all usable runs had the same queries, and those side by side of one DAG run the same values of their filters:
    then a decision is the same for each instance."""
    measured = [run for run in runs if usable(run)]
    if len({frozenset(run.fingerprints) for run in measured}) > 1:
        return False
    of_dag_run: dict[str, list[Run]] = {}
    for run in measured:
        if run.instance and run.origin:
            of_dag_run.setdefault(run.origin.run_id, []).append(run)
    return all(map(_ask_alike_beside, of_dag_run.values()))


def beside_latest(runs: Sequence[Run], instance: str) -> tuple[Run | None, list[Run]]:
    """An instance's own latest usable run, and those of others in its DAG run that ran at the same time; None of a task that is
    not mapped ("")."""
    own = [run for run in runs if instance and run.instance == instance and usable(run)]
    if not own:
        return None, []
    latest = own[-1]
    others = (run for run in runs if run.instance != instance and usable(run) and are_of_one_dag_run(run, latest))
    return latest, [run for run in others if _overlap(run, latest)]


def _ask_alike_beside(runs: Sequence[Run]) -> bool:
    """Whether each run of these, in the order in which they began, has the values of those that still ran then."""
    beside, classes = RunsBeside(), set[tuple[str, str]]()
    for run in runs:
        if beside.add(run) and run.classes != classes:
            return False
        classes = run.classes
    return True


def _instances(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """The usable runs of each that asked anything, oldest first."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        if run.instance and usable(run) and run.fingerprints:
            found.setdefault(run.instance, []).append(run)
    return found


def _common(instances: Mapping[str, Sequence[Run]]) -> set[str]:
    """The queries of the latest runs of all instances."""
    latest = [several[-1].fingerprints for several in instances.values()]
    return latest[0].intersection(*latest)


def _keep_their_queries(runs: Sequence[Run], common: set[str]) -> bool:
    """Whether the latest two runs of an instance that had queries which not all instances ask had one of them in common."""
    own = [asked for run in runs if (asked := run.fingerprints - common)]
    return len(own) < 2 or not own[-1].isdisjoint(own[-2])


def _asked(runs: Iterable[Run]) -> frozenset[str]:
    return frozenset(fingerprint for run in runs for fingerprint in run.fingerprints)


def _union(several: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*several)


def _overlap(run: Run, other: Run) -> bool:
    return not began_after(run, other) and not began_after(other, run)
