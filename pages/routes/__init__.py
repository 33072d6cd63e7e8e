"""HTTP routes beside the pages: the weights of a head, and what-if."""
