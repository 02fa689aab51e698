"""What a cohort has proven, as a file for git, and as what another cohort may try."""
