"""Typed documents that agents, the human and this program exchange as files."""
