"""PySpark jobs over many event logs. Only this package and the Catalyst agent know PySpark."""
