"""Examples of responses: whole records with values of the authors' examples, valid against their schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from .examples import scalar
from .field_schemas import Schema
from .key_schemas import EXPANDED
from .names import record_name

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
    "array": (list,), "object": (dict,),
}  # fmt: skip
#: candidates for a text with a pattern or a format
_LOOKS = ("12.50", "1", "2026-11-21", "12.50000000", "12.5000", "12.500", "text", "", "0" * 12)
#: numbers of decimals in the texts of amounts
_DECIMALS = (8, 4, 3, 2)
#: maximum depth of nested records
_DEEPEST = 6
_UNKNOWN: Any = object()


@dataclass(frozen=True)
class AnswerExamples:
    """Makes examples of one service's responses.

    :param named: the named schemas
    :param records: name of a schema → a record of that model from its author
    """

    named: Mapping[str, Schema]
    records: Mapping[str, dict[str, Any]]
    #: records made only from the schema of their model
    _made: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def make(self, schema: Schema, given: Any = _UNKNOWN, *, sparse: bool = False, around: tuple[str, ...] = ()) -> Any:
        """Return a value that fits a schema.

        :param given: the author's value; used if it fits
        :param sparse: whether a value that isn't given is null, if the schema allows that
        :param around: the names of the enclosing schemas
        """
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            if "enum" in self.named[name]:
                return self.make(self.named[name], given)
            return self._record(name, given, around)
        if "allOf" in schema:
            parts = [self.make(part, given, sparse=sparse, around=around) for part in schema["allOf"]]
            return {name: value for part in parts if isinstance(part, dict) for name, value in part.items()}
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return self._one_of(choices, given, sparse, around)
        kinds = _kinds(schema)
        if given is not _UNKNOWN:
            for value in _forms(given):
                if self.fits(value, schema):
                    return value if "enum" in schema else self._inside(schema, value, around)
        if sparse and "null" in kinds:
            return None
        if "enum" in schema:
            return self._scalar(schema)
        if "object" in kinds and kinds[0] != "array":
            return self._object(schema, {}, sparse, around)
        if "array" in kinds:
            items = schema.get("items") or {}
            name = items.get("$ref", "").rpartition("/")[2]
            # A record's lines are shown with it, though it was written down without them
            empty = schema.get("maxItems") == 0 or not items or name in around or len(around) > _DEEPEST
            return [] if empty or (sparse and not name) else [self.make(items, around=around)]
        return self._scalar(schema)

    def _record(self, name: str, given: Any, around: tuple[str, ...]) -> Any:
        if name in around or len(around) > _DEEPEST:
            return {}
        place = (*around, name)
        record = self.records.get(record_name(name), {})
        if isinstance(given, dict):
            return self._object(self.named[name], {**record, **given}, bool(record), place)
        if place not in self._made:
            self._made[place] = self._object(self.named[name], record, bool(record), place)
        return self._made[place]

    def _one_of(self, choices: list[Schema], given: Any, sparse: bool, around: tuple[str, ...]) -> Any:
        if given is not _UNKNOWN:
            for value in _forms(given):
                if fitting := next((each for each in choices if self.fits(value, each)), None):
                    return self.make(fitting, value, around=around)
        if sparse and any("null" in _kinds(each) for each in choices):
            return None
        empty = next((each for each in choices if each.get("maxLength") == 0 or each.get("maxItems") == 0), None)
        if sparse and empty:
            return self._scalar(empty) if "string" in _kinds(empty) else []
        return self.make(next((each for each in choices if _kinds(each) != ["null"]), choices[0]), around=around)

    def _inside(self, schema: Schema, value: Any, around: tuple[str, ...]) -> Any:
        """Return a given value with its missing parts; a list has two entries."""
        if isinstance(value, dict):
            return self._object(schema, value, True, around)
        if isinstance(value, list) and schema.get("items"):
            return [self.make(schema["items"], each, around=around) for each in value[:2]]
        return value

    def _object(self, schema: Schema, known: dict[str, Any], sparse: bool, around: tuple[str, ...]) -> dict[str, Any]:
        properties: dict[str, Schema] = schema.get("properties", {})
        shown = {
            name: self.make(each, known.get(name, _UNKNOWN), sparse=sparse, around=around)
            for name, each in properties.items()
            if EXPANDED not in each and "not" not in each
        }
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            others = [(name, value) for name, value in known.items() if name not in properties][:2]
            shown |= {name: self.make(more, value, around=around) for name, value in others}
        return shown

    def _scalar(self, schema: Schema) -> Any:
        value = scalar(schema)
        looks = (each for each in _LOOKS if self.fits(each, schema))
        return value if self.fits(value, schema) else next(looks, value)

    def fits(self, value: Any, schema: Schema) -> bool:
        """Return whether a value has a schema's type and is within its limits; nested values are checked separately."""
        if "$ref" in schema:
            return isinstance(value, dict)
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return any(self.fits(value, each) for each in choices)
        kinds = _kinds(schema)
        if kinds and not any(_is(value, kind) for kind in kinds):
            return False
        if "enum" in schema and not any(value == each and type(value) is type(each) for each in schema["enum"]):
            return False
        if isinstance(value, str):
            size = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
            return size and re.search(schema.get("pattern", ""), value) is not None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
        if isinstance(value, list):
            return bool(len(value) <= schema.get("maxItems", len(value)))
        if isinstance(value, dict):
            return bool(len(value) <= schema.get("maxProperties", len(value)))
        return True


def _forms(given: Any) -> Iterator[Any]:
    """Return the forms of a value in the profiles: a number also as text, with the decimals of its column."""
    yield given
    if isinstance(given, bool) or not isinstance(given, (int, float, str)):
        return
    yield str(given)
    if re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]+)?", str(given)):
        yield from (f"{Decimal(str(given)):.{places}f}" for places in _DECIMALS)
        yield int(Decimal(str(given)))


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and not (isinstance(value, bool) and kind in ("integer", "number"))
