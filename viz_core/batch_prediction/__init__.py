"""Prediction for the rows of a CSV file, as a job."""
