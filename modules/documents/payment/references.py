"""References of payments with check digits: of a QR-IBAN (QRR), and of creditors everywhere (ISO 11649, ``RF…``)."""

from __future__ import annotations

from stdnum.ch import esr
from stdnum.iso7064 import mod_97_10

#: digits of a QR reference without its check digit: so many of the document's number, then its identifier
NUMBER, IDENTIFIER = 14, 12
#: what may follow the check digits of a creditor reference
LONGEST = 21


def qr_reference(ref: str, identifier: int) -> str:
    """A reference of 27 digits: the digits of a document's number, its identifier, a check digit (modulo 10,
    recursive).

    :param identifier: keeps two documents apart whose numbers have the same digits
    """
    digits = "".join(each for each in ref if each in "0123456789")[-NUMBER:]
    body = f"{digits:0>{NUMBER}}{identifier:0{IDENTIFIER}}"[-(NUMBER + IDENTIFIER) :]
    return body + str(esr.calc_check_digit(body))


def creditor_reference(ref: str) -> str:
    """A creditor reference of a document's number; empty where that has no letters and digits, or too many."""
    body = "".join(each for each in ref.upper() if each.isascii() and each.isalnum())
    if not body or len(body) > LONGEST:
        return ""
    return f"RF{mod_97_10.calc_check_digits(f'{body}RF')}{body}"
