"""`spark-tuner …`: commands/ has a file for each. No logic of its own: the core's stages, asked and shown."""
