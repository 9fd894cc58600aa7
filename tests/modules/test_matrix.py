"""Every operation × (no key, key without right, external user, administrator), made from the catalogue.

A module that is added is tested by being there.
"""

from urllib.parse import unquote
from uuid import uuid4

import pytest

from core.contract.catalogue import catalogue
from core.testing import Served, make_settings

MARK = "not-for-other-eyes"

#: operations that need no key at all; one more is a decision
PUBLIC = {"GET /login", "POST /login", "GET /health/live", "GET /health/ready"}

#: operations that any valid key may call: what they answer depends on the caller
ANY_KEY = {
    "GET /status",
    "GET /dictionaries",
    "GET /setup/establishments",
    "GET /setup/establishments/{id}",
    "GET /users/info",
    "GET /users/{id}",
    "GET /users/{id}/groups",
    "GET /users/{id}/history",
    "GET /users/{id}/rights",
    "GET /users/{id}/keys",
    "POST /users/{id}/keys",
    "DELETE /users/{id}/keys/{key}",
    "POST /users/{id}/keys/{key}/rotate",
    "PUT /users/{id}",
    "PATCH /users/{id}",
    # each entry asks for the right of its operation
    "POST /users/batch",
    # one's own jobs
    "GET /jobs/{id}",
    # the right is that of the kind of record they name
    "GET /documents",
    "GET /documents/check",
    "PUT /documents/builddoc",
    "GET /documents/download",
    "GET /documents/raw",
    "DELETE /documents",
}

#: services whose records belong to nobody, and that have lists below them: what a record needs besides its name
FREE = {"products": {}, "categories": {"type": 2}}


class Field:
    """The server with records of two third parties: the external user's own, and another one's."""

    def __init__(self, served):
        self.served = served
        administrator = served.client()
        create = {
            "name": f"{MARK} Ltd",
            "email": f"{MARK}@example.org",
            "barcode": MARK,
            "client": 1,
            "code_client": "-1",
        }
        self.other = administrator.ask("POST", "/thirdparties", create)
        self.own = administrator.ask("POST", "/thirdparties", {"name": "Own Ltd"})
        person = {"lastname": MARK, "email": f"c.{MARK}@example.org", "socid": self.other}
        self.contact = administrator.ask("POST", "/contacts", person)
        document = {"socid": self.other, "date": "2026-11-21", "note_public": MARK, "lines": [{"desc": MARK, "qty": 1}]}
        documents = [name for name in ("proposals", "orders", "invoices") if name in catalogue().services]
        made = {name: administrator.ask("POST", f"/{name}", document) for name in documents}
        if "invoicetemplates" in catalogue().services:
            # The first of its kind, as the invoice is, by whose identifier it is asked for
            template = {"socid": self.other, "title": MARK, "lines": document["lines"]}
            administrator.ask("POST", "/invoices/templates", template)
        rights = tuple(catalogue().rights)
        self.clients = {
            "no key": served.client(None),
            "no right": served.user(),
            "external": served.user(*rights, socid=self.own),
            "administrator": administrator,
        }
        shipped = administrator.ask("POST", "/orders", document)
        administrator.ask("POST", f"/orders/{shipped}/validate")
        place = administrator.ask("POST", "/warehouses", {"label": "Quay"})
        made["shipments"] = administrator.ask("POST", f"/orders/{shipped}/shipment/{place}")
        self.hidden = {"thirdparties": self.other, "contacts": self.contact, **made}
        self.free = {}

    def renew(self):
        """Make records that belong to nobody: whoever may do everything has deleted those before."""
        for name, body in FREE.items():
            word = uuid4().hex
            made = self.clients["administrator"].ask("POST", f"/{name}", {"ref": word, "label": word, **body})
            self.free[name] = made

    def path(self, operation, *, of_others):
        """The operation's path with values: a record of another third party, or one that does not exist."""
        path = operation.template
        for variable in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
            value = 999999
            if of_others and variable == "email":
                value = f"{MARK}@example.org" if operation.service == "thirdparties" else f"c.{MARK}@example.org"
            elif of_others and variable == "id":
                # What stands behind another word may be any kind of record
                free = self.free if operation.segments[0] == "{id}" else {}
                value = {**free, **self.hidden}.get(operation.service, 1)
            elif of_others:
                value = MARK if variable == "barcode" else 1
            elif variable in ("email", "login", "barcode", "constantname", "elementtype", "attrname"):
                value = "nobody@example.org" if variable == "email" else "nothing"
            path = path.replace("{" + variable + "}", str(value))
        return path.replace("*", "nothing")


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    served = Served(make_settings(tmp_path_factory.mktemp("matrix")))
    yield Field(served)
    served.close()


