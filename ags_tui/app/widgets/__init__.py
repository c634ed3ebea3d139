"""Widgets: one ``rows`` or ``model`` reactive in, past-tense messages out."""
