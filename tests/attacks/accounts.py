"""Others' accounts and keys that are narrower than their user; what caches may keep; what is equal."""

import time

from .rows import row


def _administrator(field):
    return int(field.made("/users/info", None, verb="GET")["id"])


def _restricted(field, **restriction):
    """A key of the administrator with a restriction."""
    return str(field.made(f"/users/{_administrator(field)}/keys", {"label": "restricted", **restriction})["key"])


@row(
    "representatives",
    "callers without the permission to read users see only the ID and name of a user, in every record",
)
def representatives(field, tally):
    """Read those who represent third parties, and who have roles in documents."""
    person = field.people.fresh("toldof")
    field.people.add(
        person,
        [],
        **{
            "office_phone": "0123 planted",
            "job": "planted-job",
            "note_private": "planted-note",
            "address": "planted-street",
        },
    )
    user, own = field.people.ids[person], field.people.own
    field.made(f"/thirdparties/{own['thirdparties']}/representatives/{user}", None)
    for kind, role in (("proposals", "SALESREPFOLL"), ("orders", "SALESREPFOLL"), ("invoices", "SALESREPFOLL")):
        body = {"fk_socpeople": user, "type_contact": role, "source": "internal"}
        if field.published.find(f"POST /{kind}/{{id}}/contacts"):
            field.made(f"/{kind}/{own[kind]}/contacts", body)
    planted = (
        person.encode() + b"@example.org",
        b"planted-",
        b'"statut"',
        b'"admin"',
        b'"email":"',
        b'"datelastlogin"',
    )
    for who in ("internal", "external"):
        for path in (
            f"/thirdparties/{own['thirdparties']}/representatives",
            *(f"/{kind}/{own[kind]}/contacts" for kind in ("proposals", "orders", "invoices")),
        ):
            answer = field.ask(who, "GET", path)
            found = (
                [each for each in planted if each in answer.body]
                if "representatives" in path
                else [each for each in planted[:2] if each in answer.body]
            )
            tally.check(not found, f"{who} GET {path} tells {found}")
            logins = (
                [each["login"] for each in answer.json if isinstance(each, dict) and each.get("login")]
                if answer.status == 200 and answer.body[:1] == b"["
                else []
            )
            tally.check(not logins, f"{who} GET {path} tells the logins {logins}")
        posted = field.ask(who, "POST", f"/thirdparties/{own['thirdparties']}/representatives/{user}")
        found = [each for each in planted[:2] if each in posted.body]
        tally.check(not found, f"{who} POST …/representatives tells {found}")


@row(
    "key-narrow",
    "a restricted key stays within its restriction and can't pass more to another key, account or person",
)
def narrow(field, tally):
    """What an administrator's restricted keys may try: accounts, rights, keys."""
    administrator, clerk = _administrator(field), field.people.ids["clerk"]
    before = field.made(f"/users/{administrator}", None, verb="GET")
    for rights in (
        ["users.self"],
        ["users.self", "users.write"],
        ["users.self", "users.write", "users.password", "users.read"],
    ):
        key = _restricted(field, rights=rights)
        for account in (administrator, clerk):
            for body in (
                {"email": "taken@example.org"},
                {"login": "taken"},
                {"pass": "a-password-of-mine-1"},
                {"admin": 1},
                {"statut": 1, "email": "taken@example.org"},
            ):
                for verb in ("PUT", "PATCH"):
                    answer = field.ask(key, verb, f"/users/{account}", body)
                    now = field.made(f"/users/{account}", None, verb="GET")
                    taken = now["email"] == "taken@example.org" or now["login"] == "taken"
                    tally.check(
                        not taken and (answer.status in (400, 401, 405) or "admin" in body),
                        f"a key for {rights}: {verb} /users/{account} {body} -> {answer.status}",
                    )
                    if taken:
                        field.made(
                            f"/users/{account}", {"email": before["email"], "login": before["login"]}, verb="PATCH"
                        )
        asked = (
            {"label": "x"},
            {"label": "x", "rights": ["invoices.read"]},
            {"label": "x", "rights": [*rights, "invoices.read"]},
            {"label": "x", "rights": []},
            {"label": "x", "rights": None},
        )
        for body in asked:
            answer = field.ask(key, "POST", f"/users/{administrator}/keys", body)
            given = answer.json.get("rights") if answer.status == 200 else []
            tally.check(given is not None and set(given) <= set(rights), f"a key for {rights} makes one for {given}")
            if answer.status == 200:
                told = field.ask(answer.json["key"], "GET", "/invoices").status
                tally.check(told == 401, f"what a key for {rights} has made opens the invoices")
        for path, body_ in (
            (f"/users/{clerk}/rights", ["invoices.read", "setup.write"]),
            (f"/users/{administrator}/rights", []),
        ):
            tally.same(401, field.ask(key, "PUT", path, body_).status, f"a key for {rights} grants {body_}")
        tally.same(
            401,
            field.ask(key, "POST", f"/users/{clerk}/keys", {"label": "x"}).status,
            f"a key for {rights} makes one of another",
        )
        tally.check(
            field.ask(
                key, "POST", "/users", {"login": field.people.fresh("by-narrow"), "lastname": "x", "admin": 1}
            ).status
            in (400, 401),
            f"a key for {rights} makes an administrator",
        )
    field.made(f"/users/{administrator}", {"email": before["email"]}, verb="PATCH")
    _narrow_in_time(field, tally, administrator)


