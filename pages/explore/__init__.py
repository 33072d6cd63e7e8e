"""The page of a task: prediction, explorer, figures, and evidence about the attention."""
