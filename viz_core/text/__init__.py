"""From text to tokens with offsets into the text, words, and notices about truncation and unknown tokens."""