def _narrow_in_time(field, tally, administrator):
    end = int(time.time()) + 3600
    key = _restricted(field, expires=end)
    answer = field.ask(key, "POST", f"/users/{administrator}/keys", {"label": "longer"})
    expires = answer.json.get("expires") if answer.status == 200 else 0
    tally.check(expires is not None and expires <= end, f"a key that ends makes one that ends at {expires}")
    answer = field.ask(key, "POST", f"/users/{administrator}/keys", {"label": "longer", "expires": end + 9999})
    tally.check(answer.status in (400, 401), f"a key that ends makes one that ends later -> {answer.status}")


@row(
    "key-addresses",
    "a key restricted to addresses is rejected from any other address, whatever headers the client sends",
)
def addresses(field, tally):
    """Networks of both kinds, claims of all kinds, and wider keys."""
    administrator = _administrator(field)
    made = field.ask(
        "admin",
        "POST",
        f"/users/{administrator}/keys",
        {"label": "net", "addresses": ["127.6.1.0/24", "2001:db8:6::/48", "198.51.100.7"]},
    )
    key = made.json.get("key", "") if made.status == 200 else ""
    tally.check(
        bool(made.json.get("addresses")) if key else False, f"a key for addresses -> {made.status} {made.body[:150]!r}"
    )
    if not key:
        return
    for source, claim, expected in (("127.6.1.9", "", 200), ("127.6.2.9", "", 401), ("127.6.2.9", "127.6.1.9", 401), ("127.0.0.1", "127.6.1.9", 200), ("127.0.0.1", "", 401), ("127.0.0.1", "127.6.1.9, 127.6.2.9", 401),
                                    ("127.0.0.1", "127.6.2.9, 127.6.1.9", 200), ("127.0.0.1", "2001:db8:6:1::5", 200), ("127.0.0.1", "2001:db8:7::5", 401), ("127.0.0.1", "::ffff:198.51.100.7", 200),
                                    ("127.0.0.1", "::ffff:198.51.100.8", 401), ("127.0.0.1", "unknown", 401), ("127.0.0.1", "127.6.1.9.evil.example", 401), ("127.0.0.1", "0x7f.6.1.9", 401), ("127.0.0.1", "127.6.1", 401)):  # fmt: skip
        headers = {"X-Forwarded-For": claim} if claim else {}
        answer = field.ask(key, "GET", "/status", headers=headers, source=source)
        tally.same(expected, answer.status, f"from {source} by a proxy for {claim!r}")
        for name in ("X-Real-IP", "Forwarded", "X-Client-IP", "True-Client-IP"):
            if expected == 401:
                answer = field.ask(
                    key,
                    "GET",
                    "/status",
                    headers={**headers, name: "for=127.6.1.9" if name == "Forwarded" else "127.6.1.9"},
                    source=source,
                )
                tally.same(401, answer.status, f"from {source} with {name}")
    for body in (
        {"label": "x"},
        {"label": "x", "addresses": ["0.0.0.0/0"]},
        {"label": "x", "addresses": None},
        {"label": "x", "addresses": ["127.6.0.0/16"]},
        {"label": "x", "addresses": []},
    ):
        answer = field.ask(key, "POST", f"/users/{administrator}/keys", body, source="127.6.1.9")
        if answer.status == 200:
            tally.same(
                401,
                field.ask(answer.json["key"], "GET", "/status", source="127.6.2.9").status,
                f"a key that it has made by {body}, from elsewhere",
            )
        else:
            tally.check(answer.status in (400, 401), f"{body} -> {answer.status}")
    for wrong in (
        ["x"],
        ["127.0.0.1/99"],
        [""],
        ["*"],
        ["127.0.0.0/8 " * 3],
        [None],
        "127.0.0.1",
        [1],
        ["::/0/0"],
        ["127.1"],
        [["127.0.0.1"]],
        ["1.2.3.4"] * 5000,
        {},
        ["\u0661.2.3.4"],
        ["127.0.0.1\n"],
        ["10.0.0.1/8"],
        [],
    ):
        answer = field.ask("admin", "POST", f"/users/{administrator}/keys", {"label": "x", "addresses": wrong})
        tally.check(
            answer.status == 400 or (answer.status == 200 and bool(answer.json["addresses"])),
            f"addresses {str(wrong)[:40]} -> {answer.status} {answer.body[:80]!r}",
        )


