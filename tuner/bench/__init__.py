"""`spark-tuner bench`: recurring jobs of SQL, run by the tuner and by what one would do instead, side by side."""
