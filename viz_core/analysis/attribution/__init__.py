"""Which tokens a prediction is based on, and how well attributions agree with the model."""