def call(client, operation, path, body=None):
    options = {"json": body} if body is not None else {}
    return client.simulate_request(operation.verb, path, **options)


def name_of(operation):
    return f"{operation.verb} {operation.template}"


def test_the_natives_load(field):
    assert catalogue().failures == ()
    assert {"thirdparties", "contacts", "products", "users", "login", "status", "setup"} <= set(catalogue().services)
    # What the tests below go through
    served = {operation.service for operation in catalogue().operations}
    assert {"thirdparties", "contacts", "products", "users", "login", "status", "setup"} <= served
    batches = {operation.service for operation in catalogue().operations if operation.entries}
    assert {"thirdparties", "contacts", "products", "orders", "invoices"} <= batches


def test_without_a_key_only_the_public_operations_answer(field):
    open_ones = set()
    for operation in catalogue().operations:
        answer = call(field.clients["no key"], operation, field.path(operation, of_others=True))
        if answer.status_code != 401:
            open_ones.add(name_of(operation))
        assert MARK not in answer.text
    assert open_ones == PUBLIC


def test_every_operation_names_its_right_or_is_known_to_need_none(field):
    without = {name_of(operation) for operation in catalogue().operations if operation.permission is None}
    assert without - PUBLIC <= ANY_KEY | {name for name in without if name.startswith("GET /setup/dictionary/")}


def test_a_key_without_the_right_is_401_and_tells_nothing(field):
    for operation in catalogue().operations:
        answer = call(field.clients["no right"], operation, field.path(operation, of_others=True))
        assert MARK not in answer.text, name_of(operation)
        if operation.permission is not None:
            assert answer.status_code == 401, f"{name_of(operation)} -> {answer.status_code} {answer.text[:300]}"
            assert operation.permission.text in answer.json["error"]["message"]
        else:
            assert answer.status_code < 500, name_of(operation)


def test_an_external_user_reaches_nothing_of_others(field):
    before = field.clients["administrator"].get(f"/thirdparties/{field.other}")
    for operation in catalogue().operations:
        path = field.path(operation, of_others=True)
        for body in (None, {"socid": field.other, "name": "x", "lastname": "x", "thirdparty_ids": str(field.other)}):
            answer = call(field.clients["external"], operation, path, body)
            assert answer.status_code < 500, f"{name_of(operation)} -> {answer.text[:300]}"
            # A message repeats the value of the path that leads to no record
            assert MARK not in answer.text.replace(unquote(path.rpartition("/")[2]), ""), name_of(operation)
            if operation.service in field.hidden and "{" in operation.template:
                assert answer.status_code in (400, 401, 404, 405), f"{name_of(operation)} -> {answer.status_code}"
    after = field.clients["administrator"].get(f"/thirdparties/{field.other}")
    assert after == before
    assert field.clients["administrator"].get(f"/contacts/{field.contact}")["lastname"] == MARK


