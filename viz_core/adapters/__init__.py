"""Models from elsewhere behind our contract: folders and hub ids of Hugging Face's `transformers`.

Nothing imports `transformers` before a model is opened or adapted; `references` and `folder` do
without it.
"""
