"""Shell: what a line would run, read without running or judging it.

``analyse.analyse`` names every simple command, redirection and doubt; what to make of them is policy. Nothing
is imported here: a call that reads a file must not pay for the shell.
"""
