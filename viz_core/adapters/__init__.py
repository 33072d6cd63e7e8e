"""Adapters that make models of Hugging Face's `transformers`, from folders or the hub, implement our protocol.

Nothing imports `transformers` before a model is opened or adapted; `references` and `folder` do not
need it.
"""
