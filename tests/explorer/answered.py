"""Compares responses with the OpenAPI document: a response may only have the fields that the document describes.

answers = Answers(served)
identifier = answers.call("POST", "/proposals", {"socid": 1, "date": "2026-11-21"})
answers.call("POST", "/proposals/{id}/validate", id=identifier)
assert answers.wrong == []
"""

import re
from urllib.parse import quote

from openapi_schema_validator import OAS31Validator

_NUMBER = re.compile(r"\[[0-9]+\]")


def close_objects(schema):
    """A schema in which an object holds nothing but the properties it names, and so do all objects in it.

    Not those that are one of several parts of the same object (``allOf``): each of them names but its own.
    """
    if isinstance(schema, list):
        return [close_objects(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {
        key: value if key in ("allOf", "enum", "example") else close_objects(value) for key, value in schema.items()
    }
    # A property may be called so, too
    return closed | {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else closed


class Answers:
    """Calls operations, and holds bodies and answers against the document.

    :ivar wrong: what did not fit, in words
    """

    def __init__(self, served):
        self.served = served
        self.admin = served.client()
        self.wrong = []
        self.read_document()

    def read_document(self):
        """Read the document anew, as after an extra field has been defined."""
        self.document = self.admin.get("/explorer/openapi.json")
        self.components = close_objects(self.document["components"])

    # Schemas ---------------------------------------------------------------------------------------------------------

    def schema(self, verb, path, status=200, kind="application/json"):
        """The schema of an answer of a media type; None where none is documented."""
        answers = self.document["paths"][path][verb.lower()]["responses"]
        answer = answers.get(str(status)) or (answers["default"] if status >= 400 else {})
        if "$ref" in answer:
            answer = self.document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        return answer.get("content", {}).get(kind, {}).get("schema")

    def body(self, verb, path):
        """The schema of a body in JSON; None where the operation takes none."""
        content = self.document["paths"][path][verb.lower()].get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("schema")

    def errors(self, schema, value, *, selected=False):
        """What of a value a schema does not name or does not allow.

        :param selected: the request selects `properties`, so that keys of records may be missing
        """
        whole = {**close_objects(schema), "components": self.components}
        if selected:
            whole["components"] = {
                "schemas": {name: {**each, "required": []} for name, each in self.components["schemas"].items()}
            }
        return sorted(
            {
                f"{_NUMBER.sub('[]', leaf.json_path)}: {leaf.message[:300]}"
                for error in OAS31Validator(whole).iter_errors(value)
                for leaf in _leaves(error)
            }
        )

    # Calls -----------------------------------------------------------------------------------------------------------

    def call(self, verb, path, body=None, /, *, status=200, client=None, query=None, **variables):
        """Call an operation, hold body and answer against their schemas, note what does not fit; answers the data.

        :param path: as the document has it: ``/orders/{id}``
        :param status: the one insisted on; None: 200, or any failure, held against the schema of that failure
        :param variables: those of the path
        """
        place = f"{verb} {path}"
        if body is not None and (status or 200) < 400:
            sent = self.body(verb, path)
            self._note(f"{place} body", ["no body is documented"] if sent is None else self.errors(sent, body))
        filled = re.sub(r"\{(\w+)\}", lambda name: quote(str(variables[name[1]]), safe=""), path)
        options = {"params": dict(query)} if query else {}
        if body is not None:
            options["json"] = body
        answer = (client or self.admin).simulate_request(verb, filled, **options)
        said = f"{place} {dict(query or {})} {variables} -> {answer.status_code} {answer.text[:600]}"
        assert answer.status_code == status or (status is None and answer.status_code < 500), said
        if not answer.content or not answer.headers.get("content-type", "").startswith("application/json"):
            return None
        schema = self.schema(verb, path, answer.status_code)
        if schema in (None, {}, {"type": "object", "additionalProperties": True}):
            self._note(place, [f"no schema for the status {answer.status_code}: {answer.text[:200]}"])
            return answer.json
        self._note(place, self.errors(schema or {}, answer.json))
        return answer.json

    def _note(self, place, errors):
        self.wrong += [said for error in errors if (said := f"{place}: {error}") not in self.wrong]


def _leaves(error):
    """What is really wrong: of several schemas of which none fits, the errors in the one that fits furthest."""
    if not error.context:
        return [error]
    branches = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)
    best = max(branches.values(), key=_fitness)
    return [leaf for each in best for leaf in _leaves(each)]


def _fitness(errors):
    """How far a value fits: what is wrong lies deep in it, and is not its type."""
    first = min(errors, key=lambda each: len(each.absolute_path))
    return len(first.absolute_path), first.validator != "type"
