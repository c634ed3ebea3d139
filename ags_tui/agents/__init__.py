"""Beside real coding agents: what their clients say in hooks, and answers in each client's own form."""
