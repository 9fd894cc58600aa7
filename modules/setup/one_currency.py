"""Values in another currency. Amounts are in the company's, so a body with another one is rejected, not misread."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from core import BadRequest, Model, Records, Values, shown
from core.for_natives import Problems, default_context

from .constants import constant

M = TypeVar("M", bound=Model)

CODE, RATE, PRICE = "multicurrency_code", "multicurrency_tx", "multicurrency_subprice"
#: key for the values of a body in `CODE`, `RATE` and `PRICE`, in the context of accepted values
SENT = "multicurrency"


def own_currency() -> str:
    """Return the ISO 4217 code of the company's currency."""
    return constant("MAIN_MONNAIE") or "EUR"


class OneCurrency(Records[M]):
    """Records whose amounts are in the company's currency.

    Code, rate and unit price in another currency must be those that are stored, or those that the company's currency
    gives: its code, 1, the same price. Empty values and 0 pass. Totals are ignored, as are those in the own currency.
    """

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body. The currency of a new record is checked here, that of a stored one in `check`."""
        sent = {name: body[name] for name in (CODE, RATE, PRICE) if name in body and not is_empty(body[name])}
        if not sent:
            return super().accept(body, creating=creating, replace=replace)
        problems = Problems()
        accepted: tuple[Values, dict[str, Any] | None] = Values(), None
        with problems.at():
            accepted = super().accept(body, creating=creating, replace=replace)
        with problems.at():
            if creating:
                _require(sent, None, None)
        problems.check()
        accepted[0].context[SENT] = sent | {"subprice": _number(body.get("subprice"))}
        return accepted

    def check(
        self, values: Values, before: M | None, extras: Mapping[str, Any] | None, known: Collection[str] = ()
    ) -> dict[str, Any]:
        """Complete and check values; the price in another currency is compared with the completed one."""
        sent = values.context.get(SENT)
        if not sent:
            return super().check(values, before, extras, known)
        problems, changed = Problems(), dict[str, Any]()
        with problems.at():
            changed = super().check(values, before, extras, known)
        with problems.at():
            prices = [sent["subprice"], values.get("subprice"), getattr(before, PRICE, None)]
            _require(sent, before, prices if PRICE in self.model._meta.fields else None)
        problems.check()
        return changed


def is_empty(value: Any) -> bool:
    """Return whether a value in another currency is empty or 0, so that it means nothing."""
    return value in (None, "") or _number(value) == 0


@default_context
def _require(sent: Mapping[str, Any], stored: Model | None, prices: Collection[Any] | None) -> None:
    """Raise BadRequest unless values are the company's.

    :param stored: the row before a change
    :param prices: what the unit price may be; None: it is not compared
    """
    wrong = []
    code, rate = getattr(stored, CODE, None) or own_currency(), getattr(stored, RATE, None) or Decimal(1)
    if CODE in sent and str(sent[CODE]).strip().upper() != code:
        wrong.append((CODE, f"expected {code}, because all amounts are in this currency, got {shown(sent[CODE])}"))
    if RATE in sent and _number(sent[RATE]) != rate:
        wrong.append((RATE, f"expected {rate.normalize():f}, the rate of {code}, got {shown(sent[RATE])}"))
    if PRICE in sent and prices is not None and _number(sent[PRICE]) not in prices:
        wrong.append((PRICE, f"expected the same price as `subprice`, in {code}, got {shown(sent[PRICE])}"))
    if wrong:
        raise BadRequest(errors=wrong)


@default_context
def _number(value: Any) -> Decimal | None:
    """Return a value as a number; None if it isn't a number."""
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
