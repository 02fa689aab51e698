"""Spark properties that name the Airflow task which submitted an application."""

from __future__ import annotations

# `dag_id.task_id`: what OpenLineage calls the parent job. Airflow's provider for it adds this property to the Spark jobs
# of many operators (`[openlineage] spark_inject_parent_job_info`).
OPENLINEAGE_JOB = "spark.openlineage.parentJobName"
# Pairs that hold the DAG and the task: as people pass them, as drivers on Kubernetes are labelled, and as AIRFLOW_CTX_…
# is handed on to YARN.
DAG_AND_TASK = (
    ("spark.airflow.dag_id", "spark.airflow.task_id"),
    ("spark.kubernetes.driver.label.dag_id", "spark.kubernetes.driver.label.task_id"),
    ("spark.yarn.appMasterEnv.AIRFLOW_CTX_DAG_ID", "spark.yarn.appMasterEnv.AIRFLOW_CTX_TASK_ID"),
)
AIRFLOW_TAGS = frozenset({OPENLINEAGE_JOB, *(key for pair in DAG_AND_TASK for key in pair)})
