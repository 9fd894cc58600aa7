"""Records of others: read, made for them, changed, moved and reached by way of one's own."""

import json
import re
from urllib.parse import unquote

from .people import MARK, raw_file
from .rows import row
from .wire import with_query

WHO = ("external", "internal", "nobody")
#: what a record that one may not see is answered with
_HIDDEN = (400, 401, 403, 404, 405)
_CHANGES = ("POST", "PUT", "PATCH", "DELETE")


def _of_records(field):
    """Operations whose path names a record that belongs to somebody."""
    return [each for each in field.published.operations if each.variables and each.service in field.people.others]


def _same_words(answer_body, path, other):
    """A refusal without what differs from request to request."""
    text = re.sub(r'"request_id":"[^"]*"', "", answer_body.decode(errors="replace"))
    parts = zip(path.split("/"), other.split("/"), strict=True)
    for one in sorted({unquote(each) for pair in parts if pair[0] != pair[1] for each in pair}, key=len, reverse=True):
        text = text.replace(one, "_")
    return text


@row("S20", "another user's record can't be read: each route with an ID behaves as if the record didn't exist")
def reading(field, tally):
    """Every GET of a record, by everybody who may not see it, beside one that does not exist."""

    def attack(asked):
        who, operation = asked
        path, absent = field.companies.path(operation, "other"), field.path(operation, "absent")
        answer, expected = field.ask(who, "GET", path), field.ask(who, "GET", absent)
        told = MARK.encode() in answer.body.replace(path.rpartition("/")[2].encode(), b"")
        words = f"{who} GET {path} -> {answer.status} {answer.body[:150]!r}"
        tally.check(not told and answer.status in _HIDDEN and "etag" not in answer.headers, words)
        tally.same(expected.status, answer.status, f"{who} GET {path} beside {absent}")
        if answer.status == 404:
            found, beside = _same_words(answer.body, path, absent), _same_words(expected.body, path, absent)
            tally.check(found == beside, f"{path}: {found} is not {beside}")

    reads = [each for each in _of_records(field) if each.verb == "GET"]
    callers = [(who, each) for who in WHO for each in reads]
    field.each(callers, attack)

    def conditional(asked):
        (who, operation), header = asked
        path = field.companies.path(operation, "other")
        answer = field.ask(who, "GET", path, headers=header)
        held = answer.status in (*_HIDDEN, 406) and "etag" not in answer.headers
        tally.check(held, f"{who} GET {path} {header} -> {answer.status}")

    headers = ({"If-None-Match": "*"}, {"If-Match": "*"}, {"Range": "bytes=0-9"}, {"Accept": "text/csv"})
    field.each(field.pairs(callers, headers, 4), conditional)
    lists = [each for each in field.published.lists if not each.variables]

    def listed(asked):
        who, operation = asked
        for extra in ("limit=1000", "limit=1000&sortorder=desc", "pagination_data=1", "count=1", "properties=id,ref"):
            answer = field.ask(who, "GET", f"{operation.path}?{extra}")
            ids = re.findall(rb'"id":"?(\d+)', answer.body) if extra.startswith("prop") else []
            # A list below another has IDs of its own
            other = field.people.others.get(operation.path.removeprefix("/"), -1)
            tally.check(
                MARK.encode() not in answer.body and str(other).encode() not in ids, f"{who} {operation.path}?{extra}"
            )

    field.each([(who, each) for who in WHO for each in lists], listed)


