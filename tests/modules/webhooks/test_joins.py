"""Webhooks and changes beside refused deletions, broken files, moved records, lost permissions and stopped servers."""

import importlib
import json

import pytest

from core import ApiError

from .conftest import DAY, URL

TEA = """
from core import Crud, Model, Records
from peewee import CharField

class Tea(Model):
    name = CharField()

class TeaRecords(Records[Tea]):
    model = Tea

class Teas(Crud):
    records = TeaRecords()
"""


def thirdparty(post, name="Acme", **more):
    return post.admin.ask("POST", "/thirdparties", {"name": name, "client": 1, **more})


def follow(client, since, **more):
    page = client.get("/changes", since=since, **more)
    return [(each["type"], each["id"]) for each in page["changes"]], page["cursor"]


def test_deletions_arrive_after_others_were_refused(post, receiver, monkeypatch):
    monkeypatch.setattr("modules.webhooks.followers._MOST_NOTED", 5)
    post.hook("thirdparties.deleted")
    reader = post.server.user("thirdparties.read", "thirdparties.all")
    cursor = reader.get("/changes")["cursor"]
    used = [thirdparty(post) for _ in range(4)]
    for each in used:
        post.admin.ask("POST", "/proposals", {"socid": each, "date": "2027-01-15"})
        post.admin.ask("DELETE", f"/thirdparties/{each}", status=405)
    ids = [thirdparty(post) for _ in range(8)]
    post.admin.ask("POST", "/thirdparties/batch", {"entries": [{"method": "DELETE", "id": each} for each in ids]})
    single = thirdparty(post)
    post.admin.ask("DELETE", f"/thirdparties/{single}")
    post.after()
    gone = [("thirdparties.deleted", each) for each in (*ids, single)]
    assert receiver.take() == gone
    assert follow(reader, cursor, events="thirdparties.deleted")[0] == gone
    # Those of refused deletions don't pile up
    assert len(importlib.import_module("modules.webhooks.followers")._noted.records) <= 5


def test_changes_of_a_broken_service_wait_until_it_is_mended(serve, folder, write):
    write("teas/class/api_teas.py", TEA)
    served = serve(modules=str(folder))
    admin, reader = served.client(), served.user("teas.read", "products.read")
    cursor = reader.get("/changes")["cursor"]
    product = admin.ask("POST", "/products", {"ref": "P1", "label": "Desk"})
    tea = admin.ask("POST", "/teas", {"name": "Assam"})
    later = admin.ask("POST", "/products", {"ref": "P2", "label": "Desk"})
    served.run_jobs()
    write("teas/class/api_teas.py", "1 / 0")
    served.server.reloader.check()
    found, between = follow(reader, cursor)
    assert found == [("products.created", product)]
    error = reader.get("/changes", since=between, status=501)["error"]
    assert "teas" in error["message"]
    assert follow(reader, cursor, events="products.*")[0] == [
        ("products.created", product),
        ("products.created", later),
    ]
    # An administrator sees everything
    assert len(follow(admin, cursor)[0]) == 3
    write("teas/class/api_teas.py", TEA)
    served.server.reloader.check()
    assert follow(reader, between)[0] == [("teas.created", tea), ("products.created", later)]


def test_a_webhook_is_not_paused_for_a_failure_whose_event_is_gone(post, receiver):
    mine, other = thirdparty(post, "Mine"), thirdparty(post, "Other")
    user = post.server.user("webhooks.write", "contacts.read", "thirdparties.read", socid=mine)
    contact = post.admin.ask("POST", "/contacts", {"lastname": "Lee", "socid": mine})
    hook = post.hook("contacts.changed", client=user)
    receiver.answers[URL] = 503
    post.admin.ask("PATCH", f"/contacts/{contact}", {"town": "Lyon"})
    post.after()
    post.admin.ask("PATCH", f"/contacts/{contact}", {"socid": other})
    post.after(DAY)
    second = post.admin.ask("POST", "/contacts", {"lastname": "May", "socid": mine})
    post.admin.ask("PATCH", f"/contacts/{second}", {"town": "Lyon"})
    post.after(5 * DAY)
    assert post.shown(hook)["active"] == 1
    receiver.answers.clear()
    post.after(DAY)
    assert receiver.take() == [("contacts.changed", second)]


def test_a_server_that_was_stopped_for_days_tries_again(post, receiver):
    hook = post.hook("thirdparties.created")
    receiver.answers[URL] = 503
    company = thirdparty(post)
    post.after()
    # The next request is the first one after four days
    post.after(4 * DAY)
    assert post.shown(hook)["active"] == 1
    receiver.answers.clear()
    post.after(DAY)
    assert receiver.take() == [("thirdparties.created", company)]