@row(
    "key-rotation",
    "a rotated key keeps its restriction and expires on time; only its user can rotate it",
)
def rotation(field, tally):
    """Rotate one's own, others', restricted and expired keys."""
    administrator, clerk = _administrator(field), field.people.ids["clerk"]
    made = field.made(f"/users/{administrator}/keys", {"label": "old", "rights": ["thirdparties.read", "users.self"]})
    path = f"/users/{administrator}/keys/{made['id']}/rotate"
    for who in ("", "nobody", "clerk", "external", "internal"):
        tally.check(field.ask(who, "POST", path, {}).status in (401, 404), f"{who} rotates an administrator's key")
    answer = field.ask("admin", "POST", path, {"overlap": 2})
    if not tally.check(answer.status == 200, f"POST {path} -> {answer.status} {answer.body[:100]!r}"):
        return
    told = answer.json
    tally.same(["thirdparties.read", "users.self"], sorted(told["rights"] or ()), "the rights of the new key")
    tally.same(
        (200, 200),
        (field.ask(made["key"], "GET", "/status").status, field.ask(told["key"], "GET", "/status").status),
        "both for a while",
    )
    tally.same(
        (401, 401),
        (field.ask(made["key"], "GET", "/invoices").status, field.ask(told["key"], "GET", "/invoices").status),
        "what neither opens",
    )
    for overlap in (-1, 10**9, "x", 1.5, None, [], 10**30):
        tally.check(
            field.ask("admin", "POST", f"/users/{administrator}/keys/{told['id']}/rotate", {"overlap": overlap}).status
            in (400, 405),
            f"an overlap of {overlap}",
        ) if overlap is not None else None
    time.sleep(3.2)
    tally.same(
        (401, 200),
        (field.ask(made["key"], "GET", "/status").status, field.ask(told["key"], "GET", "/status").status),
        "afterwards",
    )
    tally.check(field.ask("admin", "POST", path, {}).status in (404, 405), "a key that has ended is changed once more")
    # A narrow key changes no wide one for itself
    narrow_one = _restricted(field, rights=["users.self"])
    wide = field.made(f"/users/{administrator}/keys", {"label": "wide"})
    tally.same(
        401,
        field.ask(narrow_one, "POST", f"/users/{administrator}/keys/{wide['id']}/rotate", {}).status,
        "a narrow key changes a wide one",
    )
    mine = field.made(f"/users/{clerk}/keys", {"label": "mine"})
    tally.check(
        field.ask("admin", "POST", f"/users/{administrator}/keys/{mine['id']}/rotate", {}).status == 404,
        "a key of another user, under one's own account",
    )
    tally.check(
        field.ask("internal", "POST", f"/users/{clerk}/keys/{mine['id']}/rotate", {}).status in (401, 404),
        "another's key",
    )
    field.made(f"/users/{clerk}/keys/{mine['id']}/rotate", {"overlap": 0})
    tally.same(401, field.ask(mine["key"], "GET", "/status").status, "a key that was changed without overlap")


