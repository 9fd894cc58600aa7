"""Deliveries: what arrives, in which order, and what becomes of a receiver that fails."""

import json
import time

import pytest

from core import ApiError
from core.common.clock import as_if
from core.storage.database import execute, query

from .conftest import DAY, NOW, SECRET, URL, expected_signature

pytestmark = pytest.mark.every_database

OTHER = "https://other.example/hook"


def thirdparty(post, name="Acme", **more):
    return post.admin.ask("POST", "/thirdparties", {"name": name, **more})


def test_a_change_arrives_with_what_has_changed(post, receiver):
    hook = post.hook("thirdparties.*")
    company = thirdparty(post)
    post.admin.ask("PATCH", f"/thirdparties/{company}", {"town": "Lyon"})
    post.after()
    (_, created, headers), (_, changed, _) = receiver.requests
    shown = post.admin.get(f"/thirdparties/{company}")
    assert created == {
        "type": "thirdparties.created", "timestamp": "2027-01-15T08:00:00Z",
        "data": {"id": company, "user": post.server.administrator.id, "record": shown, "before": {}, "after": {}},
    }  # fmt: skip
    assert changed["type"] == "thirdparties.changed"
    assert (changed["data"]["before"], changed["data"]["after"]) == ({"town": None}, {"town": "Lyon"})
    assert (headers["webhook-timestamp"], headers["Content-Type"]) == (str(NOW), "application/json")
    assert post.shown(hook)["position"] == query("SELECT last FROM comptoir_event_feed")[0][0]


def test_a_request_is_signed_with_each_secret_of_a_day(post, monkeypatch):
    sent = []

    def fetch(url, *, method, body, headers):
        sent.append((body, headers))
        return type("Response", (), {"status": 200})

    monkeypatch.setattr("modules.webhooks.deliveries.fetch", fetch)
    hook = post.hook("thirdparties.created")
    thirdparty(post)
    post.after()
    new = post.admin.ask("POST", f"/webhooks/{hook}/secret")["secret"]
    thirdparty(post)
    post.after()
    post.seconds += DAY
    with as_if(post.seconds):
        thirdparty(post)
    post.after()
    for (body, headers), secrets in zip(sent, [[SECRET], [new, SECRET], [new]], strict=True):
        assert headers["webhook-signature"] == " ".join(expected_signature(each, headers, body) for each in secrets)
    assert len({headers["webhook-id"] for _, headers in sent}) == 3


def test_the_zone_of_the_machine_changes_no_instant(post, receiver, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        post.hook("thirdparties.created")
        thirdparty(post)
        post.after()
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    ((_, sent, headers),) = receiver.requests
    assert (sent["timestamp"], headers["webhook-timestamp"]) == ("2027-01-15T08:00:00Z", str(NOW))


def test_what_is_undone_is_not_sent(post, receiver):
    post.hook("*")
    post.after()
    receiver.take()
    post.admin.refused("POST", "/thirdparties", {"name": "x" * 500}, status=400)
    sent = [{"method": "POST", "body": {"name": "A"}}, {"method": "POST", "body": {}}]
    post.admin.refused("POST", "/thirdparties/batch", {"entries": sent, "atomic": True}, status=400)
    post.after()
    assert receiver.take() == []


def test_a_receiver_that_is_down_for_an_hour_gets_everything_in_order(post, receiver):
    post.hook("thirdparties.*")
    post.hook("thirdparties.created", url=OTHER)
    receiver.answers[URL] = ApiError("no connection", status=502)
    companies = [thirdparty(post, f"Company {number}") for number in range(5)]
    for each in companies:
        post.admin.ask("PATCH", f"/thirdparties/{each}", {"town": "Lyon"})
    for _ in range(12):
        post.after(300)
    # Another webhook isn't held up
    assert receiver.take(OTHER) == [("thirdparties.created", each) for each in companies]
    assert receiver.take() == []
    # The pauses grow: 10, 30, 90 … seconds
    assert len([each for each in receiver.requests if each[0] == URL]) < 15
    receiver.answers.clear()
    for _ in range(5):
        post.after(3600)
    got = receiver.take()
    assert sorted(got) == sorted(
        (f"thirdparties.{event}", each) for each in companies for event in ("created", "changed")
    )
    for each in companies:
        assert [name for name, record in got if record == each] == ["thirdparties.created", "thirdparties.changed"]


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        (500, 500, "expected a status from 200 to 299, got 500"),
        (302, 302, "redirects aren't followed, got 302"),
        (ApiError("no complete response within 10 s", status=502), None, "no complete response within 10 s"),
    ],
)
def test_a_failed_request_is_repeated_with_the_same_id(post, receiver, answer, status, error):
    hook = post.hook("thirdparties.*")
    receiver.answers[URL] = answer
    company = thirdparty(post)
    post.after()
    (row,) = post.admin.get("/webhookdeliveries", webhook=hook)
    assert (row["state"], row["attempts"], row["status"], row["error"]) == ("waiting", 1, status, error)
    assert row["due"] == NOW + 10
    receiver.answers.clear()
    post.after(9)
    assert receiver.take() == []
    post.after(1)
    assert receiver.take() == [("thirdparties.created", company)]
    assert len({headers["webhook-id"] for _, _, headers in receiver.requests}) == 1
    assert post.admin.get(f"/webhookdeliveries/{row['id']}")["state"] == "delivered"


