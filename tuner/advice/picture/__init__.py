"""The plan of a query redrawn as it would be with what is advised."""