@row("typo", "a misspelt field in an access rule is rejected if ignoring it would grant more")
def typos(field, tally):
    """Misspell every word of a key's and of a user's body."""
    own = _administrator(field)
    for word in (
        "right",
        "Rights",
        "rights ",
        "RIGHTS",
        "rigths",
        "expire",
        "expiry",
        "Expires",
        "expires_at",
        "address",
        "adresses",
        "ip",
        "ips",
        "rates",
        "limit",
        "scope",
        "permissions",
        "restriction",
        "readonly",
    ):
        for value in ([], ["thirdparties.read"], 1, None, "x"):
            answer = field.ask("admin", "POST", f"/users/{own}/keys", {"label": "typo", word: value})
            tally.check(answer.status == 400, f"a key with {word}={value} -> {answer.status}")
    group = field.made("/users/groups", {"name": field.people.fresh("typed")})
    clerk = field.people.ids["clerk"]
    for path in (f"/users/{clerk}/rights", f"/users/groups/{group}/rights"):
        for body in ({"right": []}, {"rigths": ["x"]}, {"Rights": []}, {}):
            tally.same(400, field.ask("admin", "PUT", path, body).status, f"PUT {path} {body}")
    for word in ("socId", "soc_id", "thirdparty", "fk_soc"):
        tally.check(
            field.ask("admin", "PUT", f"/users/{field.people.ids['nobody']}/thirdparty", {word: 1}).status == 400,
            f"an external user by {word}",
        )


@row("caches", "no cache returns one key's response to another key")
def caches(field, tally):
    """The headers of every answer to a key: records, lists, files, descriptions, failures."""
    reads = [
        (each.name, field.path(each, "own"))
        for each in field.published.operations
        if each.verb == "GET" and each.name not in ("GET /login", "GET /health/live", "GET /health/ready", "GET /who")
    ]
    reads += [
        (path, path)
        for path in (
            "/explorer/openapi.json",
            "/explorer/index.json",
            "/explorer/swagger.json",
            "/explorer/modules",
            "/thirdparties/999999",
            "/thirdparties?limit=x",
        )
    ]

    def attack(asked):
        name, path = asked
        for headers in ({}, {"Accept": "text/csv"}):
            told = field.ask("clerk", "GET", path, headers=headers).headers
            kept = told.get("cache-control", "")
            named = {each.strip().lower() for each in told.get("vary", "").split(",")}
            held = (
                ("private" in kept or "no-store" in kept)
                and "public" not in kept
                and ({"dolapikey", "authorization"} <= named or "*" in named)
            )
            tally.check(held, f"{name}: Cache-Control: {kept}; Vary: {told.get('vary', '')}")

    field.each(reads, attack)


@row("equal", "a validated invoice can be sent back unchanged; ignored fields change no ETag")
def equal(field, tally):
    """Define an extra field, send records back, send fields that are ignored."""
    field.ask("admin", "POST", "/setup/extrafields/facture/sentback", {"label": "x", "type": "varchar", "size": "20"})
    for body in (
        {
            "socid": field.people.own["thirdparties"],
            "date": "2026-11-21",
            "lines": [{"desc": "x", "qty": 1, "subprice": 5}],
        },
    ):
        made = field.made("/invoices", body)
        field.made(f"/invoices/{made}/validate", {})
        record = field.made(f"/invoices/{made}", None, verb="GET")
        for sent in (
            record,
            {**record, "array_options": {}},
            {**record, "array_options": None},
            {**record, "array_options": []},
            {**record, "array_options": {"options_sentback": ""}},
            {**record, "array_options": {"options_sentback": None}},
        ):
            for verb in ("PUT", "PATCH"):
                answer = field.ask("clerk", verb, f"/invoices/{made}", sent)
                tally.check(
                    answer.status == 200,
                    f"{verb} of what was read, array_options {sent.get('array_options')} -> {answer.status} {answer.body[:120]!r}",
                )
        for field_name, value in (("ref", "X"), ("statut", 0), ("total_ttc", "1"), ("nothing", 1)):
            before = field.made(f"/invoices/{made}", None, verb="GET")
            answer = field.ask("internal", "PATCH", f"/invoices/{made}", {field_name: value})
            after = field.made(f"/invoices/{made}", None, verb="GET")
            tally.same(
                {key: before.get(key) for key in ("fk_user_modif", "tms", "date_modification")},
                {key: after.get(key) for key in ("fk_user_modif", "tms", "date_modification")},
                f"PATCH {field_name} -> {answer.status}",
            )
    field.ask("admin", "DELETE", "/setup/extrafields/facture/sentback")
