"""Confidence intervals, in closed form and by bootstrap; the n-gram model of Kneser and Ney."""
