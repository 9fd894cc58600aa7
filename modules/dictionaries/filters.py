"""Parameters of the lists of dictionaries."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from core import ListQuery


@dataclass(frozen=True)
class Filter:
    """A parameter of a list that leaves only some entries.

    :param name: what the parameter is called
    :param text: its description
    :param field: what must have the value
    :param default: what it is when it is not named; it asks for nothing, unless `always`
    :param within: the field needs only to hold the text
    :param find: makes the values that the field may have of the dictionary and of what was asked for
    """

    name: str
    text: str
    field: str
    default: Any = ""
    always: bool = False
    within: bool = False
    find: Callable[[Any, Any], Any] | None = None

    def narrow(self, dictionary: Any, value: Any, query: ListQuery, where: dict[str, Any]) -> ListQuery:
        """Leave the entries that have a value: in `where`, or in the query that is answered."""
        if not self.within:
            where[self.field] = self.find(dictionary, value) if self.find else value
            return query
        pattern = re.sub(r"([\\\\%_])", r"\\\1", value).replace("'", "''")
        own = f"({query.sqlfilters}) and " if query.sqlfilters.strip() else ""
        return replace(query, sqlfilters=f"{own}(t.{self.field}:like:'%{pattern}%')")


OFFERED = Filter("active", "{@values 1 active, 0 hidden} {@min 0} {@max 1}", "active", 1, always=True)
