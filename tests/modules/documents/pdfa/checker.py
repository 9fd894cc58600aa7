"""A checker of PDF/A-3B: those rules of ISO 19005-3:2012 that a program which writes files can break.

It reads files with pikepdf and fonts with fontTools; qpdf checks the syntax. Each violation begins with the number of
its clause. It doesn't look at the inner form of fonts and profiles. A feature that isn't on a list of known ones is a
violation itself. `test_broken.py` has a file for each rule.
"""

from io import BytesIO

import pikepdf

from .action_rules import annotations, embedded, forms_and_actions
from .file_rules import header, limits, objects, streams, trailer
from .metadata_rules import metadata
from .page_rules import colours, fonts, keys, pages, transparency
from .structure_rules import structure

OF_BYTES = (header, trailer, objects)
OF_FILES = (
    keys, streams, colours, pages, transparency, fonts, annotations, forms_and_actions, metadata, embedded, structure, limits,
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
