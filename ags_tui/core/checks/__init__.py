"""Checks: frozen data in, findings out; no clock, no path, no logging."""
