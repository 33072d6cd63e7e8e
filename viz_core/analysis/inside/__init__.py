"""How an attention weight comes about: the computation of a head, step by step."""
