"""What a deleted user leaves behind: nothing that the next one could be given."""

from core import Account, Job, Key
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
