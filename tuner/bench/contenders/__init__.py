"""What a recurring job can be run by: the tuner, and what one would do instead. One file each."""
