"""The training engine. It runs as a job (`run.py`); pages and the command line use `door.py` only."""
