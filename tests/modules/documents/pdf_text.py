"""What a PDF file says."""

from __future__ import annotations

import re
from io import BytesIO

from pypdf import PdfReader


def text_of(pdf: bytes) -> str:
    """All text of a file, every space an ordinary one."""
    return single_spaced(" ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages))


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page."""
    return [single_spaced(page.extract_text()) for page in PdfReader(BytesIO(pdf)).pages]


def single_spaced(text: str) -> str:
    """A text with one ordinary space wherever it has any."""
    return re.sub(r"\s+", " ", text)


def without_spaces(text: str) -> str:
    """A text without spaces: what was wrapped is one again."""
    return re.sub(r"\s+", "", text)
