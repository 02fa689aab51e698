"""A nightly PySpark job of join-heavy TPC-DS queries, tuned from run to run.

`spark-tuner demo` makes the tables and the application, sets the variables below, and runs this DAG several times.
"""

import os

from airflow.sdk import DAG

from airflow_plugin.operator import SparkTunedOperator


def setting(name: str, default: str) -> str:
    return os.environ.get(f"SPARK_TUNER_DEMO_{name}", default)


with DAG("example_tpcds", schedule=None, catchup=False, tags=["spark-tuner"]):
    SparkTunedOperator(
        task_id="nightly",
        application=setting("APPLICATION", "nightly.py"),
        application_args=[
            setting("TABLES", "tables"),
            setting("QUERIES", "queries"),
            os.path.join(setting("RESULTS", "results"), "{{ ds }}"),
        ],
        driver_memory=setting("DRIVER_MEMORY", "3g"),
        conf={
            "spark.ui.enabled": "false",
            # The texts quote some names with double quotes, as the SQL standard has it.
            "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        },
    )