def test_no_batch_is_a_way_around_a_right_or_a_row_rule(field):
    body = {"socid": field.other, "name": "x", "lastname": "x", "date": "2026-11-21"}
    for batch in (each for each in catalogue().operations if each.entries):
        hidden = field.hidden.get(batch.service, 999999)
        for each in batch.entries:
            entry = {
                "method": each.verb,
                **({"id": hidden} if each.segments else {}),
                **({"body": body} if each.verb != "DELETE" else {}),
            }
            for atomic in (True, False):
                sent = {"atomic": atomic, "entries": [entry]}
                for who, client in field.clients.items():
                    if who == "administrator":
                        continue
                    answer = call(client, batch, batch.template, sent)
                    told = answer.json["results"][0]["status"] if answer.status_code == 200 else answer.status_code
                    assert MARK not in answer.text, (who, entry)
                    if who == "no key" or (who == "no right" and each.permission is not None):
                        assert told == 401, (who, batch.template, entry, answer.text[:300])
                    elif batch.service in field.hidden and each.segments:
                        assert told in (401, 404, 405), (who, batch.template, entry, answer.text[:300])
                    assert told < 500, (who, batch.template, entry, answer.text[:300])
    assert field.clients["administrator"].get(f"/contacts/{field.contact}")["lastname"] == MARK


def test_an_administrator_is_never_refused_for_a_right(field):
    for operation in catalogue().operations:
        if operation.service == "login":
            continue
        path = field.path(operation, of_others=False)
        for body in (None, {}, {"x": 1}):
            answer = call(field.clients["administrator"], operation, path, body)
            allowed = (200, 201, 400, 404, 405)
            assert answer.status_code in allowed, f"{name_of(operation)} -> {answer.status_code} {answer.text[:300]}"


def test_no_operation_answers_a_secret(field):
    planted = [field.served.settings.admin_key.encode(), b"argon2"]
    for operation in catalogue().operations:
        if operation.verb == "GET":
            answer = call(field.clients["administrator"], operation, field.path(operation, of_others=True))
            assert not any(secret in answer.content for secret in planted), name_of(operation)


HOSTILE = [
    "1=1) UNION SELECT login, pass_crypted FROM llx_user --", "(t.rowid:=:1) or 1=1", "(t.rowid:=:1);drop table x",
    "(t.rowid:=:1", "((t.rowid:=:1)", "(t.rowid:=:1))", "(" * 10000, "(t.rowid:=:'1'' or ''1''=''1')x", "\x00",
    "(t.pass_crypted:like:'a%')", "(t.digest:like:'a%')", "(t.user.api_key:=:'x')", "(t.rowid:=:1)--", "(1:=:1)",
    "(t.rowid:in:(select 1))", "(t.rowid:like:'" + "%a" * 50 + "')",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_filter_is_400_on_every_list(field, text):
    lists = [each for each in catalogue().operations if any(one.name == "sqlfilters" for one in each.inputs)]
    assert len(lists) >= 4
    field.renew()
    for operation in lists:
        path = field.path(operation, of_others=True)
        answer = field.clients["administrator"].simulate_get(path, params={"sqlfilters": text})
        assert answer.status_code == 400, f"{name_of(operation)} -> {answer.status_code} {answer.text[:200]}"
        assert "SELECT t." not in answer.text


@pytest.mark.parametrize(
    "params",
    [
        {"sortfield": "(select 1)"}, {"sortfield": "t.id;--"}, {"sortfield": "t.pass_crypted"}, {"sortorder": "asc,(x)"},
        {"limit": "abc"}, {"limit": "1e9"}, {"limit": "99999999999999999999"}, {"page": "x"}, {"after": "xx"},
        {"after": "W10"}, {"pagination_data": "maybe"}, {"limit": "-1"},
    ],
)  # fmt: skip
def test_hostile_list_parameters_are_400(field, params):
    field.renew()
    tried = set()
    for operation in catalogue().operations:
        names = {each.name for each in operation.inputs}
        if "after" in names and set(params) <= names:
            tried.add(operation.template)
            path = field.path(operation, of_others=True)
            answer = field.clients["administrator"].simulate_get(path, params=params)
            assert answer.status_code == 400, f"{name_of(operation)} {params} -> {answer.status_code}"
    assert {"/thirdparties", "/contacts", "/products", "/orders", "/invoices"} <= tried
