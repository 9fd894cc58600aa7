"""The audit trail: closed to callers without its permission, and without secrets."""

from .people import MARK, PASSWORD
from .rows import row


def _is_there(field, tally):
    return tally.check(
        field.published.find("GET /audit") is not None, "there is no audit trail: nothing serves GET /audit"
    )


@row(
    "audit-closed",
    "reading the trail needs its permission, a record's history follows the record's permission, no one can change either",
)
def closed(field, tally):
    """Read it without the right, read others' histories, write to it over HTTP."""
    if not _is_there(field, tally):
        return
    for who in ("", "nobody", "clerk", "internal"):
        for path in ("/audit", "/audit/1", "/audit?limit=1", "/audit?user=1", "/audit?service=users"):
            tally.same(401, field.ask(who, "GET", path).status, f"{who} GET {path}")
    # The external user holds every right
    answer = field.ask("external", "GET", "/audit?limit=1000")
    told = answer.json if answer.status == 200 else []
    tally.check(
        MARK.encode() not in answer.body and not told, f"an external user reads {len(told)} entries of the trail"
    )
    for verb, path in (
        ("POST", "/audit"),
        ("PUT", "/audit/1"),
        ("PATCH", "/audit/1"),
        ("DELETE", "/audit/1"),
        ("DELETE", "/audit"),
        ("PUT", "/audit"),
        ("POST", "/audit/1"),
        ("DELETE", "/thirdparties/1/history"),
        ("PUT", "/thirdparties/1/history"),
        ("POST", "/thirdparties/1/history"),
    ):
        for body in (None, {"login": "nobody", "kind": "created"}):
            answer = field.ask("admin", verb, path, body)
            tally.check(answer.status in (404, 405), f"{verb} {path} -> {answer.status}")
            tally.check(
                field.ask("admin", "POST", path, body, {"X-HTTP-Method-Override": verb}).status in (404, 405),
                f"{verb} {path} by an override",
            )
    _histories(field, tally)


def _histories(field, tally):
    """The history of others' records, and of kinds that one may not read."""
    for service, identifier in field.people.others.items():
        path = f"/{service}/{identifier}/history"
        tally.same(200, field.ask("clerk", "GET", path).status, f"the clerk GET {path}")
        own = f"/{service}/{field.people.own[service]}/history"
        tally.same(200, field.ask("internal", "GET", own).status, f"internal GET {own}")
        for who in ("external", "internal", "nobody", ""):
            for extra in ("", "?limit=1000", "?count=1", "?sqlfilters=(t.rowid:>:0)", "?properties=before,after"):
                answer = field.ask(who, "GET", path + extra)
                tally.check(
                    answer.status in (401, 404) and MARK.encode() not in answer.body,
                    f"{who} GET {path}{extra} -> {answer.status} {answer.body[:100]!r}",
                )
            wide = (
                f"/{service}/{field.people.own[service]}/history?sqlfilters=(t.rowid:>:0) or (t.rowid:>:0)&limit=1000"
            )
            answer = field.ask(who, "GET", wide)
            tally.check(
                MARK.encode() not in answer.body and answer.status < 500, f"{who} GET {wide} tells others' changes"
            )
    for who in ("nobody", "clerk", "external"):
        for path in (
            "/users/1/history",
            f"/users/{field.people.ids['internal']}/history",
            "/users/groups/1/history",
            "/setup/conf/MAIN_LANG_DEFAULT/history",
            "/setup/1/history",
            "/documents/1/history",
        ):
            answer = field.ask(who, "GET", path)
            tally.check(
                answer.status in (400, 401, 404) or (who == "clerk" and "/users/" in path),
                f"{who} GET {path} -> {answer.status}",
            )


@row("audit-secrets", "no entry and no history contains a key, a digest, a password or a secret setting")
def secrets(field, tally):
    """Write secrets in every way, and read the whole trail."""
    if not _is_there(field, tally):
        return
    who = field.people.fresh("secretly")
    field.people.add(who, ["users.self"])
    user = field.people.ids[who]
    planted = ["planted-trail-password-1", "planted-trail-password-2", "planted-trail-constant", PASSWORD]
    field.made(f"/users/{user}", {"pass": planted[0]}, verb="PATCH")
    field.ask(who, "PATCH", f"/users/{user}", {"pass": planted[1]})
    for name in ("MAIN_MAIL_SMTPS_PW", "PLANTED_API_KEY", "PLANTED_PASSWORD", "PLANTED_SECRET", "PLANTED_TOKEN"):
        field.made(f"/setup/conf/{name}", {"value": planted[2]}, verb="PUT")
        field.made(f"/setup/conf/{name}", {"value": f"{planted[2]}-again"}, verb="PUT")
        field.made(f"/setup/conf/{name}", None, verb="DELETE")
    planted.append(field.made("/login", {"login": who, "password": planted[1]}, who="")["success"]["token"])
    field.ask("", "POST", "/login", {"login": planted[0], "password": "x"}, source="127.0.98.2")
    planted += [key for key in field.people.keys.values() if key]
    texts = []
    for page in range(60):
        answer = field.ask("admin", "GET", f"/audit?limit=1000&page={page}")
        texts.append(answer.body.decode())
        if answer.status != 200 or answer.body in (b"[]", b""):
            break
    whole = "".join(texts) + field.ask("admin", "GET", f"/users/{user}/history").body.decode()
    for secret in (*planted[:3], *planted[4:], "$argon2"):
        # What was typed as a login is what a person called itself, not a password
        tally.check(secret not in whole or secret == planted[0], f"the trail tells {secret[:24]!r}")
    from .people import digest

    for key in field.people.keys.values():
        tally.check(not key or digest(key) not in whole, "the trail tells the digest of a key")
