"""The jobs that a bench can run: benchmarks made on this machine, or SQL of one's own."""
