"""What the store knows, as the panel shows it: pure functions from facts to answers."""
