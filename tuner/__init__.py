"""Core of airflow-spark-tuner: event log to plan to cost to steering. Imports neither Airflow nor PySpark."""

__version__ = "0.1.0"
