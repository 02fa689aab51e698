"""What Airflow's provider discovery asks for. Every `import airflow` loads this module: it imports nothing."""

from __future__ import annotations

_INTEGRATION = "Spark tuner"
_ADDED = "0.1.0"

CONNECTION_TYPE = "spark_tuner"
CONNECTION_TYPE_NAME = "Spark tuner history"
CONNECTION_FIELDS: dict[str, object] = {
    "hidden-fields": [],
    "relabeling": {"host": "PostgreSQL host (empty: SQLite)", "schema": "Database, or SQLite file"},
    "placeholders": {"extra": '{"sslmode": "require"}'},
}


def get_provider_info() -> dict[str, object]:
    """The package in the form of Airflow's provider_info.schema.json."""
    return {
        "package-name": "airflow-spark-tuner",
        "name": _INTEGRATION,
        "description": "Makes recurring Spark SQL jobs faster: reads the event log of each run, steers the next.",
        "integrations": [{"integration-name": _INTEGRATION, "tags": ["software"]}],
        "operators": [{"integration-name": _INTEGRATION, "python-modules": ["airflow_plugin.operator"]}],
        "task-decorators": [{"name": "spark_tuned", "class-name": "airflow_plugin.decorator.spark_tuned_task"}],
        "extra-links": ["airflow_plugin.links.SparkTunerLink"],
        "hooks": [{"integration-name": _INTEGRATION, "python-modules": ["airflow_plugin.hook"]}],
        "connection-types": [
            {
                "connection-type": CONNECTION_TYPE,
                "hook-class-name": "airflow_plugin.hook.HistoryStoreHook",
                "hook-name": CONNECTION_TYPE_NAME,
                "ui-field-behaviour": CONNECTION_FIELDS,
            }
        ],
        "config": {
            "spark_tuner": {
                "description": "Options of the Spark tuner, for all tasks that it tunes; arguments of an operator override them.",
                "options": {
                    "enabled": _option(
                        "boolean",
                        "True",
                        "When False, nothing is tuned or observed: each operator does what it does without the tuner.",
                    ),
                    "mode": _option(
                        "string",
                        "auto",
                        "observe records only, suggest waits for a person's approval, auto steers the next run.",
                        example="suggest",
                    ),
                    "sql_alchemy_conn": _option(
                        "string",
                        "",
                        "SQLAlchemy URL of the history store, reached from every worker. The environment variable "
                        "SPARK_TUNER_DB wins over it; with neither, the store is a SQLite file of this machine's.",
                        example="postgresql+psycopg://tuner:secret@db.example.org/spark_tuner",
                        sensitive=True,
                    ),
                    "event_log_base": _option(
                        "string",
                        "",
                        "Directory or URL under which each try gets its own event log directory, where the job has no event log "
                        "of its own on. Empty: "
                        "spark-tuner-events under AIRFLOW_HOME, which serves jobs whose driver runs on the worker; "
                        "cluster deploy mode needs a place that driver and worker share.",
                        example="s3a://logs/spark-tuner",
                    ),
                    "steering": _option(
                        "string",
                        "agent",
                        "agent changes single joins inside Spark, in any application, with a jar that is added to the "
                        "submit (Spark 3.3 or newer; conf otherwise); conf sets properties, and hints in SQL text; off "
                        "changes nothing, runs are observed.",
                        example="conf",
                    ),
                    "agent_jar": _option(
                        "string",
                        "",
                        "URL of the agent's jar, made by `spark-tuner agent-jar` for the cluster's Spark and deployed "
                        "where drivers can read it, or a template of it by Spark version. Empty: built for the Spark at "
                        "hand; cluster deploy mode on a standalone cluster, or on Kubernetes without "
                        "spark.kubernetes.file.upload.path, needs a deployed one.",
                        example="hdfs:///spark/spark-tuner-agent.jar",
                    ),
                    "order_sensitive": _option(
                        "string",
                        "stable",
                        "What becomes of joins below operators to which the order of rows matters (first, "
                        "collect_list, row_number over ties): stable leaves those whose rows no shuffle moves; leave "
                        "leaves all, and those below sums of floating point; allow leaves none. A job's own "
                        "spark.tuner.orderSensitive wins.",
                        example="leave",
                    ),
                    "borrow": _option(
                        "boolean",
                        "True",
                        "Whether the first run of a job has what other jobs of the same history store have proven of the queries "
                        "that it shares with them. False: the first run is observed.",
                    ),
                    "objective": _option(
                        "string",
                        "time",
                        "What changes are judged by: time, the seconds of queries; cost, also the core time that executors hold; "
                        "balanced, either. None may make one of them worse by more than 5 % for the other.",
                        example="cost",
                    ),
                    "resources": _option(
                        "string",
                        "raise",
                        "What becomes of the memory that a job asks for: raise gives more to the try after one that died for "
                        "want of it, and to the runs after that as much as worked, in place of the job's own; tune also takes "
                        "executors' memory down where no run came near to what they have, and executors where objective is "
                        "cost or balanced; observe changes none. "
                        "Where spark-submit submits (SparkTunedOperator, enrolled SparkSubmitOperators), and for jobs of EMR "
                        "Serverless, EMR on EKS and the Spark operator of Kubernetes.",
                        example="observe",
                    ),
                    "heal_retries": _option(
                        "boolean",
                        "False",
                        "Whether a task that has no retries left submits its job once more by itself, after a death for want of "
                        "memory, with what it lacked. For tasks of SparkSubmitOperator and SparkTunedOperator.",
                        example="True",
                    ),
                    "max_executor_memory": _option(
                        "string",
                        "",
                        "The most memory that an executor's container may have when it is raised: heap, overhead and all. Empty: "
                        "twice what the job asks for; on Kubernetes and standalone clusters no more than 32 GiB, or what it asks "
                        "for: a container that no node has room for waits there.",
                        example="24g",
                    ),
                    "max_driver_memory": _option(
                        "string",
                        "",
                        "The largest heap that a driver may have when it is raised. Empty: in cluster mode twice what the job "
                        "asks for, on Kubernetes and standalone clusters in a container of no more than 32 GiB, or what it asks "
                        "for; else it is not raised, for it takes the memory of the worker.",
                        example="8g",
                    ),
                    "core_hour_price": _option(
                        "float",
                        "",
                        "What an hour of an executor's core costs, in any currency: the panel then shows what runs cost.",
                        example="0.05",
                    ),
                    "mcp": _option(
                        "boolean",
                        "False",
                        "Whether the API server offers agents the panel's facts as tools (MCP) at spark-tuner/mcp, to users of "
                        "Airflow by their token. Needs the extra mcp.",
                        example="True",
                    ),
                    "most_seconds_before": _option(
                        "float",
                        "",
                        "How many seconds a job waits for its decision at most, whatever hangs (the history store, a file "
                        "system): then it runs unsteered. By default 2, or 2 % of the time that its runs take, 10 at most.",
                        example="2",
                    ),
                    "most_seconds_after": _option(
                        "float",
                        "",
                        "How many seconds a task waits at most for its event log to be harvested: what takes longer is left for "
                        "the cohort's next decision. By default 5, or 5 % of the time that its job took, 30 at most.",
                        example="5",
                    ),
                    "enrol": _option(
                        "string",
                        "",
                        "Tasks that run Spark, by any engine, to tune without a change to their DAGs: "
                        "globs of dag_id.task_id, or of a "
                        "DAG's id for all of its tasks, split by commas or white space. Empty: none. DAG processors and "
                        "workers must be given the same.",
                        example="nightly_*.load, billing",
                    ),
                    "enrol_except": _option(
                        "string",
                        "",
                        "Tasks that `enrol` is not to tune though its globs fit them, in the same form.",
                        example="*.backfill_*",
                    ),
                },
            }
        },
    }


def _option(
    kind: str, default: str, description: str, *, example: str | None = None, sensitive: bool = False
) -> dict[str, object]:
    return {
        "description": description,
        "version_added": _ADDED,
        "type": kind,
        "example": example,
        "default": default,
        "sensitive": sensitive,
    }
