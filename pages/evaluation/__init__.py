"""The evaluation page, one module per part."""
