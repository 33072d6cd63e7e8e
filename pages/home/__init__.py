"""The first page: an example to touch, the ways into the app, and a short tour."""
