"""The training page: form, runs, curves, replay, and models side by side."""
