"""A call that succeeds and one that is refused, of each operation: the second follows from the first.

`"$order"` in a path, query or body stands for what the call kept as `order` has answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

#: what no record is called by
UNKNOWN = 999_999_999

_VARIABLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Call:
    """A call of an operation.

    :param text: verb and path as the list of operations has them: ``GET /orders/{id}``
    :param at: the variables of the path
    :param body: what is sent; None: nothing
    :param query: parameters of the query
    :param keep: what its answer is called afterwards
    :param refused: path variables, query and body of the call that is refused, where they do not follow
    :param status: how it is refused
    """

    text: str
    at: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    keep: str = ""
    refused: Mapping[str, Any] | None = None
    status: int = 0

    @property
    def operation(self):
        """Verb and path."""
        verb, _, path = self.text.partition(" ")
        return verb, path

    def make(self, client, known):
        """Make the call that succeeds, and keep what it answers."""
        path = self.operation[1]
        answer = self._ask(
            client,
            self._path(path, _filled(self.at, known)),
            _filled(self.body, known),
            200,
            _filled(self.query, known),
        )
        if self.keep:
            known[self.keep] = answer["id"] if isinstance(answer, dict) and "id" in answer else answer
        return answer

    def fail(self, client, poor, known):
        """Make the call that is refused: of another record, with an empty body, or by somebody without rights."""
        path = self.operation[1]
        variables = _VARIABLE.findall(path)
        if self.refused is not None:
            at = _filled({**self.at, **self.refused.get("at", {})}, known)
            body = _filled(self.refused.get("body", self.body), known)
            self._ask(
                client, self._path(path, at), body, self.status, _filled(self.refused.get("query", self.query), known)
            )
        elif variables:
            at = _filled(self.at, known) | {variables[0]: UNKNOWN if variables[0] != "type" else "nothing"}
            self._ask(
                client, self._path(path, at), _filled(self.body, known), self.status or 404, _filled(self.query, known)
            )
        else:
            self._ask(poor, path, _filled(self.body, known), self.status or 401, _filled(self.query, known))

    def _ask(self, client, path, body, status, query):
        verb = self.operation[0]
        options = {"params": dict(query)} if query else {}
        if body is not None:
            options["json"] = body
        answer = client.simulate_request(verb, path, **options)
        assert answer.status_code == status, f"{verb} {path} -> {answer.status_code} {answer.text[:600]}"
        if status == 200 and "location" in answer.headers:
            client.get(urljoin(path, answer.headers["location"]))
        return answer.json if answer.content else None

    def _path(self, path, at):
        return _VARIABLE.sub(lambda match: str(at[match[1]]), path)


def _filled(value, known):
    """What is sent, with the answers of earlier calls in the places of their names."""
    if isinstance(value, str) and value.startswith("$"):
        return known[value[1:]]
    if isinstance(value, Mapping):
        return {_filled(key, known): _filled(each, known) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(each, known) for each in value]
    return value
