"""Definitions of extra fields, in the form of the API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict

from core import BadRequest, ListQuery, NotFound, Records, profile, shown, warn
from core.for_natives import ExtraField, define, redefine

from .recorded_names import kind_named, own_kinds

#: names in the server
Type = Literal[
    "varchar", "text", "html", "int", "double", "price", "date", "datetime", "boolean", "select", "radio", "checkbox",
    "phone", "mail", "url", "link",
]  # fmt: skip


#: also as text, because responses in the profile dolibarr16 contain text
Flag = bool | Literal[0, 1, "0", "1"]


class Options(TypedDict, total=False):
    """What belongs to the type of an extra field."""

    options: Annotated[dict[str, Any], "of a select, radio or checkbox: key that is kept → what a person reads"]


class Definition(TypedDict):
    """The definition of an extra field."""

    type: Annotated[Type, "what its values are"]
    label: Annotated[str, "what a person reads"]
    size: Annotated[str | None, ExtraField.size]
    elementtype: Annotated[str, ExtraField.elementtype]
    default: Annotated[str | None, ExtraField.default]
    computed: Annotated[None, "extra fields are not computed"]
    unique: Annotated[int, ExtraField.unique]
    required: Annotated[int, ExtraField.required]
    param: Annotated[Options | Literal[""], "without options empty; in the profile dolibarr16 an empty text then"]
    pos: Annotated[int, ExtraField.pos]
    alwayseditable: Annotated[int, ExtraField.alwayseditable, "kept, and without effect"]
    perms: Annotated[str | None, ExtraField.perms, "not used"]
    list: Annotated[str | None, ExtraField.list, "not used"]


class Details(TypedDict, total=False):
    """What a definition may say besides type and label."""

    size: Annotated[str | int | None, "maximum characters of a varchar; default 255; can't change"]
    default: Annotated[str | int | float | None, "default value"]
    unique: Annotated[Flag, "1: no value twice"]
    required: Annotated[Flag, "1: required when a record is created"]
    param: Annotated[Options | None, "options of a choice"]
    pos: Annotated[int | str, "position"]
    alwayseditable: Annotated[Flag, "kept, and without effect"]


class NewDefinition(Details):
    """An extra field to define."""

    type: Annotated[Type, "type of the values; can't change"]
    label: Annotated[str, "label, at most 255 characters"]


class ChangedDefinition(Details, total=False):
    """What is to be changed of a definition."""

    type: Annotated[Type, "current type; can't change"]
    label: Annotated[str, "label, at most 255 characters"]


class Definitions(Records[ExtraField]):
    """Definitions of extra fields."""

    model = ExtraField
    noun = "Extra field"
    sort = "t.pos"

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Convert the options to an object."""
        as_text = profile().text_values
        for record in records:
            record["computed"] = None
            if as_text:
                record["size"] = record["size"] or ""
            record["param"] = json.loads(record["param"]) if record["param"] else ("" if as_text else {})


_definitions = Definitions()


def all_definitions(query: ListQuery, elementtype: str = "") -> dict[str, dict[str, Definition]]:
    """Return all definitions, by kind of record and name.

    :param elementtype: only those of this kind of record
    :raises NotFound: the list is empty, and the profile rejects empty lists
    """
    shown: dict[str, dict[str, Definition]] = {}
    kind = _known_kind(elementtype) if elementtype else ""
    for record in _definitions.page(query, {"elementtype": kind} if kind else None):
        shown.setdefault(record["elementtype"], {})[record["name"]] = _shown(record)
    if not shown and profile().empty_list_is_missing:
        raise NotFound("no extra fields found", dolibarr="No extrafield found")
    return shown


def _known_kind(word: str) -> str:
    """Return the kind of record for a word; the kind of a removed module is known as long as it has definitions."""
    kind = kind_named(word)
    known = own_kinds() | {each.elementtype for each in ExtraField.select(ExtraField.elementtype).distinct()}
    if kind not in known and profile().unknown_words_are_refused:
        raise BadRequest(errors=[("type", f"expected one of {', '.join(sorted(known))}; got {shown(word)}")])
    return kind


def definition(elementtype: str, name: str) -> Definition:
    """Return one definition.

    :raises NotFound: there is no such extra field
    """
    return _shown(_find(elementtype, name))


def change_definition(elementtype: str, name: str, body: ChangedDefinition) -> Definition:
    """Change a definition; return it.

    :raises BadRequest: the type or the size would change
    :raises NotFound: there is no such extra field
    """
    size = str(definition(elementtype, name)["size"] or "")
    if str(body.get("size") or size) != size:
        reason = f"the size of extra field {name} can't be changed; expected {shown(size)}, got {shown(body['size'])}"
        raise BadRequest(errors=[("size", reason)])
    redefine(kind_named(elementtype), name, body)
    changed = definition(elementtype, name)
    _warn_of_ignored(body, changed)
    return changed


def add_definition(elementtype: str, name: str, body: NewDefinition) -> int:
    """Define an extra field; return the ID of its definition.

    :raises BadRequest: the definition is not complete, or the name is taken
    :raises NotFound: there is no such kind of record
    """
    define(kind_named(elementtype), name, body)
    _warn_of_ignored(body, definition(elementtype, name))
    return definition_id(elementtype, name)


def _warn_of_ignored(sent: Mapping[str, Any], made: Definition) -> None:
    """Add a `Warning` about keys that are never stored; those of a definition that is sent back pass."""
    ignored = [key for key in sent if key not in NewDefinition.__annotations__ and sent[key] != made.get(key)]
    if ignored:
        warn(f"ignored: {', '.join(ignored)}")


def definition_id(elementtype: str, name: str) -> int:
    """Return the ID of a definition's row."""
    return int(_find(elementtype, name)["id"])


def _find(elementtype: str, name: str) -> dict[str, Any]:
    found = _definitions.page(ListQuery(limit=1), {"elementtype": kind_named(elementtype), "name": name})
    if not found:
        raise NotFound(f"Extra field {name:.80} not found for {elementtype:.80}")
    return found[0]


def _shown(record: dict[str, Any]) -> Definition:
    shown: Any = {name: record[name] for name in Definition.__annotations__}
    found: Definition = shown
    return found