def test_one_event_that_fails_holds_up_its_record_only(post, receiver):
    post.hook("thirdparties.*")
    bad, good = thirdparty(post, "Bad"), thirdparty(post, "Good")
    receiver.answers[URL] = lambda sent: 500 if sent["data"]["id"] == bad else 200
    for each in (bad, good):
        post.admin.ask("PATCH", f"/thirdparties/{each}", {"town": "Lyon"})
    post.after()
    assert receiver.take() == [("thirdparties.created", good), ("thirdparties.changed", good)]
    receiver.answers.clear()
    post.after(10)
    assert receiver.take() == [("thirdparties.created", bad), ("thirdparties.changed", bad)]


def test_one_event_that_always_fails_is_given_up_after_three_days(post, receiver):
    hook = post.hook("thirdparties.*")
    bad = thirdparty(post, "Bad")
    receiver.answers[URL] = lambda sent: (
        500 if sent["type"] == "thirdparties.created" and sent["data"]["id"] == bad else 200
    )
    post.admin.ask("PATCH", f"/thirdparties/{bad}", {"town": "Lyon"})
    for _ in range(13):
        post.after(6 * 3600)
        with as_if(post.seconds):
            thirdparty(post, "Good")
        post.after()
    assert ("thirdparties.changed", bad) in receiver.take()
    assert post.shown(hook)["active"] == 1
    (row,) = [each for each in post.admin.get("/webhookdeliveries") if each["state"] == "given up"]
    assert (row["record"], row["event"]) == (bad, "created")


def test_410_pauses_at_once_and_everything_arrives_later(post, receiver):
    hook = post.hook("thirdparties.created")
    receiver.answers[URL] = 410
    first = thirdparty(post)
    post.after()
    second = thirdparty(post)
    post.after(DAY)
    assert len(receiver.requests) == 1
    shown = post.shown(hook)
    assert (shown["active"], shown["reason"]) == (0, "the receiver answered 410 Gone")
    ready = post.admin.get("/health/ready")
    assert (ready["ready"], ready["parts"]["webhooks"]) == (True, "degraded")
    assert "webhooks: 1 is paused, because deliveries failed" in ready["degraded"]
    receiver.answers.clear()
    with as_if(post.seconds):
        post.admin.ask("PATCH", f"/webhooks/{hook}", {"active": 1})
    post.after(10)
    assert receiver.take() == [("thirdparties.created", first), ("thirdparties.created", second)]
    assert post.shown(hook)["reason"] == ""


def test_three_days_of_failures_pause_it(post, receiver):
    hook = post.hook("thirdparties.created")
    receiver.answers[URL] = 503
    first = thirdparty(post)
    for _ in range(13):
        assert post.shown(hook)["active"] == 1
        post.after(6 * 3600)
    post.after(DAY)
    shown = post.shown(hook)
    assert (shown["active"], shown["reason"]) == (
        0, "all requests of three days failed: expected a status from 200 to 299, got 503",
    )  # fmt: skip
    receiver.answers.clear()
    with as_if(post.seconds):
        post.admin.ask("PATCH", f"/webhooks/{hook}", {"active": 1})
    post.after(6 * 3600)
    assert receiver.take() == [("thirdparties.created", first)]


