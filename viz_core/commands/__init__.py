"""What each command of the command line does; its flags are in `__main__.py`. Every command answers with plain data."""
