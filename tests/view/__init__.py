"""Tests of the view rooms."""
