"""Benchmarks of speed and memory against their targets; `make bench` writes docs/performance.md."""
