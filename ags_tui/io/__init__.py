"""Doors to the outside: disk, git, watcher, log and keys."""
