"""Who may do what with documents, on each kind."""


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
