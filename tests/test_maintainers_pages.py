"""The maintainers' pages refer only to files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: what a path in a page may be relative to
FOLDERS = ("", "core", "explorer")


@pytest.mark.parametrize("page", ["core/README.md", "core/ACCESS.md", "core/DECISIONS.md", "explorer/EXTENSIONS.md"])
def test_every_file_of_a_page_exists(page):
    text = (ROOT / page).read_text()
    # Media types look like paths
    paths = re.findall(r"`(?!application/|text/)(\w[\w.-]*/[\w./-]*)`", text)
    assert paths or page.startswith("explorer")
    assert [path for path in paths if not any((ROOT / folder / path).exists() for folder in FOLDERS)] == []


def test_a_decision_has_sixty_words_at_most():
    decisions = re.split(
        r"^- ", re.sub(r"^##.*", "", (ROOT / "core" / "DECISIONS.md").read_text(), flags=re.M), flags=re.M
    )[1:]
    assert len(decisions) > 30
    assert [each for each in decisions if len(each.split()) > 60] == []
