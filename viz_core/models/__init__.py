"""Models written from scratch, the protocol that they implement, and batches of token ids."""
