"""What heads do: statistics on one input and over many, importance, redundancy."""
