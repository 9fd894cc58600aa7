"""The audit trail: complete, unchangeable, closed to whoever has no right to it, and without secrets."""

import json
import time
from contextlib import suppress

from playhouse.db_url import connect

from .people import MARK, PASSWORD
from .rows import row
from .wire import with_query

TABLE = "comptoir_audit"


def _trail(field, **wanted):
    """Entries of the trail, the newest first, as an administrator reads them."""
    return field.made(with_query("/audit", limit=200, **wanted), None, verb="GET")


def _is_there(field, tally):
    return tally.check(
        field.published.find("GET /audit") is not None, "there is no audit trail: nothing serves GET /audit"
    )


@row("audit-complete", "every change leaves an entry with user, key, address, operation and the former values")
def complete(field, tally):
    """Change records of every kind and look for the entry; changes that were refused leave none."""
    if not _is_there(field, tally):
        return
    creations = [
        each
        for each in field.published.operations
        if each.verb == "POST"
        and each.path.count("/") == 1
        and each.takes_fields
        and each.service not in ("login", "documents", "audit")
    ]
    for operation in creations:
        body = dict(operation.example)
        body |= {"socid": field.people.own["thirdparties"]} if "socid" in operation.fields else {}
        for unique in {"ref", "login", "number"} & set(operation.fields):
            body[unique] = field.people.fresh("audited")
        body.pop("email", None)
        name = field.people.fresh("audit-")
        answer = field.ask("admin", "POST", operation.path, body, {"X-Request-Id": name})
        if answer.status != 200 or not isinstance(answer.json, int):
            tally.check(answer.status < 500, f"{operation.name} -> {answer.status}")
            continue
        found = [
            each
            for each in _trail(field, request=name)
            if each["kind"] == "created" and str(each["record"]) == str(answer.json)
        ]
        tally.check(bool(found), f"{operation.name} leaves no entry")
        told = found[0] if found else {}
        tally.check(
            bool(told.get("user_id"))
            and bool(told.get("key_id"))
            and bool(told.get("address"))
            and operation.path in told.get("operation", ""),
            f"{operation.name}: {told}",
        )
        for verb in ("PATCH", "PUT", "DELETE"):
            change = field.published.find(f"{verb} {operation.path}/{{id}}")
            if change is None:
                continue
            name = field.people.fresh("audit-")
            text = next(
                (each for each in ("note_public", "note", "label", "lastname", "name", "job") if each in change.fields),
                "",
            )
            asked = None if verb == "DELETE" else {text: field.people.fresh("changed")} if text else {}
            done = field.ask("admin", verb, f"{operation.path}/{answer.json}", asked, {"X-Request-Id": name})
            entries = _trail(field, request=name)
            if done.status == 200 and (text or verb == "DELETE"):
                tally.check(
                    any(str(each["record"]) == str(answer.json) for each in entries),
                    f"{verb} {operation.path}/{answer.json} leaves no entry",
                )
            else:
                tally.check(not entries, f"{verb} {operation.path}/{answer.json} -> {done.status} leaves {entries}")
    _of_access(field, tally)


def _of_access(field, tally):
    """Rights, keys, settings, definitions, logins that failed."""
    clerk = field.people.ids["clerk"]
    rights = field.made(f"/users/{clerk}/rights", None, verb="GET")
    group = field.made("/users/groups", {"name": field.people.fresh("audited")})
    changes = (
        ("PUT", f"/users/{clerk}/rights", [*rights[:-1]]),
        ("PUT", f"/users/{clerk}/rights", rights),
        ("PUT", f"/users/groups/{group}/rights", ["thirdparties.read"]),
        ("GET", f"/users/{clerk}/setGroup/{group}", None),
        ("DELETE", f"/users/{clerk}/groups/{group}", None),
        ("POST", f"/users/{clerk}/keys", {"label": "audited"}),
        ("PUT", "/setup/conf/AUDITED", {"value": "1"}),
        ("PUT", "/setup/conf/AUDITED", {"value": "2"}),
        ("DELETE", "/setup/conf/AUDITED", None),
        ("POST", "/setup/extrafields/societe/audited", {"label": "x", "type": "int", "size": "10"}),
        ("PUT", "/setup/extrafields/societe/audited", {"label": "y"}),
        ("PATCH", f"/thirdparties/{field.people.own['thirdparties']}", {"array_options": {"options_audited": 7}}),
        ("DELETE", "/setup/extrafields/societe/audited", None),
        ("PUT", "/setup/company", {"town": field.people.fresh("town")}),
        ("POST", f"/thirdparties/{field.people.own['thirdparties']}/representatives/{clerk}", None),
        ("DELETE", f"/thirdparties/{field.people.own['thirdparties']}/representatives/{clerk}", None),
        ("POST", "/login", {"login": "nobody", "password": "wrong for the trail"}),
    )
    for verb, path, body in changes:
        name = field.people.fresh("audit-")
        answer = field.ask(
            "admin", verb, path, body, {"X-Request-Id": name}, source="127.0.99.1" if "login" in path else ""
        )
        told = _trail(field, request=name)
        tally.check(bool(told) or answer.status not in (200, 403), f"{verb} {path} -> {answer.status} leaves no entry")
        if "login" in path and told:
            tally.check("wrong for the trail" not in json.dumps(told), "a login that failed leaves its password")


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


