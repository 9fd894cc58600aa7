"""The amount due in the PDF of an invoice: in its totals, its payment code and its XML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO

from pypdf import PdfReader

from tests.laws.amounts import exact
from tests.modules.documents.codes import drawn_codes
from tests.modules.documents.pdf_text import text_of
from tests.modules.invoices.facturx.electronic import SUMS, Xml


@dataclass(frozen=True)
class Printed:
    """The amounts in a PDF.

    :param due: the amount to pay
    :param coded: that of the payment code; None without one
    :param electronic: that of the XML (BT-115), which is positive for a credit note; None without XML
    """

    due: Fraction
    coded: Fraction | None = None
    electronic: Fraction | None = None

    @classmethod
    def of(cls, pdf):
        """Read a PDF in English, in euros."""
        amounts = re.findall(r"(?:Remaining to pay|Total incl\. VAT) (-?)€([\d,]+\.\d+)", text_of(pdf))
        codes = [re.search(r"^EUR([\d.]+)$", code.text, re.MULTILINE) for code in drawn_codes(pdf)]
        files = [content for contents in PdfReader(BytesIO(pdf)).attachments.values() for content in contents]
        return cls(
            exact("".join(amounts[-1]).replace(",", "")),
            exact(codes[0][1]) if codes else None,
            exact(Xml(files[0]).one(f"{SUMS}/ram:DuePayableAmount")) if files else None,
        )
