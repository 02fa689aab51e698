"""What commands print for people: a file is named after its command, or after what it shows."""
