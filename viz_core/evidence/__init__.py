"""Evidence: analyses of a whole corpus, run as background jobs and stored in the model's folder."""
