"""Idempotency-Key: done once, whoever sends it again, at the same moment, in other words, as somebody else."""

import json
from concurrent.futures import ThreadPoolExecutor

from .rows import row
from .wire import with_query

NAME = "Idempotency-Key"


def _count(field, name):
    return len(
        field.made(with_query("/thirdparties", sqlfilters=f"(t.nom:=:'{name}')", properties="id"), None, verb="GET")
    )


def _post(field, who, key, body, path="/thirdparties", **more):
    return field.ask(who, "POST", path, body, {NAME: f'"{key}"', **more})


def _at_once(field, key, path, body, times):
    """The answers to one request that is sent several times at the same moment."""
    sender, headers = field.people.keys["clerk"], {NAME: f'"{key}"'}
    with ThreadPoolExecutor(times) as pool:
        sent = [pool.submit(field.apart, sender, "POST", path, body, headers) for _ in range(times)]
    return [each.result() for each in sent]


@row("repeat-once", "a POST with an Idempotency-Key runs once, however often and fast it is repeated")
def once(field, tally):
    """Again, on every worker, twenty at once, and with what is a secret."""
    for number in range(5):
        name, key = field.people.fresh("repeated"), field.people.fresh("key-")
        first = _post(field, "clerk", key, {"name": name})
        again = [_post(field, "clerk", key, {"name": name}) for _ in range(10)]
        tally.check(
            first.status == 200 and all(each.status == 200 and each.body == first.body for each in again),
            f"{first.status} {first.body!r}, then {[(each.status, each.body[:40]) for each in again[:3]]}",
        )
        tally.same(1, _count(field, name), f"records of repetition {number}")
    for _ in range(6):
        name, key = field.people.fresh("raced"), field.people.fresh("key-")
        told = _at_once(field, key, "/thirdparties", {"name": name}, 20)
        good = {each.body for each in told if each.status == 200}
        tally.check(
            {each.status for each in told} <= {200, 409} and len(good) == 1,
            f"twenty at once -> {sorted({each.status for each in told})}, {len(good)} different answers",
        )
        tally.same(1, _count(field, name), "records of twenty at once")
    user = field.people.ids["clerk"]
    key = field.people.fresh("key-")
    before = len(field.made(f"/users/{user}/keys?limit=1000", None, verb="GET"))
    made = [_post(field, "admin", key, {"label": "once"}, f"/users/{user}/keys") for _ in range(3)]
    after = len(field.made(f"/users/{user}/keys?limit=1000", None, verb="GET"))
    tally.same(before + 1, after, "keys that were made")
    secret = made[0].json.get("key", "?") if made[0].status == 200 else "?"
    tally.check(all(secret not in each.body.decode() for each in made[1:]), "a key is shown twice")


@row(
    "repeat-other",
    "a different request with a used key is rejected; another user's keys have no effect",
)
def other(field, tally):
    """Other bodies, paths, queries, users; narrower keys of the same user."""
    name, key = field.people.fresh("other"), field.people.fresh("key-")
    first = _post(field, "clerk", key, {"name": name})
    for path, body in (
        ("/thirdparties", {"name": f"{name}x"}),
        ("/thirdparties", {}),
        ("/thirdparties", {"name": name, "town": "x"}),
        ("/products", {"ref": field.people.fresh("idem"), "label": "x"}),
        ("/thirdparties?x=1", {"name": name}),
    ):
        answer = _post(field, "clerk", key, body, path)
        tally.check(answer.status == 422, f"{path} {body} under a used key -> {answer.status} {answer.body[:60]!r}")
    for who in ("internal", "admin", "external"):
        answer = _post(field, who, key, {"name": name})
        tally.check(
            answer.body != first.body and "idempotency-replayed" not in answer.headers,
            f"{who} is answered what the clerk was",
        )
    for who in ("nobody", "", "wrong-key-0123456789"):
        answer = _post(field, who, key, {"name": name})
        tally.same(401, answer.status, f"{who or 'without a key'}, under a used key")
        tally.check(first.body not in answer.body or first.body == b"1", f"{who} is told the answer")
    own = field.made("/users/info", None, verb="GET", who="clerk")["id"]
    narrow = field.made(f"/users/{own}/keys", {"label": "narrow", "rights": ["products.read"]})["key"]
    tally.same(401, _post(field, narrow, key, {"name": name}).status, "a key without the right, under a used key")
    # Whoever loses the right loses the answer
    who = field.people.fresh("fallen")
    field.people.add(who, ["thirdparties.write", "thirdparties.read"])
    key = field.people.fresh("key-")
    tally.same(200, _post(field, who, key, {"name": field.people.fresh("fell")}).status, "while the right is there")
    field.made(f"/users/{field.people.ids[who]}/rights", [], verb="PUT")
    tally.same(401, _post(field, who, key, {"name": "x"}).status, "after the right has gone")


