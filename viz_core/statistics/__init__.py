"""Confidence intervals: in closed form and by bootstrap."""
