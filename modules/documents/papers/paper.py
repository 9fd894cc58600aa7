"""A paper: everything that is printed of a document, as text in its language. Nothing here reads the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass
class Party:
    """The own company, or the recipient.

    :param address: name, street, town, country, as an envelope shows them
    :param details: telephone, mail, site
    """

    address: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first line of the address."""
        return self.address[0] if self.address else ""


@dataclass
class PaperLine:
    """A line. Texts are as they are read, with line feeds where they have them.

    :param kind: ``line``; ``option``: offered besides, counts in no total; ``title``: a heading; ``subtotal``: its sum
    """

    kind: Literal["line", "option", "title", "subtotal"] = "line"
    ref: str = ""
    label: str = ""
    text: str = ""
    vat: str = ""
    price: str = ""
    qty: str = ""
    discount: str = ""
    total: str = ""


@dataclass
class Paper:
    """A paper to be drawn.

    :param language: such as ``fr_FR``
    :param title: what it is, such as ``Commercial proposal``
    :param draft: whether DRAFT stands across its pages
    :param window: where the envelope's window shows the recipient: left (DIN) or right (NF)
    :param facts: dates and references, label and value
    :param taxes: the table of VAT: rate, net amount, tax
    :param totals: label and amount; the one to be paid is marked
    :param terms: terms and mode of payment and the bank, label and text
    :param acceptance: whether there is a box to be signed
    :param legal: the own company's small print, on each page
    :param logo: a picture, PNG or JPEG
    """

    language: str
    title: str
    ref: str
    draft: bool = False
    window: Literal["left", "right"] = "left"
    sender: Party = field(default_factory=Party)
    recipient: Party = field(default_factory=Party)
    facts: list[tuple[str, str]] = field(default_factory=list)
    lines: list[PaperLine] = field(default_factory=list)
    taxes: list[tuple[str, str, str]] = field(default_factory=list)
    totals: list[tuple[str, str, bool]] = field(default_factory=list)
    terms: list[tuple[str, str]] = field(default_factory=list)
    note: str = ""
    acceptance: bool = False
    legal: list[str] = field(default_factory=list)
    logo: bytes | None = None
