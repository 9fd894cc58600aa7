"""Parameters of the lists of dictionaries."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from core import ListQuery


@dataclass(frozen=True)
class Filter:
    """A parameter of a list that selects entries.

    :param name: its name
    :param text: its description
    :param field: the field that must have the value
    :param default: its default; not applied as a filter, unless `always`
    :param within: the field only needs to contain the text
    :param find: returns the possible values of the field, from the dictionary and the parameter's value
    """

    name: str
    text: str
    field: str
    default: Any = ""
    always: bool = False
    within: bool = False
    find: Callable[[Any, Any], Any] | None = None

    def narrow(self, dictionary: Any, value: Any, query: ListQuery, where: dict[str, Any]) -> ListQuery:
        """Add the condition for a value: to `where`, or to the query that is returned."""
        if not self.within:
            where[self.field] = self.find(dictionary, value) if self.find else value
            return query
        pattern = re.sub(r"([\\\\%_])", r"\\\1", value).replace("'", "''")
        own = f"({query.sqlfilters}) and " if query.sqlfilters.strip() else ""
        return replace(query, sqlfilters=f"{own}(t.{self.field}:like:'%{pattern}%')")


OFFERED = Filter("active", "{@values 1 active, 0 hidden} {@min 0} {@max 1}", "active", 1, always=True)
