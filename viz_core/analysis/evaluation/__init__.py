"""Figures over labelled examples: metrics, calibration, slices, behavioural tests, health."""
