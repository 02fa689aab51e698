"""What a run that failed says of the changes that were in force in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from tuner.model.decision import DecidedChange, Standing
from tuner.model.failure import OF_EXECUTOR_MEMORY, Failure, FailureKind
from tuner.model.query import QueryStatus, total_data_bytes
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.policy.end_of_run import began_after
from tuner.policy.executions import executions
from tuner.policy.idle_runs import read_nothing
from tuner.policy.never_started import lacks_new_jar, may_lack_jar
from tuner.policy.newly_failed import Failures, fails_anew, fails_for_new_values, newly_failed, usual_failures
from tuner.policy.suspects import PLAIN, Guilt, alike, from_outside, suspects
from tuner.policy.usable import usable

# Longer by this share than ever is too long.
FAR_SLOWER = 0.5
# What somebody ended, who may have done so because it took too long.
_ENDED_BY_SOMEBODY = frozenset({FailureKind.KILLED, FailureKind.OWN_EXIT, FailureKind.STOPPED})


class Making(StrEnum):
    """What a failure says of a change that was in force in its run.

    nothing_new: nothing on trial is known to make such failures, what was proven is. suspected: it can have made it, and is
    tried once more when a run without it has told. failed_twice: as the run with it before did, and not the one without it.
    """

    ITS_OWN = "its_own"
    NOTHING_NEW = "nothing_new"
    ANOTHER = "another"
    SUSPECTED = "suspected"
    NO_TRIAL_TOLD = "no_trial_told"
    SUCCEEDED_WITHOUT = "succeeded_without"
    FAILED_TWICE = "failed_twice"


@dataclass(frozen=True, slots=True)
class AfterFailure:
    """Where a change stands after a run that failed, and why. `cleared`: the job failed in the same way without it.

    `suspect`: it can have made the failure, and that is not shown. `counts`: as one of its trials. `suspected_bytes`: with
    inputs of so many bytes (0 where unknown) the job then succeeded without the suspect; None where it did not.
    """

    decided: DecidedChange
    standing: Standing
    why: Reason
    cleared: bool = False
    suspect: bool = False
    counts: bool = False
    suspected_bytes: int | None = None


@dataclass(frozen=True)
class FailedRun:
    """A run that failed, or of which a `query` did while the job went on; among the others, oldest first. What comes of these is
    told once: hence no slots.

    `last_trials` are ids of changes that are not tried again after it, `suspected` of those that an earlier run with them made
    suspect, and none since cleared.
    """

    run: Run
    earlier: Sequence[Run] = ()
    later: Sequence[Run] = ()
    last_trials: Collection[str] = ()
    suspected: Collection[str] = ()
    query: str | None = None

    @property
    def had_less_memory(self) -> bool:
        """Whether it died of executors' memory, of which it had less than its author asks for."""
        failure = self.run.failure
        return bool(self.run.decision.cuts) and failure is not None and failure.kind in OF_EXECUTOR_MEMORY

    @property
    def died_in_own_sizes(self) -> bool:
        """Whether the next run that tells died in the same way with all that its author asks for."""
        after = self.after
        if after is None or after.state is not RunState.FAILED or after.decision.cuts:
            return False
        return alike(self.failure, after.failure)

    @cached_property
    def failure(self) -> Failure | None:
        """Why it failed, as far as is known. Of the queries that failed in a job that goes on, only the last is said why: not why
        the others did, where it fails for its values in any case."""
        if self.query is None:
            return self.run.failure
        last = self.run.outcome.failure if self.run.outcome else None
        if last is not None and last.query == self.query and self._is_new(self.query, last):
            return last
        return Failure(FailureKind.UNKNOWN, "", self.query)

    def _is_new(self, query: str, last: Failure) -> bool:
        at = last.execution_id
        return at is None or fails_for_new_values(query, self.run, at, self._usual)

    @property
    def ended_for_slowness(self) -> bool:
        """Whether somebody ended it when it had taken far longer than any run before it."""
        failure = self.failure
        if self.query is not None or failure is None or failure.kind not in _ENDED_BY_SOMEBODY:
            return False
        return is_longer(self.run, self.earlier, by=FAR_SLOWER)

    @property
    def from_outside(self) -> bool:
        """Whether no change can have made it. One that was ended when it had taken far longer than any before it may have
        been too slow, for whoever ended it, because of a change. One that may have lacked an agent's jar which no run has had
        tells nothing of what the agent does."""
        failed = self.query is not None or self.run.state is RunState.FAILED
        if lacks_new_jar(self.run, self.earlier):
            return True
        return failed and from_outside(self.failure) and not self.ended_for_slowness

    @cached_property
    def after(self) -> Run | None:
        """The next run that tells: it came to the query, not only for values that fail in any case, found something to read, and
        did not fail from outside. One beside this (mapped instances, dates of a backfill) was decided before this had failed,
        and may have other data."""
        return next((r for r in self.later if self._tells(r)), None)

    def _tells(self, run: Run) -> bool:
        if not began_after(run, self.run):
            return False
        if self.query is not None:
            ended = self._fails_anew(run) or QueryStatus.SUCCEEDED in _statuses(run, self.query)
        else:
            untold = run.state in (RunState.RUNNING, RunState.LOST) or may_lack_jar(run)
            ended = not untold and not from_outside(run.failure)
        return ended and not read_nothing(run, self.earlier, self.query)

    def failed_without(self, decided: DecidedChange) -> bool:
        """Whether the next run that tells failed without the change, in the same way as this one."""
        after = self.after
        if after is None or not _is_without(decided, after):
            return False
        if self.query is not None:
            return self._fails_anew(after)
        return after.state is RunState.FAILED and alike(self.failure, after.failure)

    def succeeded_without(self, decided: DecidedChange) -> bool:
        """Whether the next run that tells succeeded without the change."""
        after = self.after
        if after is None or not _is_without(decided, after):
            return False
        if self.query is None:
            return usable(after)
        has_ended = all(q.status is not QueryStatus.UNFINISHED or q.was_cut for q in executions(after, self.query))
        return has_ended and not self._fails_anew(after)

    def _fails_anew(self, run: Run) -> bool:
        """Whether its query failed in another run, too, more than before this one."""
        return self.query is not None and fails_anew(self.query, run, self._usual)

    @cached_property
    def _usual(self) -> Sequence[Failures]:
        """How much its query fails in any case."""
        return [] if self.query is None else usual_failures(self.query, self.earlier)

    @property
    def bytes_after(self) -> int:
        """What the next run that tells read, which is what this one had to read; 0 where unknown."""
        after = self.after
        return total_data_bytes(after.outcome.queries) if after is not None and after.outcome else 0


