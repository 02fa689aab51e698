"""One lever a file: from facts to changes."""
