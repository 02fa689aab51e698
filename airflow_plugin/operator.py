"""SparkSubmitOperator that learns from run to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_plugin import sql_job
from airflow_plugin.arguments import Arguments, check_choices
from airflow_plugin.compat import AirflowException, AirflowTaskTimeout
from airflow_plugin.fail_open import failing_open
from airflow_plugin.if_ended import if_ended
from airflow_plugin.links import SparkTunerLink
from airflow_plugin.user_conf import FLAGS, user_conf_of
from tuner.spark.master import in_cluster_mode

if TYPE_CHECKING:
    from airflow.sdk import Context
    from jinja2 import Environment

    from airflow_plugin.turn import Begun
    from tuner.loop.catching_up import CatchingUp
    from tuner.loop.turn import Report


# Of sensors: what a DAG that has some gives all of its tasks (default_args).
_MODES_OF_SENSORS = ("poke", "reschedule")
# What is added to a submission by flags, whether its author set any of it or not.
_BY_FLAG = ("spark.jars", "spark.files")


class SteeredSubmitOperator(SparkSubmitOperator):
    """SparkSubmitOperator whose first submission of a try is steered, whatever class is derived from it.

    What a subclass of SparkSubmitOperator may have names of its own for is named `_tuner_…` here.
    """

    conf: dict[str, Any] | None
    files: str | None
    jars: str | None
    overwrite_rtif_after_execution = True
    _tuner_given = Arguments()
    _tuner_begun: tuple[str, int | None, int] | None = None
    _tuner_killed = False
    _tuner_timed_out: Begun | None = None
    _tuner_catching_up: CatchingUp | None = None

    def execute(self, context: Context) -> Any:
        """Decide, submit, harvest; once more where memory was wanting that it can have, and Airflow tries it no more
        (`[spark_tuner] heal_retries`). Raises what the job raises and nothing of the tuner's own."""
        statements = self._tuner_statements()
        # A subclass may stop what is left of a job, and submit once more.
        was_killed = self._tuner_killed
        begun = self._tuner_begin(context, statements)
        if self._tuner_killed and not was_killed:
            self._tuner_forget(begun)
            raise AirflowException(f"Task {self.task_id} was killed before its Spark job was submitted")
        as_written = self._tuner_written()
        while True:
            try:
                with self._tuner_steered(begun, statements):
                    result = super().execute(context)
            except AirflowTaskTimeout:
                self._tuner_timed_out = begun
                raise
            except Exception as error:
                begun = self._tuner_healed(begun, self._tuner_end(begun, failed=True, error=str(error)), context)
                if begun is None:
                    raise
                for name, value in as_written.items():
                    setattr(self, name, value)
                self._hook = None  # execute() is to build its own, from the conf as it is now.
                continue
            self._tuner_end(begun, failed=False)
            self._tuner_remember_no_more(begun, context)
            return result

    def on_kill(self) -> None:
        """Stop the Spark job. Its event log is left for the cohort's next decision: SIGKILL follows in 5 s. After the task's own
        timeout none does, and the run is known to have failed."""
        self._tuner_note_kill()
        super().on_kill()
        self._tuner_end_timed_out()

    def _tuner_note_kill(self) -> None:
        """What is being decided is not to be submitted, and what reads earlier logs is not what ends the process."""
        self._tuner_killed = True
        with suppress(Exception):
            if self._tuner_catching_up is not None:
                self._tuner_catching_up.leave(0.0)

    def _tuner_end_timed_out(self) -> None:
        """Harvest what a job has left that took longer than its task may; once it is stopped."""
        begun, self._tuner_timed_out = self._tuner_timed_out, None
        if begun is not None:
            from airflow_plugin import turn

            turn.end(begun, failed=True)

    def _tuner_tell_if_passed_by(self, context: Context) -> None:
        """Say that a subclass's execute() has ended without a submission that the tuner could steer."""
        with failing_open(self.log, "tell whether this run was tuned", (AirflowTaskTimeout,)):
            from airflow_plugin import settings

            if self._tuner_begun == _try_of(context) or not settings.load().enabled:
                return
            self.log.warning(
                "Spark tuner: this run was not tuned: %s.execute() ended without a call of super().execute(context), which is "
                "what the tuner steers. Submit the job by it, or add the task to [spark_tuner] enrol_except. "
                "The job is not affected.",
                type(self).__name__,
            )

    def _tuner_arguments(self) -> Arguments:
        return self._tuner_given

    def _tuner_statements(self) -> tuple[str, ...]:
        return ()

    @contextmanager
    def _tuner_steered(self, begun: Begun | None, statements: tuple[str, ...]) -> Iterator[None]:
        """While it lasts, what super() submits is the job as decided."""
        own = self._tuner_fields()
        if begun is not None:
            self._tuner_add(begun)
        steered = self._tuner_fields()
        try:
            yield
        finally:
            # Not as they were submitted: SparkSubmitOperator adds OpenLineage's conf, whose keys Airflow is not to show.
            for name, value in (steered if self._tuner_fields_stay() else own).items():
                setattr(self, name, value)

    def _tuner_fields_stay(self) -> bool:
        """Whether the fields stay as they were steered, for Airflow to show. Not where a subclass has an execute() of its own: it
        may read them, or submit once more, and that is not the job that was decided on."""
        return type(self).execute is SteeredSubmitOperator.execute

    def _tuner_fields(self) -> dict[str, Any]:
        """What a submission is added to."""
        return {name: getattr(self, name) for name in ("conf", *FLAGS) if hasattr(self, name)}

    def _tuner_written(self) -> dict[str, Any]:
        """All that a submission changes, as its author wrote it."""
        return {**self._tuner_fields(), "application": self.application, "application_args": self.application_args}

    def _tuner_begin(self, context: Context, statements: tuple[str, ...]) -> Begun | None:
        """Decide how this try is steered. None where the tuner is off or cannot, and the job is to run as it is."""
        with failing_open(self.log, "steer this run"):
            try_ = _try_of(context)
            if try_ == self._tuner_begun:
                return None  # A subclass submits once more: the decision was of its first job.
            self._tuner_begun = try_
            return self._tuner_turn(context, statements)
        return None

    def _tuner_turn(self, context: Context, statements: tuple[str, ...]) -> Begun | None:
        from airflow_plugin import resume, settings, turn
        from airflow_plugin.task_submission import task_submission

        current = settings.load()
        if not current.enabled:
            return None
        if self._hook is not None:
            self.log.info(
                "spark-tuner: this task is left as it is: its hook was made before, and has properties of its own"
            )
            return None
        task = task_submission(self, context["ti"], self._tuner_arguments(), statements, current.agent_jar)
        began = monotonic()
        if resume.will_reconnect(self, context, current.most_seconds.before_run()):
            earlier = resume.recall(self, context)
            waited = monotonic() - began
            return turn.take_up(earlier, task, current, waited) if earlier is not None else None
        begun = turn.begin(task, current, waited=monotonic() - began)
        with if_ended(lambda: self._tuner_forget(begun)):
            self._tuner_remember(begun, context)
        return begun

    def _tuner_forget(self, begun: Begun | None) -> None:
        """Nothing was submitted: the next try must not take this one for a job that failed."""
        if begun is not None and not begun.is_submitted:
            from airflow_plugin import turn

            turn.forget(begun)

    def _tuner_remember(self, begun: Begun, context: Context) -> None:
        from airflow_plugin import resume

        self._tuner_catching_up = begun.turn.catching_up
        if in_cluster_mode(begun.task.conf):
            with failing_open(self.log, "keep this decision for a retry that reconnects to its job"):
                resume.remember(begun.turn, self, context)

    def _tuner_remember_no_more(self, begun: Begun | None, context: Context) -> None:
        from airflow_plugin import resume

        if begun is not None and in_cluster_mode(begun.task.conf):
            with failing_open(
                self.log, "take away this decision, which no retry needs any more", (AirflowTaskTimeout,)
            ):
                resume.forget(self, context)

    def _tuner_healed(self, begun: Begun | None, report: Report | None, context: Context) -> Begun | None:
        """How the job that has failed is submitted once more; None where it is not."""
        if begun is None or report is None or self._tuner_killed:
            return None
        with failing_open(self.log, "submit the job with the memory that it lacked"):
            from airflow_plugin import settings, turn
            from airflow_plugin.heal import healed

            found = healed(begun, report, settings.load())
            if found is not None and self._tuner_killed:
                turn.forget(found)
            elif found is not None:
                self._tuner_remember(found, context)
                return found
        return None

    def _tuner_end(self, begun: Begun | None, *, failed: bool, error: str = "") -> Report | None:
        if begun is None:
            return None
        if self._tuner_killed:
            self.log.info("Spark tuner: killed; the event log is harvested at the cohort's next run")
            return None
        from airflow_plugin import turn

        try:
            return turn.end(begun, failed=failed, error=error)
        finally:
            self._tuner_catching_up = None

    def _tuner_add(self, begun: Begun) -> None:
        merged = dict(begun.merged)
        # By their flags: these beat properties in spark-submit.
        for field, name in FLAGS.items():
            if name in merged and (name in _BY_FLAG or getattr(self, field, None)):
                setattr(self, field, merged[name])
        by_conf = {name: value for name, value in merged.items() if name not in _BY_FLAG}
        self.conf = {**(self.conf or {}), **begun.conf, **by_conf}


