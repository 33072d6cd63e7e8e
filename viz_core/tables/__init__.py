"""Tables in and out: rows of a CSV file, downloads, filters."""
