"""What the tests of products say to the server."""

import itertools

numbers = itertools.count(1)


def make(client, ref="", /, **fields):
    body = {"ref": ref or f"R{next(numbers)}", "label": "Something", **fields}
    identifier = client.ask("POST", "/products", body)
    assert isinstance(identifier, int)
    return identifier


def refs(rows):
    return [row["ref"] for row in rows]


def wrong_fields(client, body, verb="POST", path="/products"):
    error = client.ask(verb, path, body, status=400)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}
