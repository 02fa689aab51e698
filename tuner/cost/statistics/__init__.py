"""Spark's own estimates (spark.sql.cbo.enabled) from the statistics of tables, for what no run has measured.

Each function takes the statistics of what an operator reads and gives those of what it puts out, with the formulas,
the rounding and the gaps of the classes in `org.apache.spark.sql.catalyst.plans.logical.statsEstimation`, release 4.3.0.
Earlier ones differ in places: there equality with a column of unknown range keeps no row, and a union forgets distinct
values. Histograms are left out: Spark collects them only when asked to (spark.sql.statistics.histogram.enabled).
"""
