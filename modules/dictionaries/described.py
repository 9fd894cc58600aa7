"""Descriptions of dictionaries, and the response to deleting an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from peewee import IntegerField

from core import ExactField
from core.for_natives import Success, success

from .dictionary import FIRST_OWN, Dictionary
from .lists import DICTIONARIES


class FieldDescription(TypedDict):
    """A field of a dictionary's entries."""

    name: Annotated[str, "field name in a body"]
    type: Annotated[str, "integer, decimal or text"]
    required: Annotated[bool, "whether the field is required"]
    max_length: Annotated[int | None, "maximum number of characters"]
    description: Annotated[str, "what the field holds"]


class DictionaryDescription(TypedDict):
    """A dictionary."""

    name: Annotated[str, "in the path: /setup/dictionary/{name}"]
    title: Annotated[str, "title of the dictionary"]
    right: Annotated[str, "permission to read it; empty: any valid key"]
    own_from: Annotated[int, "lowest ID of added entries"]
    fields: Annotated[list[FieldDescription], "the fields of an entry"]


class Removal(Success):
    """What became of an entry that was to be deleted."""

    deleted: Annotated[int, "1: deleted; 0: hidden, because it is in use"]
    used_by: Annotated[list[str], "tables that use the entry"]


def _every_field() -> dict[str, Any]:
    """Return the fields of all dictionaries, as if one entry had them all."""
    words: dict[str, str] = {"country_id": ""}
    for each in DICTIONARIES.values():
        meta: Any = each.model._meta
        words |= {name: words.get(name) or field.help_text or "" for name, field in meta.fields.items()}
        words |= {name: words.get(name, "") for name in meta.aliases}
    return {name: Annotated[int | str | None, text or name] for name, text in words.items()}


if TYPE_CHECKING:
    AnyEntry = dict[str, Any]
else:
    # The name of the dictionary in the path decides which of these fields exist
    AnyEntry = TypedDict("AnyEntry", _every_field(), total=False)


def describe(dictionary: Dictionary) -> DictionaryDescription:
    """Return the description of a dictionary."""
    meta: Any = dictionary.model._meta
    fields: list[FieldDescription] = [
        {
            "name": name,
            "type": _kind(field),
            "required": name in meta.required or (not field.null and field.default is None),
            "max_length": getattr(field, "max_length", None),
            "description": _words(field),
        }
        for name, field in meta.fields.items()
        if name not in {*meta.managed, *dictionary.managed}
    ]
    return {
        "name": dictionary.name,
        "title": dictionary.title,
        "right": dictionary.right,
        "own_from": FIRST_OWN,
        "fields": fields,
    }


def removal(dictionary: Dictionary, identifier: int) -> Removal:
    """Delete or hide an entry; return which of the two happened."""
    users = dictionary.remove(identifier)
    told = success("Entry hidden, because it is in use" if users else "Entry deleted")
    return {**told, "deleted": int(not users), "used_by": users}


def _kind(field: Any) -> str:
    if isinstance(field, IntegerField):
        return "integer"
    return "decimal" if isinstance(field, ExactField) else "text"


def _words(field: Any) -> str:
    choices = ", ".join(f"{value} {word}" for value, word in field.choices or ())
    return "; ".join(text for text in (field.help_text or "", choices) if text)
