"""One parameter of an author's method, taken from a request."""

from __future__ import annotations

from typing import Any

from ..common.unset import UNSET
from ..contract.annotations import in_python
from ..contract.catalogue import Input
from ..contract.converters import allows_none, converter, plain_type


class Binding:
    """How one parameter is taken from a request."""

    __slots__ = ("argument", "convert", "default", "group", "message", "name", "nullable", "place", "required", "text")

    def __init__(self, each: Input) -> None:
        self.name = each.name
        self.argument = in_python(each.name)
        self.place = each.place
        self.convert = converter(each.type, each.note)
        self.required = each.required
        self.default = each.default
        self.nullable = allows_none(each.type)
        self.message = each.note.message
        self.group = each.group
        self.text = plain_type(each.type) is str and not each.note.choices

    def value(self, sent: Any) -> Any:
        """The value for the method; `UNSET` when there is none. Raises ValueError when it does not fit."""
        if sent is None and self.nullable and self.required:
            return None
        if sent is None or sent is UNSET:
            return self.default
        if sent == "" and not self.required and (not self.text or self.place == "query"):
            return self.default
        try:
            return self.convert(sent)
        except (OverflowError, ArithmeticError):
            raise ValueError("expected a smaller number") from None
