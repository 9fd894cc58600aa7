"""Definitions of extra fields as the interface shows them (rules.md section 10)."""

from __future__ import annotations

import json
from typing import Any

from core import ExtraField, ListQuery, NotFound, Records, settings

_SHOWN = (
    "type", "label", "size", "elementtype", "default", "computed", "unique", "required", "param", "pos",
    "alwayseditable", "perms", "list",
)  # fmt: skip


class Definitions(Records[ExtraField]):
    """Definitions of extra fields."""

    model = ExtraField
    noun = "Extra field"
    sort = "t.pos"

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Show the options as an object."""
        as_text = settings().profile.text_values
        for record in records:
            record["computed"] = None
            record["param"] = json.loads(record["param"]) if record["param"] else ("" if as_text else {})


_definitions = Definitions()


def all_definitions(query: ListQuery, elementtype: str = "") -> dict[str, dict[str, Any]]:
    """Every definition, by kind of record and name.

    :param elementtype: only those of this kind of record
    :raises NotFound: there is none, in the profile that answers 404 then
    """
    shown: dict[str, dict[str, Any]] = {}
    for record in _definitions.page(query, {"elementtype": elementtype} if elementtype else None):
        shown.setdefault(record["elementtype"], {})[record["name"]] = _shown(record)
    if not shown and settings().profile.empty_list_is_missing:
        raise NotFound("No extrafield found")
    return shown


def definition(elementtype: str, name: str) -> dict[str, Any]:
    """One definition.

    :raises NotFound: there is no such extra field
    """
    return _shown(_find(elementtype, name))


def definition_id(elementtype: str, name: str) -> int:
    """The row identifier of a definition."""
    return int(_find(elementtype, name)["id"])


def _find(elementtype: str, name: str) -> dict[str, Any]:
    found = _definitions.page(ListQuery(limit=1), {"elementtype": elementtype, "name": name})
    if not found:
        raise NotFound(f"Extra field {name:.80} of {elementtype:.80} not found")
    return found[0]


def _shown(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in _SHOWN}
