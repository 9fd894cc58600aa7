"""Series of references: the active mask, the next reference, and those that a user chooses or deletes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from peewee import Field

from core import Account, Refused, current_caller, shown

from ..setup.constants import constant
from .counters import Column, advance, next_number, numbers_of, step_back
from .mask_constants import company_mask
from .masks import Context, Mask, MaskError, fits, parse

PROVISIONAL = re.compile(r"\(?PROV", re.IGNORECASE)


def provisional(identifier: int) -> str:
    """Return the reference of a draft."""
    return f"(PROV{identifier})"


def is_provisional(reference: str | None) -> bool:
    """Return whether a record has no final reference yet."""
    return not reference or PROVISIONAL.match(reference) is not None


class ActiveMask(NamedTuple):
    """A mask, and the constant that holds it.

    :param text: empty if references are free text
    :param source: empty for a fixed format, whose counter can exceed its digits
    """

    text: str
    source: str = ""

    @property
    def grows(self) -> bool:
        """Return whether it is a fixed format."""
        return not self.source


@dataclass(frozen=True)
class Series:
    """The references of one kind of record.

    :param name: name of the series, shared by all references that must be distinct
    :param fixed: the format used unless the constants define another; empty: references are free text
    :param addon: constant that selects the numbering scheme; empty: always the fixed format
    :param masks: scheme → the constants that may hold its mask, in order of precedence
    :param formats: further scheme → its fixed format; empty: references are free text
    :param setting: constant that may hold a mask if no scheme is selected; its name ends in ``_MASK``
    :param default: name of the scheme with the fixed format; the constant may then select only known schemes. Without
        it, any other value selects the fixed format
    :param capitals: store references in upper case
    """

    name: str
    fixed: str = ""
    addon: str = ""
    masks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    setting: str = ""
    default: str = ""
    capitals: bool = False

    def __post_init__(self) -> None:
        # Parsed here, to find an error when the module is loaded, not when the first number is taken
        for text in filter(None, (self.fixed, *self.formats.values())):
            parse(text, grows=True)

    def scheme(self) -> str:
        """Return the selected numbering scheme.

        :raises Refused: the constant selects an unknown one
        """
        name = (self.addon and constant(self.addon)) or self.default
        if reason := self._unknown(name):
            raise Refused(f"the constant {reason}", reason="not_configured")
        return name

    def _unknown(self, scheme: str) -> str:
        """Return why a scheme can't be selected; empty if it can."""
        known = (self.default, *self.masks, *self.formats)
        if not self.default or scheme in known:
            return ""
        return f"{self.addon}: expected one of {', '.join(known)}; got {shown(scheme)}"

    def mask(self) -> ActiveMask:
        """Return the active mask.

        :raises Refused: the selected scheme is unknown, or no constant has the mask that it needs
        """
        scheme = self.scheme()
        if self.setting and scheme == self.default and (text := constant(self.setting).strip()):
            return ActiveMask(text, self.setting)
        if scheme not in self.masks:
            return ActiveMask(self.formats.get(scheme, self.fixed))
        for source in self.masks[scheme]:
            if text := constant(source).strip():
                return ActiveMask(text, source)
        reason = f"the constant {self.masks[scheme][0]} has no numbering mask; set one such as REF{{yy}}-{{0000}}"
        raise Refused(reason, dolibarr=f"NotConfigured: {reason}", reason="not_configured")

    def take(self, column: Field, day: date, customer_code: str | None = None) -> str:
        """Take the next reference; the last step of the transaction that stores it. Empty if references are free text.

        :param column: the field that holds the existing references
        :param day: the day that is printed and decides the period
        :param customer_code: code of the record's third party
        :raises Refused: the mask is invalid, or has no number left
        """
        mask = self.mask()
        if not mask.text:
            return ""
        caller = current_caller() if "{u" in mask.text else None
        user = Account.get_or_none(Account.id == caller.id) if caller is not None else None
        lastname = (user.lastname or None) if user is not None else None
        context = Context(day, customer_code=customer_code or "", author_lastname=lastname)
        try:
            parsed = company_mask(mask.text, grows=mask.grows)
            reference = next_number(self.name, parsed, context, Column(column), capitals=self.capitals)
        except MaskError as error:
            raise Refused(str(error), reason="not_configured") from error
        longest = getattr(column, "max_length", None) or len(reference)
        if len(reference) > longest:
            reason = f"the numbering mask {mask.text} produces references longer than {longest} characters; shorten it"
            where = f" in the constant {mask.source}" if mask.source else ""
            raise Refused(reason + where, reason="not_configured")
        return reference

    def fits(self, reference: str) -> bool:
        """Return whether the mask permits a reference that a user chose: as in Dolibarr, only the length counts.

        :raises Refused: there is no mask, or it is invalid
        """
        mask = self.mask()
        try:
            return fits(company_mask(mask.text, grows=mask.grows), reference)
        except MaskError as error:
            raise Refused(f"{mask.source}: {error}", reason="not_configured") from error

    def advance_past(self, reference: str) -> None:
        """Advance the counter past a reference that a user chose, in the transaction that stores it."""
        if (mask := self._usable()) is not None:
            advance(self.name, mask, reference)

    def give_back(self, reference: str | None) -> bool:
        """Step the counter back when the record with the last reference of its series is deleted.

        :returns: whether it was the last one
        """
        mask = self._usable()
        return reference is not None and mask is not None and step_back(self.name, mask, reference)

    def is_last(self, reference: str, column: Field, day: date, customer_code: str | None = None) -> bool:
        """Return whether a reference is the last of its series; False if it doesn't match the active mask.

        Locks the counter, so no other transaction can take the next number. The parameters are those of `take`.

        :raises Refused: as `take`
        """
        following = self.take(column, day, customer_code)
        if (mask := self._usable()) is None:
            return False
        mine, after = numbers_of(self.name, mask, reference), numbers_of(self.name, mask, following)
        step_back(self.name, mask, following)
        return bool(mine) and after == {kind: (key, number + 1) for kind, (key, number) in mine.items()}

    def _usable(self) -> Mask | None:
        """Return the active mask; None without a mask, with an invalid one, or if references are free text."""
        try:
            mask = self.mask()
            return company_mask(mask.text, grows=mask.grows)
        except (MaskError, Refused):
            return None