@row("audit-kept", "the database rejects changing, deleting, replacing and truncating the trail")
def kept(field, tally):
    """Statements by hand, as a module that was dropped in could run them; then every entry is as it was."""
    if not _is_there(field, tally):
        return
    database = connect(field.database, unquote_password=True, unquote_user=True)
    database.connect()

    def run(sql):
        cursor = database.execute_sql(sql)
        return list(cursor.fetchall()) if cursor.description else []

    try:
        before = run(f"SELECT rowid, kind, record, login FROM {TABLE} ORDER BY rowid")
        tally.check(bool(before), "the trail is empty")
        first, last = before[0][0], before[-1][0]
        statements = [
            f"UPDATE {TABLE} SET login = 'x'", f"UPDATE {TABLE} SET login = 'x' WHERE rowid = {first}", f"UPDATE {TABLE} SET rowid = rowid + 1000000", f"DELETE FROM {TABLE}", f"DELETE FROM {TABLE} WHERE rowid = {last}",
            f"UPDATE {TABLE} SET moment = 0 WHERE rowid = {last}", f"DELETE FROM {TABLE} WHERE moment < {int(time.time()) * 2000}", f"UPDATE {TABLE} SET login = login", f"TRUNCATE TABLE {TABLE}",
        ]  # fmt: skip
        if field.kind == "sqlite":
            statements += [
                f"REPLACE INTO {TABLE} (rowid, moment, kind, login, address, operation, request_id, element, record, subject_element, subject) VALUES ({first}, 0, 'x', '', '', '', '', '', '', '', '')",
                f"INSERT OR REPLACE INTO {TABLE} (rowid, moment, kind) VALUES ({last}, 0, 'x')",
                f"UPDATE OR REPLACE {TABLE} SET rowid = {first} WHERE rowid = {last}",
            ]
        if field.kind == "mysql":
            statements += [
                f"REPLACE INTO {TABLE} (rowid, moment, kind) VALUES ({first}, 0, 'x')",
                f"INSERT INTO {TABLE} (rowid, moment, kind) VALUES ({first}, 0, 'x') ON DUPLICATE KEY UPDATE kind = 'x'",
                f"UPDATE IGNORE {TABLE} SET kind = 'x'",
                f"DELETE IGNORE FROM {TABLE}",
            ]
        if field.kind == "postgresql":
            statements += [
                f"INSERT INTO {TABLE} (rowid, moment, kind) VALUES ({first}, 0, 'x') ON CONFLICT (rowid) DO UPDATE SET kind = 'x'",
                f"TRUNCATE {TABLE} CASCADE",
                f"WITH gone AS (DELETE FROM {TABLE} RETURNING 1) SELECT count(*) FROM gone",
            ]
        for sql in statements:
            refused = True
            try:
                run(sql)
                refused = False
            except Exception:
                with suppress(Exception):
                    database.rollback()
            now = run(f"SELECT rowid, kind, record, login FROM {TABLE} ORDER BY rowid")[: len(before)]
            tally.check(now == before, f"{sql[:90]} ({'refused' if refused else 'done'}) changes the trail")
            if now != before:
                before = now
    finally:
        database.close()


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
