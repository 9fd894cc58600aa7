"""Values that nothing can work with: numbers and control characters."""

from .rows import row
from .wire import with_query

#: digits and exponents that no column holds and some readers of numbers cannot read
NUMBERS = ("1e99999999999999999999", "-1e99999999999999999999", "1e-99999999999999999999", "1e400", "1e-400", "9" * 4000, "1E+2147483648", "0x1p99999", "NaN", "Infinity", "-Infinity", "sNaN",
           "1_000", "٣", "²", "1e", "--1", "1e1e1", "+1", " 1 ", "1\x00", "", "null", "9" * 20, "-9" * 2)  # fmt: skip


@row("numbers", "invalid and out-of-range numbers are rejected in every numeric input")
def numbers(field, tally):
    """In queries, paths, filters and in every field of a body that is a number."""

    def query(asked):
        who, path = asked
        answer = field.ask(who, "GET", path)
        tally.check(0 < answer.status < 500, f"GET {path[:120]} -> {answer.status} {answer.body[:80]!r}")

    places = []
    for operation in field.published.operations:
        if operation.verb != "GET":
            continue
        numeric = [
            name
            for name, said in operation.parameters.items()
            if said.get("schema", {}).get("type") in ("integer", "number", "boolean")
        ]
        places += [
            ("clerk", with_query(field.path(operation, "own"), **{name: text})) for name in numeric for text in NUMBERS
        ]
        places += [
            ("clerk", operation.at(dict.fromkeys(operation.variables, text)))
            for text in NUMBERS
            if operation.variables and text.strip() and "\x00" not in text
        ]
    for operation in field.published.lists:
        columns = [name for name, said in field.published.record_of(operation).items() if not said.get("x-computed")][
            :12
        ]
        places += [
            ("clerk", with_query(field.path(operation, "own"), sqlfilters=f"(t.{name}:{how}:{text})"))
            for name in columns
            for text in NUMBERS
            if "\x00" not in text
            for how in ("=", "between")
        ]
    field.each(places, query)

    def body(asked):
        verb, path, name, text = asked
        raw = b'{"socid":%d,"name":"x","lastname":"x","label":"x","ref":"%s","date":"2026-11-21","%s":%s}' % (
            field.people.own["thirdparties"],
            field.people.fresh("n").encode(),
            name.encode(),
            text.encode(),
        )
        answer = field.ask("clerk", verb, path, raw)
        tally.check(
            0 < answer.status < 500, f"{verb} {path} {name}: {text[:40]} -> {answer.status} {answer.body[:100]!r}"
        )

    bodies = []
    for operation in field.published.operations:
        if not operation.takes_fields or operation.path == "/login":
            continue
        numeric = [
            name
            for name, said in operation.fields.items()
            if said.get("type") not in ("string",) and "enum" not in said
        ][:25]
        texts = [text for each in NUMBERS[:8] + NUMBERS[9:12] + ("9" * 20,) for text in (each, f'"{each}"')]
        bodies += [(operation.verb, field.path(operation, "own"), name, text) for name in numeric for text in texts]
    field.each(bodies, body)


@row(
    "controls",
    "characters that XML forbids are rejected in every text; they never break an electronic invoice",
)
def controls(field, tally):
    """In every text of every kind of record; then an invoice with its data inside."""
    letters = ("\x01", "\x08", "\x0b", "\x0c", "\x1f", "\ufffe", "\uffff")
    creations = [
        each
        for each in field.published.operations
        if each.verb == "POST" and each.path.count("/") == 1 and each.takes_fields and each.path != "/login"
    ]

    def attack(asked):
        operation, name, letter = asked
        body = dict(operation.example)
        body |= {"socid": field.people.own["thirdparties"]} if "socid" in operation.fields else {}
        for unique in {"ref", "login", "number"} & set(operation.fields):
            body[unique] = field.people.fresh("control")
        body.pop("email", None)
        answer = field.ask("admin", "POST", operation.path, body | {name: f"a{letter}b"})
        tally.check(
            answer.status == 400, f"{operation.name} {name} with {letter!r} -> {answer.status} {answer.body[:80]!r}"
        )

    texts = [
        (each, name, letter)
        for each in creations
        for name, said in each.fields.items()
        if said.get("type") in ("string", ["string", "null"]) and "enum" not in said
        for letter in letters
    ]
    field.each(texts, attack)
    # In XML a control that stands for nothing must not come out of what is stored already
    field.made("/setup/conf/INVOICE_FACTURX", {"value": "1"}, verb="PUT")
    customer = field.made(
        "/thirdparties", {"name": "Plain", "client": 1, "country_id": 1, "address": "x", "zip": "1", "town": "x"}
    )
    line = {"desc": "x", "qty": 1, "subprice": 5, "tva_tx": "20"}
    for letter in letters:
        for body in (
            {"lines": [{**line, "desc": f"a{letter}b"}]},
            {"lines": [line], "note_public": f"a{letter}b"},
            {"lines": [line], "ref_client": f"a{letter}b"},
        ):
            answer = field.ask("clerk", "POST", "/invoices", {"socid": customer, "date": "2026-11-21", **body})
            if answer.status != 200:
                tally.same(400, answer.status, f"an invoice with {letter!r}")
                continue
            moved = field.ask("clerk", "POST", f"/invoices/{answer.json}/validate", {})
            tally.check(
                moved.status < 500,
                f"an invoice with {letter!r} is taken, and fails as it is validated -> {moved.status}",
            )
            ref = moved.json.get("ref", "") if moved.status == 200 else ""
            built = field.ask(
                "clerk", "PUT", "/documents/builddoc", {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf"}
            )
            tally.check(
                built.status == 200, f"the file of an invoice with {letter!r} -> {built.status} {built.body[:100]!r}"
            )
    field.ask("admin", "DELETE", "/setup/conf/INVOICE_FACTURX")
