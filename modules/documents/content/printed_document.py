"""The printed content of a document, as text in its language. Nothing here reads the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal


@dataclass
class Party:
    """The company or the recipient.

    :param address: name, street, town, country, as on an envelope
    :param details: telephone, email, website
    :param country: the address line with the country, if there is one
    """

    address: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    country: str = ""

    @property
    def name(self) -> str:
        """The first line of the address."""
        return self.address[0] if self.address else ""


@dataclass
class PrintedLine:
    """A line of a document. Texts are formatted for reading and may have line feeds.

    Its label and text may be a `RichText` made by `rich_text`, and so may the note and mentions of the document.

    :param kind: ``line``; ``option``: not part of any total; ``title``: a heading; ``subtotal``: the sum of its lines
    :param more: cells of further columns, by column, such as those of work billed in parts
    :param amount: amount added to the sum of the lines; None: not part of a sum
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
    more: dict[str, str] = field(default_factory=dict)
    amount: Decimal | None = None


@dataclass
class PaymentPart:
    """The payment instructions of a document.

    :param sentence: such as ``To pay: 120.00 € by 3 December 2026``
    :param link: a URL for paying online
    :param code: content of the QR code; empty: no code
    :param code_label: text below the code
    :param slip: a Swiss payment part, drawn at the foot of the last page
    """

    sentence: str = ""
    link: str = ""
    code: str = ""
    code_label: str = ""
    slip: object | None = None


@dataclass
class Enclosed:
    """A file embedded in the PDF, such as an electronic invoice.

    :param relation: its relation to the PDF: ``Alternative``: same content; ``Data``, ``Source``, ``Supplement``
    :param metadata: XMP about it for the metadata of the PDF
    """

    name: str
    content: bytes
    media_type: str
    description: str
    relation: str = "Alternative"
    metadata: str = ""


@dataclass
class PrintedDocument:
    """The printed content of a document.

    :param language: such as ``fr_FR``
    :param title: kind of document, such as ``Commercial proposal``
    :param draft: whether it is a draft
    :param watermark: text across its pages
    :param standing: status stamp, such as ``PAID``
    :param standing_details: sentences about the status, below the totals
    :param window: side of the envelope's window: left (DIN) or right (NF)
    :param facts: dates and references, label and value
    :param carried: whether the sum of the lines is carried forward from page to page
    :param parts: amounts of work billed in parts, as (label, amount), side by side
    :param taxes: the VAT table: rate, net amount, tax
    :param totals: label, amount, and whether it is the final amount
    :param delivery: delivery address, if it differs from the recipient's
    :param payment: payment instructions
    :param terms: payment terms, payment mode and bank, as (label, text)
    :param mentions: sentences required by law or by the company, below the terms
    :param acceptance: whether to draw a signature box
    :param legal: the company's small print, on each page
    :param logo: a picture, PNG or JPEG
    :param enclosed: a file to embed in the PDF
    """

    language: str
    title: str
    ref: str
    draft: bool = False
    watermark: str = ""
    standing: str = ""
    standing_details: list[str] = field(default_factory=list)
    window: Literal["left", "right"] = "left"
    sender: Party = field(default_factory=Party)
    recipient: Party = field(default_factory=Party)
    delivery: Party | None = None
    facts: list[tuple[str, str]] = field(default_factory=list)
    lines: list[PrintedLine] = field(default_factory=list)
    carried: bool = False
    parts: list[tuple[str, str]] = field(default_factory=list)
    taxes: list[tuple[str, str, str]] = field(default_factory=list)
    totals: list[tuple[str, str, bool]] = field(default_factory=list)
    payment: PaymentPart | None = None
    terms: list[tuple[str, str]] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    note: str = ""
    acceptance: bool = False
    legal: list[str] = field(default_factory=list)
    logo: bytes | None = None
    enclosed: Enclosed | None = None
