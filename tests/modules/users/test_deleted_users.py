"""What a deleted user leaves behind: nothing that the next one could be given."""

import pytest

from core import Account
from core.for_natives import Job, Key
from core.jobs.table import RUNNING, WAITING
from core.storage.claims import IdempotencyClaim
from core.storage.database import ensure_connected

RIGHTS = ("thirdparties.read", "thirdparties.write", "thirdparties.all", "users.self")


def test_the_next_user_is_answered_nothing_that_was_anothers(server, admin):
    first = server.user(*RIGHTS)
    sent = {"headers": {"Idempotency-Key": '"order-1"'}}
    made = first.ask("POST", "/thirdparties", {"name": "Acme"}, **sent)
    assert first.ask("POST", "/thirdparties", {"name": "Acme"}, **sent) == made
    old = admin.get(f"/users/{first.user_id}/history")
    admin.ask("DELETE", f"/users/{first.user_id}")
    ensure_connected()
    assert [each for each in (IdempotencyClaim, Key) if each.select().where(each.user == first.user_id).exists()] == []
    second = server.user(*RIGHTS)
    assert second.user_id == first.user_id + 1
    assert second.ask("POST", "/thirdparties", {"name": "Acme"}, **sent) > made
    shown = second.get(f"/users/{second.user_id}/history")
    assert {each["id"] for each in shown}.isdisjoint(each["id"] for each in old)


def test_jobs_of_a_user_go_with_the_user_unless_they_run(server, admin):
    user, other = server.user(), server.user()
    ensure_connected()
    call = {"module": "thirdparties", "name": "x", "arguments": "{}", "due": 9_999_999_999, "created": 0}
    waiting, running, others = (
        Job.insert(**call, user=of.user_id, status=status).execute()
        for of, status in ((user, WAITING), (user, RUNNING), (other, WAITING))
    )
    admin.ask("DELETE", f"/users/{user.user_id}")
    ensure_connected()
    left = {each.id for each in Job.select().where(Job.id.in_([waiting, running, others]))}
    Job.delete().where(Job.id.in_(left)).execute()
    assert left == {running, others}


def test_a_history_begins_after_the_newest_deletion(server, admin):
    """IDs may still be given on purpose, as an import does."""
    user = server.user()
    admin.ask("DELETE", f"/users/{user.user_id}")
    ensure_connected()
    Account.insert(id=user.user_id, login="successor", lastname="Next").execute()
    try:
        reader, auditor = server.user("users.read"), server.user("users.read", "audit.read")
        path = f"/users/{user.user_id}/history"
        assert [(each["kind"], each["after"]["login"]) for each in reader.get(path)] == [("created", "successor")]
        assert reader.get(path, page=1, limit=1) == []
        assert [each["kind"] for each in auditor.get(path)][-1] == "created"
        assert "deleted" in [each["kind"] for each in auditor.get(path)]
    finally:
        admin.ask("DELETE", f"/users/{user.user_id}")


# Users who wrote numbers and amounts ----------------------------------------------------------------------------------

CLERK = (
    "thirdparties.read", "thirdparties.all", "proposals.read", "proposals.write", "proposals.close", "orders.read",
    "orders.write", "invoices.read", "invoices.write", "invoices.validate", "invoices.pay", "warehouses.read",
    "stockmovements.read", "stockmovements.write", "products.read",
)  # fmt: skip
LINE = {"desc": "Desk", "qty": 1, "subprice": 5}


def document(client, service, customer):
    return client.ask("POST", f"/{service}", {"socid": customer, "date": "2026-11-28", "lines": [LINE]})


def create_and_leave(user, admin, customer):
    admin.ask("POST", f"/orders/{document(user, 'orders', customer)}/validate")


def validate(user, admin, customer):
    user.ask("POST", f"/invoices/{document(admin, 'invoices', customer)}/validate")


def sign(user, admin, customer):
    proposal = document(admin, "proposals", customer)
    admin.ask("POST", f"/proposals/{proposal}/validate")
    user.ask("POST", f"/proposals/{proposal}/close", {"status": 2})


def pay(user, admin, customer):
    invoice = document(admin, "invoices", customer)
    admin.ask("POST", f"/invoices/{invoice}/validate")
    payment = {"datepaye": 1795824000, "paymentid": 2, "closepaidinvoices": "no"}
    user.ask("POST", f"/invoices/{invoice}/payments", payment)


def move(user, admin, customer):
    warehouse = admin.ask("POST", "/warehouses", {"label": f"Of {user.user_id}"})
    product = admin.ask("POST", "/products", {"ref": f"MOVED{user.user_id}", "label": "Moved"})
    user.ask("POST", "/stockmovements", {"product_id": product, "warehouse_id": warehouse, "qty": 1})


def plan(user, admin, customer):
    body = {"title": f"Of {user.user_id}", "socid": customer, "frequency": 1, "lines": [LINE]}
    user.ask("POST", "/invoices/templates", body)


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("work", "used_by"),
    [
        (create_and_leave, "orders"), (validate, "invoices"), (sign, "proposals"), (pay, "payments"),
        (move, "stock movements"), (plan, "templates"),
    ],
)  # fmt: skip
def test_users_who_wrote_numbers_and_amounts_stay(server, admin, customer, work, used_by):
    user = server.user(*CLERK)
    work(user, admin, customer)
    message = f"User {user.user_id} can't be deleted, because it is used by {{}}; to deactivate it, set `statut` to 0"
    path = f"/users/{user.user_id}"
    assert admin.refused("DELETE", path, status=405) == f"Method Not Allowed: {message.format(used_by)}"
    clerk = server.user("users.read", "users.delete")
    error = clerk.ask("DELETE", path, status=405)["error"]
    assert (error["message"], error["allowed"]) == (f"Method Not Allowed: {message.format('other records')}", [])
    assert admin.get(path)["statut"] == 1


def test_a_draft_forgets_its_author(server, admin, customer):
    user = server.user(*CLERK)
    order = document(user, "orders", customer)
    assert admin.get(f"/orders/{order}")["user_author_id"] == user.user_id
    answer = admin.simulate_delete(f"/users/{user.user_id}")
    assert (answer.status_code, answer.headers["warning"]) == (
        200,
        f'299 comptoir "removed user {user.user_id} from drafts"',
    )
    assert admin.get(f"/orders/{order}")["user_author_id"] is None


def test_a_representative_is_removed_with_a_warning(server, admin, customer):
    user = server.user()
    others = [customer, admin.ask("POST", "/thirdparties", {"name": "Second"})]
    for each in others:
        admin.ask("POST", f"/thirdparties/{each}/representatives/{user.user_id}")
    answer = admin.simulate_delete(f"/users/{user.user_id}")
    told = f'299 comptoir "user {user.user_id} no longer represents 2 third parties"'
    assert (answer.status_code, answer.headers["warning"]) == (200, told)
    assert user.user_id not in [each["id"] for each in admin.get(f"/thirdparties/{customer}/representatives")]
