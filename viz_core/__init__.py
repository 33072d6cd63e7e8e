"""Attention Microscope: train small Transformer encoders and see what they attend to."""
