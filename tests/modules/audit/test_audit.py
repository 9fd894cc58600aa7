"""The audit trail over HTTP: what is noted of calls, who sees it, the history of records, failed logins, commands."""

from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from core.audit import change
from core.audit.change import Change
from core.audit.protection import missing
from core.commands import main
from core.common.settings import Settings
from core.storage.database import close, ensure_connected
from core.storage.model import Model, all_models, meta_of
from core.testing import Served, drop_database, fresh_database, why_unavailable
from core.testing.served import make_settings
from core.transfer.copying import copy_database
from core.wsgi import build
from tests.moments import LEAP_DAY_END

pytestmark = pytest.mark.every_database

LINE = {"desc": "Desk", "qty": 2, "subprice": "100", "tva_tx": 20}


@pytest.fixture(scope="module")
def company(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})


def entries(admin, **wanted):
    return admin.get("/audit", **wanted)


def test_an_entry_says_who_did_what_when_and_by_which_request(server, admin, company, monkeypatch):
    clerk = server.user("thirdparties.read", "thirdparties.write", "thirdparties.all", login="clerk")
    with monkeypatch.context() as clock:
        clock.setattr(change, "time", SimpleNamespace(time_ns=lambda: LEAP_DAY_END * 10**9 + 7_999_999))
        clerk.ask("PUT", f"/thirdparties/{company}", {"town": "Bonn"})
    (entry,) = entries(admin, user=clerk.user_id, service="thirdparties")
    assert entry.pop("moment") == LEAP_DAY_END * 1000 + 7
    assert entry.pop("key_id") > 0 and entry.pop("request_id") and entry.pop("id") > 0
    assert entry["after"].pop("user_modification") == clerk.user_id
    for side in ("before", "after"):
        entry[side].pop("date_modification", None)
        entry[side].pop("user_modification", None)
    assert entry == {
        "user_id": clerk.user_id, "login": "clerk", "address": entry["address"],
        "operation": "PUT /thirdparties/{id}", "kind": "changed", "element": "llx_societe", "record": str(company),
        "subject_element": "llx_societe", "subject": str(company), "service": "thirdparties",
        "before": {"town": None}, "after": {"town": "Bonn"},
    }  # fmt: skip


def test_a_document_with_its_lines_contacts_and_files_has_one_history(admin, company):
    proposal = admin.ask("POST", "/proposals", {"socid": company, "date": "2026-11-21", "lines": [LINE]})
    person = admin.ask("POST", "/contacts", {"lastname": "Ada", "socid": company})
    admin.ask("POST", f"/proposals/{proposal}/contact/{person}/CUSTOMER")
    admin.ask("POST", f"/proposals/{proposal}/validate")
    found = [(each["kind"], each["element"]) for each in admin.get(f"/proposals/{proposal}/history")]
    assert found[-2:] == [("created", "llx_propaldet"), ("created", "llx_propal")]
    assert {("created", "llx_element_contact"), ("created", "llx_ecm_files"), ("changed", "llx_propal")} < set(found)
    newest = admin.get(f"/proposals/{proposal}/history", limit=1)[0]
    assert newest["id"] == max(each["id"] for each in admin.get(f"/proposals/{proposal}/history"))
    assert admin.get(f"/proposals/{proposal}/history", limit=1, page=1)[0]["id"] < newest["id"]
    admin.ask("DELETE", f"/proposals/{proposal}")
    assert admin.get(f"/proposals/{proposal}/history")[-1]["after"]["ref"] == f"(PROV{proposal})"


def test_who_may_read_a_record_reads_its_history_and_nobody_else(server, admin, company):
    other = admin.ask("POST", "/thirdparties", {"name": "Other"})
    admin.ask("PUT", f"/thirdparties/{company}", {"phone": "012"})
    reader = server.user("thirdparties.read", represents=[company])
    shown = reader.get(f"/thirdparties/{company}/history")
    assert {each["kind"] for each in shown} == {"created", "changed"}
    # Without audit.read neither logins nor addresses
    assert not {"login", "address", "key_id", "request_id"} & set(shown[0])
    reader.refused("GET", f"/thirdparties/{other}/history", status=404)
    server.user().refused("GET", f"/thirdparties/{company}/history", status=401)
    server.client(None).refused("GET", f"/thirdparties/{company}/history", status=401)
    admin.refused("GET", f"/thirdparties/{company}/history?limit=-1", status=400)
    gone = admin.ask("POST", "/thirdparties", {"name": "Gone"})
    admin.ask("DELETE", f"/thirdparties/{gone}")
    server.user("thirdparties.read", "thirdparties.all").refused("GET", f"/thirdparties/{gone}/history", status=404)
    auditor = server.user("thirdparties.read", "thirdparties.all", "audit.read")
    assert [each["kind"] for each in auditor.get(f"/thirdparties/{gone}/history")] == ["deleted", "created"]


