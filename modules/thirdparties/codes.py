"""Customer and supplier codes, in the way that the constant SOCIETE_CODECLIENT_ADDON chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from core import BadRequest, Refused, wrong_fields

from ..numbering.counters import company_context, count_in, in_transaction, next_number, step_back
from ..numbering.masks import Context, MaskError, fits, parse
from ..setup.company import today
from ..setup.constants import constant

ADDON = "SOCIETE_CODECLIENT_ADDON"


@dataclass(frozen=True)
class Manner:
    """One way of giving codes; `formats`, `constants`: kind of code → fixed format, or constant that holds a mask."""

    formats: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    #: whether a code may not be empty
    required: bool = False
    #: characters of a code at the least
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


def next_code(kind: str, existing: Callable[[], Iterable[str]]) -> str:
    """Take the next code, inside the transaction that stores it; empty where codes are free text.

    :param kind: ``customer`` or ``supplier``
    :param existing: answers the codes there are
    :raises Refused: the constants do not say how, or the mask has no number left
    """
    manner = _manner()
    mask = _mask(manner, kind)
    if not mask:
        return ""
    return next_number(kind, mask, _today(), existing, grows=bool(manner.formats), capitals=manner.capitals)


def check_code(kind: str, code: str) -> str:
    """A code that somebody chose, as it is stored; whether it is used already is the caller's to ask.

    In the transaction that stores the code it counts too: the next generated one is behind it.

    :param kind: ``customer`` or ``supplier``
    :raises BadRequest: the code is missing or does not have the length it must have
    :raises Refused: the constants do not say how codes look
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
        reason = f"expected {expected}, got {code!r:.60}"
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
    """Free the number of a code whose third party is being deleted, if it is the last one; inside the transaction."""
    manner = _manner()
    mask = manner.formats.get(kind) or constant(manner.constants.get(kind, ""))
    if mask and code:
        step_back(kind, mask, code, _today(), grows=bool(manner.formats))


def _today() -> Context:
    """What masks are filled from: the company's own today."""
    return company_context(today())


def check_manner(name: str, value: str) -> None:
    """Refuse a value of the constant `ADDON` that is no manner of giving codes; an empty one unsets it.

    :raises BadRequest: it is none
    """
    if name == ADDON and value and value not in MANNERS:
        raise wrong_fields([("value", f"{ADDON}: expected one of {', '.join(MANNERS)}; got {value!r:.80}")])


def _manner() -> Manner:
    name = constant(ADDON) or "mod_codeclient_monkey"
    if name not in MANNERS:
        raise Refused(
            f"the constant {ADDON}: expected one of {', '.join(MANNERS)}; got {name!r:.80}", reason="not_configured"
        )
    return MANNERS[name]


def _mask(manner: Manner, kind: str) -> str:
    """The fixed format or mask of a kind of code; empty where codes are free text."""
    if not manner.constants:
        return manner.formats.get(kind, "")
    mask = constant(manner.constants[kind])
    if not mask:
        reason = f"the constant {manner.constants[kind]} has no numbering mask; set one such as CU{{00000}}"
        raise Refused(reason, dolibarr=f"NotConfigured: {reason}", reason="not_configured")
    return mask