@row("repeat-words", "an invalid Idempotency-Key is rejected; a failed request isn't stored and can be retried")
def words(field, tally):
    """Empty, endless, doubled and odd keys; failures under a key."""
    for value in (
        "",
        '""',
        '"',
        "a b",
        '"a" "b"',
        "x" * 300,
        '"' + "x" * 300 + '"',
        "a,b",
        '"a", "b"',
        "\u00e9",
        "\t",
        "a;b",
        '"a";x=1',
        "a\\b",
        "a\x7f",
    ):
        name = field.people.fresh("odd")
        answer = field.ask("clerk", "POST", "/thirdparties", {"name": name}, {NAME: value})
        # A text without quotes is what many clients send
        tally.check(answer.status == 400, f"{NAME}: {value[:30]!r} -> {answer.status}")
        tally.same(0, _count(field, name), f"records of {value[:20]!r}")
    head = f"POST /thirdparties HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: {field.people.keys['clerk']}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    body = json.dumps({"name": "doubled"})
    answered = field.raw(
        f'{head}{NAME}: "one"\r\n{NAME}: "two"\r\nContent-Length: {len(body)}\r\n\r\n{body}'.encode(), wait=5
    )
    tally.check(b" 400 " in answered[:16], f"two headers -> {answered[:40]!r}")
    for number in range(5):
        key, name = field.people.fresh("key-"), field.people.fresh("failed")
        wrong = _post(field, "clerk", key, {"name": ""})
        right = _post(field, "clerk", key, {"name": name})
        tally.check(
            wrong.status == 400 and right.status == 200,
            f"a mistake {wrong.status}, mended under the same key {right.status}",
        )
        tally.same(1, _count(field, name), f"records {number}")
    kinds = [
        each
        for each in field.published.operations
        if each.verb == "POST" and {*each.variables} & {"id"} and each.service in field.people.own
    ]

    def attack(operation):
        key = field.people.fresh("key-")
        path = field.path(operation, "other")
        for who in ("internal", "external"):
            answer = _post(field, who, key, operation.example, path)
            tally.check(answer.status in (400, 401, 404, 405), f"{who} POST {path} under a key -> {answer.status}")

    field.each(kinds, attack)


@row("repeat-money", "payments, validations and derived documents run once under one Idempotency-Key")
def money(field, tally):
    """Twenty at once of each."""
    customer = field.people.own["thirdparties"]
    line = {"desc": "x", "qty": 1, "subprice": 100, "tva_tx": "20"}

    def at_once(path, body):
        key = field.people.fresh("key-")
        told = _at_once(field, key, path, body, 10)
        good = [each.json for each in told if each.status == 200]
        for each in good:
            if isinstance(each, dict):
                # Whoever asks while the paper is printed is answered without it
                each.pop("last_main_doc", None)
        tally.check(
            {each.status for each in told} <= {200, 409} and bool(good) and all(each == good[0] for each in good),
            f"POST {path} -> {sorted(each.status for each in told)}, {len({str(each) for each in good})} different answers",
        )
        return told

    for _ in range(3):
        proposal = field.made("/proposals", {"socid": customer, "date": "2026-11-21", "lines": [line]})
        at_once(f"/proposals/{proposal}/validate", {})
        at_once(f"/proposals/{proposal}/close", {"status": 2})
        at_once(f"/orders/createfromproposal/{proposal}", None)
        made = field.made(with_query("/orders", limit=1, sortfield="t.rowid", sortorder="desc"), None, verb="GET")[0][
            "id"
        ]
        orders = field.made(f"/orders/{made}", None, verb="GET")
        tally.check(
            len(
                field.made(f"/proposals/{proposal}", None, verb="GET")
                .get("linkedObjectsIds", {})
                .get("commande", {1: 1})
            )
            == 1
            and orders["id"] == made,
            "one order of a proposal",
        )
        invoice = field.made("/invoices", {"socid": customer, "date": "2026-11-21", "lines": [line]})
        at_once(f"/invoices/{invoice}/validate", {})
        at_once(
            f"/invoices/{invoice}/payments",
            {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1},
        )
        payments = field.made(f"/invoices/{invoice}/payments", None, verb="GET")
        tally.same(1, len(payments), "payments of an invoice")
