"""Views: a record in, a plotly figure or an HTML string out; one view per file.

Nothing is computed or displayed here.
"""
