"""Cleaning what was sent before it is kept: references, labels, codes, telephone numbers, addresses of all kinds."""

from __future__ import annotations

import re

_EMAIL = re.compile(r"[^@\s<>\"'(),;:]{1,64}@[^@\s<>\"'(),;:]{1,190}\.[^@\s.<>\"'(),;:]{2,}")
#: characters that no file name may have, and that a name loses therefore
_NOT_IN_FILE_NAMES = str.maketrans("", "", '<>/\\?*|":°$;')
#: characters that no file name may have, as files of a product lie in a folder of its reference, and control characters
_NOT_IN_REFERENCES = re.compile(r'[<>/\\?*|":°$;\x00-\x1f\x7f]|\.\.')


def clean_ref(text: str) -> str:
    """A reference without blanks around it, special characters as ``_``: documents are kept in folders named so."""
    return _NOT_IN_REFERENCES.sub("_", text.strip())


def clean_label(text: str) -> str:
    """A label or a name; one of blanks alone is none."""
    return text if text.strip() else ""


def clean_email(text: str) -> str:
    """An e-mail address without blanks around it; raises ValueError for anything else."""
    text = text.strip()
    if text and not _EMAIL.fullmatch(text):
        raise ValueError("expected an email address")
    return text


def clean_phone(text: str) -> str:
    """A telephone number without spaces and dots."""
    return "".join(text.split()).replace(".", "")


def clean_url(text: str) -> str:
    """A web address without ``http://``."""
    text = text.strip()
    return text[7:] if text[:7].lower() == "http://" else text


def clean_vat_number(text: str) -> str:
    """A VAT number without the characters that no file name may have."""
    return text.translate(_NOT_IN_FILE_NAMES).replace("..", "").strip()


def clean_code(text: str) -> str | None:
    """A code without blanks around it; None when nothing is left, as no two records may share a code."""
    return text.strip() or None


def clean_base(text: str) -> str | None:
    """The basis of a price in capitals; None, which stands for the default, when none is named."""
    return text.strip().upper() or None
