"""`spark-tuner demo`: TPC-DS tables, a nightly job, and Airflow running it several times."""
