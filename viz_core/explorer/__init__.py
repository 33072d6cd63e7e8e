"""Views drawn in the browser: the explorer and what-if, their data as bytes or JSON, and the standalone HTML file."""