class SparkTunedOperator(SteeredSubmitOperator):
    """Runs a Spark job steered by what its earlier runs measured; never fails a job that would have succeeded.

    Takes all arguments of SparkSubmitOperator, and:

    :param sql: SQL to run instead of an application: statements, or the path of a .sql file, absolute or in the DAG's
        template search path (templated, the file's text too). Exactly one of `application` and `sql` is given. A Python
        program runs it, which standalone clusters take in client mode only.
    :param cohort: name under which runs are compared (templated). Default: `dag_id.task_id`.
    :param mode: observe, suggest or auto. Default: `[spark_tuner] mode`, also where a DAG's default_args have a sensor's.
    :param steering: agent changes single joins inside Spark, conf sets properties only (and hints in `sql=` text), off
        changes nothing. Default: `[spark_tuner] steering`.
    :param objective: what changes are judged by: time, cost (also the core time that executors hold) or balanced (either).
        Default: `[spark_tuner] objective`.
    :param spark_resources: raise gives more memory to the try after one that died for want of it, and from then on as much as
        worked; tune also takes executors' memory down where no run came near to what they have; observe leaves the sizes as
        they are. Default: `[spark_tuner] resources`.
    :param event_log_base: directory or URL under which each try gets its own event log directory (templated), where the
        job has no event log of its own on. Driver and Airflow worker must share it. Default: `[spark_tuner] event_log_base`.
    :param store_conn_id: Airflow connection to the history store (templated). Default: SPARK_TUNER_DB, else
        `[spark_tuner] sql_alchemy_conn`, else a SQLite file.

    Pushes the decision and what the run measured as the XCom `spark_tuner`.
    """

    # No template_ext: it would hold for every field, and application_args=["etl.sql"] is a path for the job to read.
    template_fields: Sequence[str] = (
        *SparkSubmitOperator.template_fields,
        "sql",
        "cohort",
        "event_log_base",
        "store_conn_id",
    )
    template_fields_renderers: ClassVar[dict[str, str]] = {"sql": "sql"}
    operator_extra_links = (SparkTunerLink(),)

    def __init__(
        self,
        *,
        application: str = "",
        sql: str | None = None,
        cohort: str | None = None,
        mode: str | None = None,
        steering: str | None = None,
        event_log_base: str | None = None,
        store_conn_id: str | None = None,
        objective: str | None = None,
        spark_resources: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(application=application, **kwargs)
        self.sql = sql
        self.cohort = cohort
        self.mode = None if mode in _MODES_OF_SENSORS else mode
        self.steering = steering
        self.event_log_base = event_log_base
        self.store_conn_id = store_conn_id
        self.objective = objective
        self.spark_resources = spark_resources
        self._check_what_to_run()
        self._check_choices()

    def resolve_template_files(self) -> None:
        """Show the text of a .sql file in place of its path as soon as the DAG is parsed, where it is there to read."""
        if sql_job.is_path(self.sql):
            # A file that is not UTF-8 fails its own task, not its DAG.
            with suppress(OSError, ValueError):
                self.sql = sql_job.read_source(str(self.sql), self.get_template_env())
        super().resolve_template_files()

    def _do_render_template_fields(
        self, parent: Any, template_fields: Iterable[str], context: Context, jinja_env: Environment, seen_oids: set[int]
    ) -> None:
        super()._do_render_template_fields(parent, template_fields, context, jinja_env, seen_oids)
        if parent is self:
            self._read_sql_file(context, jinja_env)

    def _read_sql_file(self, context: Context, jinja_env: Environment) -> None:
        if sql_job.is_path(self.sql):
            self.sql = self.render_template(sql_job.read_source(str(self.sql), jinja_env), context, jinja_env)

    def _check_what_to_run(self) -> None:
        where = f"SparkTunedOperator {self.task_id}"
        if _given(self.application) == _given(self.sql):
            found = "both" if _given(self.sql) else "neither"
            raise ValueError(f"{where}: give exactly one of application= and sql=, not {found}")
        if _given(self.sql) and (self.application_args or self._java_class):
            raise ValueError(f"{where}: application_args= and java_class= belong to application=; sql= takes neither")

    def _check_choices(self) -> None:
        check_choices(f"SparkTunedOperator {self.task_id}", self)

    def _tuner_arguments(self) -> Arguments:
        given = self._tuner_given  # By tuned().
        return Arguments(
            str(given.cohort or self.cohort or ""),
            str(given.mode or self.mode or ""),
            str(given.steering or self.steering or ""),
            str(given.event_log_base or self.event_log_base or ""),
            str(given.store_conn_id or self.store_conn_id or ""),
            str(given.objective or self.objective or ""),
            str(given.spark_resources or self.spark_resources or ""),
        )

    def _tuner_written(self) -> dict[str, Any]:
        return {**super()._tuner_written(), "sql": self.sql}

    def _tuner_statements(self) -> tuple[str, ...]:
        """The SQL's statements; none for an application. One statement holds all the text where it cannot be split."""
        if not _given(self.sql):
            return ()
        text = str(self.sql)
        statements: tuple[str, ...] = (text,) if text.strip() else ()
        with failing_open(self.log, "split the SQL into statements"):
            from tuner.steering.sql_script import split_statements

            statements = split_statements(text)
        if not statements:
            raise ValueError(
                f"SparkTunedOperator {self.task_id}: sql= holds no statement once its template is rendered"
            )
        return statements

    @contextmanager
    def _tuner_steered(self, begun: Begun | None, statements: tuple[str, ...]) -> Iterator[None]:
        with super()._tuner_steered(begun, statements), self._submitting_sql(begun, statements):
            yield

    @contextmanager
    def _submitting_sql(self, begun: Begun | None, statements: tuple[str, ...]) -> Iterator[None]:
        if not statements:
            yield
            return
        if begun is not None and begun.turn.directives.statements:
            statements = begun.turn.directives.statements
            self.sql = ";\n\n".join(statements)
        from tuner.steering.sql_directory import sql_directory

        with sql_directory() as directory:
            self._submit_sql(sql_job.write_statements(statements, directory))
            yield

    def _submit_sql(self, statements_file: str) -> None:
        from airflow_plugin.submission import connection_of, submission_of
        from tuner.spark.properties import FILES
        from tuner.spark.property_text import spark_texts
        from tuner.steering.shipped_files import STATEMENTS_FILE, shipped_files

        self.application = sql_job.runner_path()
        connection = connection_of(self._conn_id)
        # Of spark-defaults.conf, too: it may have the driver elsewhere, and a flag takes the place of its files.
        conf = submission_of(self, connection, user_conf_of(self, connection), "").conf
        told = {**spark_texts(self.conf or {}), **({FILES: self.files} if self.files else {})}
        shipped = shipped_files(conf, statements_file, told)
        self.files = shipped.get(FILES, self.files)
        self.conf = {**(self.conf or {}), **{name: value for name, value in shipped.items() if name != FILES}}
        self.application_args = [STATEMENTS_FILE if shipped else statements_file]


def _try_of(context: Context) -> tuple[str, int | None, int]:
    ti = context["ti"]
    return ti.run_id, ti.map_index, ti.try_number


def _given(argument: object) -> bool:
    return argument is not None and argument != ""
