"""Attacks on the whole program: the real command in a real terminal, on repositories that mean harm."""
