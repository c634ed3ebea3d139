"""AGS workflows as pure rules: planning, recording, finalizing, aborting, replaying."""