def test_what_is_no_longer_kept_is_counted(post, receiver):
    hook = post.hook("thirdparties.created")
    post.admin.ask("PATCH", f"/webhooks/{hook}", {"active": 0})
    for number in range(3):
        company = thirdparty(post, f"Lost {number}")
    # Another event than those that it wants
    post.admin.ask("PATCH", f"/thirdparties/{company}", {"town": "Lyon"})
    post.after()
    post.seconds += 31 * DAY
    with as_if(post.seconds):
        kept = thirdparty(post, "Kept")
    post.after(DAY)
    with as_if(post.seconds):
        post.admin.ask("PATCH", f"/webhooks/{hook}", {"active": 1})
    receiver.answers[URL] = 500
    post.after()
    receiver.answers.clear()
    post.after(3600)
    assert [(each["type"], each["data"].get("number", each["data"].get("id"))) for each in receiver.bodies] == [
        ("events.missed", 3), ("thirdparties.created", kept),
    ]  # fmt: skip


# The owner's permissions ------------------------------------------------------------------------------------------------


def test_an_owner_gets_what_the_owner_may_read(post, receiver):
    mine, foreign = thirdparty(post, "Mine", client=1), thirdparty(post, "Foreign", client=1)
    user = post.server.user("webhooks.read", "webhooks.write", "thirdparties.read", represents=[mine])
    post.hook("*", client=user)
    post.after()
    # The earlier events, and that of the webhook itself
    receiver.take()
    for each in (mine, foreign):
        post.admin.ask("PATCH", f"/thirdparties/{each}", {"town": "Lyon"})
    post.admin.ask("POST", "/products", {"ref": f"P{post.seconds}", "label": "Desk"})
    post.after()
    assert receiver.take() == [("thirdparties.changed", mine)]
    # This is decided before the rows of the representatives are gone
    for each in (mine, foreign):
        post.admin.ask("DELETE", f"/thirdparties/{each}")
    post.after()
    ((_, sent),) = receiver.arrived
    assert (sent["type"], sent["data"]["id"], sent["data"]["record"]["town"]) == ("thirdparties.deleted", mine, "Lyon")


def test_hidden_fields_are_not_sent(post, receiver):
    company = thirdparty(post, "Mine", client=1)
    user = post.server.user("webhooks.write", "thirdparties.read", socid=company)
    post.hook("thirdparties.changed", client=user)
    post.admin.ask("PATCH", f"/thirdparties/{company}", {"note_private": "secret words", "town": "Lyon"})
    post.after()
    ((_, sent),) = receiver.arrived
    assert sent["data"]["after"] == {"town": "Lyon"}
    assert "note_private" not in sent["data"]["record"]
    assert "secret words" not in json.dumps(sent)


def test_a_disabled_owner_gets_nothing(post, receiver):
    user = post.server.user("webhooks.write", "thirdparties.read", "thirdparties.all")
    hook = post.hook("thirdparties.*", client=user)
    thirdparty(post)
    post.after()
    assert len(receiver.take()) == 1
    post.admin.ask("PUT", f"/users/{user.user_id}", {"statut": 0})
    company = thirdparty(post)
    post.admin.ask("DELETE", f"/thirdparties/{company}")
    execute("UPDATE comptoir_webhook SET missed = 3 WHERE rowid = ?", (hook,))
    post.after()
    assert receiver.take() == []
    # Nothing is left that would start a job again and again
    assert post.after(60) == 0


def test_a_record_that_is_gone_when_its_creation_is_delivered(post, receiver):
    post.hook("thirdparties.*")
    company = thirdparty(post)
    post.admin.ask("DELETE", f"/thirdparties/{company}")
    post.after()
    assert [(each["type"], each["data"]["record"] and each["data"]["record"]["name"]) for each in receiver.bodies] == [
        ("thirdparties.created", None), ("thirdparties.deleted", "Acme"),
    ]  # fmt: skip


# Webhooks over HTTP ---------------------------------------------------------------------------------------------------


