"""What makes clients call the hook: settings, starts, known holes."""
