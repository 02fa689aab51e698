"""How many rows a filter keeps, by Spark's own formulas, from the statistics of tables.

The formulas, the rounding and the gaps are those of `FilterEstimation` in
`org.apache.spark.sql.catalyst.plans.logical.statsEstimation`, release 4.3.0. Earlier releases differ in one place:
equality with a column of unknown range keeps no row. Histograms are left out: Spark collects them only when asked to
(spark.sql.statistics.histogram.enabled).
"""
