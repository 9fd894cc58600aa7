"""Operations without a key or a right, fields that the server alone writes, secrets in what is answered."""

from .people import ABSENT
from .rows import row
from .wire import message_of, with_query

#: operations that need no key: one more is a decision. The last line has those of the tests
PUBLIC = {
    *("GET /login", "POST /login", "GET /health/live", "GET /health/ready"),
    *("GET /who", "POST /hooks", "GET /hooks/go", "GET /hooks/shown"),
}
#: operations that any valid key may call: what they answer depends on the caller
ANY_KEY = {
    *(
        "GET /status",
        "GET /dictionaries",
        "GET /setup/establishments",
        "GET /setup/establishments/sums",
        "GET /setup/establishments/{id}",
        "GET /setup/establishments/{id}/history",
        "GET /users/info",
    ),
    *(f"GET /users/{{id}}{each}" for each in ("", "/groups", "/history", "/rights", "/keys")),
    *("POST /users/{id}/keys", "DELETE /users/{id}/keys/{key}", "POST /users/{id}/keys/{key}/rotate"),
    *("PUT /users/{id}", "PATCH /users/{id}"),
    # each entry asks for the right of its operation
    "POST /users/batch",
    # the user's own jobs, and changes of records that the user may read
    "GET /jobs/{id}",
    "GET /changes",
    # the right is that of the kind of record they name
    *("GET /documents", "GET /documents/check", "GET /documents/download", "GET /documents/raw"),
    *("PUT /documents/builddoc", "DELETE /documents"),
}
#: what the server alone writes, by the names that systems of this kind have
MANAGED = {
    "id": 999, "rowid": 999, "ref": "HACKED", "statut": 2, "fk_statut": 2, "entity": 7, "total_ht": "1.00", "total_tva": "1.00",
    "total_ttc": "1.00", "remaintopay": "0", "totalpaid": "999", "paye": 1, "fk_user_author": 1, "user_creation_id": 1,
    "fk_user_modif": 1, "fk_user_valid": 1, "fk_user_creat": 1, "datec": 1, "date_creation": 1, "tms": 1, "datem": 1, "date_valid": 1,
    "date_validation": 1, "admin": 1, "pass_crypted": "x", "api_key": "x", "rights": ["users.write"], "superadmin": 1,
    "is_admin": True, "import_key": "x", "last_main_doc": "../../x", "points": 999, "socid_admin": 1, "fk_facture_source_": 1,
}  # fmt: skip


@row("S25", "every operation needs a valid key and its permission, except the public ones")
def guarded(field, tally):
    """Every operation without a key, with a wrong one, and with one that has no right."""

    def attack(asked):
        operation, whose = asked
        path = field.path(operation, whose)
        for key in ("", "wrong-key-0123456789abcdef"):
            answer = field.ask(key, operation.verb, path, operation.example)
            held = operation.name in PUBLIC or answer.status == 401
            tally.check(
                held, f"{operation.verb} {path} with {key or 'no key'} -> {answer.status} {answer.body[:100]!r}"
            )
        if operation.permission:
            answer = field.ask("nobody", operation.verb, path, operation.example)
            tally.same(401, answer.status, f"nobody {operation.verb} {path}")
            told = operation.permission in message_of(answer)
            tally.check(
                told, f"nobody {operation.verb} {path} is not told {operation.permission}: {answer.body[:150]!r}"
            )
        else:
            known = operation.name in PUBLIC | ANY_KEY or operation.name.startswith("GET /setup/dictionary/")
            tally.check(known, f"{operation.name} needs no permission")
        tally.check(not operation.public or operation.name in PUBLIC, f"{operation.name} says that it needs no key")

    field.each(field.pairs(field.published.operations, ("other", "own", "absent"), 3), attack)
    for path in (
        "/explorer/openapi.json",
        "/explorer/index.json",
        "/explorer/swagger.json",
        "/explorer/modules",
        "/metrics",
    ):
        tally.same(401, field.ask("", "GET", path).status, f"GET {path} without a key")


