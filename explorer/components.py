"""Components: a schema that the documents repeat gets a name, and every place refers to it.

Services are described with each schema where it is used. Afterwards, `name_components` gives names to enums, to the
objects of a `TypedDict`, and to every object that is repeated. `Draft.share` puts references in their place. Equal
content has one name in all documents of a catalogue, so the document of a service is a part of the whole one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.storage.serializer import etag_of, to_json

from .field_schemas import COMPONENT, Component, Schema
from .operations import DescribedService
from .shared_schemas import reference
from .titles import service_title

#: the content of a schema → the name of its component
ComponentNames = Mapping[bytes, str]

#: keywords that belong to the use of a schema, not to the schema
_OF_THE_PLACE = ("description", "default", "examples", "title", "deprecated", "readOnly")
#: an object of any keys
_FREE, _FREE_OBJECT = "JsonObject", {"type": "object", "additionalProperties": True}
_FLAGS = ([0, 1], ["0", "1"])
_WORDS = re.compile(r"[A-Za-z0-9]+")
_EMPTY_NAME = "EMPTY"
_UNNAMED = Component()
#: objects in errors, by the names that their places would give them
_IN_ERRORS = {
    "ErrorError": "ErrorDetails", "ErrorErrorErrors": "FieldError", "ErrorErrorParts": "PartError",
    "ErrorErrorRaised": "RaisedError",
}  # fmt: skip
#: maximum number of values, all with meanings, whose meanings are the name of an enum: `NoYes`
_FEW_VALUES = 3
#: maximum number of a body's keys in its name
_FEW_KEYS = 2
#: keys that hold one schema, and keys that hold several
_INNER, _INNER_LISTS = ("items", "additionalProperties"), ("anyOf", "oneOf", "allOf")


#: a content that may get a name: its key, the names in order of preference, and whether it needs no repetition
Candidate = tuple[bytes, tuple[str, ...], bool]


@dataclass(frozen=True)
class Draft:
    """A service with each schema where it is used.

    :param candidates: what may be shared, each content as often as it is used
    """

    described: DescribedService
    candidates: tuple[Candidate, ...]

    @staticmethod
    def of(described: DescribedService) -> Draft:
        """Find the candidates of a service."""
        found: list[Candidate] = []
        prefix = _pascal(service_title(described.service))
        for place, schema in _places(prefix, described):
            for inner, at in _walk(schema, place):
                if is_shared(inner):
                    hint = _hint(inner)
                    names = (hint, prefix + hint) if hint else (_IN_ERRORS.get(at, at),)
                    found.append((key_of(inner), names, "enum" in inner or bool(hint)))
        return Draft(described, tuple(found))

    def share(self, names: ComponentNames) -> DescribedService:
        """Return the service with references in place of the contents that have a name."""
        sharing, described = _Sharing(names), self.described
        schemas = {name: sharing.inside(each) for name, each in described.schemas.items()}
        return replace(
            described,
            operations=tuple(replace(each, said=sharing.operation(each.said)) for each in described.operations),
            parameters={name: sharing.parameter(each) for name, each in described.parameters.items()},
            schemas={**schemas, **sharing.made},
            tag=etag_of(to_json([described.tag, *sharing.made])).strip('"'),
        )


def name_components(drafts: Sequence[Draft], native: int) -> ComponentNames:
    """Name the content that is shared, in the order of the services.

    :param native: how many services come first that other ones can't rename the components of
    """
    names: dict[bytes, str] = {}
    taken = {name for each in drafts for name in each.described.schemas}
    for some in (drafts[:native], drafts[native:]):
        found = [candidate for each in some for candidate in each.candidates]
        repeated = Counter(key for key, _, _ in found)
        for key, hints, is_sure in found:
            if key not in names and (is_sure or repeated[key] > 1):
                numbered = (f"{hints[-1]}{number}" for number in range(2, len(taken) + 3))
                names[key] = next(name for name in (*hints, *numbered) if name not in taken)
                taken.add(names[key])
    return names


class _Sharing:
    """Puts references in place of contents.

    :param made: the components that are referred to, by name
    """

    def __init__(self, names: ComponentNames) -> None:
        self._names = names
        self.made: dict[str, Schema] = {}

    def schema(self, schema: Schema) -> Schema:
        """A schema as it is written at its place."""
        if not is_shared(schema):
            return self.inside(schema)
        name = self._names.get(key_of(schema))
        if name is None:
            return self.inside(schema)
        if name not in self.made:
            self.made[name] = {}
            content = _general(_content(schema), schema)
            self.made[name] = _component(content if "enum" in content else self.inside(content), schema)
        told = {word: value for word, value in _beside(schema).items() if self.made[name].get(word) != value}
        # All keys, so that validators that close every object accept those of the component
        keys = schema["properties"] if _component_of(schema).general else {}
        own = {key: self.schema(each) for key, each in keys.items()}
        return {**reference(name), **told, **({"properties": own} if own else {})}

    def inside(self, schema: Schema) -> Schema:
        """A schema with references inside; itself if there are none."""
        changed: Schema = {}
        if "properties" in schema:
            changed["properties"] = {name: self.schema(each) for name, each in schema["properties"].items()}
        for word in _INNER:
            if isinstance(schema.get(word), dict):
                changed[word] = self.schema(schema[word])
        for word in _INNER_LISTS:
            if word in schema:
                changed[word] = [self.schema(each) for each in _alternatives(schema, word)]
        if COMPONENT in schema:
            return {word: value for word, value in {**schema, **changed}.items() if word != COMPONENT}
        if len(schema.get("enum", ())) == 1 and schema.get("type") in ("string", "integer"):
            [only] = schema["enum"]
            return {**{word: value for word, value in schema.items() if word != "enum"}, "const": only}
        return {**schema, **changed} if changed else schema

    def parameter(self, said: Schema) -> Schema:
        """Share a parameter, or another object with a schema or a content."""
        if "schema" in said:
            return {**said, "schema": self.schema(said["schema"])}
        return self._with_content(said)

    def operation(self, said: Schema) -> Schema:
        """An operation."""
        changed: Schema = {}
        if "parameters" in said:
            changed["parameters"] = [self.parameter(each) for each in said["parameters"]]
        if "requestBody" in said:
            changed["requestBody"] = self._with_content(said["requestBody"])
        changed["responses"] = {status: self._with_content(each) for status, each in said["responses"].items()}
        return {**said, **changed}

    def _with_content(self, said: Schema) -> Schema:
        if "content" not in said:
            return said
        return {**said, "content": {kind: self.parameter(each) for kind, each in said["content"].items()}}


def is_shared(schema: Schema) -> bool:
    """Return whether a schema may become a component: an enum of several values, or an object whose keys are known."""
    if "enum" in schema:
        several = len(schema["enum"]) > 1 or COMPONENT in schema
        return several and schema.get("type") in ("string", "integer")
    return COMPONENT in schema or "properties" in schema or bool(schema.get("additionalProperties"))


def key_of(schema: Schema) -> bytes:
    """Return a key that two schemas with the same content share."""
    return to_json([_component_of(schema).name, _general(_content(schema), schema)])


def _component_of(schema: Schema) -> Component:
    component: Component = schema.get(COMPONENT, _UNNAMED)
    return component


def _general(content: Schema, schema: Schema) -> Schema:
    """Return the content of a component; places add descriptions of some keys beside their reference."""
    keys = _component_of(schema).general
    return {**content, "properties": {**content["properties"], **keys}} if keys else content


def _content(schema: Schema) -> Schema:
    return {word: value for word, value in schema.items() if word != COMPONENT and not _is_of_the_place(word)}


def _beside(schema: Schema) -> Schema:
    return {word: value for word, value in schema.items() if _is_of_the_place(word)}


def _is_of_the_place(word: str) -> bool:
    return word in _OF_THE_PLACE or (word.startswith("x-") and word not in ("x-values", COMPONENT))


def _component(content: Schema, schema: Schema) -> Schema:
    """A component; an enum with the names of its values, and a description."""
    if "enum" not in content:
        told = _component_of(schema).description
        return {**({"description": told} if told else {}), **content}
    values, meanings = content["enum"], content.get("x-values", {})
    if values in _FLAGS and not meanings:
        meanings = {"0": "no", "1": "yes"}
    told = ", ".join(f"{value}: {meanings[str(value)]}" for value in values if str(value) in meanings)
    names = [_constant(str(meanings.get(str(value), value))) for value in values]
    usable = len({*names}) == len(names) and all(name[:1].isalpha() for name in names)
    return {
        **({"description": told} if told else {}),
        **content,
        **({"x-enum-varnames": names} if usable else {}),
    }


def _constant(words: str) -> str:
    """Return the name of a constant: ``GIVEN_UP`` for "given up"."""
    return "_".join(_WORDS.findall(words)).upper() or _EMPTY_NAME


def _pascal(words: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _WORDS.findall(words))


def _hint(schema: Schema) -> str:
    """The name that the content suggests, wherever it is used."""
    if name := _component_of(schema).name:
        return name
    if schema.get("enum") in _FLAGS and "x-values" not in schema:
        return "Flag"
    values, meanings = schema.get("enum", ()), schema.get("x-values", {})
    words = [str(meanings.get(str(value), "")) for value in values]
    if 1 < len(words) <= _FEW_VALUES and all(word.isalpha() for word in words):
        return "".join(map(_pascal, words))
    return _FREE if _content(schema) == _FREE_OBJECT else ""


def _places(prefix: str, described: DescribedService) -> Iterator[tuple[str, Schema]]:
    """Each schema of a service that isn't in another one, and a name for its place."""
    for name, schema in described.schemas.items():
        plain = name.removesuffix("New").removesuffix("Change")
        # The component itself has its name already
        for word, each in schema.get("properties", {}).items():
            yield plain + _pascal(word), each
    for said in described.parameters.values():
        yield prefix + _pascal(said["name"]), said.get("schema", {})
    for each in described.operations:
        about = each.models[0] if each.models else prefix
        for said in each.said.get("parameters", ()):
            if "name" in said:
                yield about + _pascal(said["name"]), said.get("schema", {})
        for content in each.said.get("requestBody", {}).get("content", {}).values():
            keys = [_pascal(key) for key in content["schema"].get("properties", {})]
            yield f"{''.join(keys) if len(keys) <= _FEW_KEYS else about}Body", content["schema"]
        for response in each.said["responses"].values():
            for content in response.get("content", {}).values():
                yield about + _pascal(each.operation.name), content["schema"]


