"""What a measured plan shows a person: shown, never applied."""
