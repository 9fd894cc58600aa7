"""What the tests of contacts say to the server."""


def make(client, lastname="Doe", /, **fields):
    identifier = client.ask("POST", "/contacts", {"lastname": lastname, **fields})
    assert isinstance(identifier, int)
    return identifier


def company(client, name="Company", /, **fields):
    return int(client.ask("POST", "/thirdparties", {"name": name, **fields}))
