"""Views: records in, a plotly Figure or an HTML string out; one view a file. Nothing here computes or shows anything."""
