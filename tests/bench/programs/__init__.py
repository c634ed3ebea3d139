"""Programs that are measured as processes of their own; each is one file and imports nothing of the tests."""

from pathlib import Path

FOLDER = Path(__file__).parent

MINIMAL = str(FOLDER / "minimal.py")
AWATCH = str(FOLDER / "awatch_app.py")
DIFF = str(FOLDER / "diff_app.py")
DECISION_SERVER = str(FOLDER / "decision_server.py")
PYDANTIC_HOOK = str(FOLDER / "pydantic_hook.py")
