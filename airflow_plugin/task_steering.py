"""One try of a task that runs Spark jobs on some engine: they are steered where they are submitted, and harvested after it.

A decision is made when a job is really submitted, not before: a try that goes on with a job of an earlier one, or is deferred
before it submits, decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from airflow_plugin.at_call import at_call
from airflow_plugin.compat import (
    AirflowException,
    AirflowSkipException,
    AirflowTaskTimeout,
    TaskDeferralTimeout,
    TaskDeferred,
)
from airflow_plugin.engines.engine import Additions, Call, Engine, LeftAloneError, Request, SparkJob
from airflow_plugin.fail_open import failing_open
from airflow_plugin.if_ended import if_ended
from airflow_plugin.log_access import LogAccess
from tuner.frames import frames_of
from tuner.steering.submit_conf import EVENT_LOG_DIR
from tuner.within_time import within

if TYPE_CHECKING:
    from airflow_plugin.settings import Settings
    from airflow_plugin.task_submission import TaskSubmission
    from airflow_plugin.turn import Begun
    from tuner.loop.time_limits import MostSeconds

Send = Callable[[Request], Any]


@dataclass(slots=True)
class TaskSteering:
    """The steering of one try. Nothing here raises what is the tuner's own."""

    operator: Any
    context: Any
    engine: Engine
    killed: bool = False
    _begun: list[Begun] = field(default_factory=list)
    # With those that were withdrawn: each may have the harvest of earlier runs going on.
    _decided: list[Begun] = field(default_factory=list)
    _has_submitted: bool = False
    _goes_on_with_another: bool = False
    # Seconds that were waited for others than the loop: before what is submitted, then after it.
    _waited: float = 0.0
    # The request that was taken steered, as its author wrote it and as it was sent.
    _taken: tuple[Request, Request] | None = None

    @contextmanager
    def submitting(self) -> Iterator[None]:
        """While it lasts, what the operator submits is steered."""
        with ExitStack() as stack:
            with failing_open(self._log, "steer this run"):
                self._enter(stack)
            self._require_alive()
            yield

    def _enter(self, stack: ExitStack) -> None:
        for call in self.engine.calls(self.operator):
            stack.enter_context(at_call(call.owner, call.name, partial(self._called, call)))
        if self.engine.fields:
            stack.enter_context(self._fields_set())

    def _called(self, call: Call, arguments: Request, send: Send) -> Any:
        """A call that may be the operator's: its request is all of its arguments, or one of them."""
        request: Request | None = None
        with failing_open(self._log, "tell what the task submits"):
            if call.is_meant(arguments):
                request = arguments[call.part] if call.part else arguments
        if request is None:
            return send(arguments)
        if not call.part:
            return self._submit(request, send)
        return self._submit(request, lambda r: send(arguments if r is request else {**arguments, call.part: r}))

    @contextmanager
    def harvesting(self) -> Iterator[TaskSteering]:
        """When it ends, what was submitted is harvested; what is deferred or killed by then is not over.

        Where the process ends before the job does, it waits for what is harvested of earlier runs: nothing else keeps it."""
        try:
            yield self
        except AirflowSkipException as error:
            # Its job has ended: how, its log tells.
            self._ended(failed=None, error=str(error))
            raise
        except TaskDeferralTimeout:
            # Nobody saw its job end, which may go on.
            self._log.info("spark-tuner: the event log is harvested at the cohort's next run")
            raise
        except TaskDeferred:
            self._catch_up()
            raise
        except Exception as error:
            self._ended(failed=True, error=str(error))
            raise
        else:
            self._ended(failed=False)
        finally:
            self._leave()

    def _ended(self, *, failed: bool | None, error: str = "") -> None:
        """Harvest what was submitted: in this try, else in one that this one went on with. The job is over: a timeout now is not
        its own."""
        with failing_open(self._log, "harvest this run's event log", (AirflowTaskTimeout,)):
            if self.killed or not self.engine.waits(self.operator):
                self._log.info("spark-tuner: the event log is harvested at the cohort's next run")
                self._catch_up()
                return
            self._waited = 0.0
            is_own = self._has_submitted and not self._goes_on_with_another
            begun = self._begun if is_own else self._submitted_before()
            if failed and self._is_of_earlier_tries(begun):
                # It may have failed before it asked for the job, which may go on.
                self._log.info("spark-tuner: what an earlier try submitted is harvested at the cohort's next run")
                return
            if not (begun or is_own or failed):
                # How it ended, its log tells.
                begun, failed = self._outlived(), None
            if begun:
                self._harvest(begun, failed, error)

    def kill(self) -> None:
        """What the operator would submit now is not to be submitted, and nothing is waited for: its process is being ended, by a
        signal that may interrupt anything here."""
        self.killed = True
        with suppress(Exception):
            for begun in self._decided:
                if begun.turn.catching_up:
                    begun.turn.catching_up.leave(0.0)

    def _catch_up(self) -> None:
        """Wait for what is harvested of earlier runs, as long as for the harvest of the jobs that go on without this process. A
        timeout now is not theirs."""
        with failing_open(self._log, "harvest earlier runs", (AirflowTaskTimeout,)):
            if self.killed or not any(begun.turn.catching_up for begun in self._decided):
                return
            from airflow_plugin import settings, turn

            most_seconds = settings.load().most_seconds
            until = monotonic() + most_seconds.after_all()
            for begun in self._decided:
                with self._masked(begun.turn.job.access):
                    turn.catch_up(begun, replace(most_seconds, left=until - monotonic()))

    def _leave(self) -> None:
        """What still goes on ends with this process, and is not what ended it."""
        with failing_open(self._log, "leave the harvest of earlier runs", (AirflowTaskTimeout,)):
            for begun in self._decided:
                if begun.turn.catching_up:
                    begun.turn.catching_up.leave()

    def _is_of_earlier_tries(self, begun: Sequence[Begun]) -> bool:
        return bool(begun) and all(one.turn.job.try_number < self.context["ti"].try_number for one in begun)

    @property
    def _log(self) -> Any:
        return self.operator.log

    def _submit(self, request: Request, send: Send) -> Any:
        """Send a request steered; as its author wrote it where that cannot be, or is refused."""
        if self._has_submitted:  # The decisions were of the first one.
            return send(self._sent_before(request) or request)
        self._has_submitted = True
        may_go_on = self._may_go_on(request)
        self._goes_on_with_another = may_go_on and self.engine.answers_with_its_job
        steered = None if may_go_on else self._steered(request)
        self._require_alive()
        if steered is None:
            return self._sent(request, send)
        try:
            answer = self._sent(steered, send)
        except Exception as error:
            is_refusal = self._is_refusal(error)
            if is_refusal or not self.engine.call_lasts:
                self._withdraw()
            if not is_refusal:
                raise
            self._log.warning(
                "Spark tuner: %s refused the job with what the tuner adds to it (%s): it is submitted as its author wrote it. "
                "If that comes again, allow these properties there, or add the task to [spark_tuner] enrol_except.",
                self.engine.title,
                type(error).__name__,
            )
            self._log.debug("Spark tuner: where that happened:\n%s", frames_of(error))
        else:
            self._taken = request, steered
            return answer
        self._require_alive()
        return self._sent(request, send)

    def _require_alive(self) -> None:
        """Raises where the task was killed before it submitted: its operator had no job to stop then, and goes on (on_kill)."""
        if self.killed:
            self._withdraw()
            raise AirflowException(f"Task {self.operator.task_id} was killed before its Spark job was submitted")

    def _sent_before(self, request: Request) -> Request | None:
        """As what a request was sent, where this one takes its place."""
        own, steered = self._taken or (None, None)
        return steered if self.engine.sends_again and own == request else None

    def _may_go_on(self, request: Request) -> bool:
        """Whether this may start no job, but go on with one of an earlier try, which nobody saw end: then nothing is decided."""
        with failing_open(self._log, "tell whether the job of an earlier try goes on"):
            if self.engine.names_its_job(self.operator, request) and self._submitted_before():
                self._log.info("spark-tuner: an earlier try's job may go on: nothing is decided for this one")
                return True
        return False

    def _sent(self, request: Request, send: Send) -> Any:
        """Send a request, and see whether it started a job."""
        try:
            answer = send(request)
        except Exception as error:
            self._look_at(request, error)
            raise
        self._look_at(request, answer)
        return answer

    def _look_at(self, request: Request, outcome: Any) -> None:
        with failing_open(self._log, "tell which job this try goes on with"):
            if self.engine.goes_on_with_another(request, outcome):
                self._withdraw()
                self._goes_on_with_another = True

    @contextmanager
    def _fields_set(self) -> Iterator[None]:
        """While it lasts, the operator's fields are those of the steered jobs."""
        own = {name: getattr(self.operator, name) for name in self.engine.fields}
        self._has_submitted = True
        steered = self._steered(own)
        try:
            for name, value in (steered or {}).items():
                setattr(self.operator, name, value)
            yield
        finally:
            for name, value in own.items():
                setattr(self.operator, name, value)

    def _steered(self, request: Request) -> Request | None:
        """The request with what was decided for its jobs; None where there is nothing to add to it."""
        with if_ended(self._forget), failing_open(self._log, "steer this run"):
            try:
                return self._with_additions(request)
            except LeftAloneError as why:
                self._log.info("spark-tuner: this task is left as it is: %s", why)
        self._withdraw()
        return None

    def _with_additions(self, request: Request) -> Request | None:
        from airflow_plugin import settings

        current = settings.load()
        looked_up = self._looked_up(request, current)
        jobs = _distinct(self.engine.read(self.operator, looked_up))
        if left := self.engine.left_alone(self.operator, looked_up):
            self._log.info("spark-tuner: %s runs as its author wrote it: %s", self.engine.title, left)
        # To load what decides takes more than a second of a processor, which a command that runs no Spark is not to wait for.
        additions = self._additions_to(jobs, current) if jobs else []
        # What is deferred is harvested by another process.
        if self._begun and self.engine.waits(self.operator) and not getattr(self.operator, "deferrable", False):
            from tuner.loop import loop

            loop.load_beside()
        if any(additions):
            return {**request, **self.engine.changed(self.operator, looked_up, additions)}
        return None

    def _looked_up(self, request: Request, current: Settings) -> Request:
        """The request with what only a service tells of it. Raises TimeoutError where that takes longer than a job may wait."""
        base = self.operator._tuner_given.event_log_base or current.event_log_base
        ask = self.engine.look_up(self.operator, request, base)
        if ask is None:
            return request
        with self._waiting():
            found = within(current.most_seconds.before_run() - self._waited, ask, lambda: None)
        if found is None:
            raise TimeoutError(
                f"{self.engine.title} did not answer in the {current.most_seconds.before_run():.3g} s that a task waits at most "
                "(most_seconds_before)"
            )
        return {**request, **found}

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Counts how long it lasts as waited."""
        began = monotonic()
        try:
            yield
        finally:
            self._waited += monotonic() - began

    def _additions_to(self, jobs: Sequence[SparkJob], current: Settings) -> list[Additions]:
        """What is added to each job, for as long as a task may wait before all of them; nothing to those that are left then."""
        from airflow_plugin import turn

        until = monotonic() + current.most_seconds.before_all() - self._waited
        found: list[Additions] = []
        for number, job in enumerate(jobs):
            task = self._task(job, current, until - monotonic())
            with self._masked(task.access):
                # All jobs were looked up at once: it is the first that waited for it.
                begun = turn.begin(task, current, waited=0.0 if number else self._waited)
            self._decided.append(begun)
            found.append(self._additions(job, begun))
            if begun.turn.is_late or monotonic() >= until:
                break
        if left := len(jobs) - len(found):
            self._log.warning(
                "Spark tuner: deciding took as long as this task may wait (most_seconds_before): %d of its %d Spark jobs run as "
                "their author wrote them.",
                left,
                len(jobs),
            )
        return [*found, *[Additions()] * left]

    def _additions(self, job: SparkJob, begun: Begun) -> Additions:
        from airflow_plugin import turn

        additions = Additions(begun.conf, begun.merged)
        if why := self.engine.limits.exceeded(job, additions):
            turn.withdraw(begun)
            self._log.warning(
                "Spark tuner: this run is not steered: %s: %s. The job is not affected.", self.engine.title, why
            )
            return Additions()
        self._begun.append(begun)
        return additions

    def _withdraw(self) -> None:
        # Where nothing was begun, it may be because nothing of this can be loaded.
        if self._begun:
            from airflow_plugin import turn

            turn.withdraw(*self._begun)
            self._begun.clear()

    def _forget(self) -> None:
        """Nothing was submitted: the next try must not take this one's jobs for some that failed."""
        if self._begun:
            from airflow_plugin import turn

            turn.forget(*self._begun)

    def _is_refusal(self, error: Exception) -> bool:
        with failing_open(self._log, "tell why the job was not submitted"):
            return self.engine.is_refusal(error)
        return False

    def _submitted_before(self) -> Sequence[Begun]:
        from airflow_plugin import turn

        return self._begun_before(turn.submitted)

    def _outlived(self) -> Sequence[Begun]:
        """What an earlier try submitted that failed while its job went on: it could not ask how that fared."""
        from airflow_plugin import turn

        return self._begun_before(turn.outlived)

    def _begun_before(self, found: Callable[[TaskSubmission, Settings], Sequence[Begun]]) -> Sequence[Begun]:
        from airflow_plugin import settings

        current = settings.load()
        with self._waiting():
            task = self._task(SparkJob(), current)
            # What it was submitted with is not known any more, nor whether spark-submit waited for its application.
            may_go_on = task.may_go_on or self.engine.ends_as_spark_submit
            return found(replace(task, may_go_on=may_go_on), current)

    def _harvest(self, begun: Sequence[Begun], failed: bool | None, error: str) -> None:
        """For as long as a task may wait after all of its jobs; what is left then is for the next decisions of their cohorts."""
        from airflow_plugin import settings, turn

        # Where all went well, each did; else the log of each tells how it ended, if the task does more than one thing.
        is_its_end = not failed or (len(begun) == 1 and self.engine.ends_as_its_job(self.operator))
        most_seconds = settings.load().most_seconds
        until = monotonic() + most_seconds.after_all() - self._waited
        newest = max((one.turn.job.try_number for one in begun), default=0)
        # Then others may have yet to end, or never start.
        has_one_failed = False
        for number, one in enumerate(begun, start=1):
            waited = 0.0 if number > 1 else self._waited
            # A job of an earlier try, whose end nobody saw, ended in its own way.
            is_seen = one.turn.job.try_number == newest
            ended = self._to_harvest(one, replace(most_seconds, left=until - monotonic(), waited_after=waited))
            if has_one_failed:
                ended = _with_late_log(ended)
            with self._masked(ended.turn.job.access):
                how = failed if is_its_end and is_seen else None
                report = turn.end(ended, failed=how, error=error if is_seen else "")
            has_one_failed = has_one_failed or (report is not None and report.has_failed)
            if number < len(begun) and (report is None or report.is_late or monotonic() >= until):
                self._log.info(
                    "spark-tuner: %d more event logs are harvested at their cohorts' next runs", len(begun) - number
                )
                return

    def _to_harvest(self, begun: Begun, most_seconds: MostSeconds) -> Begun:
        """With what its event log is read by now: credentials of its submission may have expired."""
        access = self._access(begun.turn.event_log_dir)
        job = replace(begun.turn.job, access=access, most_seconds=most_seconds)
        return replace(begun, turn=replace(begun.turn, job=job))

    def _access(self, url: str) -> LogAccess:
        """What event logs below a URL are read with, asked for where one is."""
        with failing_open(self._log, "read event logs with the task's own connection"):
            return LogAccess(self.engine.access(self.operator, url), self._log)
        return LogAccess(None, self._log)

    @contextmanager
    def _masked(self, access: Mapping[str, Any]) -> Iterator[None]:
        """Has Airflow hide what was told meanwhile of how event logs are read, however it ends."""
        try:
            yield
        finally:
            with failing_open(self._log, "hide in logs what event logs are read with"):
                if isinstance(access, LogAccess):
                    access.mask()

    def _task(self, job: SparkJob, current: Settings, seconds_left: float | None = None) -> TaskSubmission:
        from airflow_plugin.task_submission import TaskSubmission
        from tuner.spark.master import waits_for_completion

        arguments = self.operator._tuner_given
        submission = self.engine.submission(self.operator, job, current.agent_jar)
        may_go_on = self.engine.ends_as_spark_submit and not waits_for_completion(submission.conf)
        return TaskSubmission(
            self.context["ti"],
            self._log,
            arguments,
            job.conf,
            submission,
            pushes_xcom=self.operator.do_xcom_push,
            job_name=job.name,
            access=self._access(job.conf.get(EVENT_LOG_DIR) or arguments.event_log_base or current.event_log_base),
            log_lands_late=self.engine.log_lands_late,
            may_go_on=may_go_on,
            is_waited_for=self.engine.waits(self.operator),
            sets_sizes=self.engine.sets_sizes and job.sets_sizes,
            shapes=self.engine.shapes,
            is_driver_apart=True,
            seconds_left=seconds_left,
            runs_as=job.runs_as,
        )


def _with_late_log(begun: Begun) -> Begun:
    """As a turn whose log, where it is not there, says nothing of how its job ended."""
    return replace(begun, turn=replace(begun.turn, job=replace(begun.turn.job, log_lands_late=True)))


def _distinct(jobs: Sequence[SparkJob]) -> list[SparkJob]:
    """The jobs of a task, with names that tell them apart and are the same in each run; none for one that is alone."""
    if len(jobs) < 2:
        return [replace(job, name="") for job in jobs]
    from tuner.plan.relation import without_run

    seen: Counter[str] = Counter()
    found: list[SparkJob] = []
    for number, job in enumerate(jobs, start=1):
        name = without_run(job.name) or f"job {number}"
        seen[name] += 1
        found.append(replace(job, name=f"{name} {seen[name]}" if seen[name] > 1 else name))
    return found
