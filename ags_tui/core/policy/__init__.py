"""Policy: what its files may say. No pydantic here: the hook pays for every import."""
