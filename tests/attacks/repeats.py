"""Idempotency-Key: done once; sent again with another request, and by others."""

from .rows import row

NAME = "Idempotency-Key"


def _post(field, who, key, body, path="/thirdparties", **more):
    return field.ask(who, "POST", path, body, {NAME: f'"{key}"', **more})


@row(
    "repeat-other",
    "a repeated request runs once, a different one with its key is rejected; another user's keys have no effect",
)
def other(field, tally):
    """Other bodies, paths, queries, users; narrower keys of the same user."""
    name, key = field.people.fresh("other"), field.people.fresh("key-")
    first = _post(field, "clerk", key, {"name": name})
    again = _post(field, "clerk", key, {"name": name})
    tally.same(
        (200, first.body, "true"), (again.status, again.body, again.headers.get("idempotency-replayed")), "again"
    )
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
        tally.check("idempotency-replayed" not in answer.headers, f"{who} is told the answer")
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
