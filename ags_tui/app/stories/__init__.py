"""The app by its stories: each module handles the messages of one operation from its start to its end."""
