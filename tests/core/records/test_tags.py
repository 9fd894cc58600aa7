"""Entity tags: If-Match and If-None-Match."""

import pytest

from core.contract.catalogue import catalogue
from tests.core.records.store import etag

pytestmark = pytest.mark.any_database


def test_a_tag_names_a_state_of_the_record(admin, crate):
    path = f"/depotcrates/{crate}"
    tag = etag(admin, path)
    assert tag == etag(admin, path)
    assert tag[0] == tag[-1] == '"'
    assert admin.simulate_head(path).headers["etag"] == tag
    admin.ask("PATCH", path, {"colour": "red"})
    assert etag(admin, path) != tag
    admin.ask("PATCH", path, {"colour": "grey"})
    assert etag(admin, path) == tag
    # Neither a list nor a change has one, nor a failure
    assert "etag" not in admin.simulate_get("/depotcrates").headers
    assert "etag" not in admin.simulate_patch(path, json={}).headers
    assert "etag" not in admin.simulate_get("/depotcrates/999999").headers


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*", '"a","b" , W/{}'])
def test_a_change_with_the_records_tag_passes(admin, crate, verb, form):
    path = f"/depotcrates/{crate}"
    headers = {"If-Match": form.format(etag(admin, path))}
    body = None if verb == "DELETE" else {"name": "Changed"}
    admin.ask(verb, path, body, headers=headers)
    if body:
        assert admin.get(path)["name"] == "Changed"
    else:
        admin.get(path, status=404)


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("form", ["{}", "W/{}", '"other"', "nonsense", '""', '{}, "other"'])
def test_a_change_with_an_old_tag_is_412_and_writes_nothing(admin, crate, verb, form):
    path = f"/depotcrates/{crate}"
    headers = {"If-Match": form.format(etag(admin, path))}
    admin.ask("PATCH", path, {"colour": "red"})
    before = admin.get(path)
    body = None if verb == "DELETE" else {"name": "Changed", "colour": "blue"}
    message = admin.refused(verb, path, body, status=412, headers=headers)
    assert message.startswith("Precondition Failed: Crate")
    assert "has changed since you read it" in message
    assert admin.get(path) == before


def test_what_does_not_exist_is_404_whatever_its_tag(admin):
    for verb in ("PUT", "PATCH", "DELETE"):
        admin.ask(verb, "/depotcrates/999999", None if verb == "DELETE" else {}, status=404, headers={"If-Match": "*"})


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("sent", ["", " ", "\t"])
def test_an_empty_tag_is_400_and_writes_nothing(admin, crate, verb, sent):
    path = f"/depotcrates/{crate}"
    before = admin.get(path)
    body = None if verb == "DELETE" else {"name": "Changed", "colour": "blue"}
    error = admin.ask(verb, path, body, status=400, headers={"If-Match": sent})["error"]
    assert [each["field"] for each in error["errors"]] == ["If-Match"]
    assert admin.get(path) == before


def test_what_the_caller_has_is_not_sent_again(admin, crate):
    path = f"/depotcrates/{crate}"
    tag = etag(admin, path)
    for sent in (tag, f"W/{tag}", "*", f'"x", {tag}'):
        answer = admin.simulate_get(path, headers={"If-None-Match": sent})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    assert admin.simulate_get(path, headers={"If-None-Match": '"old"'}).json["id"] == crate
    admin.ask("PATCH", path, {"colour": "red"})
    assert admin.simulate_get(path, headers={"If-None-Match": tag}).status_code == 200


#: what a record of each service is made of
BODIES = {
    "thirdparties": {"name": "Tagged Ltd"},
    "contacts": {"lastname": "Doe"},
    "products": {"ref": "TAGGED", "label": "Tagged"},
    "users": {"login": "tagged"},
    "depotcrates": {"name": "Crate"},
    "proposals": {"date": 1795219200, "lines": [{"qty": 1, "subprice": "9.99"}]},
    "orders": {"date": 1795219200, "lines": [{"qty": 1, "subprice": "9.99"}]},
    "invoices": {"date": 1795219200, "lines": [{"qty": 1, "subprice": "9.99"}]},
    "categories": {"label": "Tagged", "type": 2},
    "warehouses": {"label": "Tagged"},
    "webhooks": {"url": "https://example.com/tagged", "events": "*"},
    # Closed: while an open one is kept, payments must name it
    "bankaccounts": {"ref": "TAGGED", "label": "Tagged", "type": 1, "clos": 1},
}


def shippable(admin, customer):
    """A validated order."""
    order = admin.ask("POST", "/orders", BODIES["orders"] | {"socid": customer})
    admin.ask("POST", f"/orders/{order}/validate")
    return order


def tagged_services():
    """The services that read and change one record by its identifier."""
    routes = {(each.verb, each.template) for service in catalogue().services.values() for each in service.operations}
    return sorted(
        path.split("/")[1]
        for verb, path in routes
        if verb == "GET" and path.endswith("/{id}") and path.count("/") == 2 and ("PUT", path) in routes
    )


def test_the_tag_of_every_service_is_taken_by_its_own_put(admin):
    customer = admin.ask("POST", "/thirdparties", {"name": "Customer"})
    found = [name for name in tagged_services() if name != "depotbarrels"]
    assert set(found) >= {"thirdparties", "contacts", "products", "users", "proposals", "depotcrates"}
    bodies = BODIES | {"shipments": {"origin_id": shippable(admin, customer)}}
    refused = []
    for name in found:
        body = bodies[name] | ({"socid": customer} if "date" in bodies[name] else {})
        path = f"/{name}/{admin.ask('POST', f'/{name}', body)}"
        record = admin.get(path)
        for verb in ("PUT", "PATCH", "DELETE"):
            admin.refused(verb, path, None if verb == "DELETE" else {}, status=412, headers={"If-Match": '"old"'})
            body = {} if verb == "DELETE" else {"json": record}
            answer = admin.simulate_request(verb, path, headers={"If-Match": etag(admin, path)}, **body)
            if answer.status_code != 200:
                refused.append(f"{verb} {path} {answer.text[:200]}")
    assert refused == []
