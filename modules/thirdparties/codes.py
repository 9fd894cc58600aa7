"""Customer and supplier codes, by the method in the constant SOCIETE_CODECLIENT_ADDON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from core import BadRequest, Refused, shown, today

from ..numbering.counters import company_context, count_in, in_transaction, next_number, step_back
from ..numbering.masks import Context, MaskError, fits, parse
from ..setup.constants import constant

ADDON = "SOCIETE_CODECLIENT_ADDON"


@dataclass(frozen=True)
class Manner:
    """A numbering method; `formats`, `constants`: kind of code → fixed format, or constant with a mask."""

    formats: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    #: whether a code is required
    required: bool = False
    #: minimum characters of a code
    shortest: int = 0
    #: whether codes are stored in capitals, without blanks around them
    capitals: bool = True


MANNERS = {
    "mod_codeclient_monkey": Manner(
        formats={"customer": "CU{yy}{mm}-{00000}", "supplier": "SU{yy}{mm}-{00000}"}, shortest=11
    ),
    "mod_codeclient_elephant": Manner(
        constants={"customer": "COMPANY_ELEPHANT_MASK_CUSTOMER", "supplier": "COMPANY_ELEPHANT_MASK_SUPPLIER"},
        required=True,
    ),
    "mod_codeclient_leopard": Manner(capitals=False),
}


def is_required() -> bool:
    """Return whether each customer and supplier must have a code.

    :raises Refused: the constants define no numbering method
    """
    return _manner().required


def next_code(kind: str, existing: Callable[[], Iterable[str]]) -> str:
    """Take the next code, inside the transaction that stores it; empty if codes are free text.

    :param kind: ``customer`` or ``supplier``
    :param existing: returns the existing codes
    :raises Refused: the constants define no numbering method, or the mask has no number left
    """
    manner = _manner()
    mask = _mask(manner, kind)
    if not mask:
        return ""
    return next_number(kind, mask, _today(), existing, grows=bool(manner.formats), capitals=manner.capitals)


def check_code(kind: str, code: str) -> str:
    """Check a code that a user chose, and return it as it is stored. The caller checks whether it is already in use.

    Call this in the transaction that stores the code: it also advances the counter past it.

    :param kind: ``customer`` or ``supplier``
    :raises BadRequest: the code is missing or does not have the length it must have
    :raises Refused: the constants define no numbering method
    """
    manner = _manner()
    noun = kind.capitalize()
    if manner.capitals:
        code = code.strip().upper()
    if not code:
        if manner.required:
            reason = f"a {kind} code is required"
            raise BadRequest(reason, dolibarr=f"Error{noun}CodeRequired: {reason}")
        return ""
    mask = _mask(manner, kind)
    context = _today()
    expected = ""
    if len(code) < manner.shortest:
        expected = f"a {kind} code of at least {manner.shortest} characters"
    elif manner.constants and not _fits(mask, context, code, manner.constants[kind]):
        expected = f"a {kind} code with the length of the mask {mask}"
    if expected:
        reason = f"expected {expected}, got {shown(code)}"
        raise BadRequest(reason, dolibarr=f"ErrorBad{noun}CodeSyntax: {reason}")
    if mask and in_transaction():
        count_in(kind, mask, code, context, grows=bool(manner.formats))
    return code


def _fits(mask: str, context: Context, code: str, source: str) -> bool:
    try:
        return fits(parse(mask, context.fiscal_month, short_counters=context.short_counters), code)
    except MaskError as error:
        raise Refused(f"{source}: {error}", reason="not_configured") from error


def release_code(kind: str, code: str) -> None:
    """Free the number of a deleted third party's code if it is the last one. Call this inside the transaction."""
    manner = _manner()
    mask = manner.formats.get(kind) or constant(manner.constants.get(kind, ""))
    if mask and code:
        step_back(kind, mask, code, _today(), grows=bool(manner.formats))


def _today() -> Context:
    """Return the values that fill masks, for the company's current date."""
    return company_context(today())


def check_manner(name: str, value: str) -> None:
    """Reject a value of the constant `ADDON` that is not a known numbering method; an empty one unsets it.

    :raises BadRequest: the value is unknown
    """
    if name == ADDON and value and value not in MANNERS:
        raise BadRequest(errors=[("value", f"{ADDON}: expected one of {', '.join(MANNERS)}; got {shown(value)}")])


def _manner() -> Manner:
    name = constant(ADDON) or "mod_codeclient_monkey"
    if name not in MANNERS:
        raise Refused(
            f"the constant {ADDON}: expected one of {', '.join(MANNERS)}; got {shown(name)}", reason="not_configured"
        )
    return MANNERS[name]


def _mask(manner: Manner, kind: str) -> str:
    """Return the fixed format or mask of a kind of code; empty if codes are free text."""
    if not manner.constants:
        return manner.formats.get(kind, "")
    mask = constant(manner.constants[kind])
    if not mask:
        reason = f"the constant {manner.constants[kind]} has no numbering mask; set one such as CU{{00000}}"
        raise Refused(reason, dolibarr=f"NotConfigured: {reason}", reason="not_configured")
    return mask
