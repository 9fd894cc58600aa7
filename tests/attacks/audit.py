"""The audit trail: closed to callers without its permission, and without secrets."""

from .people import PASSWORD
from .rows import row


def _is_there(field, tally):
    return tally.check(
        field.published.find("GET /audit") is not None, "there is no audit trail: nothing serves GET /audit"
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
    for name in (f"PLANTED_{each}_FREE_TEXT" for each in ("API_KEY", "PASSWORD", "SECRET", "TOKEN")):
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
