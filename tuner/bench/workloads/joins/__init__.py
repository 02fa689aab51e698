"""A catalogue of films and series whose columns depend on one another, and 113 queries that join its tables."""
