"""A checker of PDF/A-3B: those rules of ISO 19005-3:2012 that a program which writes files can break.

Each violation begins with the number of its clause. What is not looked at here: the inner form of fonts and profiles,
and features that no paper has, such as films and forms of many kinds; whatever is not on a list of what is known is a
violation itself.
"""

from io import BytesIO

import pikepdf

from .action_rules import annotations, embedded, forms_and_actions
from .file_rules import header, limits, objects, streams, trailer
from .metadata_rules import metadata
from .page_rules import colours, fonts, pages, transparency
from .structure_rules import structure

OF_BYTES = (header, trailer, objects)
OF_FILES = (
    streams, colours, pages, transparency, fonts, annotations, forms_and_actions, metadata, embedded, structure, limits,
)  # fmt: skip


def check(data):
    """What is not as PDF/A-3B wants it; empty: nothing."""
    try:
        file = pikepdf.open(BytesIO(data), attempt_recovery=False)
    except pikepdf.PdfError as error:
        return [f"6.1: not readable ({error})"]
    with file:
        found = [each for rule in OF_BYTES for each in rule(data, file)]
        return found + [each for rule in OF_FILES for each in rule(file)]
