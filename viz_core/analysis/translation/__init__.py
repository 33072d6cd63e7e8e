"""Translations: made, explained, changed, measured and aligned."""
