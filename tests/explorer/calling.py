"""Calls operations with the examples of their document, on a database that is put back after each that writes."""

import re
from typing import Any
from urllib.parse import quote

from tests.explorer.restoring import Restorer

Values = dict[str, Any]


def is_written(verb):
    """Whether a verb may change something."""
    return verb != "GET"


class Caller:
    """Calls what a document describes.

    :ivar document: the OpenAPI document
    """

    def __init__(self, served):
        self._client = served.client()
        self.document = self._client.get("/explorer/openapi.json")
        restorer = Restorer()
        self.restore = restorer.restore

    def operations(self):
        """Every operation."""
        return [(verb.upper(), path) for path, verbs in self.document["paths"].items() for verb in verbs]

    def said(self, verb, path):
        """What the document says of an operation."""
        return self.document["paths"][path][verb.lower()]

    def parameters(self, verb, path):
        """The parameters of an operation, references looked up."""
        return [self._resolved(each) for each in self.said(verb, path).get("parameters", ())]

    def names(self, verb, path):
        """The names of its parameters."""
        return {each["name"] for each in self.parameters(verb, path)}

    def examples(self, verb, path):
        """The examples of its parameters, and of its body; of what may be left out only what has an example."""
        parameters = {each["name"]: each["example"] for each in self.parameters(verb, path) if "example" in each}
        content = self.said(verb, path).get("requestBody", {}).get("content", {})
        return parameters, content.get("application/json", {}).get("example")

    def call(self, verb, path, parameters, more=None, body=None):
        """Call an operation."""
        given = {each["name"]: each for each in self.parameters(verb, path)}
        # What else is asked for is asked of those that take it
        query = {name: value for name, value in (more or {}).items() if name in given} | {
            name: str(value) for name, value in parameters.items() if given.get(name, {}).get("in") == "query"
        }
        filled = re.sub(r"\{(\w+)\}", lambda name: quote(str(parameters.get(name[1], "1")), safe=""), path)
        options = {"json": body} if body is not None else {}
        return self._client.simulate_request(verb, filled, params=query, **options)

    def success(self, verb, path):
        """The status and the answer of success."""
        answers = self.said(verb, path)["responses"]
        status = next((each for each in answers if each.startswith("2")), "default")
        return status, self._resolved(answers[status])

    def answer_schema(self, verb, path):
        """The schema of its answer of success; empty where it has none in JSON."""
        return self.success(verb, path)[1].get("content", {}).get("application/json", {}).get("schema", {})

    def is_json(self, answer):
        """Whether an answer is JSON."""
        return bool(answer.content) and answer.headers.get("content-type", "").startswith("application/json")

    def _resolved(self, said):
        while "$ref" in said:
            part, name = said["$ref"].split("/")[-2:]
            said = self.document["components"][part][name]
        return said
