"""The real clients of coding agents, driven against scripted model servers on loopback."""
