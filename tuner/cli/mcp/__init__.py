"""The tools of `spark-tuner mcp`: those over event logs; those over the store are in tuner/mcp."""
