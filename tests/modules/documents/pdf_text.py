"""What a PDF file says."""

import re
from io import BytesIO

from pypdf import PdfReader


def text_of(pdf):
    """All text of a file, every space an ordinary one."""
    return single_spaced(" ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages))


def pages_of(pdf):
    """The text of each page."""
    return [single_spaced(page.extract_text()) for page in PdfReader(BytesIO(pdf)).pages]


def single_spaced(text):
    """A text with one ordinary space wherever it has any."""
    return re.sub(r"\s+", " ", text)


def without_spaces(text):
    """A text without spaces: what was wrapped is one again."""
    return re.sub(r"\s+", "", text)
