"""The Airflow plugin. Every Airflow process imports it: what costs time is imported where it is used."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin


class SparkTunerPlugin(AirflowPlugin):
    """Announces the tuner to Airflow; `airflow plugins` lists it."""

    name = "spark_tuner"
