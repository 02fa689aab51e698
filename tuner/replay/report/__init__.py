"""A replay as one HTML file: the panel's pages and a front page, with everything they need inside."""
