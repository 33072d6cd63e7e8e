"""The page of a head: what it does over a corpus, and on the visitor's own text."""
