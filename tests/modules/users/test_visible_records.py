"""A list that hides records says so, and names the permission that shows all; it never depends on the records."""

import pytest

OF_REPRESENTED = "those of third parties that the user represents; the permission thirdparties.all shows all"


@pytest.fixture(scope="module")
def third_party(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Seen Ltd", "client": 1})


def visible(client, service):
    answer = client.simulate_get(f"/{service}")
    assert answer.status_code == 200, answer.text
    return answer.headers.get("Visible-Records")


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
