"""Tools for agents, by the Model Context Protocol: they read the store as the panel does, and change nothing."""
