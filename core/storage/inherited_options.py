"""What a model's `Meta` says, together with what its bases say: the lists of fields add up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import peewee

#: options that name fields, in no order that matters
ADDED_UP = ("required", "managed", "create_only", "stamps", "secret", "internal", "unaudited", "context")
#: stands before a name that is taken away again
AWAY = "-"


class AddedOptions(peewee.Metadata):
    """peewee's options of a model, where a child's lists of fields are added to those of its bases.

    :ivar excused: fields that a creation need not name although their columns hold no NULL
    :ivar taken_away: the names that the model itself takes away, by option
    """

    def __init__(self, model: Any, **options: Any) -> None:
        bases = [base._meta for base in model.__bases__ if hasattr(base, "_meta")]
        taken_away: dict[str, list[str]] = {}
        for option in ADDED_UP:
            own = [str(name) for name in options.get(option) or ()]
            taken_away[option] = away = [name[len(AWAY) :] for name in own if name.startswith(AWAY)]
            added = [*_of_all(bases, option), *(name for name in own if not name.startswith(AWAY))]
            options[option] = tuple(name for name in dict.fromkeys(added) if name not in away)
        named: dict[str, str | None] = {}
        for base in bases:
            named |= getattr(base, "aliases", {})
        named |= options.get("aliases") or {}
        options["aliases"] = {alias: name for alias, name in named.items() if name is not None}
        super().__init__(model, **options)
        self.taken_away = taken_away
        excused = {*_of_all(bases, "excused"), *taken_away["required"]}
        self.excused = frozenset(excused.difference(options["required"]))


def _of_all(bases: Iterable[Any], option: str) -> list[str]:
    return [name for base in bases for name in getattr(base, option, ())]
