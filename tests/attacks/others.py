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
        path, absent = field.path(operation, "other"), field.path(operation, "absent")
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
        path = field.path(operation, "other")
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


@row(
    "S24",
    "another user's record can't be moved to another state, deleted, printed or paid, and its files can't be changed",
)
def moving(field, tally):
    """Every operation that does something, on others' records."""
    before = field.snapshot()

    def attack(asked):
        who, operation = asked
        path = field.path(operation, "other")
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
