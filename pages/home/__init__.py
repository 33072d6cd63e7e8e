"""The first page: an example to touch, and the ways into the app."""
