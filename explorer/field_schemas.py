"""JSON Schema of a model's fields: what is answered and what is accepted, extra fields included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import peewee

from core import ExactField, MapField, settings
from core.records.extra_fields import PREFIX, Extra, definitions
from core.storage.values import codec

Schema = dict[str, Any]

#: the name and the description of a component, in a schema until it becomes one; then the keys that the component
#: describes in general, because they differ from place to place
SHAPE = "x-shape"

#: how an instant or a day may be sent
MOMENT: Schema = {
    "type": ["integer", "string"],
    "format": "unix-time",
    "pattern": r"^(-?[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$",
    "description": "Unix seconds or ISO 8601",
}

#: how an amount may be sent
AMOUNT: Schema = {"type": ["number", "string"], "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}

#: how yes and no may be sent
FLAG: Schema = {"enum": [True, False, 1, 0, "true", "false", "1", "0"]}

#: what fits into a column of whole numbers
_SIZES: dict[type[peewee.Field], Schema] = {
    peewee.SmallIntegerField: {"minimum": -(2**15), "maximum": 2**15 - 1},
    peewee.BigIntegerField: {"format": "int64"},
    peewee.IntegerField: {"format": "int32"},
}
#: types whose values can be written as JSON
_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
#: limits of amounts from here on are told without their fraction, which no float holds
_LARGE = 10**6


def nullable(schema: Schema) -> Schema:
    """A schema that takes null as well."""
    kind = schema.get("type")
    if not schema or kind == "null":
        return schema
    if kind and "enum" not in schema:
        return {**schema, "type": [*([kind] if isinstance(kind, str) else kind), "null"]}
    rest = {word: value for word, value in schema.items() if word != "description"}
    told = {"description": schema["description"]} if "description" in schema else {}
    return {**either((rest, {"type": "null"})), **told}


def either(schemas: Iterable[Schema]) -> Schema:
    """What fits one of some schemas, without nesting, and as one list where they are nothing but types."""
    flat = [inner for each in schemas for inner in (each["anyOf"] if set(each) == {"anyOf"} else [each])]
    kinds = [each["type"] for each in flat if set(each) == {"type"} and isinstance(each["type"], str)]
    others = [each for each in flat if not (set(each) == {"type"} and isinstance(each["type"], str))]
    plain = [{"type": kinds[0] if len(kinds) == 1 else list(dict.fromkeys(kinds))}] if kinds else []
    return (others + plain)[0] if len(others + plain) == 1 else {"anyOf": others + plain}


def empty_as_list(schema: Schema) -> Schema:
    """The schema of a map; where columns travel as text, one without entries is answered as ``[]``."""
    if settings().profile.text_values:
        return {"anyOf": [schema, {"type": "array", "items": {}, "maxItems": 0}]}
    return schema


def choices(values: Iterable[Any]) -> Schema:
    """One of some values; anything where one of them cannot be written as JSON."""
    kinds: dict[type, list[Any]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    if not kinds or not kinds.keys() <= _PLAIN.keys():
        return {}
    known = {kind: {"enum": list(dict.fromkeys(same))} for kind, same in kinds.items() if kind is not type(None)}
    return either({"type": _PLAIN[kind], **known.get(kind, {})} for kind in kinds)


def described(schema: Schema, field: peewee.Field) -> Schema:
    """A field's schema with what the model says of it."""
    words = [field.help_text or ("ID" if field.primary_key else "")]
    named = [f"{value}: {name}" for value, name in field.choices or () if str(value) != str(name)]
    if named and not field.help_text:
        words = [", ".join(named)]
    if "description" in schema:
        words.append(schema["description"])
    text = "; ".join(word for word in words if word)
    meanings = {str(value): str(name) for value, name in field.choices or () if str(value) != str(name)}
    return {
        **schema,
        **({"description": text} if text else {}),
        **({"x-values": meanings} if meanings else {}),
    }


