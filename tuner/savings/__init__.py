"""What the tuner gained and lost: by week, team, cohort and change."""