def test_a_deleted_record_is_not_sent_to_who_has_lost_the_permission(post, receiver):
    company = thirdparty(post)
    user = post.server.user("webhooks.write", "thirdparties.read", "thirdparties.all")
    post.hook("thirdparties.deleted", client=user)
    receiver.answers[URL] = 503
    post.admin.ask("DELETE", f"/thirdparties/{company}")
    post.after()
    post.admin.ask("PUT", f"/users/{user.user_id}/rights", {"rights": ["webhooks.write"]})
    receiver.answers.clear()
    sent = len(receiver.requests)
    post.after(DAY)
    assert (receiver.take(), len(receiver.requests)) == ([], sent)


def test_a_repeated_event_lets_no_later_one_overtake_a_failed_one(post, receiver):
    post.hook("thirdparties.*")
    company = thirdparty(post)
    post.after()
    receiver.take()
    receiver.answers[URL] = 503
    for town in ("Lyon", "Paris"):
        post.admin.ask("PATCH", f"/thirdparties/{company}", {"town": town})
        post.after()
    receiver.answers.clear()
    (created,) = [each["id"] for each in post.admin.get("/webhookdeliveries") if each["event"] == "created"]
    post.admin.ask("POST", f"/webhookdeliveries/{created}/repeat", {})
    for seconds in (1, DAY, DAY):
        post.after(seconds)
    towns = [each["data"]["after"].get("town") for each in receiver.bodies if each["type"] == "thirdparties.changed"]
    assert towns == ["Lyon", "Paris"]


def test_a_record_that_its_service_cannot_show_is_deleted_nevertheless(post, monkeypatch):
    post.hook("products.deleted")
    product = post.admin.ask("POST", "/products", {"ref": f"T{post.seconds}", "label": "Desk"})
    monkeypatch.setattr("modules.webhooks.followers.read_record", lambda *_: 1 / 0)
    post.admin.ask("DELETE", f"/products/{product}")


def test_users_are_not_told_of_to_who_may_not_read_them(post):
    reader = post.server.user("products.read")
    cursor = reader.get("/changes")["cursor"]
    made = post.admin.ask("POST", "/users", {"login": f"new{post.seconds}", "lastname": "New"})
    post.after()
    assert [each for each in follow(reader, cursor)[0] if each[1] == made] == []
    assert ("users.created", made) in follow(post.admin, cursor)[0]
    # Their own record they may read
    post.admin.ask("PATCH", f"/users/{reader.user_id}", {"lastname": "Other"})
    post.after()
    assert ("users.changed", reader.user_id) in follow(reader, cursor)[0]


def test_external_users_get_no_old_values(post, receiver):
    first, mine = thirdparty(post, "First"), thirdparty(post, "Mine")
    user = post.server.user("webhooks.write", "contacts.read", "thirdparties.read", socid=mine)
    contact = post.admin.ask("POST", "/contacts", {"lastname": "Lee", "socid": first})
    post.hook("contacts.changed", client=user)
    for change in ({"phone_mobile": "111"}, {"phone_mobile": "222"}, {"socid": mine}):
        post.admin.ask("PATCH", f"/contacts/{contact}", change)
    post.after()
    assert receiver.bodies
    assert "111" not in json.dumps(receiver.bodies)
    assert [each["data"]["before"] for each in receiver.bodies] == [{}] * len(receiver.bodies)


def test_a_corrected_address_is_tried_at_once(post, receiver):
    hook = post.hook("thirdparties.created")
    receiver.answers[URL] = 503
    company = thirdparty(post)
    for _ in range(8):
        post.after(DAY // 8)
    moved = "https://moved.example/hook"
    post.admin.ask("PATCH", f"/webhooks/{hook}", {"url": moved})
    post.after(1)
    assert receiver.take(moved) == [("thirdparties.created", company)]
    assert post.shown(hook)["retry_at"] is None


def test_a_webhook_that_is_deleted_during_its_delivery(post, receiver):
    hook = post.hook("thirdparties.created")

    def delete(_):
        post.admin.ask("DELETE", f"/webhooks/{hook}")
        return 204

    receiver.answers[URL] = delete
    thirdparty(post)
    post.after()
    post.admin.ask("GET", f"/webhooks/{hook}", status=404)


@pytest.mark.parametrize("events", ["orders.*,", " , orders.* ,"])
def test_a_comma_too_many(post, events):
    assert post.shown(post.hook(events))["events"] == "orders.*"


def test_failures_within_three_days_pause_after_enough_requests(post, receiver):
    hook = post.hook("thirdparties.created")
    receiver.answers[URL] = ApiError("no answer", status=502)
    thirdparty(post)
    for _ in range(4 * 8):
        post.after(DAY // 8)
    shown = post.shown(hook)
    assert (shown["active"], shown["failures"] >= 10) == (0, True)
    assert "three days" in shown["reason"]
