"""Cleaning what was sent before it is kept: references, labels, codes."""

from __future__ import annotations

import re

#: characters that no file name may have, as files of a product lie in a folder of its reference, and control characters
_NOT_IN_REFERENCES = re.compile(r'[<>/\\?*|":°$;\x00-\x1f\x7f]|\.\.')


def clean_ref(text: str) -> str:
    """A reference without blanks around it, special characters as ``_``: documents are kept in folders named so."""
    return _NOT_IN_REFERENCES.sub("_", text.strip())


def clean_label(text: str) -> str:
    """A label; one of blanks alone is none."""
    return text if text.strip() else ""


def clean_code(text: str) -> str | None:
    """A code without blanks around it; None when nothing is left, as no two products may share a code."""
    return text.strip() or None


def clean_base(text: str) -> str | None:
    """The basis of a price in capitals; None, which stands for the default, when none is named."""
    return text.strip().upper() or None