@row("S27", "read-only fields can't be sent: states, totals, references, authors, flags of users")
def managed(field, tally):
    """Send all of it with every creation and every change."""

    def attack(operation):
        extra = {name: value for name, value in MANAGED.items() if name not in operation.fields}
        plain, sent = (_made(field, operation, more) for more in ({}, extra))
        if plain is None or sent is None:
            tally.check(sent is None or plain is not None, f"{operation.name} takes what it should not")
            return
        for name in extra.keys() & plain.keys():
            # A reference that is asked for is nothing like the one that comes
            held = sent[name] != extra[name] and (name in ("id", "rowid", "ref") or _about(plain[name], sent[name]))
            tally.check(
                held or sent[name] == plain[name], f"{operation.name} {name}: {sent[name]!r} beside {plain[name]!r}"
            )
        for verb in ("PUT", "PATCH"):
            change = field.published.find(f"{verb} {operation.path}/{{id}}")
            if change is None:
                continue
            outer = {name: value for name, value in MANAGED.items() if name not in change.fields}
            path = f"{operation.path}/{sent['id']}"
            before = field.made(path, None, verb="GET")
            if verb == "PUT":
                # A PUT that replaces is a change by whoever sends it
                outer.pop("fk_user_modif")
            answer = field.ask("clerk", verb, path, outer)
            now = field.made(path, None, verb="GET")
            for name in outer.keys() & before.keys():
                same = now[name] == before[name] or _about(now[name], before[name])
                tally.check(same and answer.status < 500, f"{verb} {path} {name}: {now[name]!r} was {before[name]!r}")

    creations = [
        each
        for each in field.published.operations
        if each.verb == "POST" and each.path.count("/") == 1 and each.takes_fields
    ]
    for operation in creations:
        if operation.service not in ("login", "users", "documents"):
            attack(operation)
    _own_account(field, tally)


def _made(field, operation, more):
    body = dict(operation.example) | more
    if "socid" in operation.fields:
        body["socid"] = field.people.own["thirdparties"]
    for unique in {"ref", "login", "number"} & set(operation.fields):
        body[unique] = field.people.fresh("managed")
    body.pop("email", None)
    answer = field.ask("clerk", "POST", operation.path, body)
    if answer.status != 200 or not isinstance(answer.json, int):
        return None
    return field.made(f"{operation.path}/{answer.json}", None, verb="GET")


def _about(one, other):
    """Whether two values differ as those of two records that were made one after the other."""
    return one == other or (isinstance(one, int) and isinstance(other, int) and one > 10**9 and abs(one - other) < 60)


def _own_account(field, tally):
    """Raise one's own account, with the right to change oneself and with that to change users."""
    for what, rights in (("selfish", ["users.self"]), ("keeper", ["users.read", "users.write", "users.self"])):
        who = field.people.fresh(what)
        field.people.add(who, rights)
        own = field.people.ids[who]
        for name, value in (("admin", 1), ("admin", "1"), ("admin", True), ("superadmin", 1), ("entity", 0), ("statut", 0), ("fk_soc", ABSENT), ("socid", 1),
                            ("pass_crypted", "x"), ("api_key", "x"), ("rights", ["users.delete"]), ("id", 1), ("rowid", 1), ("login", "administrator")):  # fmt: skip
            for verb in ("PUT", "PATCH"):
                before = field.made(f"/users/{own}", None, verb="GET")
                answer = field.ask(who, verb, f"/users/{own}", {name: value})
                after = field.made(f"/users/{own}", None, verb="GET")
                was = {key: before.get(key) for key in ("admin", "entity", "socid", "id", "login")}
                tally.same(was, {key: after.get(key) for key in was}, f"{who} {verb} {name}={value} -> {answer.status}")
        made = field.ask(who, "POST", "/users", {"login": field.people.fresh("raised"), "lastname": "x", "admin": 1})
        admins = field.made(with_query("/users", sqlfilters="(t.admin:=:1)", properties="id"), None, verb="GET")
        tally.same(1, len(admins), f"{who} makes an administrator -> {made.status}")


@row("S30", "secret fields appear in no description, no field selection and no error")
def hidden(field, tally):
    """Ask for them by name wherever fields can be named."""
    for path in ("/explorer/openapi.json", "/explorer/swagger.json", "/explorer/openapi/users.json"):
        text = field.ask("admin", "GET", path).body
        for name in (b"pass_crypted", b'"digest"', b"argon2"):
            tally.check(name not in text, f"{path} names {name!r}")

    def attack(asked):
        operation, (parameter, name) = asked
        answer = field.ask("admin", "GET", with_query(field.path(operation, "own"), **{parameter: name}))
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        told = answer.json if answer.status == 200 and is_json else []
        records = told if isinstance(told, list) else [told]
        held = not any(name in each for each in records if isinstance(each, dict)) and answer.status < 500
        tally.check(held, f"{operation.name} {parameter}={name} -> {answer.body[:100]!r}")

    reads = [each for each in field.published.operations if each.verb == "GET"]
    names = ("pass_crypted", "digest", "api_key", "pass")
    asked = [(which, name) for which in ("properties", "expand", "fields", "include") for name in names]
    field.each(field.pairs(reads, asked, 8), attack)
