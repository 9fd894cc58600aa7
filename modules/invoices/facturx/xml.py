"""The XML of an electronic invoice: elements, amounts, days."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import Element, register_namespace, tostring

from core import Refused
from core.for_natives import day_of

PROFILE = "urn:cen.eu:en16931:2017"
_STANDARD = "urn:un:unece:uncefact:data:standard:"
NAMESPACES = {
    "rsm": f"{_STANDARD}CrossIndustryInvoice:100",
    "ram": f"{_STANDARD}ReusableAggregateBusinessInformationEntity:100",
    "udt": f"{_STANDARD}UnqualifiedDataType:100",
    "qdt": f"{_STANDARD}QualifiedDataType:100",
}
for _prefix, _uri in NAMESPACES.items():
    register_namespace(_prefix, _uri)

#: format code of a calendar day such as ``20261121``
_DAY_FORMAT = "102"
_CENT = Decimal("0.01")
#: characters that XML doesn't have; old rows may have them
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def single(name: str, *content: Element | str | None, **attributes: str) -> Element:
    """Return an element with its content, even if it is empty.

    :param name: with its prefix, such as ``ram:ID``
    """
    prefix, _, local = name.partition(":")
    made = Element(f"{{{NAMESPACES[prefix]}}}{local}", attributes)
    for part in content:
        if isinstance(part, str):
            made.text = _NOT_IN_XML.sub("", part).strip()
        elif part is not None:
            made.append(part)
    return made


def node(name: str, *content: Element | str | None, **attributes: str) -> Element | None:
    """Return an element with its content; None if it is empty, so unknown values are left out."""
    made = single(name, *content, **attributes)
    return made if made.text or len(made) else None


def written(root: Element) -> bytes:
    """Return the XML as the bytes of a file."""
    made: bytes = tostring(root, encoding="UTF-8", xml_declaration=True)
    return made


def dated(name: str, seconds: Any, inner: str = "udt:DateTimeString") -> Element | None:
    """Return an element with a day; None for an empty value.

    :param seconds: a day as a record holds it
    """
    if seconds in (None, ""):
        return None
    return single(name, single(inner, f"{day_of(int(seconds)):%Y%m%d}", format=_DAY_FORMAT))


def amount(value: Decimal) -> str:
    """Return an amount with two decimals.

    :raises Refused: it has more than two decimals
    """
    rounded = value.quantize(_CENT)
    if rounded != value:
        raise Refused(
            f"an electronic invoice needs amounts with at most two decimals, got {value:f}", reason="wrong_type"
        )
    return f"{rounded:f}"
