"""What several commands are asked with, and how it is checked."""
