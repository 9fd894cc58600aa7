"""The URL for paying an invoice online, from the pattern in a constant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from core import shown

from ...setup.constants import constant
from ...thirdparties.models import Thirdparty
from .demand import Demand

PATTERN = "INVOICE_PAYMENT_LINK"
#: fields that a pattern may contain in braces
FIELDS = (
    "id", "ref", "ref_client", "remaintopay", "currency", "due_date", "thirdparty.id", "thirdparty.name",
    "thirdparty.code_client", "thirdparty.email",
)  # fmt: skip
#: maximum length in characters of a pattern, and of a URL
LONGEST_PATTERN, LONGEST = 500, 1000
#: characters that are not percent-encoded in a URL
SAFE = "!$&'()*+,-./:;=?@_~%#[]"

_FIELD = re.compile(r"\{([^{}]*)\}")
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]")


def payment_link(demand: Demand, record: Mapping[str, Any], thirdparty: Thirdparty) -> str:
    """Return the URL for paying a demand; empty without a valid pattern, or if the URL is too long."""
    pattern = constant(PATTERN).strip()
    if not pattern or link_fault(pattern):
        return ""
    values = {
        "id": demand.identifier,
        "ref": demand.ref,
        "ref_client": record.get("ref_client"),
        "remaintopay": demand.cents,
        "currency": demand.currency,
        "due_date": demand.due,
        "thirdparty.id": thirdparty.id,
        "thirdparty.name": thirdparty.name,
        "thirdparty.code_client": thirdparty.code_client,
        "thirdparty.email": thirdparty.email,
    }
    found = _FIELD.sub(lambda match: _quoted(values[match[1]]), pattern)
    return quote(found, safe=SAFE) if len(found) <= LONGEST else ""


def check_link(name: str, text: str) -> None:
    """Check the constant with the pattern.

    :raises ValueError: it isn't a pattern of URLs
    """
    if fault := link_fault(text):
        raise ValueError(f"expected {fault}")


def link_fault(pattern: str) -> str:
    """Return the expected format if a pattern is invalid; empty if it is valid."""
    unknown = [name for name in _FIELD.findall(pattern) if name not in FIELDS]
    if unknown:
        return f"only the fields {', '.join(f'{{{name}}}' for name in FIELDS)}; got {{{unknown[0]:.40}}}"
    if len(pattern) > LONGEST_PATTERN:
        return f"a URL of at most {LONGEST_PATTERN} characters, got {len(pattern)}"
    expected = f"a URL such as https://pay.example/{{ref}}?amount={{remaintopay}}, got {shown(pattern)}"
    if not pattern.isprintable() or any(each in ' "<>\\^`{|}' for each in _FIELD.sub("", pattern)):
        return expected
    try:
        parts = urlsplit(pattern)
        fits = parts.scheme in ("http", "https") and (parts.port is None or parts.port > 0)
    except ValueError:
        return expected
    host = parts.netloc.rpartition(":")[0] if parts.port is not None else parts.netloc
    return "" if fits and _HOST.fullmatch(host) else expected


def _quoted(value: object) -> str:
    return quote("" if value is None else str(value), safe="", errors="replace")