def after_failure(failed: FailedRun, in_force: Sequence[DecidedChange]) -> Iterator[AfterFailure]:
    """What cannot have made the failure stays as it is, and the run was none of its trials. Of what can:

    What is on trial, and known to make such failures in the query that failed, is rolled back; so are proven broadcasts of a
    query that could not make one. Other proven changes that are known to make such failures are, once the job has succeeded
    without them. Whatever else can have made it is once it failed with it, succeeded without it, and failed with it again.
    What the job then fails without in the same way, did not make it.
    """
    found = failed_by(failed, in_force)
    killed = failed.failure is not None and failed.failure.kind is FailureKind.KILLED
    for decided in in_force:
        on_trial = decided.standing is Standing.TRIAL
        making = _making(failed, decided, found) if decided.id in found else None
        if decided.id in found and failed.failed_without(decided):
            yield AfterFailure(decided, decided.standing, decided.why, cleared=True)
        elif making is not None:
            yield AfterFailure(decided, Standing.ROLLED_BACK, _failed(failed, making))
        elif on_trial and killed and decided.id in failed.last_trials:
            yield AfterFailure(decided, Standing.ROLLED_BACK, _failed(failed, Making.NO_TRIAL_TOLD))
        else:
            suspect = decided.id in found
            why = _failed(failed, Making.SUSPECTED if suspect else Making.ANOTHER) if on_trial else decided.why
            size = failed.bytes_after if suspect and failed.succeeded_without(decided) else None
            yield AfterFailure(decided, decided.standing, why, suspect=suspect, counts=killed, suspected_bytes=size)


