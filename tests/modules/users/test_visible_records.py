"""A list that hides records says so, and names the permission that shows all; it never depends on the records."""

import pytest

OF_REPRESENTED = "those of third parties that the user represents; the permission thirdparties.all shows all"
OF_OWN = "those of the user's own third party"
LISTS = ("thirdparties", "contacts", "invoices", "orders", "proposals", "shipments", "invoices/templates")
READ = [f"{each}.read" for each in LISTS[:-1]]


@pytest.fixture(scope="module")
def third_party(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Seen Ltd", "client": 1})


def visible(client, service):
    answer = client.simulate_get(f"/{service}")
    assert answer.status_code == 200, answer.text
    return answer.headers.get("Visible-Records")


@pytest.mark.parametrize("service", LISTS)
def test_a_list_says_which_records_a_caller_sees(admin, server, third_party, service):
    assert visible(admin, service) is None
    assert visible(server.user(*READ, "thirdparties.all"), service) is None
    # With records and without any
    for client in (server.user(*READ), server.user(*READ, represents=[third_party])):
        assert visible(client, service) == OF_REPRESENTED
    assert visible(server.user(*READ, socid=third_party), service) == OF_OWN


def test_lists_without_a_rule_about_third_parties(server, third_party):
    assert visible(server.user("products.read"), "products") is None
    external = server.user("users.read", "bankaccounts.read", "stockmovements.read", "jobs.read", socid=third_party)
    assert [visible(external, each) for each in ("users", "bankaccounts", "stockmovements", "jobs")] == [
        "the user's own record", "none", "none", "the user's own jobs; the permission jobs.read shows all",
    ]  # fmt: skip


def test_a_permission_that_shows_only_some_records_warns(admin, server):
    user = server.user().user_id

    def warned(*rights):
        answer = admin.simulate_put(f"/users/{user}/rights", json={"rights": list(rights)})
        assert answer.status_code == 200
        return answer.headers.get("Warning")

    assert f"of invoices, the user sees: {OF_REPRESENTED}" in warned("invoices.read")
    assert f"of invoices, orders, the user sees: {OF_REPRESENTED}" in warned("invoices.read", "orders.read")
    assert warned("invoices.read", "thirdparties.all") is None
    assert warned("products.read") is None
