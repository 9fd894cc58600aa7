"""Who may do what with documents, on each kind."""


def test_each_right_opens_its_operations_alone(desk, admin, server, jane):
    record = desk.made({"qty": 1, "subprice": 1})
    path, line = desk.path(record["id"]), desk.path(record["id"], "lines", record["lines"][0]["id"])
    operations = [
        ("read", "GET", desk.path(), None), ("read", "GET", path, None), ("read", "GET", f"{path}/lines", None),
        ("read", "GET", desk.path("ref", record["ref"]), None), ("read", "GET", f"{path}/contacts", None),
        ("write", "POST", desk.path(), desk.body({})), ("write", "PUT", path, {}), ("write", "PATCH", path, {}),
        ("write", "POST", f"{path}/lines", {"desc": "x"}), ("write", "PATCH", line, {"desc": "y"}),
        ("write", "PUT", line, {"qty": 1}), ("write", "POST", f"{path}/contact/{jane}/BILLING", None),
        ("write", "DELETE", f"{path}/contact/{jane}/BILLING", None), ("write", "DELETE", line, None),
        ("write", "POST", f"{path}/lines", {"qty": 1, "subprice": 1}),
        ("validate", "POST", f"{path}/validate", None), ("write", "POST", f"{path}/settodraft", None),
        ("delete", "DELETE", path, None),
    ]  # fmt: skip
    verbs = ("read", "write", "validate", "close", "delete")
    reads = [f"{service}.read" for service in ("contacts", "products")] + ["thirdparties.all", "thirdparties.read"]
    clients = {
        verb: server.user(*reads, *(f"{desk.kind.path}.{each}" for each in verbs if each != verb)) for verb in verbs
    }
    for right, verb, where, body in operations:
        clients[right].ask(verb, where, body, status=401)
        if right != "read":
            clients["read"].ask(verb, where, body)
        else:
            clients["write"].ask(verb, where, body)


def test_links_with_rows_of_others_are_not_told(desk, admin, server):
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    name = desk.kind.element
    mine, theirs = desk.make(socid=own), desk.make()
    both = desk.made(linked_objects={name: [mine, theirs]}, socid=own)
    lone = desk.make(linked_objects={name: theirs}, socid=own)
    assert sorted(both["linkedObjectsIds"][name].values()) == [mine, theirs]
    right = f"{desk.kind.path}.read"
    for client in (server.user(right, socid=own), server.user(right, represents=[own])):
        assert list(client.get(desk.path(both["id"]))["linkedObjectsIds"][name].values()) == [mine]
        assert client.get(desk.path(lone))["linkedObjectsIds"] == {}
    everybody = server.user(right, "thirdparties.all")
    assert sorted(everybody.get(desk.path(both["id"]))["linkedObjectsIds"][name].values()) == [mine, theirs]
