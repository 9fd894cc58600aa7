"""Users in the profile `dolibarr16`."""


def test_administrators_belong_to_company_0(old_server):
    client = old_server.client()
    chief, other = (
        client.ask("POST", "/users", {"login": login, "lastname": login, "admin": admin})
        for login, admin in (("chief16", 1), ("clerk16", 0))
    )
    record = client.get(f"/users/{chief}")
    assert (record["entity"], client.get(f"/users/{other}")["entity"]) == ("0", "1")
    assert client.get("/users/info")["entity"] == "0"
    shown = {each["login"]: each["entity"] for each in client.get("/users", sqlfilters="(t.login:like:'%16')")}
    assert shown == {"chief16": "0", "clerk16": "1"}
    assert client.ask("PUT", f"/users/{chief}", record) == record
    client.refused("PUT", f"/users/{chief}", {"entity": 2}, status=401)
    client.refused("PUT", f"/users/{other}", {"entity": 0}, status=401)
