"""Operator times learned from history: unit costs, a residual, and how far both may be trusted."""
