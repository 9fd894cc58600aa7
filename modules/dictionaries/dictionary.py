"""A dictionary: its entries, its list, and changes of its entries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from peewee import fn

from core import (
    ExactField,
    ListQuery,
    MapField,
    Model,
    NotFound,
    RecordField,
    Records,
    Refused,
    Values,
    profile,
    transaction,
)
from core.for_natives import Page, bump, catalogue, named_uses

from .entries import coded, entries, fill
from .filters import OFFERED, Filter
from .language import Language, find_language
from .seeds import first_entries, last_deleted, note_deletion

#: the lowest ID of entries that are not predefined
FIRST_OWN = 10000


class Dictionary(Records[Model]):
    """A dictionary.

    :param model: its table
    :param name: its name in the API
    :param title: description of its entries
    :param shown: the returned fields, separated by spaces; empty: all
    :param recorded: those of Dolibarr 16, in the profile with its keys; empty: the same
    :param sort: the default fields to sort by
    :param right: the permission for reading it; empty: any valid key
    :param filters: parameters of its list
    :param names: source of translations: ``texts`` of the module, ``territories`` or ``currencies`` of Babel; empty:
        proper names, which aren't translated
    :param key: the field with the key of an entry in Babel
    :param translated: the translated fields
    :param by: the field whose value records store to reference an entry
    :param copied: records store a copy of that value, so it may change
    :param columns: columns of any table that reference an entry, or ``table.column``; `RecordField` needs no mention
    :param constants: constants that reference an entry
    """

    managed = ("id",)

    def __init__(
        self,
        model: type[Model],
        name: str,
        title: str,
        *,
        noun: str = "Entry",
        shown: str = "",
        recorded: str = "",
        sort: str = "code",
        right: str = "",
        filters: tuple[Filter, ...] = (OFFERED,),
        names: str = "texts",
        key: str = "id",
        translated: str = "label",
        by: str = "id",
        copied: bool = False,
        columns: str = "",
        constants: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.shown, self.recorded = shown.split(), recorded.split()
        self.sort = ",".join(f"t.{each}" for each in sort.split(","))
        self.right = right
        self.filters = filters
        self.names = name if names == "texts" else names
        self.key_of_name = key
        self.translated = translated.split()
        self.by = by
        self.copied = copied
        self.naming = Naming(by, tuple(columns.split()), tuple(constants.split()))
        self.language: Language = find_language("")
        super().__init__(model, noun=noun)

    def in_language(self, lang: str) -> Dictionary:
        """Return the same dictionary in a language.

        :raises BadRequest: the language is unknown
        """
        made = copy(self)
        made.language = find_language(lang)
        return made

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Translate the texts, and reduce each record to the shown fields, in that order."""
        names = self.shown if profile().entries_have_ids else self.recorded or self.shown
        for record in records:
            self._say(record)
            if names:
                shown = {name: record[name] for name in names}
                record.clear()
                record.update(shown)

    def complete_one(self, record: dict[str, Any]) -> None:
        """Complete an entry that is read individually: it always has `active`."""
        active = record["active"]
        self.complete([record])
        record["active"] = active

    def _say(self, record: dict[str, Any]) -> None:
        """Translate the predefined texts of an entry; changed texts stay as they are."""
        first: Any = first_entries(self.model).get(int(record["id"]))
        if first is None:
            return
        for field in self.translated:
            shipped = getattr(first, field)
            if shipped and record[field] == shipped:
                said = self.language.say(self.names, str(getattr(first, self.key_of_name)), shipped)
                for name in (field, *(alias for alias, of in _meta(self.model).aliases.items() if of == field)):
                    record[name] = said

    def add_words(self, records: Iterable[dict[str, Any]], key: str, field: str) -> None:
        """Add the text of the referenced entry to records of another table; null without an entry.

        :param key: key of the text in the records
        :param field: key of the entry's ID in the records, or of its code if records reference it by code
        """
        said: dict[Any, str | None] = {None: None, "": None}
        for record in records:
            value = record[field]
            if value not in said:
                said[value] = self._word(value)
            record[key] = said[value]

    def _word(self, value: Any) -> str | None:
        row: Any = entries(self.model).get(int(value)) if self.by == "id" else coded(self.model).get(str(value))
        if row is None:
            return None
        words = {"id": row.id, **{each: getattr(row, each) for each in self.translated}}
        self._say(words)
        word: str = words[self.translated[0]]
        return word

    def named(self, text: str) -> list[int]:
        """Return the IDs of the entries whose name in the language contains a text; case is ignored."""
        records = [
            {"id": row.id, **{each: getattr(row, each) for each in self.translated}} for row in _rows(self.model)
        ]
        for record in records:
            self._say(record)
        wanted = text.casefold()
        return [
            record["id"] for record in records if any(wanted in record[each].casefold() for each in self.translated)
        ]

    def listed(self, query: ListQuery, lang: str = "", **asked: Any) -> Page:
        """List the entries that match.

        :param asked: values of `filters`
        :raises BadRequest: a filter, field, language or number is invalid
        """
        fill(self.model)
        dictionary = self.in_language(lang)
        where: dict[str, Any] = {}
        for each in self.filters:
            value = asked.get(each.name, each.default)
            if each.always or value != each.default:
                query = each.narrow(dictionary, value, query, where)
        return dictionary.page(query, where)

    def read_one(self, value: Any, by: str = "", lang: str = "") -> dict[str, Any]:
        """Read one entry.

        :param by: the field that holds the value; empty: the ID
        :raises BadRequest: the language is unknown, or the value is empty
        :raises NotFound: no such entry
        """
        fill(self.model)
        return self.in_language(lang).read(value, by)

    def read_first(self, value: str, by: str) -> dict[str, Any]:
        """Read the entry with the lowest ID among those with a value, as Dolibarr clients expect.

        :raises NotFound: no such entry
        """
        fill(self.model)
        found: Any = self.rows({by: value})
        if not found:
            raise NotFound(f"{self.noun} {value!s:.80} not found", dolibarr=f"{self.noun} not found")
        return self.read(found[0].id)

    def prepare(self, values: Values, before: Model | None) -> None:
        """Reject a change of the value that records store, while any record references the entry."""
        named: Any = getattr(before, self.by, None)
        if before is None or self.copied or values.get(self.by, named) == named:
            return
        if users := users_of(self.naming, before):
            raise Refused(
                f"can't change `{self.by}` of {self.noun.lower()} {named}: it is used by {', '.join(users)}",
                reason="in_use",
            )

    def add(self, body: Mapping[str, Any]) -> int:
        """Create an entry; return its ID."""
        fill(self.model)
        with transaction():
            # Concurrent changes of dictionaries wait here for each other
            bump()
            return self.create(body, id=self._next_identifier())

    def alter(self, identifier: int, body: Mapping[str, Any]) -> None:
        """Change the fields of an entry that the body contains."""
        fill(self.model)
        with transaction():
            bump()
            self.change(identifier, body)

    def remove(self, identifier: int) -> list[str]:
        """Delete an entry, or hide it if it is in use; return the texts of its uses."""
        fill(self.model)
        with transaction():
            bump()
            row = self.load(identifier, lock=True, if_match=True)
            users = users_of(self.naming, row) or self._kept(identifier)
            if users:
                self.change(identifier, {}, active=0)
        return users

    def _kept(self, identifier: int) -> list[str]:
        """Delete an entry permanently; if that is refused, return why, such as a reference from a removed module."""
        try:
            with transaction():
                self.delete(identifier)
        except Refused as refusal:
            return [refusal.message]
        note_deletion(self.model, identifier)
        return []

    def _next_identifier(self) -> int:
        key = _meta(self.model).primary_key
        highest = self.model.select(fn.MAX(key)).scalar() or 0
        return 1 + max(FIRST_OWN - 1, highest, last_deleted(self.model))


