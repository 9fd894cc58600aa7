"""The test's own books: what a series of operations has made, apart from what the server says."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from tests.laws.amounts import Agreed, Rounding, Totals, exact

#: kinds of documents, as their services are called
PROPOSAL, ORDER, INVOICE, TEMPLATE = "proposals", "orders", "invoices", "invoices/templates"

STANDARD, REPLACEMENT, CREDIT_NOTE, DEPOSIT, SITUATION = 0, 1, 2, 3, 5
DRAFT, VALIDATED, PAID, ABANDONED = 0, 1, 2, 3

#: amounts of a document and of a line that never change by themselves
AMOUNTS = (
    "total_ht",
    "total_tva",
    "total_localtax1",
    "total_localtax2",
    "total_ttc",
    "rounding_amount",
    "revenuestamp",
)
PRICES = ("qty", "subprice", "subprice_ttc", "tva_tx", "remise_percent", "situation_percent")


@dataclass
class Row:
    """A line of a document.

    :param agreed: what it was agreed to be; None if the books can't tell it any more
    :param discount: ID of the discount that the line deducts
    :param source: ID of the line of an invoice that this line of a credit note gives back
    :param is_lossy: less is stored than was sent, so that only its amount before taxes is known after changes
    :param is_changed: it was changed after it was made
    :param copied: ID of the discount that the line deducts once its replacement invoice is validated
    """

    id: int
    agreed: Agreed | None
    discount: int = 0
    source: int = 0
    copied: int = 0
    is_lossy: bool = False
    is_changed: bool = False

    @property
    def is_exact(self):
        """Return whether the books know net and VAT of the line to the cent."""
        return self.agreed is not None and not self.discount and not (self.is_lossy and self.is_changed)


@dataclass
class Document:
    """A document that the series has made.

    :param roundings: those in force when it, or what it was copied from, was priced
    :param seen: its last reading
    :param fixed: its amounts when it was validated
    :param source: the invoice that it gives back or replaces
    :param stamp: its stamp duty
    :param was_abandoned: notes that were made meanwhile didn't count it
    :param is_lossy: less was stored of a line than what was sent, so that it keeps a total which others don't get
    """

    kind: str
    id: int
    rows: list[Row]
    roundings: set[Rounding]
    type: int = STANDARD
    state: int = DRAFT
    source: Document | None = None
    seen: dict = field(default_factory=dict)
    fixed: dict | None = None
    paid: list[Fraction] = field(default_factory=list)
    is_deleted: bool = False
    is_lossy: bool = False
    stamp: Fraction = Fraction(0)
    was_abandoned: bool = False

    def __str__(self):
        return f"{self.kind} {self.id}"

    @property
    def path(self):
        """Return the path of the record."""
        return f"/{self.kind}/{self.id}"

    @property
    def is_invoice(self):
        """Return whether it is an invoice of any type."""
        return self.kind == INVOICE

    @property
    def is_draft(self):
        """Return whether its lines can change."""
        return self.kind == TEMPLATE or self.state == DRAFT

    @property
    def gross(self):
        """Return its total as it was last read."""
        return exact(self.seen["total_ttc"])

    @property
    def lines(self):
        """Return its lines as they were last read, in the order of their IDs."""
        return sorted(self.seen["lines"], key=lambda line: int(line["id"]))

    def price(self, rounding):
        """Note that a rounding is in force while it is priced; a credit note and a replacement have their invoice's."""
        if self.source is None:
            self.roundings.add(rounding)

    def row(self, identifier):
        """Return the row of a line."""
        return next(row for row in self.rows if row.id == identifier)


@dataclass
class Payment:
    """Money for invoices that came, or was paid back, at once: what it pays of each."""

    id: int
    parts: list[tuple[Document, Fraction]]


@dataclass
class Discount:
    """A sum that the customer may still use.

    :param use: the invoice that uses it
    :param as_line: deducted by a line of it
    :param freed_by: the abandoned invoice that used it
    """

    id: int
    source: Document
    gross: Fraction
    use: Document | None = None
    as_line: bool = False
    freed_by: Document | None = None


def totals_of(record):
    """Return net, VAT and gross of a document or a line as read; local taxes aren't part of them."""
    return Totals(exact(record["total_ht"]), exact(record["total_tva"]), exact(record["total_ttc"]))


def amounts_of(record):
    """Return all amounts of a document as read, and of its lines by ID, to be compared with those of another reading."""
    found = {name: exact(record[name]) for name in AMOUNTS if name in record}
    for line in record["lines"]:
        names = [name for name in (*AMOUNTS, *PRICES) if name in line]
        # A null says that no price including VAT was agreed
        found[int(line["id"])] = {
            name: None if name == "subprice_ttc" and line[name] in (None, "") else exact(line[name]) for name in names
        }
    return found


def differences(before, after):
    """Return what differs between two readings, as text."""
    found = []
    for name in [*before, *(each for each in after if each not in before)]:
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            found += [f"line {name} {part}: {_shown(old.get(part))} became {_shown(new.get(part))}"
                      for part in new if old.get(part) != new[part]]  # fmt: skip
        else:
            found.append(f"{name}: {_shown(old)} became {_shown(new)}")
    return found


def _shown(value):
    return str(float(value)) if isinstance(value, Fraction) else str(value)