@row("S21", "a caller can't create a record for another third party or another user")
def creating(field, tally):
    """Every creation whose body names somebody."""
    others = field.people.others
    named = {"socid": others["thirdparties"], "fk_soc": others["thirdparties"], "contact_id": others["contacts"],
             "fk_socpeople": others["contacts"], "contactid": others["contacts"], "fk_user": field.people.ids["clerk"],
             "fk_user_author": field.people.ids["clerk"], "user_id": field.people.ids["clerk"], "fk_thirdparty": others["thirdparties"],
             "linked_objects": {"propal": others["proposals"]}, "thirdparty": {"id": others["thirdparties"]}}  # fmt: skip

    def attack(asked):
        who, operation, name = asked
        before = _records_of(field, operation)
        example = operation.example[0] if isinstance(operation.example, list) else operation.example or {}
        body = dict(example)
        if "socid" in operation.fields:
            body["socid"] = field.people.own["thirdparties"]
        for unique in {"ref", "login", "number"} & set(operation.fields):
            body[unique] = field.people.fresh("made")
        body |= {name: named[name]}
        body.pop("email", None)
        answer = field.ask(who, "POST", field.path(operation, "own"), body)
        words = f"{who} {operation.name} {name}={named[name]} -> {answer.status} {answer.body[:100]!r}"
        tally.check(
            _records_of(field, operation) == before and answer.status < 500,
            f"{words}: there are more records of the other",
        )

    creations = [
        each
        for each in field.published.operations
        if each.verb == "POST" and each.takes_fields and "login" not in each.path
    ]
    # One after the other: what is counted is what this one made
    for who in ("external", "internal"):
        for operation in creations:
            for name in named:
                if name in operation.fields or name in ("socid", "thirdparty", "linked_objects"):
                    attack((who, operation, name))


def _records_of(field, operation):
    """How many records the other third party has, of the kind that an operation makes."""
    socid = field.people.others["thirdparties"]
    listed = field.published.find(f"GET /{operation.service}")
    if listed is None or not listed.is_list or "socid" not in field.published.record_of(listed):
        return None
    path = with_query(listed.path, sqlfilters=f"(t.fk_soc:=:{socid})", limit=1000, properties="id")
    return sorted(each["id"] for each in field.made(path, None, verb="GET"))


@row("S22", "the owner of a record comes from the record, not from the request")
def claiming(field, tally):
    """Claim another's record by naming oneself as its owner."""
    _ = field.companies  # made first: it changes third parties
    before = field.snapshot()
    claims = ({"socid": field.people.own["thirdparties"]}, {"fk_soc": field.people.own["thirdparties"], "id": 1},
              {"fk_user_author": field.people.ids["internal"]}, {"thirdparty_ids": "1"}, {"user_creation_id": field.people.ids["internal"]})  # fmt: skip

    def attack(asked):
        who, operation, claim = asked
        body = dict(operation.example or {}) if isinstance(operation.example, dict) else {}
        for path in (
            field.companies.path(operation, "other"),
            with_query(field.companies.path(operation, "other"), **claim),
        ):
            answer = field.ask(who, operation.verb, path, {**body, **claim})
            tally.check(
                answer.status in _HIDDEN,
                f"{who} {operation.verb} {path} {claim} -> {answer.status} {answer.body[:100]!r}",
            )

    changes = [each for each in _of_records(field) if each.verb in ("PUT", "PATCH")]
    field.each([(who, each, claim) for who in WHO for each in changes for claim in claims], attack)
    tally.same(before, field.snapshot(), "another's records have changed")


@row(
    "S23",
    "a part belongs to the record in its path: your own record gives no access to another's line, contact or file",
)
def parts(field, tally):
    """Own record with the other's part, the other's record with an own part."""
    _ = field.companies  # made first: it changes third parties
    before = field.snapshot()
    nested = [each for each in _of_records(field) if len(each.variables) > 1]

    def attack(asked):
        who, operation, whose = asked
        first = operation.variables[0]
        values = field.companies.values(operation, whose)
        crossed = field.companies.values(operation, "own" if whose == "other" else "other")
        path = operation.at({**crossed, first: values.get(first, 1), "type": "BILLING"})
        if path == operation.at({**field.companies.values(operation, "own"), "type": "BILLING"}):
            # What else it names, a category, belongs to nobody
            return
        body = {"desc": "taken", "qty": 99, "subprice": "0"} if operation.verb in ("PUT", "PATCH") else None
        answer = field.ask(who, operation.verb, path, body)
        about_users = "user_id" in operation.variables
        held = answer.status in _HIDDEN or (about_users and whose == "own" and answer.status in (200, 304))
        tally.check(held, f"{who} {operation.verb} {path} -> {answer.status} {answer.body[:100]!r}")

    field.each([(who, each, whose) for who in WHO for each in nested for whose in ("own", "other")], attack)
    tally.same(before, field.snapshot(), "another's records have changed")
    _linking(field, tally)
    tally.same(before, field.snapshot(), "another's records have changed")


