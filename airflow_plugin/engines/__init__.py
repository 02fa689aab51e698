"""What each way of running Spark from Airflow does with a Spark job: a file for each, `registry` lists them."""