def failed_by(failed: FailedRun, in_force: Iterable[DecidedChange]) -> dict[str, Guilt]:
    """Of what a person did not pin, by id, what is most likely to have made a run fail: what is known to make such failures
    before what can have, and what is on trial before what is proven. Nothing where it failed from outside, or for want of memory
    of which it had less than its author asks for: the next try has all of it. What is proven ran with the agent's jar before:
    it is not accused where that may have been gone."""
    if failed.from_outside or failed.had_less_memory:
        return {}
    failure = None if failed.ended_for_slowness else failed.failure
    accused = [d for d in in_force if d.standing is not Standing.PINNED]
    if may_lack_jar(failed.run):
        accused = [d for d in accused if d.standing is Standing.TRIAL]
    trials, proven = (
        suspects(failure, [d for d in accused if (d.standing is Standing.TRIAL) is on_trial])
        for on_trial in (True, False)
    )
    return max(trials, proven, key=lambda found: max(found.values(), default=Guilt.NONE))


def waits_for_a_run_without(run: Run, earlier: Sequence[Run], in_force: Sequence[DecidedChange]) -> bool:
    """Whether only a run without its changes tells if one of them made a run fail, or a query of it."""
    queries: Sequence[str | None] = [None] if run.state is RunState.FAILED else newly_failed(run, earlier)
    for failed in (FailedRun(run, earlier, query=query) for query in queries):
        found = failed_by(failed, in_force)
        if any(d.id in found and _making(failed, d, found) is None for d in in_force):
            return True
    return False


def clock_ms(run: Run) -> float | None:
    """How long a run took by its log; where that has no end, by the clock of its driver. None where neither tells."""
    if run.outcome is not None and run.outcome.duration_ms is not None:
        return run.outcome.duration_ms
    return (run.ended_at - run.started_at).total_seconds() * 1e3 if run.ended_at else None


def is_longer(run: Run, others: Iterable[Run], by: float = 0.0) -> bool:
    """Whether a run took longer, by more than this share, than any of these that came to its end, of which there are some."""
    longest = max((took for one in others if usable(one) and (took := clock_ms(one)) is not None), default=None)
    took = clock_ms(run)
    return longest is not None and took is not None and took > (1 + by) * longest


def _is_without(decided: DecidedChange, run: Run) -> bool:
    """Whether a change was not in force in a run."""
    return decided.id not in {d.id for d in run.decision.in_force}


def _making(failed: FailedRun, decided: DecidedChange, found: Mapping[str, Guilt]) -> Making | None:
    """What a change that can have made a failure is rolled back for; None where that is not shown."""
    failure, known = failed.failure, found[decided.id] is Guilt.KNOWN
    if known and decided.standing is Standing.TRIAL:
        return Making.ITS_OWN
    query = failure.query if failure is not None and known else None
    if query is not None and failure is not None and failure.kind in PLAIN and query in decided.queries:
        return Making.NOTHING_NEW
    if (query is not None or failed.ended_for_slowness) and failed.succeeded_without(decided):
        return Making.SUCCEEDED_WITHOUT
    return Making.FAILED_TWICE if decided.id in failed.suspected else None


def _statuses(run: Run, query: str) -> set[QueryStatus]:
    return {q.status for q in executions(run, query)}


def _failed(failed: FailedRun, making: Making) -> Reason:
    run, failure = failed.run, failed.failure
    words = failure.words if failure else ""
    if failed.query is not None:
        return Reason(
            ReasonCode.QUERY_FAILED, {"query": failed.query, "run": run.key, "failure": words, "making": making.value}
        )
    took_ms = run.outcome.duration_ms if run.outcome else None
    return Reason(
        ReasonCode.RUN_FAILED,
        {
            "run": run.key,
            "seconds": None if took_ms is None else took_ms / 1e3,
            "failure": words,
            "query": failure.query if failure else None,
            "where": failure.where if failure else "",
            "making": making.value,
        },
    )
