"""What this process holds while a command runs: a directory to itself, signals, a Spark session."""
