"""What finished benches are told by: one page of Markdown with pictures."""
