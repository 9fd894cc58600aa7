"""Normalization of values before they are stored: references, labels, codes, phone numbers and addresses."""

from __future__ import annotations

import re

_EMAIL = re.compile(r"[^@\s<>\"'(),;:]{1,64}@[^@\s<>\"'(),;:]{1,190}\.[^@\s.<>\"'(),;:]{2,}")
#: characters that file names can't contain; they are removed from names
_NOT_IN_FILE_NAMES = str.maketrans("", "", '<>/\\?*|":°$;')
#: characters that file names can't contain, as a product's folder has its reference as name, and control characters
_NOT_IN_REFERENCES = re.compile(r'[<>/\\?*|":°$;\x00-\x1f\x7f]|\.\.')


def clean_ref(text: str) -> str:
    """Return a reference without surrounding blanks, special characters as ``_``: folders are named after it."""
    return _NOT_IN_REFERENCES.sub("_", text.strip())


def clean_label(text: str) -> str:
    """Return a label or a name; empty if it contains only blanks."""
    return text if text.strip() else ""


def clean_email(text: str) -> str:
    """Return an e-mail address without blanks around it; raise ValueError for anything else."""
    text = text.strip()
    if text and not _EMAIL.fullmatch(text):
        raise ValueError("expected an email address")
    return text


def clean_phone(text: str) -> str:
    """Return a telephone number without spaces and dots."""
    return "".join(text.split()).replace(".", "")


def clean_url(text: str) -> str:
    """Return a web address without ``http://``."""
    text = text.strip()
    return text[7:] if text[:7].lower() == "http://" else text


def clean_vat_number(text: str) -> str:
    """Return a VAT number without the characters that file names can't contain."""
    return text.translate(_NOT_IN_FILE_NAMES).replace("..", "").strip()


def clean_code(text: str) -> str | None:
    """Return a code without blanks around it; None if it is empty, because codes are unique."""
    return text.strip() or None


def clean_base(text: str) -> str | None:
    """Return the basis of a price in capitals; None, the default, if it is empty."""
    return text.strip().upper() or None
