"""The page of one model: its health and the importance of its heads."""
