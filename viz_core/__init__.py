"""Attention Microscope: train small Transformer encoders and look at what their attention does."""