def test_everything_that_is_wrong_is_told(post):
    body = {"url": "http://127.0.0.1/", "events": "ordres.* orders", "secret": "short"}
    errors = post.admin.ask("POST", "/webhooks", body, status=400)["error"]["errors"]
    assert {each["field"] for each in errors} == {"url", "events", "secret"}
    said = {each["field"]: each["message"] for each in errors}
    assert said["secret"] == "expected whsec_ and 24 to 64 bytes in base64"
    assert said["events"] == "no service ordres sends events; did you mean orders?"
    for events, reason in [
        ("orders.validatd", "orders.validatd: there is no such event; did you mean validated?"),
        ("orders", "expected patterns such as orders.* or *.deleted, got 'orders'"),
        ("orders.pdf_requested", "orders.pdf_requested: there is no such event"),
    ]:
        (error,) = post.admin.ask("POST", "/webhooks", {"url": URL, "events": events}, status=400)["error"]["errors"]
        assert error["message"].startswith(reason)


def test_patterns_are_kept_in_one_form(post):
    assert post.shown(post.hook(" orders.*,  *.deleted orders.* "))["events"] == "orders.* *.deleted"
    assert post.shown(post.hook("*"))["events"] == "*.*"


def test_a_secret_is_never_shown(post):
    hook = post.hook("*")
    new = post.admin.ask("POST", f"/webhooks/{hook}/secret")["secret"]
    told = json.dumps([post.shown(hook), post.admin.get("/webhooks"), post.admin.get(f"/webhooks/{hook}/history")])
    assert SECRET not in told
    assert new not in told
    assert new.startswith("whsec_")
    post.admin.refused("PATCH", f"/webhooks/{hook}", {"secret": SECRET}, status=400)


def test_users_see_their_own(post, receiver):
    hook = post.hook("thirdparties.*")
    thirdparty(post)
    post.after()
    (row,) = post.admin.get("/webhookdeliveries")
    user = post.server.user("webhooks.read", "webhooks.write", "webhooks.delete")
    assert user.get("/webhooks") == []
    assert user.get("/webhookdeliveries") == []
    for verb, path, body in [
        ("GET", f"/webhooks/{hook}", None), ("PATCH", f"/webhooks/{hook}", {"url": OTHER}),
        ("POST", f"/webhooks/{hook}/test", None), ("POST", f"/webhooks/{hook}/secret", None),
        ("GET", f"/webhookdeliveries/{row['id']}", None), ("POST", f"/webhookdeliveries/{row['id']}/repeat", None),
        ("DELETE", f"/webhooks/{hook}", None),
    ]:  # fmt: skip
        user.refused(verb, path, body, status=404)


def test_a_restricted_key_makes_no_webhook_of_an_unrestricted_user(post):
    key = post.server.user("webhooks.write", admin=True, only=["webhooks.write", "webhooks.read"])
    body = {"url": URL, "events": "*"}
    assert "this key has only some of them" in key.refused("POST", "/webhooks", body, status=401)
    hook = post.hook("*")
    own = post.server.user("webhooks.write", "webhooks.read", only=["webhooks.write"])
    execute("UPDATE comptoir_webhook SET fk_user = ? WHERE rowid = ?", (own.user_id, hook))
    own.refused("PATCH", f"/webhooks/{hook}", {"url": OTHER}, status=401)
    own.refused("POST", f"/webhooks/{hook}/secret", status=401)


def test_a_test_event_tells_what_the_receiver_answered(post, receiver):
    hook = post.hook("orders.*")
    assert post.admin.ask("POST", f"/webhooks/{hook}/test") == {"status": 204, "error": ""}
    receiver.answers[URL] = ApiError("can't connect to receiver.example", status=502)
    answer = post.admin.ask("POST", f"/webhooks/{hook}/test")
    assert answer == {"status": None, "error": "can't connect to receiver.example"}
    assert [each["type"] for _, each, _ in receiver.requests] == ["webhooks.test"] * 2
    failed, delivered = post.admin.get("/webhookdeliveries", webhook=hook)
    assert (failed["state"], failed["status"]) == ("given up", None)
    assert failed["error"] == "can't connect to receiver.example"
    assert (delivered["state"], delivered["status"], delivered["attempts"]) == ("delivered", 204, 1)
    # The number of a test is that of another event, which must not be sent instead
    thirdparty(post)
    post.after()
    post.admin.ask("POST", f"/webhooks/{hook}/test")
    (test, *_) = post.admin.get("/webhookdeliveries", webhook=hook)
    assert test["number"] > 0
    assert "a test is not repeated" in post.admin.refused("POST", f"/webhookdeliveries/{test['id']}/repeat", status=405)


