"""What the tuner would have done over runs that have been: chronological, by the rules of live runs, knowing only the past."""
