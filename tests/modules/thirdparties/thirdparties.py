"""What the tests of third parties say to the server."""


def make(client, name="Somebody", /, **fields):
    identifier = client.ask("POST", "/thirdparties", {"name": name, **fields})
    assert isinstance(identifier, int)
    return identifier


def names(rows):
    return [row["name"] for row in rows]


def wrong_fields(client, body, verb="POST", path="/thirdparties"):
    error = client.ask(verb, path, body, status=400)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}