def test_a_webhook_may_be_deleted_during_its_test(post, receiver):
    hook = post.hook("*")

    def delete(sent):
        execute("DELETE FROM comptoir_webhook WHERE rowid = ?", (hook,))
        return 204

    receiver.answers[URL] = delete
    post.admin.refused("POST", f"/webhooks/{hook}/test", status=404)


def test_a_delivery_is_repeated(post, receiver):
    hook = post.hook("thirdparties.created")
    company = thirdparty(post)
    post.after()
    (row,) = post.admin.get("/webhookdeliveries", webhook=hook)
    assert post.admin.ask("POST", f"/webhookdeliveries/{row['id']}/repeat")["state"] == "waiting"
    post.after()
    assert receiver.take() == [("thirdparties.created", company)] * 2
    execute("DELETE FROM comptoir_event")
    post.admin.refused("POST", f"/webhookdeliveries/{row['id']}/repeat", status=405)


def test_a_deleted_webhook_leaves_nothing(post, receiver):
    hook = post.hook("thirdparties.created")
    thirdparty(post)
    post.after()
    post.admin.ask("DELETE", f"/webhooks/{hook}")
    assert query("SELECT COUNT(*) FROM comptoir_webhook_delivery") == [(0,)]


def test_a_job_whose_process_has_ended_is_replaced(post, receiver):
    hook = post.hook("thirdparties.created")
    company = thirdparty(post)
    execute("UPDATE comptoir_webhook SET holder = 'gone', held_until = ? WHERE rowid = ?", (NOW + 60, hook))
    post.after(59)
    assert receiver.take() == []
    post.after(2)
    assert receiver.take() == [("thirdparties.created", company)]


# Faults of others -----------------------------------------------------------------------------------------------------


def test_a_resumed_webhook_has_all_attempts_again(post, receiver):
    hook = post.hook("thirdparties.created")
    receiver.answers[URL] = 503
    first = thirdparty(post)
    for _ in range(14):
        post.after(6 * 3600)
    assert post.shown(hook)["active"] == 0
    with as_if(post.seconds):
        post.admin.ask("PATCH", f"/webhooks/{hook}", {"active": 1})
    post.after()
    assert [each["state"] for each in post.admin.get("/webhookdeliveries")] == ["waiting"]
    receiver.answers.clear()
    post.after(3600)
    assert receiver.take() == [("thirdparties.created", first)]


def test_events_of_a_transaction_keep_their_order(post, receiver):
    post.hook("thirdparties.*")
    company = thirdparty(post)
    post.after()
    receiver.take()
    entries = [{"method": "PATCH", "id": company, "body": {"town": "Lyon"}}, {"method": "DELETE", "id": company}]
    post.admin.ask("POST", "/thirdparties/batch", {"entries": entries, "atomic": True})
    post.after()
    assert receiver.take() == [("thirdparties.changed", company), ("thirdparties.deleted", company)]


def test_a_merged_thirdparty_is_deleted_for_its_representatives(post, receiver):
    kept, gone = thirdparty(post, "Kept", client=1), thirdparty(post, "Gone", client=1, ref_ext=f"X{post.seconds}")
    user = post.server.user("webhooks.write", "thirdparties.read", represents=[gone])
    post.hook("thirdparties.deleted", client=user)
    post.admin.ask("PUT", f"/thirdparties/{kept}/merge/{gone}")
    post.after()
    ((_, sent),) = receiver.arrived
    # As it was before its rows and codes moved
    assert (sent["data"]["id"], sent["data"]["record"]["name"]) == (gone, "Gone")
    assert sent["data"]["record"]["ref_ext"] == f"X{post.seconds}"


