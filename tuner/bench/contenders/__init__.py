"""What tunes a recurring job: this tuner, and what people do instead. One file each."""