def test_entries_are_found(admin, company):
    mine = entries(admin, service="thirdparties", record=company)
    assert mine == entries(admin, sqlfilters=f"(t.subject_element:=:'llx_societe') and (t.subject:=:'{company}')")
    assert mine and [each["id"] for each in mine] == sorted((each["id"] for each in mine), reverse=True)
    assert {each["kind"] for each in entries(admin, kind="created", operation="POST /thirdparties")} == {"created"}
    together = entries(admin, request=mine[0]["request_id"])
    assert mine[0] in together
    assert {each["request_id"] for each in together} == {mine[0]["request_id"]}
    assert entries(admin, since="2020-01-01", until="2020-01-02") == []
    assert entries(admin, since="2020-01-01", limit=1, sortfield="t.rowid", sortorder="ASC")[0]["id"] == 1
    assert entries(admin, key=99999) == []
    assert "service" in admin.refused("GET", "/audit?record=1", status=400)


def test_constants_rights_and_extra_fields_are_noted(admin, company, constant, extrafield):
    constant("AUDIT_FREE_TEXT", "on")
    constant("AUDIT_PASSWORD_FREE_TEXT", "hidden treasure")
    found = [each["after"] for each in entries(admin, sqlfilters="(t.element:=:'llx_const')", limit=5)]
    assert {"name": "AUDIT_FREE_TEXT", "value": "on"}.items() <= found[1].items()
    assert {"name": "AUDIT_PASSWORD_FREE_TEXT", "value": "***"}.items() <= found[0].items()
    # What was a secret, or becomes one, is hidden whichever way it changes
    for value in ("redis://cache", "redis://ada:hidden@cache", "redis://other"):
        constant("AUDIT_URL_FREE_TEXT", value)
    noted = [
        (each["before"] or {}, each["after"])
        for each in entries(admin, sqlfilters="(t.element:=:'llx_const')", limit=3)
    ]
    values = [(before.get("value"), after["value"]) for before, after in reversed(noted)]
    assert values == [(None, "redis://cache"), ("***", "***"), ("***", "***")]
    extrafield("societe", "shelf", type="varchar", size="8")
    assert entries(admin, limit=1)[0]["after"]["name"] == "shelf"
    admin.ask("PATCH", f"/thirdparties/{company}", {"array_options": {"options_shelf": "A4"}})
    newest = admin.get(f"/thirdparties/{company}/history", limit=1)[0]
    assert newest["after"]["array_options.options_shelf"] == "A4"
    assert newest["before"]["array_options.options_shelf"] is None


def test_a_refused_call_leaves_nothing(admin, company):
    before = entries(admin, limit=1)
    admin.refused("POST", "/thirdparties", {}, status=400)
    admin.refused("POST", "/proposals", {"socid": 99999, "date": "2026-11-21"}, status=404)
    assert entries(admin, limit=1) == before


def test_a_login_that_failed_is_noted_without_what_was_typed(server, admin):
    admin.ask("POST", "/users", {"login": "grace", "lastname": "Grace", "pass": "correct horse battery"})
    found = {each["login"]: each["id"] for each in admin.get("/users", limit=500)}
    nobody = server.client(None)
    nobody.refused("POST", "/login", {"login": "grace", "password": "wrong"}, status=403)
    nobody.refused("POST", "/login", {"login": "my secret password", "password": "wrong"}, status=403)
    unknown, known = entries(admin, kind="login_failed", limit=2)
    assert (known["element"], known["record"], known["operation"]) == ("llx_user", str(found["grace"]), "POST /login")
    assert (known["user_id"], known["after"]) == (None, {})
    assert unknown["record"] == "" and len(unknown["after"]["login_digest"]) == 12
    assert "secret" not in str(unknown)


# For authors ---------------------------------------------------------------------------------------------------------

OWN = """
from modules.loyalty.models import cards


class LoyaltyCards:
    records = cards

    def get(self, id: int) -> dict:
        ''':permission: loyaltycards.read'''
        record = cards.read(id)
        record.pop("points")
        return record

    def post(self, request_data: dict) -> int:
        ''':permission: loyaltycards.write'''
        return cards.create(request_data)

    def put(self, id: int, request_data: dict) -> int:
        ''':permission: loyaltycards.write'''
        cards.change(id, request_data, points=7)
        return 1
{history}
"""
WRITTEN = """
    def chronicle(self, id: int) -> str:
        ''':url: GET {id}/history
        :permission: loyaltycards.read'''
        return "once upon a time"
"""


