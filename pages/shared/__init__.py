"""What several pages use: links, caches, pickers, text boxes, downloads, ownership and wording."""
