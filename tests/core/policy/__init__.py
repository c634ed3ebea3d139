"""Tests of core.policy."""
