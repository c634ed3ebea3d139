"""Arguments, exit codes and the composition of the rooms below."""
