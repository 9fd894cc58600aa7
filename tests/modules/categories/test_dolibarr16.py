"""Categories in the profile `dolibarr16`."""

import pytest

from tests.modules.categories.categories import CONTACT, HOSTS, SUPPLIER, make


@pytest.fixture(scope="module")
def old_admin(old_server):
    return old_server.client()


def test_columns_are_text_and_an_empty_list_is_missing(serve):
    client = serve(profile_name="dolibarr16").client()
    assert "No category found" in client.refused("GET", "/categories", status=404)
    record = client.get(f"/categories/{make(client, label='Old')}")
    assert (record["type"], record["fk_parent"], record["visible"]) == ("2", "0", "1")
    assert client.ask("PUT", f"/categories/{record['id']}", record)["label"] == "Old"
    assert "No category found" in client.refused("GET", "/categories?type=product", status=404)


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.kind)
def test_what_is_done_before_is_unchanged(old_admin, host):
    fields = {"fournisseur": 1, "code_fournisseur": "auto"} if host is SUPPLIER else {}
    record, category = host.make(old_admin, **fields), make(old_admin, host.kind)

    def assert_without():
        # A list below a record is empty, except that of a contact, which is missing
        if host is CONTACT:
            assert "No category found" in old_admin.refused("GET", host.below(record), status=404)
        else:
            assert old_admin.get(host.below(record)) == []

    assert_without()
    assert old_admin.get(f"/categories/{category}/objects") == []
    assert old_admin.ask("POST", host.below(record, category))["id"] == str(record)
    old_admin.ask("POST", host.below(record, category), status=304)
    assert [each["id"] for each in old_admin.get(host.below(record), limit=0)] == [str(category)]
    mode = {"mode": 4} if host is SUPPLIER else {}
    assert [each["id"] for each in old_admin.get(f"/{host.service}", category=category, **mode)] == [str(record)]
    old_admin.ask("GET", f"/{host.service}?category=999999", status=404)
    assert old_admin.ask("DELETE", host.below(record, category))["id"] == str(record)
    assert_without()
