"""References: the numbering mask of a kind of document, and its next number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from peewee import Field

from core import Account, Refused, current_caller

from ..numbering.counters import Column, company_context, next_number, step_back
from ..numbering.masks import Context, parse
from ..setup.constants import constant
from ..thirdparties.models import Thirdparty

PROVISIONAL = re.compile(r"\(?PROV", re.IGNORECASE)


def provisional(identifier: int) -> str:
    """Return the reference of a draft."""
    return f"(PROV{identifier})"


def is_provisional(reference: str | None) -> bool:
    """Return whether a record has no final reference yet."""
    return not reference or PROVISIONAL.match(reference) is not None


@dataclass(frozen=True)
class Series:
    """The numbering series of one kind of record.

    :param name: name of the series, shared by all references that must be distinct
    :param fixed: the format used unless the constants define another; its counter can exceed its digits
    :param addon: constant that selects the numbering scheme; empty: always the fixed format
    :param masks: scheme → the constants that may hold its mask, in order of precedence
    :param formats: further scheme → its fixed format
    :param setting: constant that may hold a mask if no scheme is selected
    """

    name: str
    fixed: str
    addon: str = ""
    masks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    setting: str = ""

    def __post_init__(self) -> None:
        # Parsed here, to find an error when the module is loaded, not on the first validation
        for mask in (self.fixed, *self.formats.values()):
            parse(mask, grows=True)

    def mask(self) -> tuple[str, bool]:
        """Return the active mask, and whether it is a fixed format.

        :raises Refused: the selected scheme needs a mask, and no constant has one
        """
        manner = constant(self.addon) if self.addon else ""
        if not manner and self.setting and (chosen := constant(self.setting).strip()):
            return chosen, False
        if manner not in self.masks:
            return self.formats.get(manner, self.fixed), True
        names = self.masks[manner]
        mask = next((text for name in names if (text := constant(name).strip())), "")
        if not mask:
            reason = f"the constant {names[0]} has no numbering mask; set one such as REF{{yy}}-{{0000}}"
            raise Refused(reason, dolibarr=f"NotConfigured: {reason}", reason="not_configured")
        return mask, False

    def take(self, column: Field, day: date, thirdparty: Thirdparty | None = None) -> str:
        """Take the next reference; the last step of the transaction that stores it.

        :param column: the field that holds the existing references
        :param day: the day that is printed and decides the period
        :param thirdparty: third party of the record
        :raises Refused: the mask is invalid, or has no number left
        """
        mask, grows = self.mask()
        context = _context(day, thirdparty, author="{u" in mask)
        reference = next_number(self.name, mask, context, Column(column), grows=grows)
        longest = getattr(column, "max_length", None) or len(reference)
        if len(reference) > longest:
            names = (self.setting, *(each for masks in self.masks.values() for each in masks))
            source = next((f" in the constant {each}" for each in names if each and constant(each).strip() == mask), "")
            raise Refused(
                f"the numbering mask {mask} produces references longer than {longest} characters; shorten it{source}",
                reason="not_configured",
            )
        return reference

    def give_back(self, reference: str | None) -> bool:
        """Step the counter back when the record with the last reference of its series is deleted.

        :returns: whether it was the last one
        """
        if is_provisional(reference):
            return False
        try:
            mask, grows = self.mask()
        except Refused:
            return False
        return step_back(self.name, mask, reference or "", company_context(date.min), grows=grows)


def _context(day: date, thirdparty: Thirdparty | None, *, author: bool) -> Context:
    caller = current_caller() if author else None
    user = Account.get_or_none(Account.id == caller.id) if caller is not None else None
    more: dict[str, Any] = {"author_lastname": user.lastname} if user is not None and user.lastname else {}
    if thirdparty is not None:
        more["customer_code"] = thirdparty.code_client or ""
    return company_context(day, **more)
