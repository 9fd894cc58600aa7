"""The Swiss QR-bill: receipt and payment part at the foot of the last page.

Measures are those of the Implementation Guidelines. Positions are in millimetres from the left and the slip's top.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from ...setup.account_numbers import in_fours
from ..content.printed_document import PrintedDocument
from ..content.slip import SwissSlip
from .foot import Foot
from .pages import Pages
from .payment_part import GAP
from .sheet import HEIGHT, MM, Sheets
from .wrapping import wrap

TALL, WIDE, RECEIPT = 105.0, 210.0, 62.0
#: millimetres by which the small print is raised on the page with the slip
LIFT = 101.0
EDGE = 5.0
PAYMENT = RECEIPT + EDGE
INFORMATION = 118.0
TOP, AMOUNT, ACCEPTANCE = 12.0, 68.0, 82.0
CODE, CODE_TOP = 46.0, 17.0
#: the cross in the middle of the code: side with its white border, side without it, length and width of its arms
CROSS, SQUARE, ARM, ARM_WIDTH = 7.0, 6.0, 3.9, 1.17
#: empty boxes for the debtor: width and height; length of their corner marks
RECEIPT_BOX, PAYMENT_BOX, CORNER = (52.0, 20.0), (65.0, 25.0), 3.0
BLACK, WHITE = "#000000", "#ffffff"
PEN = 0.75

#: the Guidelines allow only these languages and words
LANGUAGES = ("en", "de", "fr", "it")
WORDS = {
    "receipt": ("Receipt", "Empfangsschein", "Récépissé", "Ricevuta"),
    "payment": ("Payment part", "Zahlteil", "Section paiement", "Sezione pagamento"),
    "account": ("Account / Payable to", "Konto / Zahlbar an", "Compte / Payable à", "Conto / Pagabile a"),
    "reference": ("Reference", "Referenz", "Référence", "Riferimento"),
    "more": (
        "Additional information", "Zusätzliche Informationen", "Informations supplémentaires",
        "Informazioni supplementari",
    ),
    "payer": ("Payable by", "Zahlbar durch", "Payable par", "Pagabile da"),
    "blank": (
        "Payable by (name/address)", "Zahlbar durch (Name/Adresse)", "Payable par (nom/adresse)",
        "Pagabile da (nome/indirizzo)",
    ),
    "currency": ("Currency", "Währung", "Monnaie", "Valuta"),
    "amount": ("Amount", "Betrag", "Montant", "Importo"),
    "acceptance": ("Acceptance point", "Annahmestelle", "Point de dépôt", "Punto di accettazione"),
    "separate": (
        "Separate before paying in", "Vor der Einzahlung abzutrennen", "A détacher avant le versement",
        "Da staccare prima del versamento",
    ),
}  # fmt: skip


def slip_of(document: PrintedDocument) -> SwissSlip | None:
    """Return the Swiss slip of a document; None if it has none."""
    slip = document.payment.slip if document.payment else None
    return slip if isinstance(slip, SwissSlip) else None


def place_slip(pages: Pages, document: PrintedDocument) -> None:
    """Place the slip at the foot of the last page; add a page if the space is too small."""
    slip = slip_of(document)
    if slip is None:
        return
    # The content above ends with a gap that may overlap
    if pages.room + GAP < LIFT * MM:
        pages.turn()
    pages.y = HEIGHT - TALL * MM
    pages.add(TALL * MM, lambda sheets, y: _Drawing(slip, sheets, y).draw())


def foot_above(foot: Foot) -> Foot:
    """Return the small print raised above the slip."""
    lifted = copy(foot)
    lifted.begin -= LIFT * MM
    return lifted


class _Drawing:
    """The drawing of a slip whose top is at y, in points."""

    def __init__(self, slip: SwissSlip, sheets: Sheets, y: float) -> None:
        self.slip, self.sheets, self.y = slip, sheets, y
        self.language = LANGUAGES.index(slip.language) if slip.language in LANGUAGES else 0

    def draw(self) -> None:
        """Draw the slip."""
        # A white box covers a watermark or other content: scanners need black on white
        self._box(0, 0, WIDE, TALL, WHITE)
        self._line(0, 0, WIDE, 0)
        self._line(RECEIPT, 0, RECEIPT, TALL)
        said = self._say("separate")
        self.sheets.text((WIDE * MM - self.sheets.regular.width(said, 7)) / 2, self.y - 1.2 * MM, said, 7, colour=BLACK)
        self._receipt()
        self._payment()

    def _receipt(self) -> None:
        self._text(EDGE, EDGE, self._say("receipt"), 11, bold=True)
        y = self._account(EDGE, RECEIPT - 2 * EDGE, TOP, 6, 8)
        self._payer(EDGE, RECEIPT - 2 * EDGE, y, 6, 8, RECEIPT_BOX)
        self._amount(EDGE, 13, 6, 8)
        said = self._say("acceptance")
        right = RECEIPT - EDGE - self.sheets.bold.width(said, 6) / MM
        self._text(right, ACCEPTANCE, said, 6, bold=True)

    def _payment(self) -> None:
        self._text(PAYMENT, EDGE, self._say("payment"), 11, bold=True)
        self._code()
        self._amount(PAYMENT, 16, 8, 10)
        width = WIDE - EDGE - INFORMATION
        y = self._account(INFORMATION, width, EDGE, 8, 10)
        if self.slip.message:
            y = self._paragraph(INFORMATION, width, y, self._say("more"), [self.slip.message], 8, 10)
        self._payer(INFORMATION, width, y, 8, 10, PAYMENT_BOX)

    def _account(self, x: float, width: float, y: float, small: float, size: float) -> float:
        lines = [in_fours(self.slip.iban), *self.slip.creditor.lines]
        y = self._paragraph(x, width, y, self._say("account"), lines, small, size)
        if self.slip.reference:
            reference = _grouped(self.slip.kind, self.slip.reference)
            y = self._paragraph(x, width, y, self._say("reference"), [reference], small, size)
        return y

    def _payer(self, x: float, width: float, y: float, small: float, size: float, box: tuple[float, float]) -> None:
        if self.slip.debtor:
            self._paragraph(x, width, y, self._say("payer"), self.slip.debtor.lines, small, size)
            return
        self._text(x, y, self._say("blank"), small, bold=True)
        self._corners(x, y + small * 1.3 / MM + 0.5, *box)

    def _amount(self, x: float, across: float, small: float, size: float) -> None:
        amount = f"{self.slip.amount:,.2f}".replace(",", " ")
        for place, name, text in ((x, "currency", self.slip.currency), (x + across, "amount", amount)):
            self._paragraph(place, WIDE, AMOUNT, self._say(name), [text], small, size)

    def _code(self) -> None:
        left, top = PAYMENT * MM, self.y + CODE_TOP * MM
        self.sheets.qr_code(self.slip.payload, left, top, CODE * MM, alt="Swiss QR Code")
        x, y = PAYMENT + CODE / 2, CODE_TOP + CODE / 2
        for side, colour in ((CROSS, WHITE), (SQUARE, BLACK)):
            self._box(x - side / 2, y - side / 2, side, side, colour)
        for wide, tall in ((ARM, ARM_WIDTH), (ARM_WIDTH, ARM)):
            self._box(x - wide / 2, y - tall / 2, wide, tall, WHITE)

    def _corners(self, x: float, y: float, width: float, height: float) -> None:
        for left, inwards in ((x, CORNER), (x + width, -CORNER)):
            for top, down in ((y, CORNER), (y + height, -CORNER)):
                self._line(left, top, left + inwards, top)
                self._line(left, top, left, top + down)

    # In millimetres --------------------------------------------------------------------------------------------------

    def _paragraph(
        self, x: float, width: float, y: float, heading: str, texts: Sequence[str], small: float, size: float
    ) -> float:
        """Write a heading with lines below it; return the top of the next one."""
        self._text(x, y, heading, small, bold=True)
        y += (small + 2.5) / MM
        for text in texts:
            for line in wrap(text, self.sheets.regular, size, width * MM):
                self._text(x, y, line.text, size)
                y += size * 1.1 / MM
        return y + size * 0.9 / MM

    def _text(self, x: float, y: float, text: str, size: float, *, bold: bool = False) -> None:
        self.sheets.text(x * MM, self.y + y * MM + size * 0.85, text, size, bold=bold, colour=BLACK)

    def _line(self, x: float, y: float, x2: float, y2: float) -> None:
        self.sheets.line(x * MM, self.y + y * MM, x2 * MM, self.y + y2 * MM, colour=BLACK, width=PEN)

    def _box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self.sheets.box(x * MM, self.y + y * MM, width * MM, height * MM, fill=colour)

    def _say(self, name: str) -> str:
        return WORDS[name][self.language]


def _grouped(kind: str, reference: str) -> str:
    """Return a reference in groups: a QR reference (27 digits) as two digits and groups of five, any other in fours."""
    if kind != "QRR":
        return in_fours(reference)
    return " ".join([reference[:2], *(reference[place : place + 5] for place in range(2, len(reference), 5))])
