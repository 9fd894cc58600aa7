"""References of invoices: one series per type, all in one unique column."""

from __future__ import annotations

from ..numbering.mask_constants import check_mask
from ..numbering.series import Series
from ..setup.company import company
from ..setup.constants import constant
from .models import CREDIT_NOTE, DEPOSIT, REPLACEMENT, STANDARD

NUMBER = "{yy}{mm}-{0000}"
#: the constant with the prefix of standard invoices
PREFIX = "INVOICE_NUMBERING_TERRE_FORCE_PREFIX"
#: prefixes in the company's country and abroad, by type; types not listed use the standard ones
TERRE = {STANDARD: ("FA", "IN"), CREDIT_NOTE: ("AV", "IC"), DEPOSIT: ("AC", "ID")}
MARS = TERRE | {REPLACEMENT: ("FR", "IR")}
MASKS = {
    STANDARD: ("FACTURE_MERCURE_MASK_INVOICE",),
    REPLACEMENT: ("FACTURE_MERCURE_MASK_REPLACEMENT", "FACTURE_MERCURE_MASK_INVOICE"),
    CREDIT_NOTE: ("FACTURE_MERCURE_MASK_CREDIT",),
    DEPOSIT: ("FACTURE_MERCURE_MASK_DEPOSIT",),
}


def series_for(kind: int) -> Series:
    """Return the numbering series for a type of invoice, according to the company's constants."""
    abroad = (company()["country_code"] or "FR") != "FR"
    standard = TERRE[STANDARD][abroad]
    terre = TERRE.get(kind, TERRE[STANDARD])[abroad]
    if terre == standard:
        terre = constant(PREFIX).strip() or terre
    return Series(
        "invoices",
        terre + NUMBER,
        addon="FACTURE_ADDON",
        masks={"mod_facture_mercure": MASKS.get(kind, MASKS[STANDARD])},
        formats={"mod_facture_mars": MARS.get(kind, MARS[STANDARD])[abroad] + NUMBER},
    )


def check_prefix(name: str, text: str) -> None:
    """Check the constant with the prefix of references.

    :raises ValueError: a mask that begins with it is invalid or too long
    """
    check_mask(name, text + NUMBER)
