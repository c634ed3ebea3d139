"""Contracts, checks and state machines: pure functions over frozen data."""
