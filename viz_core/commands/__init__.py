"""What each command of the command line does; its flags are in `parser.py`. Every command answers with plain data."""
