"""Customer and supplier codes, by the scheme in the constant SOCIETE_CODECLIENT_ADDON."""

from __future__ import annotations

from core import BadRequest, shown

from ..numbering.counters import in_transaction
from ..numbering.series import Series

MONKEY, ELEPHANT, LEOPARD = "mod_codeclient_monkey", "mod_codeclient_elephant", "mod_codeclient_leopard"
#: minimum characters of a chosen code without a mask, as in Dolibarr
MIN_CODE_CHARS = 11


def _series(kind: str, fixed: str) -> Series:
    return Series(
        kind,
        fixed,
        addon="SOCIETE_CODECLIENT_ADDON",
        masks={ELEPHANT: (f"COMPANY_ELEPHANT_MASK_{kind.upper()}",)},
        formats={LEOPARD: ""},
        default=MONKEY,
        capitals=True,
    )


#: kind of code → its series
SERIES = {
    "customer": _series("customer", "CU{yy}{mm}-{00000}"),
    "supplier": _series("supplier", "SU{yy}{mm}-{00000}"),
}


def is_required() -> bool:
    """Return whether each customer and supplier must have a code.

    :raises Refused: the constant selects an unknown scheme
    """
    return SERIES["customer"].scheme() == ELEPHANT


def check_code(kind: str, code: str) -> str:
    """Check a code that a user chose, and return it as it is stored. The caller checks whether it is already in use.

    In the transaction that stores the code, this also advances the counter past it.

    :param kind: ``customer`` or ``supplier``
    :raises BadRequest: the code is missing or has the wrong length
    :raises Refused: the constant selects an unknown scheme, or the mask is missing or invalid
    """
    series, noun = SERIES[kind], kind.capitalize()
    scheme = series.scheme()
    if scheme != LEOPARD:
        code = code.strip().upper()
    if not code:
        if scheme == ELEPHANT:
            reason = f"a {kind} code is required"
            raise BadRequest(reason, dolibarr=f"Error{noun}CodeRequired: {reason}")
        return ""
    expected = ""
    if scheme == MONKEY and len(code) < MIN_CODE_CHARS:
        expected = f"a {kind} code of at least {MIN_CODE_CHARS} characters"
    elif scheme == ELEPHANT and not series.fits(code):
        expected = f"a {kind} code with the length of the mask {series.mask().text}"
    if expected:
        reason = f"expected {expected}, got {shown(code)}"
        raise BadRequest(reason, dolibarr=f"ErrorBad{noun}CodeSyntax: {reason}")
    if in_transaction():
        series.advance_past(code)
    return code
