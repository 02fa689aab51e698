"""Which engine an operator belongs to, by the names of its classes: no provider is imported for it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_plugin.engines.engine import Engine

_PROVIDERS = "airflow.providers"
_DATAPROC = f"{_PROVIDERS}.google.cloud.operators.dataproc"
# Where operators of each engine are defined, and the module here whose ENGINE theirs is.
SPARK_SUBMIT = "spark_submit"
ENGINES = {
    f"{_PROVIDERS}.apache.spark.operators.spark_submit.SparkSubmitOperator": SPARK_SUBMIT,
    f"{_PROVIDERS}.apache.spark.operators.spark_jdbc.SparkJDBCOperator": "spark_jdbc",
    f"{_PROVIDERS}.apache.spark.operators.spark_sql.SparkSqlOperator": "spark_sql",
    f"{_PROVIDERS}.apache.livy.operators.livy.LivyOperator": "livy",
    f"{_PROVIDERS}.amazon.aws.operators.emr.EmrServerlessStartJobOperator": "emr_serverless",
    f"{_PROVIDERS}.amazon.aws.operators.emr.EmrContainerOperator": "emr_on_eks",
    f"{_PROVIDERS}.amazon.aws.operators.emr.EmrAddStepsOperator": "emr_steps",
    f"{_PROVIDERS}.amazon.aws.operators.glue.GlueJobOperator": "glue",
    f"{_PROVIDERS}.cncf.kubernetes.operators.spark_kubernetes.SparkKubernetesOperator": "spark_kubernetes",
    f"{_DATAPROC}.DataprocSubmitJobOperator": "dataproc_job",
    f"{_DATAPROC}.DataprocCreateBatchOperator": "dataproc_batch",
    f"{_DATAPROC}.DataprocInstantiateInlineWorkflowTemplateOperator": "dataproc_workflow",
    f"{_PROVIDERS}.microsoft.azure.operators.synapse.AzureSynapseRunSparkBatchOperator": "synapse",
    f"{_PROVIDERS}.databricks.operators.databricks.DatabricksSubmitRunOperator": "databricks",
    f"{_PROVIDERS}.databricks.operators.databricks.DatabricksTaskOperator": "databricks",
    f"{_PROVIDERS}.databricks.operators.databricks.DatabricksNotebookOperator": "databricks",
    f"{_PROVIDERS}.databricks.operators.databricks.DatabricksRunNowOperator": "databricks_run_now",
    f"{_PROVIDERS}.databricks.operators.databricks_workflow._CreateDatabricksWorkflowOperator": "databricks_workflow",
    f"{_PROVIDERS}.apache.spark.operators.spark_pyspark.PySparkOperator": "pyspark",
    f"{_PROVIDERS}.standard.operators.bash.BashOperator": "bash",
    f"{_PROVIDERS}.ssh.operators.ssh.SSHOperator": "ssh",
    f"{_PROVIDERS}.cncf.kubernetes.operators.pod.KubernetesPodOperator": "kubernetes_pod",
}
# Operators of commands that may run anything, and the fields that hold it.
COMMANDS = {"bash": ("bash_command",), "ssh": ("command",), "kubernetes_pod": ("cmds", "arguments")}
# Derived from an operator of an engine, but it submits otherwise.
_OTHERS = frozenset({f"{_PROVIDERS}.cncf.kubernetes.operators.job.KubernetesJobOperator"})


def engine_name(cls: type[Any]) -> str:
    """The name of the engine of an operator's class or of one that it is derived from; "" for none."""
    names = (_name(base) for base in cls.__mro__)
    return next((ENGINES.get(name, "") for name in names if name in ENGINES or name in _OTHERS), "")


def operator_names() -> list[str]:
    """The operators that there are engines for."""
    return [name.rpartition(".")[2] for name in ENGINES]


@cache
def engine(name: str) -> Engine:
    """The engine of a name that `engine_name` gave."""
    found: Engine = import_module(f"airflow_plugin.engines.{name}").ENGINE
    return found


def _name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
