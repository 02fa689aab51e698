"""What people read, in one place for the terminal, the task log, the panel and JSON: reasons, changes, decisions in words."""
