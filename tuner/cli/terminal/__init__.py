"""How text gets onto a terminal, and into pipes."""
