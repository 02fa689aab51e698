"""The recommendations panel: one page and one API, for Airflow and for `spark-tuner ui`."""
