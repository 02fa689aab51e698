"""`spark-tuner …`: one file a command. No logic of its own: the core's stages, asked and shown."""
