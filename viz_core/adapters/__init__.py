"""Models from elsewhere behind our contract: folders and hub ids of Hugging Face's `transformers`, an optional extra.

Nothing imports `transformers` before a model is opened or adapted; `references` and `folder` do without it.
"""