def _meta(model: Any) -> Any:
    return model._meta


def _rows(model: type[Model]) -> list[Any]:
    return [*entries(model).values()]


# Uses of an entry: records of any module refer to it ------------------------------------------------------------------

#: columns with the code of a VAT rate, which distinguishes rates of the same percentage
_VAT_CODES = ("vat_src_code", "default_vat_code")
_CONSTANTS = "llx_const"


@dataclass(frozen=True)
class Naming:
    """The references from records to an entry.

    :param by: the field of the entry whose value they store
    :param columns: columns of any table that store it, or ``table.column``
    :param constants: constants that store it
    """

    by: str
    columns: tuple[str, ...]
    constants: tuple[str, ...]


def users_of(naming: Naming, row: Any) -> list[str]:
    """Return the tables that reference an entry, with the number of records, as texts; empty if it is unused.

    Tables that the caller may not read are ``other records``.

    :param row: the entry
    """
    found: dict[str, tuple[Any, int]] = {}
    for model, condition in _places(naming, row):
        table = _meta(model).table_name.removeprefix("llx_").removeprefix("c_")
        if count := model.select().where(condition).count():
            found[table] = model, found.get(table, (model, 0))[1] + count
    return named_uses((model, f"{table} ({count})") for table, (model, count) in sorted(found.items()))


def _places(naming: Naming, row: Any) -> Iterator[tuple[Any, Any]]:
    """Return model and condition for every column that may reference the entry."""
    own, seen, by = _meta(type(row)).table_name, set(), getattr(row, naming.by)
    for model in catalogue().models:
        table = _meta(model).table_name
        for field in _meta(model).fields.values():
            place = f"{table}.{field.column_name}"
            if place in seen:
                continue
            seen.add(place)
            if isinstance(field, RecordField):
                if _meta(field.target()).table_name == own:
                    yield model, field == row.id
            elif place in naming.columns or (field.column_name in naming.columns and table != own):
                condition = _condition(model, field, by, row)
                if condition is not None:
                    yield model, condition
        if table == _CONSTANTS and naming.constants:
            # The constant of the country has ID, code and name, or only the code
            name, value = _meta(model).fields["name"], _meta(model).fields["value"]
            texts = value.in_((str(by), str(getattr(row, "code", by)))) | value.startswith(f"{by}:")
            yield model, name.in_(naming.constants) & texts


def _condition(model: Any, field: Any, by: Any, row: Any) -> Any:
    """Return the condition for rows that reference the entry; None if the column has a different type."""
    if isinstance(field, MapField):
        return fn.COALESCE(field, "").contains(f"{json.dumps(by, ensure_ascii=False)}:")
    try:
        field.db_value(by)
    except (TypeError, ValueError, ArithmeticError):
        return None
    condition = field == by
    if isinstance(field, ExactField):
        # Lines store the rate itself and its code
        for each in _meta(model).fields.values():
            if each.column_name in _VAT_CODES:
                condition &= fn.COALESCE(each, "") == row.code
    return condition
