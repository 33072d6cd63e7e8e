"""What a part of a model passes on: its numbers from one input put into the run of another."""
