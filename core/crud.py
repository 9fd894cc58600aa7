"""`Crud`: the API class of a standard service, whose records are listed, read, created, changed and deleted."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from .contract.api import Api
from .contract.results import Removed, removed
from .records.lists import ListQuery
from .records.records import Records
from .storage.model import Model, meta_of

Record = Annotated[dict[str, Any], "model"]


class Crud(Api):
    """Base of an API class with the standard operations of its `records`.

    The server adds three more: `batch`, `sums` and `history`. An operation that differs is a method of the same name;
    its docstring says only what differs from the one here.

    :cvar path: the path of the operations, if it is below another service: ``invoices/templates``
    :cvar noun: the word for a record in the documentation; by default that of `records`, in lower case
    :cvar nouns: its plural
    :cvar without: the operations that the service doesn't have: names of methods, `batch`, `sums`, `history`
    :cvar refusals: names of methods, such as ``"post put"`` → why they can be refused with 405; "": they aren't
    """

    records: ClassVar[Records[Any]]
    model: ClassVar[type[Model]]
    noun: ClassVar[str]
    nouns: ClassVar[str]
    without: ClassVar[Collection[str]] = ()
    refusals: ClassVar[Mapping[str, str]] = MappingProxyType({})
    wording: ClassVar[Mapping[str, str]]

    def __init_subclass__(cls, **more: Any) -> None:
        """Take from the records what the class doesn't say."""
        super().__init_subclass__(**more)
        records = cls.__dict__.get("records")
        if not isinstance(records, Records):
            return
        cls.model = records.model
        cls.noun = cls.__dict__.get("noun", records.noun.lower())
        cls.nouns = cls.__dict__.get("nouns", plural_of(cls.noun))
        extras = bool(meta_of(cls.model).extrafields)
        cls.wording = {
            "nouns": cls.nouns,
            "replaced": ", and `array_options` replaces all extra fields" if extras else "",
            "merged": "Extra fields also stay" if extras else "Fields you don't send stay",
            **cls.__dict__.get("wording", {}),
        }

    def index(self, query: ListQuery) -> list[Record]:
        """List {nouns}.

        :permission: read
        """
        return self.records.page(query)

    def get(self, id: int) -> Record:
        """Read {a_noun}.

        :param id: {noun} ID
        :permission: read
        """
        return self.records.read(id)

    def post(self, request_data: Record) -> int:
        """Create {a_noun}.

        Returns the {noun}'s ID.

        :permission: write
        """
        return self.records.create(request_data)

    def put(self, id: int, request_data: Record) -> Record:
        """Update {a_noun}.

        Fields you don't send stay{replaced}.

        :param id: {noun} ID
        :permission: write
        """
        self.records.change(id, request_data)
        return self.records.read(id)

    def patch(self, id: int, request_data: Record) -> Record:
        """Change some fields of {a_noun}.

        {merged}.

        :param id: {noun} ID
        :permission: write
        """
        self.records.change(id, request_data, merge_extras=True)
        return self.records.read(id)

    def delete(self, id: int) -> Removed:
        """Delete an unused {noun}.

        :param id: {noun} ID
        :raises Refused: another record refers to it
        :permission: delete
        """
        self.records.delete(id)
        return removed(f"{self.records.noun} deleted")


def with_article(noun: str) -> str:
    """Return a noun with its article, such as "an order", "a user"."""
    return f"{'an' if re.match('[aeio]|u(?!s|ni)', noun, re.IGNORECASE) else 'a'} {noun}"


def plural_of(noun: str) -> str:
    """Return the regular plural of an English noun: ``cards``, ``categories``."""
    return re.sub(r"(?<![aeiou])y$", "ie", re.sub(r"(s|x|z|ch|sh)$", r"\1e", noun)) + "s"