def answered_field(field: peewee.Field) -> Schema:
    """What a record says of a field."""
    travels = codec(field)
    empty = None if travels.answer is None else travels.answer(None)
    schema = travels.schema | _texts_of(field) if travels.text else travels.schema
    return nullable(schema) if field.null and empty is None else dict(schema)


def _texts_of(field: peewee.Field) -> Schema:
    """The only texts that a field holds, where it has choices; one that begins as another text holds that, too."""
    known = [value for value, _ in field.choices or ()]
    return {"enum": known} if known and (field.default is None or field.default in known) else {}


def accepted_field(field: peewee.Field, required: bool = False) -> Schema:
    """What a body may say of a field.

    :param required: it may be neither null nor empty
    """
    schema = _writable(field)
    if required:
        return {**schema, "minLength": 1} if schema.get("type") == "string" else schema
    if field.null and "pattern" in schema:
        # An empty text is nothing, too
        schema = {**schema, "pattern": f"^$|{schema['pattern']}"}
    return nullable(schema) if field.null else schema


def _writable(field: peewee.Field) -> Schema:
    as_text = settings().profile.text_values
    if isinstance(field, ExactField):
        limit = field.limit()
        most = int(limit) if limit > _LARGE else float(limit)
        return {**AMOUNT, "minimum": -most, "maximum": most}
    if isinstance(field, peewee.DecimalField):
        return dict(AMOUNT)
    if isinstance(field, peewee.DateField):
        return {**MOMENT, "description": f"{codec(field).schema['description']}, or ISO 8601"}
    if isinstance(field, peewee.DateTimeField):
        return dict(MOMENT)
    if isinstance(field, MapField):
        return {**_map_type(), "additionalProperties": True}
    if isinstance(field, peewee.BooleanField):
        return {"type": ["boolean", "integer", "string"]} if as_text else {"type": "boolean"}
    if isinstance(field, (peewee.CharField, peewee.TextField)):
        longest = getattr(field, "max_length", None)
        return {"type": "string", **({"maxLength": longest} if longest else {})}
    if as_text:
        # What was read as text may be sent back as text
        return {"anyOf": [{"type": "integer"}, dict(codec(field).schema)]}
    schema = dict(codec(field).schema)
    size = next((size for kind, size in _SIZES.items() if isinstance(field, kind)), {})
    return schema if "enum" in schema else schema | size


def _map_type() -> Schema:
    """A map as it may be sent; one without entries also as it is answered."""
    return (
        {"type": ["object", "array"], "items": {}, "maxItems": 0}
        if settings().profile.text_values
        else {"type": "object"}
    )


def alias_of(schema: Schema, name: str) -> Schema:
    """The schema of a second name of a field."""
    return {**schema, "description": f"alias of {name}", "x-alias-of": name}


# Extra fields --------------------------------------------------------------------------------------------------------


def answered_extras(elementtype: str) -> Schema:
    """The extra fields of a record."""
    properties = {
        PREFIX + extra.name: {**answered_field(extra.field), "title": extra.label, "description": _about(extra)}
        for extra in definitions(elementtype).values()
    }
    return empty_as_list({"type": "object", "properties": properties, "additionalProperties": True})


def accepted_extras(elementtype: str, creating: bool) -> Schema:
    """The extra fields that a body may name."""
    extras = definitions(elementtype).values()
    required = [PREFIX + each.name for each in extras if creating and each.required and each.default in (None, "")]
    return {
        **(_map_type() if not required else {"type": "object"}),
        "properties": {
            PREFIX + extra.name: {**_accepted_extra(extra), "title": extra.label, "description": _about(extra)}
            for extra in extras
        },
        "additionalProperties": True,
        **({"required": required} if required else {}),
    }


def _accepted_extra(extra: Extra) -> Schema:
    if extra.type == "boolean":
        return nullable(FLAG)
    if extra.type in ("select", "radio") and extra.options:
        return nullable(choices(extra.options))
    return accepted_field(extra.field)


def _about(extra: Extra) -> str:
    keys = f": {', '.join(extra.options)}" if extra.options else ""
    return f"extra field of type {extra.type}{keys}"
