"""Verdicts: what was measured, as sentences."""
