"""One advisor per lever: facts in, recommendations out."""
