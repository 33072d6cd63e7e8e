"""Analyses: each file answers a single question about a model, from a `Checkpoint`, an `Explanation` or arrays."""
