"""The generated part of the README equals its generator; run this module to write it."""

import re
from pathlib import Path

from ags_tui.app.keys import table_markdown

README = Path(__file__).resolve().parents[2] / "README.md"
BEGIN = "<!-- keys: generated from ags_tui/app/keys.py, compared by a test -->"
END = "<!-- /keys -->"


def with_key_table(text: str) -> str:
    """The README with today's key table."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table_markdown().strip()}\n{END}{after}"


def test_key_table_is_generated():
    text = README.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert text == with_key_table(text), "run: python -m tests.architecture.test_readme"


def test_links_and_pictures_exist():
    text = README.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []


if __name__ == "__main__":
    README.write_text(with_key_table(README.read_text(encoding="utf-8")), encoding="utf-8")
