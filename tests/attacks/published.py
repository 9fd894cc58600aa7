"""What a server offers, as its own description says: an attacker reads it, so modules that are added are attacked, too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

#: parameter of every list of records
FILTER = "sqlfilters"


@dataclass(frozen=True)
class Operation:
    """One operation of the description.

    :param parameters: name → description of what the query takes
    :param fields: name → schema of what the body takes; empty: no object
    :param example: a body to start from; None: there is none
    :param answer: media type → what is said of the answer of that type
    """

    verb: str
    path: str
    service: str
    permission: str
    public: bool
    parameters: dict[str, Any]
    fields: dict[str, Any]
    required: tuple[str, ...]
    example: Any
    answer: dict[str, Any]

    @property
    def name(self):
        """What it is called in words."""
        return f"{self.verb} {self.path}"

    @property
    def variables(self):
        """The names in its path."""
        return re.findall(r"\{(\w+)\}", self.path)

    @property
    def is_list(self):
        """Whether it takes filters."""
        return self.verb == "GET" and FILTER in self.parameters

    @property
    def takes_fields(self):
        """Whether its body is an object of named fields."""
        return self.verb in ("POST", "PUT", "PATCH") and bool(self.fields)

    def at(self, values):
        """Its path with values for its variables; a variable that has none is 1."""
        return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], 1)), self.path)


class Published:
    """All operations of an OpenAPI document."""

    def __init__(self, document):
        self.document = document
        self.rights = sorted({right for tag in document["tags"] for right in tag.get("x-rights", ())})
        self.operations = [
            self._operation(verb, path, said)
            for path, item in document["paths"].items()
            for verb, said in item.items()
            if verb in ("get", "post", "put", "patch", "delete")
        ]

    @property
    def lists(self):
        """Operations that list records."""
        return [each for each in self.operations if each.is_list]

    def find(self, name):
        """The operation with a name such as ``POST /orders``."""
        return next((each for each in self.operations if each.name == name), None)

    def record_of(self, operation):
        """The fields of the records that an operation answers."""
        said = operation.answer.get("application/json", {}).get("schema", {})
        choices = said.get("oneOf", [said])
        for each in choices:
            inner = self.schema(each)
            record = self.schema(inner.get("items", inner))
            if record.get("properties"):
                return dict(record["properties"])
        return {}

    def schema(self, said):
        """A schema without references and alternatives."""
        while "$ref" in said:
            said = self._named(said["$ref"])
        for joined in ("allOf", "oneOf", "anyOf"):
            for each in said.get(joined, ()):
                inner = self.schema(each)
                if inner.get("properties"):
                    return inner
        return dict(said)

    def _named(self, reference):
        found = self.document
        for name in reference.removeprefix("#/").split("/"):
            found = found[name]
        return found

    def _operation(self, verb, path, said):
        listed = [self._named(each["$ref"]) if "$ref" in each else each for each in said.get("parameters", ())]
        content = said.get("requestBody", {}).get("content", {}).get("application/json", {})
        schema = self.schema(content.get("schema", {}))
        return Operation(
            verb.upper(),
            path,
            said["tags"][0],
            said.get("x-permission", ""),
            said.get("security") == [],
            {each["name"]: each for each in listed if each["in"] == "query"},
            {name: each for name, each in schema.get("properties", {}).items() if not each.get("readOnly")},
            tuple(schema.get("required", ())),
            content.get("example"),
            said.get("responses", {}).get("200", {}).get("content", {}),
        )
