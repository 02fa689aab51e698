"""The Catalyst agent: its rules as a jar, what they are told, and how both reach a run."""
