"""Keys: of users that are gone, in URLs, in the database, almost right, and empty."""

import time

from playhouse.db_url import connect

from .people import KEY, PASSWORD, digest
from .rows import row


def _on_every_worker(field, key):
    """The statuses that all workers answer to a key."""
    return {answer.status for answer in field.on_every_worker("/status", key)}


@row(
    "S40",
    "every worker rejects a key at the next request after the key or its user is disabled, expired or deleted",
)
def gone(field, tally):
    """Disable and delete, then ask."""
    made = field.made
    past = int(time.time()) - 10

    def disable(user):
        made(f"/users/{user}", {"statut": 0}, verb="PATCH")

    def delete(user):
        made(f"/users/{user}", None, verb="DELETE")

    def revoke(user):
        for key in made(f"/users/{user}/keys", None, verb="GET"):
            made(f"/users/{user}/keys/{key['id']}", None, verb="DELETE")

    def end(user):
        made(f"/users/{user}", {"dateendvalidity": past}, verb="PATCH")

    def begin_later(user):
        made(f"/users/{user}", {"datestartvalidity": past + 99999}, verb="PATCH")

    ends = (disable, delete, revoke, end, begin_later)
    for how in ends:
        who = field.people.fresh(f"gone-{how.__name__}-")
        key = field.people.add(who, ["thirdparties.read"])
        tally.same({200}, _on_every_worker(field, key), f"{how.__name__}: before")
        how(field.people.ids[who])
        tally.same({401}, _on_every_worker(field, key), f"{how.__name__}: afterwards")
    user = field.people.ids["clerk"]
    soon = int(time.time()) + 5
    short = made(f"/users/{user}/keys", {"label": "short", "expires": soon})["key"]
    tally.same({200}, _on_every_worker(field, short), "a key that expires: before")
    time.sleep(max(0.0, soon - time.time()) + 1.1)
    tally.same({401}, _on_every_worker(field, short), "a key that has expired")


@row("S41", "a key in a URL is rejected and never logged")
def in_address(field, tally):
    """Send it in the query, in the path, as a cookie, as a body."""
    key = field.people.keys["clerk"]
    for path in (f"/status?DOLAPIKEY={key}", f"/status?api_key={key}", f"/status?key={key}", f"/status?token={key}", f"/status/{key}",
                 f"/{key}", f"/thirdparties?DOLAPIKEY={key}&sqlfilters=({key}:=:1)", f"/thirdparties/{key}", f"/api/index.php/status?DOLAPIKEY={key}"):  # fmt: skip
        answer = field.ask("", "GET", path)
        tally.check(answer.status in (401, 404, 400), f"GET {path.replace(key, 'KEY')} -> {answer.status}")
    for headers in (
        {"Cookie": f"DOLAPIKEY={key}"},
        {"X-Api-Key": key},
        {"Authorization": f"Basic {key}"},
        {"Authorization": key},
        {"Api-Key": key},
    ):
        tally.same(401, field.ask("", "GET", "/status", headers=headers).status, f"{list(headers)}")
    tally.same(
        401, field.ask("", "PUT", "/documents/builddoc", {"DOLAPIKEY": key, "api_key": key}).status, "in the body"
    )
    tally.check(key not in field.log, "the log tells the key")


@row("S42", "the database stores only irreversible digests of keys and passwords")
def stored(field, tally):
    """Look through every value of every table."""
    database = connect(field.database, unquote_password=True, unquote_user=True)
    database.connect()
    secrets = [key for key in field.people.keys.values() if key] + [PASSWORD]
    try:
        for table in database.get_tables():
            quote = "`" if field.kind == "mysql" else '"'
            for values in database.execute_sql(f"SELECT * FROM {quote}{table}{quote}").fetchall():
                text = " ".join(str(each) for each in values)
                found = [each for each in secrets if each in text]
                # The constants of the tests that are meant to be secret are an administrator's to set
                tally.check(not found, f"{table} holds {found}")
    finally:
        database.close()


@row("S44", "only the complete key is accepted: no part, other case, other type, digest or list of keys")
def odd_keys(field, tally):
    """Send what is nearly one."""
    key = field.people.keys["clerk"]
    odd = [key[:-1], key[1:], key + "0", key.upper() if key != key.upper() else key.lower(), f"{key},{key}", f"{key};", f'"{key}"', f"['{key}']",
           digest(key), digest(KEY), "0", "1", "null", "None", "true", "[]", "{}", "undefined", "%", "_", "*", "' or '1'='1", "\x00", "a" * 600,
           "a" * 7000, "\xff\xfe", key.replace(key[0], "%" + format(ord(key[0]), "x"), 1), f"Bearer {key}", "0" * 40, "-1", "1 OR 1=1"]  # fmt: skip
    for each in odd:
        if each == key:
            continue
        for header in ("DOLAPIKEY", "Authorization"):
            value = each if header == "DOLAPIKEY" else f"Bearer {each}"
            if value == f"Bearer Bearer {key}" or "\x00" in value:
                continue
            answer = field.ask("", "GET", "/status", headers={header: value})
            tally.check(answer.status in (400, 401, 431), f"{header} {each[:50]!r} -> {answer.status}")
    for head in (b"DOLAPIKEY: %s\r\nDOLAPIKEY: wrong" % key.encode(), b"DOLAPIKEY: wrong\r\nDOLAPIKEY: %s" % key.encode(), b"DOLAPIKEY: %s\x00" % key.encode(),
                 b"DOLAPIKEY : %s" % key.encode(), b"DOL_APIKEY: %s" % key.encode(), b"\x00DOLAPIKEY: %s" % key.encode(), b"X: y\n DOLAPIKEY: %s" % key.encode()):  # fmt: skip
        answered = field.raw(b"GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + head + b"\r\n\r\n", wait=5)
        tally.check(b" 200 " not in answered[:16], f"{head.replace(key.encode(), b'KEY')!r} -> {answered[:60]!r}")


@row("S46", "an empty key never authenticates, even if a user has no key")
def empty(field, tally):
    """Send nothing in all its forms, while a user without a key is there."""
    field.made("/users", {"login": field.people.fresh("keyless"), "lastname": "x"})
    for value in ("", " ", "\t", "  ", '""', "''"):
        for header in (
            {"DOLAPIKEY": value},
            {"Authorization": f"Bearer {value}"},
            {"Authorization": f"bearer{value}"},
            {"DOLAPIKEY": value, "Authorization": "Bearer"},
        ):
            answer = field.ask("", "GET", "/users/info", headers=header)
            tally.same(401, answer.status, f"{header}")
    for head in (
        b"DOLAPIKEY:",
        b"DOLAPIKEY: ",
        b"Authorization: Bearer",
        b"Authorization:",
        b"Authorization: Bearer \t",
    ):
        answered = field.raw(
            b"GET /users/info HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + head + b"\r\n\r\n", wait=5
        )
        tally.check(answered.startswith(b"HTTP/1.1 401"), f"{head!r} -> {answered[:60]!r}")
