"""Establishments: the places where the company works."""


def test_an_establishment_is_added_read_changed_and_deleted(server, admin):
    assert server.user().get("/setup/establishments") == []
    body = {"label": "Workshop", "ref": "W1", "town": "Lyon", "zip": "69002", "country_id": 1, "state_id": 369}
    identifier = admin.ask("POST", "/setup/establishments", {**body, "id": 77})
    record = server.user().get(f"/setup/establishments/{identifier}")
    assert record.items() >= {**body, "id": identifier, "status": 1, "entity": 1}.items()
    assert record["user_creation"] == admin.get("/users/info")["id"]
    assert server.user().get("/setup/establishments") == [record]
    changed = admin.ask("PUT", f"/setup/establishments/{identifier}", {"status": 0, "country_id": 0})
    assert (changed["status"], changed["country_id"], changed["label"]) == (0, None, "Workshop")
    assert admin.ask("PATCH", f"/setup/establishments/{identifier}", {"phone": "1"})["phone"] == "1"
    assert admin.ask("DELETE", f"/setup/establishments/{identifier}")["success"]["code"] == 200
    message = admin.refused("GET", f"/setup/establishments/{identifier}", status=404)
    assert message == f"Not Found: Establishment {identifier} not found"
    for verb in ("PUT", "PATCH", "DELETE"):
        admin.refused(verb, f"/setup/establishments/{identifier}", {}, status=404)


def test_what_is_wrong_is_told_at_once(server, admin):
    answer = admin.simulate_post("/setup/establishments", json={"country_id": 99999, "state_id": 99999})
    assert answer.status_code == 400
    assert {each["field"] for each in answer.json["error"]["errors"]} == {"country_id", "state_id", "label"}
    answer = admin.simulate_post("/setup/establishments", json={"status": 7, "ref": "x" * 31})
    assert {each["field"] for each in answer.json["error"]["errors"]} == {"status", "ref", "label"}
    admin.refused("POST", "/setup/establishments", {"label": ""}, status=400)
    server.client(None).refused("GET", "/setup/establishments", status=401)
