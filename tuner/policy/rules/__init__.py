"""What of the changes wanted may be in force in one run: an ordered list of pure functions (`tuner.policy.decide.RULES`)."""