def test_a_module_of_others_has_a_history_free_of_charge(serve, loyalty):
    file = next(loyalty.glob("loyalty/class/api_*.py"))
    file.write_text(OWN.replace("{history}", ""))
    client = serve(modules=str(loyalty)).client()
    card = client.ask("POST", "/loyaltycards", {"number": "A1"})
    client.ask("PUT", f"/loyaltycards/{card}", {"number": "A2"})
    changed, created = client.get(f"/loyaltycards/{card}/history")
    # What the author's own reading leaves out is left out here
    assert (changed["before"], changed["after"]) == ({"number": "A1"}, {"number": "A2"})
    assert created["after"] == {"number": "A1"}
    assert client.get("/audit", limit=1)[0]["after"] == {"number": "A2", "points": 7}
    operation = client.get("/explorer/openapi/loyaltycards.json")["paths"]["/loyaltycards/{id}/history"]["get"]
    assert operation["x-permission"] == "loyaltycards.read"


def test_an_authors_own_route_wins(serve, loyalty):
    next(loyalty.glob("loyalty/class/api_*.py")).write_text(OWN.replace("{history}", WRITTEN))
    client = serve(modules=str(loyalty)).client()
    assert client.get("/loyaltycards/1/history") == "once upon a time"


#: what the trail does not know of: what the server counts or notes for itself
EXEMPT = {
    "comptoir_audit", "comptoir_counter", "comptoir_dictionary", "comptoir_event", "comptoir_event_feed",
    "comptoir_event_follower", "comptoir_generation", "comptoir_idempotency", "comptoir_job", "comptoir_key_rate",
    "comptoir_login_failure", "comptoir_login_secret", "comptoir_migration", "comptoir_table",
    "comptoir_webhook_delivery", "llx_product_stock",
}  # fmt: skip


def test_every_table_but_the_named_ones_is_noted(server):
    own = [model for model in all_models(Model) if not model.__module__.startswith("tests.")]
    assert {meta_of(model).table_name for model in own if not meta_of(model).audited} == EXEMPT
    assert {
        (meta_of(model).table_name, name)
        for model in own
        if meta_of(model).audited
        for name in meta_of(model).unaudited
    } == {("comptoir_key", "last_use"), ("llx_product", "stock_reel"), ("llx_product", "pmp")} | {
        ("comptoir_webhook", name)
        for name in ("position", "missed", "failures", "failing_since", "retry_at", "holder", "held_until")
    }


# Commands and copies -------------------------------------------------------------------------------------------------


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPTOIR_DATABASE", make_settings(tmp_path).database)
    monkeypatch.setenv("COMPTOIR_DOCUMENTS", str(tmp_path / "documents"))

    def run(*words, code=0):
        done = CliRunner().invoke(main, list(words))
        assert done.exit_code == code, done.output
        return done.output

    return run


@pytest.mark.slow
def test_commands_are_noted_by_name_and_shorten_and_erase(command):
    command("user", "add", "ada", "--lastname", "Ada")
    command("key", "add", "ada")
    assert "COMPTOIR_AUDIT_DAYS" in command("audit", "prune", code=2)
    assert "expected a date" in command("audit", "prune", "--before", "soon", code=2)
    command("audit", "prune", "--before", "2999-01-01", code=2)
    assert '"deleted": 0' in command("audit", "prune", "--before", "2020-01-01", "--json")
    assert "got 'nothing'" in command("audit", "erase", "nothing", "1", code=2)
    assert "expected an ID, got 'abc'" in command("audit", "erase", "users", "abc", code=2)
    assert "the audit trail has no entries for users/999" in command("audit", "erase", "users", "999")
    assert '"erased": 2' in command("audit", "erase", "users", "1", "--json")
    ensure_connected()
    found = [(each.operation, each.kind, each.element) for each in Change.select().order_by(Change.id)]
    close()
    assert found == [
        ("user add", "created", "llx_user"), ("key add", "created", "comptoir_key"),
        ("audit prune", "pruned", "comptoir_audit"), ("audit erase", "erased", "llx_user"),
        ("audit erase", "erased", "llx_user"),
    ]  # fmt: skip


@pytest.mark.parametrize("target", ["sqlite", "postgresql", "mysql"])
def test_a_copy_has_the_trail_its_triggers_and_nothing_more(target, tmp_path):
    if why_unavailable(target):
        pytest.skip(why_unavailable(target))
    source = make_settings(tmp_path)
    served = Served(source)
    served.client().ask("POST", "/thirdparties", {"name": "Ada"})
    ensure_connected()
    before = [(each.id, each.moment, each.after) for each in Change.select().order_by(Change.id)]
    served.close()
    other = fresh_database(target, tmp_path)
    try:
        copy_database(source.database, other, source)
        ensure_connected()
        assert missing() == []
        assert [(each.id, each.moment, each.after) for each in Change.select().order_by(Change.id)] == before
        assert before[-1][2]["name"] == "Ada"
        build(Settings(database=other, documents=str(tmp_path / "documents")))
    finally:
        close()
        drop_database(other)