def _alternatives(schema: Schema, word: str) -> list[Schema]:
    """Return the schemas in ``anyOf`` and the like; an enum with the meanings that are around it."""
    meanings = schema.get("x-values", {})
    found = []
    for each in schema.get(word, ()):
        values = each.get("enum", ())
        if values and meanings.keys() >= {*map(str, values)}:
            found.append({"x-values": meanings, **each, COMPONENT: _UNNAMED})
        else:
            # Generated clients reject the other alternatives to a `const`
            found.append({**each, COMPONENT: _UNNAMED} if values else each)
    return found


def _walk(schema: Schema, place: str) -> Iterator[tuple[Schema, str]]:
    """A schema and those inside, each with a name for its place."""
    yield schema, place
    around = _component_of(schema).name if COMPONENT in schema else place.removesuffix("Body")
    # Generators of clients overlook what a place says beside a reference, so it doesn't become a component
    for name, each in {**schema.get("properties", {}), **_component_of(schema).general}.items():
        yield from _walk(each, f"{around}{_pascal(name)}")
    if isinstance(schema.get("items"), dict):
        yield from _walk(schema["items"], place)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _walk(schema["additionalProperties"], f"{place}Value")
    for word in _INNER_LISTS:
        for each in _alternatives(schema, word):
            yield from _walk(each, place)