def test_many_owners_of_equal_records(post, receiver):
    note = "x" * 3000
    company = thirdparty(post, "Acme", client=1, note_public=note)
    users = [post.server.user("webhooks.write", "thirdparties.read", "thirdparties.all") for _ in range(25)]
    for number, each in enumerate(users):
        post.hook("thirdparties.deleted", client=each, url=f"{URL}/{number}")
    post.admin.ask("DELETE", f"/thirdparties/{company}")
    post.after()
    assert [sent["data"]["record"]["note_public"] for sent in receiver.bodies] == [note] * 25


def test_a_webhook_that_is_paused_meanwhile_gets_no_more(post, receiver):
    hook = post.hook("thirdparties.created")
    for _ in range(3):
        thirdparty(post)

    def pause(sent):
        execute("UPDATE comptoir_webhook SET active = 0 WHERE rowid = ?", (hook,))
        return 204

    receiver.answers[URL] = pause
    post.after()
    assert len(receiver.take()) == 1


def test_a_repeated_delivery_does_not_overtake(post, receiver):
    post.hook("thirdparties.*")
    receiver.answers[URL] = 500
    company = thirdparty(post)
    post.admin.ask("PATCH", f"/thirdparties/{company}", {"town": "Lyon"})
    post.after()
    behind = post.admin.get("/webhookdeliveries")[0]
    assert (behind["event"], behind["due"]) == ("changed", None)
    receiver.answers.clear()
    post.admin.ask("POST", f"/webhookdeliveries/{behind['id']}/repeat")
    post.after()
    assert receiver.take() == [("thirdparties.created", company), ("thirdparties.changed", company)]


def test_a_receiver_that_rejects_the_message_about_missed_events_gets_the_others(post, receiver):
    hook = post.hook("thirdparties.created")
    execute("UPDATE comptoir_webhook SET missed = 7 WHERE rowid = ?", (hook,))
    receiver.answers[URL] = lambda sent: 400 if sent["type"] == "events.missed" else 204
    company = thirdparty(post)
    post.after()
    assert receiver.take() == [("thirdparties.created", company)]
    assert post.shown(hook)["missed"] == 0


def test_the_value_of_a_setting_is_not_stored(post, receiver):
    post.hook("setup.*")
    post.admin.ask("PUT", "/setup/conf/MAIN_INFO_SOCIETE_TOWN", {"value": "Top secret"})
    post.after()
    ((_, sent),) = receiver.arrived
    assert sent["data"]["record"] == {"name": "MAIN_INFO_SOCIETE_TOWN"}
    assert "Top secret" not in json.dumps(query("SELECT detail FROM comptoir_event"))


@pytest.mark.parametrize("secret", [123, ["whsec_"], {"a": 1}, True, "whsec_!!!"])
def test_a_secret_of_another_type(post, secret):
    body = {"url": URL, "events": "*", "secret": secret}
    (error,) = post.admin.ask("POST", "/webhooks", body, status=400)["error"]["errors"]
    assert error["field"] == "secret"


def test_events_that_nobody_wants_make_no_jobs(post, receiver):
    hook = post.hook("orders.validated")
    for _ in range(3):
        thirdparty(post)
        post.after()
    assert query("SELECT COUNT(*) FROM comptoir_job WHERE name = 'deliver'") == [(0,)]
    assert post.shown(hook)["position"] == query("SELECT last FROM comptoir_event_feed")[0][0]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ApiError("thirdparties can't be loaded", status=501), "thirdparties can't be loaded"),
        (KeyError("x"), "KeyError"),
    ],
)
def test_a_record_that_can_not_be_read_now_is_tried_again(post, receiver, monkeypatch, error, reason):
    hook = post.hook("thirdparties.created")
    broken, company = thirdparty(post, "Broken"), thirdparty(post)

    def read(service, identifier):
        if identifier == broken:
            raise error
        return {"id": identifier}

    with monkeypatch.context() as patch:
        patch.setattr("modules.webhooks.deliveries.read_record", read)
        post.after()
    assert receiver.take() == [("thirdparties.created", company)]
    (row,) = [each for each in post.admin.get("/webhookdeliveries") if each["state"] == "waiting"]
    assert row["error"] == f"the record can't be read: {reason}"
    assert post.shown(hook)["failures"] == 0
    post.after(10)
    assert receiver.take() == [("thirdparties.created", broken)]
