"""Tokens with offsets into the text as typed, words, and notices about what the model does not read."""
