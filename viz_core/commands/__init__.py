"""The commands of the command line; their flags are in `parser.py`.

Every command answers with plain data.
"""
