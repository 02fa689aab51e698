"""The store: every run with the decision that steered it and its outcome, and what people said of actions."""
