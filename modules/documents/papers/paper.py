"""A paper: everything that is printed of a document, as text in its language. Nothing here reads the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal


@dataclass
class Party:
    """The own company, or the recipient.

    :param address: name, street, town, country, as an envelope shows them
    :param details: telephone, mail, site
    :param country: the line of the address that is the country, if there is one
    """

    address: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    country: str = ""

    @property
    def name(self) -> str:
        """The first line of the address."""
        return self.address[0] if self.address else ""


@dataclass
class PaperLine:
    """A line. Texts are as they are read, with line feeds where they have them; a label and a text may be what
    `rich_text` made of HTML, and so may a paper's note and its mentions.

    :param kind: ``line``; ``option``: offered besides, counts in no total; ``title``: a heading; ``subtotal``: its sum
    :param more: cells of further columns, by name, such as those of work billed in parts
    :param amount: what it adds to the sum of the lines; None: it counts in none
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
    """How the paper is to be paid, as the first thing that is seen.

    :param sentence: such as ``To pay: 120.00 € by 3 December 2026``
    :param link: an address where it can be paid
    :param code: what a code to be scanned holds; empty: there is none
    :param code_label: what stands beside the code
    :param slip: a Swiss payment part, drawn at the foot of a last page
    """

    sentence: str = ""
    link: str = ""
    code: str = ""
    code_label: str = ""
    slip: object | None = None


@dataclass
class Enclosed:
    """Another file that goes into the paper's, such as an invoice as data.

    :param relation: of the two: ``Alternative``: it says the same; ``Data``, ``Source``, ``Supplement``
    :param metadata: what the paper's metadata say of it, in XMP
    """

    name: str
    content: bytes
    media_type: str
    description: str
    relation: str = "Alternative"
    metadata: str = ""


@dataclass
class Paper:
    """A paper to be drawn.

    :param language: such as ``fr_FR``
    :param title: what it is, such as ``Commercial proposal``
    :param draft: whether it is a draft
    :param watermark: what stands across its pages
    :param standing: what has become of it, such as ``PAID``
    :param standing_details: sentences that say more of that, below the totals
    :param window: where the envelope's window shows the recipient: left (DIN) or right (NF)
    :param facts: dates and references, label and value
    :param carried: whether the sum of the lines is carried forward from page to page
    :param parts: the whole of a work that is billed in parts, label and amount, side by side
    :param taxes: the table of VAT: rate, net amount, tax
    :param totals: label and amount; the one to be paid is marked
    :param delivery: where it is delivered to, if that is elsewhere
    :param payment: how it is to be paid
    :param terms: terms and mode of payment and the bank, label and text
    :param mentions: sentences that the law or the company wants, below the terms
    :param acceptance: whether there is a box to be signed
    :param legal: the own company's small print, on each page
    :param logo: a picture, PNG or JPEG
    :param enclosed: another file that goes into the paper's
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
    lines: list[PaperLine] = field(default_factory=list)
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
