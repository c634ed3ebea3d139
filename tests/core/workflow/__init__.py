"""Tests of the AGS workflow: rules, store, gate."""
