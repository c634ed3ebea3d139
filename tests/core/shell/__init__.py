"""Tests of core.shell."""
