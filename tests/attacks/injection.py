"""Texts that would become a part of a statement: filters, columns, orders, names of fields."""

import json

from .corpus import COLUMNS, FILTERS, MARKED, NAMES, ORDERS, VALUES
from .people import MARK
from .rows import row
from .wire import with_query

#: refused: as a filter, as an address that is too long, as a head that is too long
REFUSED = (400, 414, 431)


@row("S1", "invalid filters never reach a statement, in any list")
def filters(field, tally):
    """Send what would end the condition, and the same as a value."""

    def refused(pair):
        operation, text = pair
        answer = field.ask("clerk", "GET", with_query(field.path(operation, "own"), sqlfilters=text))
        allowed = REFUSED if operation.name in readable else (*REFUSED, 401)
        tally.check(answer.status in allowed, f"{operation.name} {text[:80]} -> {answer.status} {answer.body[:150]!r}")

    def is_data(pair):
        operation, text = pair
        column = _text_column(field, operation)
        quoted = text.replace("'", "''")
        path = with_query(field.path(operation, "own"), sqlfilters=f"({column}:=:'{quoted}')")
        answer = field.ask("clerk", "GET", path)
        empty = answer.status != 200 or answer.body in (b"[]", b"{}", b'[{"count":0}]')
        tally.check(answer.status < 500 and empty, f"{operation.name} {text} -> {answer.status} {answer.body[:150]!r}")

    lists = field.published.lists
    readable = {each.name for each in lists if _reads(field, each)}
    field.each(field.pairs(lists, FILTERS, 8), refused)
    field.each(field.pairs(lists, VALUES, 7), is_data)
    tally.check(MARKED not in field.log, "the log holds a filter")
    tally.check(field.ask("admin", "GET", "/thirdparties?limit=1").status == 200, "the tables are gone")


def _reads(field, operation):
    """Whether the clerk may call an operation; it may depend on the record."""
    return field.ask("clerk", "GET", field.path(operation, "own")).status == 200


def _text_column(field, operation):
    """A column of text by which a list can be filtered."""
    record = field.published.record_of(operation)
    names = [name for name, said in record.items() if said.get("type") == "string" and not said.get("x-computed")]
    return next((each for each in ("ref", "label", "name", "login", "code") if each in names), (names or ["label"])[0])


@row("S2", "field names in a body never become columns")
def names(field, tally):
    """Send names that are none beside a body that is right."""

    def attack(pair):
        operation, name = pair
        example = operation.example[0] if isinstance(operation.example, list) else operation.example
        body = dict(example or {}) | {name: "7777777"}
        body |= {"socid": field.people.own["thirdparties"]} if "socid" in operation.fields else {}
        for unique in {"ref", "login", "number"} & set(operation.fields):
            body[unique] = field.people.fresh("named")
        body.pop("email", None)
        answer = field.ask("clerk", operation.verb, field.path(operation, "own"), body)
        if (
            not tally.check(answer.status < 500, f"{operation.name} {name!r} -> {answer.status}")
            or answer.status != 200
        ):
            return
        if operation.verb == "POST" and operation.path.count("/") == 1 and isinstance(answer.json, int):
            record = field.made(f"{operation.path}/{answer.json}", None, verb="GET")
            known = name in record and name not in ("id", "rowid", "ref")
            words = f"{operation.name} {name!r} was kept"
            tally.check(not known and str(record.get("id", answer.json)) == str(answer.json), words)
        elif isinstance(answer.json, dict):
            tally.check("7777777" not in json.dumps(answer.json), f"{operation.name} {name!r} was kept")
        else:
            tally.check(b"7777777" not in answer.body, f"{operation.name} {name!r} was answered")

    takes = [each for each in field.published.operations if each.takes_fields and "/login" not in each.path]
    field.each(field.pairs(takes, NAMES, 9), attack)


@row("S3", "a list accepts only its own columns and sort orders")
def columns(field, tally):
    """Sort by expressions; choose columns by expressions."""

    def attack(asked):
        operation, (parameter, text) = asked
        if parameter not in operation.parameters:
            return
        answer = field.ask("clerk", "GET", with_query(field.path(operation, "own"), **{parameter: text}))
        harmless = parameter == "properties" and answer.status == 200 and _only_known(field, operation, answer.body)
        words = f"{operation.name} {parameter}={text} -> {answer.status} {answer.body[:120]!r}"
        # A list below a record that is not there is not asked for anything
        absent = answer.status == 404 and "{" in operation.path
        tally.check(answer.status in (*REFUSED, 401) or harmless or absent, words)

    asked = [("sortfield", text) for text in COLUMNS if text not in ("1",)]
    asked += [("properties", text) for text in COLUMNS] + [("sortorder", text) for text in ORDERS]
    field.each(field.pairs(field.published.lists, asked, 6), attack)


def _only_known(field, operation, body):
    known = set(field.published.record_of(operation))
    records = json.loads(body)
    return isinstance(records, list) and all(set(each) <= known for each in records if isinstance(each, dict))


@row("S5", "no filter reaches beyond the row rule: OR, NOT and joins stay inside it")
def wider(field, tally):
    """Filters that are true for everything, by those who see one third party."""
    texts = (
        "(t.rowid:>:0) or (t.rowid:<=:0)",
        "(t.rowid:>:0) or (t.rowid:>:0) or (t.rowid:isnot:NULL)",
        "not (t.rowid:=:0)",
        "(t.rowid:notin:0)",
        "((t.rowid:>:0)) or ((t.rowid:>:0))",
        f"(t.rowid:>:0) or (t.ref:like:'%{MARK[:4]}%')",
        f"(s.nom:like:'%{MARK}%')",
        f"(s.nom:like:'%{MARK}%') or (t.rowid:>:0)",
        f"(t.note_public:like:'%{MARK}%')",
        f"(t.nom:like:'{MARK}%')",
        f"(t.lastname:like:'{MARK}%')",
        f"(t.fk_soc:=:{field.people.others['thirdparties']})",
        f"(t.socid:=:{field.people.others['thirdparties']})",
    )

    def attack(asked):
        operation, (who, text) = asked
        answer = field.ask(who, "GET", with_query(field.path(operation, "own"), sqlfilters=text, limit=1000))
        identifier = field.people.others.get(operation.service) if operation.path.count("/") == 1 else None
        records = answer.json if answer.status == 200 and answer.body[:1] == b"[" else []
        seen = [each for each in records if isinstance(each, dict) and str(each.get("id", "")) == str(identifier)]
        held = MARK.encode() not in answer.body.replace(text.encode(), b"") or answer.status == 400
        tally.check(
            not seen and held and answer.status < 500, f"{who} {operation.name} {text} -> {answer.body[:200]!r}"
        )
        if answer.status == 200 and identifier is not None:
            counted = field.ask(who, "GET", with_query(operation.path, sqlfilters=text, count=1, limit=1))
            total = counted.headers.get("x-total-count", "0")
            tally.check(
                int(total or 0) <= _visible(field, who, operation), f"{who} {operation.name} {text} counts {total}"
            )

    asked = [(who, text) for who in ("external", "internal") for text in texts]
    field.each(field.pairs(field.published.lists, asked, 5), attack)


def _visible(field, who, operation):
    answer = field.ask(who, "GET", with_query(operation.path, limit=1000))
    return len(answer.json) if answer.status == 200 else 0
