"""Tests of the app: a real app driven by a pilot."""
