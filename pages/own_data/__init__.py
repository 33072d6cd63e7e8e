"""A person's own table: what is in it, a training on it, and whether attention pays off."""