def _linking(field, tally):
    """Parts that a body names: contacts in roles, lines of another's document, links."""
    other, own = field.people.others, field.people.own
    for kind in ("proposals", "orders", "invoices"):
        line = field.people.part(kind, "other", "lineid")
        bodies = ({"contacts": [{"id": other["contacts"], "type": "BILLING"}]}, {"linked_objects": {kind: other[kind]}},
                  {"lines": [{"id": line, "desc": "x"}]}, {"contact_id": other["contacts"]}, {"fk_facture_source": other["invoices"]})  # fmt: skip
        for body in bodies:
            for verb in ("PUT", "PATCH"):
                answer = field.ask("internal", verb, f"/{kind}/{own[kind]}", body)
                tally.check(
                    MARK.encode() not in answer.body and answer.status < 500,
                    f"{verb} /{kind}/{own[kind]} {body} tells {answer.body[:100]!r}",
                )
        for name, value in (("fk_socpeople", other["contacts"]), ("contactid", other["contacts"])):
            answer = field.ask(
                "internal",
                "POST",
                f"/{kind}/{own[kind]}/contacts",
                {name: value, "type_contact": "BILLING", "source": "external"},
            )
            tally.check(answer.status in _HIDDEN, f"/{kind}/{own[kind]}/contacts {name} -> {answer.status}")


@row(
    "S24",
    "another user's record can't be moved to another state, deleted, printed or paid, and its files can't be changed",
)
def moving(field, tally):
    """Every operation that does something, on others' records."""
    _ = field.companies  # made first: it changes third parties
    before = field.snapshot()

    def attack(asked):
        who, operation = asked
        path = field.companies.path(operation, "other")
        for body in (operation.example, None, {}):
            answer = field.ask(who, operation.verb, path, body)
            tally.check(
                answer.status in _HIDDEN, f"{who} {operation.verb} {path} -> {answer.status} {answer.body[:100]!r}"
            )

    moves = [
        each
        for each in field.published.operations
        if each.verb in _CHANGES and {*each.variables} & {"id", "orderid", "proposalid", "invoiceid"}
    ]
    moves = [each for each in moves if each.service in field.people.others]
    field.each([(who, each) for who in WHO for each in moves], attack)
    tally.same(json.dumps(before), json.dumps(field.snapshot()), "another's records have changed")
    for service in ("thirdparties", "proposals", "orders", "invoices", "contacts"):
        if field.people.part(service, "other", "file") is None:
            continue
        part, file = service.removesuffix("s"), field.people.file(service, "other")
        folder = file.partition("/")[0]
        for who in WHO:
            asked = (
                ("GET", raw_file(part, file), None),
                ("GET", with_query("/documents/download", modulepart=part, original_file=file), None),
                ("GET", with_query("/documents", modulepart=part, id=field.people.others[service]), None),
                ("GET", with_query("/documents", modulepart=part, ref=folder), None),
                ("DELETE", with_query("/documents", modulepart=part, original_file=file), None),
                ("PUT", "/documents/builddoc", {"modulepart": part, "original_file": f"{folder}/{folder}.pdf"}),
                (
                    "POST",
                    "/documents/upload",
                    {"modulepart": part, "ref": folder, "filename": "x.txt", "filecontent": "x"},
                ),
                (
                    "POST",
                    "/documents/upload",
                    {"modulepart": part, "subdir": folder, "filename": "x.txt", "filecontent": "x"},
                ),
            )
            for verb, path, body in asked:
                answer = field.ask(who, verb, path, body)
                tally.check(
                    answer.status in _HIDDEN, f"{who} {verb} {path} {body} -> {answer.status} {answer.body[:100]!r}"
                )
        tally.check(
            field.made(raw_file(part, file).replace("raw", "download"), None, verb="GET")["filesize"] > 0,
            f"{file} is gone",
        )
