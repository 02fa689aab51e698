"""Which join Spark chooses, and why: JoinSelection and AQE, simulated."""
