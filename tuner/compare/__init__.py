"""Two runs of one job side by side: what differs, by how much, and why, as far as what was measured tells that."""
