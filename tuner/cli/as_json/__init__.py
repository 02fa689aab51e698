"""What commands print with `--json`, and tools for agents answer: a contract, so every name is written out."""
