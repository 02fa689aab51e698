"""Which strategy and build side Spark picks for a join, at planning and when AQE plans it again."""
