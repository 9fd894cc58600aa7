"""What is too much, too large, or nothing that anything could work with: patterns, numbers, chunks, settings, controls."""

import re
import threading
import time

from tests.serving.running import ROOT

from .rows import row
from .wire import Wire, statuses, timed, with_query

#: digits and exponents that no column holds and some readers of numbers cannot read
NUMBERS = ("1e99999999999999999999", "-1e99999999999999999999", "1e-99999999999999999999", "1e400", "1e-400", "9" * 4000, "1E+2147483648", "0x1p99999", "NaN", "Infinity", "-Infinity", "sNaN",
           "1_000", "٣", "²", "1e", "--1", "1e1e1", "+1", " 1 ", "1\x00", "", "null", "9" * 20, "-9" * 2)  # fmt: skip


@row("like-cost", "patterns and the text they search are bounded: one comparison can't block a thread")
def patterns(field, tally):
    """Forty notes of 65,000 letters and patterns of thousands of letters, several at once; others work meanwhile."""
    made = [
        field.made(
            "/products",
            {"ref": field.people.fresh("noted"), "label": "x", "note": "a" * 65_000, "description": "a" * 65_000},
        )
        for _ in range(40)
    ]
    slowest = []
    over = threading.Event()

    def work():
        wire = Wire(field.server.port)
        while not over.is_set():
            seconds, answer = timed(
                lambda: wire.ask("GET", "/status", headers={"DOLAPIKEY": field.people.keys["clerk"]})
            )
            slowest.append(seconds if answer.status == 200 else 99.0)
            time.sleep(0.02)
        wire.close()

    watcher = threading.Thread(target=work)
    watcher.start()
    texts = [f"(t.{column}:{operator}:'{pattern}')" for column in ("note", "description") for operator in ("like", "notlike")
             for pattern in ("%" + "a" * 3500 + "b%", "%" + "a" * 201 + "b%", "%a" * 200 + "b", "%" + "a" * 198 + "b", "_" * 3000, "%_" * 1000 + "b")]  # fmt: skip

    def attack(text):
        seconds, answer = timed(lambda: field.ask("clerk", "GET", with_query("/products", sqlfilters=text)))
        pattern = text.split("'")[1]
        held = answer.status == 400 if len(pattern) > 200 else answer.status in (200, 400, 408, 503)
        tally.check(
            held and seconds < 15, f"a pattern of {len(pattern)} letters took {seconds:.1f} s -> {answer.status}"
        )

    try:
        field.each(texts, attack)
    finally:
        over.set()
        watcher.join()
    tally.check(max(slowest) < 5, f"beside patterns a request took {max(slowest):.1f} s")
    field.each(made, lambda each: field.ask("admin", "DELETE", f"/products/{each}"))


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


@row("chunks", "a malformed chunked body is rejected, before and after the key is checked")
def chunks(field, tally):
    """Chunks of all kinds, to operations that need a key and to one that needs none."""
    broken = (b"", b"x", b"5\r\nab", b"5\r\nabcdef\r\n0\r\n\r\n", b"-1\r\n", b"zz\r\n{}\r\n0\r\n\r\n", b"2\n{}\n0\n\n", b"\r\n\r\n", b"0", b"0\r\n", b"ffffffffffffffffffff\r\n", b"2;x=\x00\r\n{}\r\n0\r\n\r\n",
              b"2\r\n{}0\r\n\r\n", b"2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n", b"2\r\n{}\r\n0\r\n" + b"a: b\r\n" * 2000 + b"\r\n", b"2" + b";" * 9000 + b"\r\n{}\r\n0\r\n\r\n", b"+2\r\n{}\r\n0\r\n\r\n", b" 2\r\n{}\r\n0\r\n\r\n",
              b"0x2\r\n{}\r\n0\r\n\r\n", b"1_0\r\n" + b"a" * 16 + b"\r\n0\r\n\r\n", b"\x00\r\n\r\n", b"2\r\n{\r\n0\r\n\r\n")  # fmt: skip
    key = field.people.keys["clerk"].encode()

    def attack(asked):
        path, content, how = asked
        head = (
            b"POST "
            + path
            + b" HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: "
            + key
            + b"\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + how
            + b"\r\n\r\n"
        )
        answered = field.raw(head + content, wait=1.0)
        told = statuses(answered)
        tally.check(
            not told or told[0] < 500, f"{path.decode()} {content[:30]!r} {how.decode()} -> {told} {answered[-80:]!r}"
        )

    paths = (b"/login", b"/thirdparties", b"/documents/upload", b"/nothing-there", b"/status", b"/explorer/index.json")
    codings = (
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: Chunked",
        b"Transfer-Encoding: chunked\r\nExpect: 100-continue",
    )
    field.each([(path, content, how) for path in paths for content in broken for how in codings], attack)


@row("methods", "requests without a path and tunnel requests are rejected like other invalid requests")
def methods(field, tally):
    """`OPTIONS *`, `CONNECT`, absolute addresses, verbs that nobody knows."""
    lines = [
        f"{verb} {target} HTTP/{version}"
        for verb in ("OPTIONS", "GET", "HEAD", "POST", "DELETE", "CONNECT", "TRACE", "PRI", "FOO", "get")
        for target in (
            "*",
            "/",
            "x:443",
            "http://x/",
            "http://x",
            "//",
            "/*",
            "?",
            "#",
            "/%",
            "http://[::1",
            "://",
            "\\",
        )
        for version in ("1.1", "1.0")
    ]

    def attack(line):
        for key in (b"", b"DOLAPIKEY: " + field.people.keys["clerk"].encode() + b"\r\n"):
            answered = field.raw(line.encode() + b"\r\nHost: x\r\nConnection: close\r\n" + key + b"\r\n", wait=3.0)
            told = statuses(answered)
            tally.check(
                (bool(told) and told[0] < 500) or told == [501] or told == [505], f"{line} -> {told} {answered[-80:]!r}"
            )

    field.each(lines, attack)


def _constants():
    """The names of all constants that any file of the server reads."""
    text = "\n".join(file.read_text() for file in (ROOT / "modules").rglob("*.py"))
    found = set(re.findall(r'"((?:MAIN|SOCIETE|PROPALE|COMMANDE|FACTURE|INVOICE|COMPANY|PRODUCT)_[A-Z0-9_]+)"', text))
    return sorted(found - {"MAIN_MODULE_API_LOGIN_DISABLED"})


@row(
    "constants",
    "an unusable setting is rejected when it is written; an accepted one breaks no operation",
)
def constants(field, tally):
    """Write odd values into every constant that is read, and go through a day's work after each that is taken."""
    values = (
        "1e-400",
        "²",
        "-1",
        "0",
        "NaN",
        "1e400",
        "9" * 30,
        "x" * 500,
        "{yy}{mm}",
        "{0000}",
        "{0000}{0000}",
        "{yy}-{000000000000000000}",
        "../../x",
        "a\x01b",
        "\ufffe",
        "٣",
        "{",
        "<img src='x'/>",
        "1,5",
        "%s",
        "\ud83d\ude00" * 40,
        " ",
    )

    def work(words):
        body = {
            "socid": field.people.own["thirdparties"],
            "date": "2026-11-21",
            "lines": [{"desc": "x", "qty": "1.5", "subprice": "3.33", "tva_tx": "20"}],
        }
        for kind in ("proposals", "orders", "invoices"):
            made = field.ask("clerk", "POST", f"/{kind}", body)
            if not tally.check(made.status == 200, f"{words}: POST /{kind} -> {made.status} {made.body[:120]!r}"):
                continue
            moved = field.ask("clerk", "POST", f"/{kind}/{made.json}/validate", {})
            if not tally.check(
                moved.status == 200, f"{words}: /{kind} validate -> {moved.status} {moved.body[:120]!r}"
            ):
                continue
            ref = moved.json["ref"]
            part = kind.removesuffix("s")
            built = field.ask(
                "clerk", "PUT", "/documents/builddoc", {"modulepart": part, "original_file": f"{ref}/{ref}.pdf"}
            )
            # Invoices with their data inside need more of the company and the customer; that they are switched on is meant
            lacks = words.startswith("INVOICE_FACTURX") and b"an electronic invoice from" in built.body
            tally.check(
                built.status == 200 or (lacks and built.status == 405),
                f"{words}: the paper of {ref} -> {built.status} {built.body[:120]!r}",
            )
        person = field.ask(
            "clerk",
            "POST",
            "/thirdparties",
            {"name": "x", "email": f"{field.people.fresh('c')}@example.org", "client": 1, "code_client": "-1"},
        )
        tally.check(person.status == 200, f"{words}: POST /thirdparties -> {person.status} {person.body[:120]!r}")
        thing = field.ask("clerk", "POST", "/products", {"label": "x", "ref": field.people.fresh("constant")})
        tally.check(thing.status == 200, f"{words}: POST /products -> {thing.status} {thing.body[:120]!r}")

    work("before")
    for name in _constants():
        for value in values:
            answer = field.ask("admin", "PUT", f"/setup/conf/{name}", {"value": value})
            tally.check(answer.status in (200, 400), f"{name}={value[:20]!r} -> {answer.status}")
            if answer.status == 200 and re.search(
                r"MASK|ROUND|DECIMAL|ADDON|LOGO|FORCE|DURATION|MONTH|MONNAIE|LANG|FACTURX|DIGITS|COUNTRY|NOM", name
            ):
                work(f"{name}={value[:20]!r}")
        field.ask("admin", "DELETE", f"/setup/conf/{name}")
    for name, value in (
        ("MAIN_ROUNDING_RULE_TOT", "1e-400"),
        ("MAIN_INFO_SOCIETE_LOGO", "x" * 500),
        ("FACTURE_MERCURE_MASK_INVOICE", "{yy}{mm}"),
        ("PROPALE_SAPHIR_MASK", "PR"),
        ("COMMANDE_SAPHIR_MASK", "a/{0000}"),
    ):
        answer = field.ask("admin", "PUT", f"/setup/conf/{name}", {"value": value})
        tally.same(400, answer.status, f"{name}={value[:20]}")
        field.ask("admin", "DELETE", f"/setup/conf/{name}")
    work("afterwards")


@row("extra-fields", "an extra field that can't be stored is rejected and leaves no trace")
def extra_fields(field, tally):
    """Types, sizes, defaults and options that fit nothing; then the same name once more."""
    types = (
        "varchar",
        "text",
        "int",
        "double",
        "price",
        "date",
        "datetime",
        "boolean",
        "select",
        "sellist",
        "phone",
        "mail",
        "url",
        "html",
        "password",
        "link",
        "checkbox",
        "radio",
        "unknown",
        "",
    )
    sizes = (
        "²",
        "-1",
        "0",
        "1e3",
        "99999999",
        "10,²",
        "10,99",
        "99,2",
        "abc",
        "65536",
        "21845",
        " ",
        "1;DROP",
        "٣",
        None,
        [],
        {"a": 1},
        10**30,
    )
    for number, (kind, size) in enumerate([(each, size) for each in types for size in sizes]):
        name = f"odd{number}"
        path = f"/setup/extrafields/{('societe', 'facture', 'product')[number % 3]}/{name}"
        body = {
            "label": "x",
            "type": kind,
            "size": size,
            "unique": number % 2,
            "required": 0,
            "default": ("", "x", "1")[number % 3],
            "param": "" if number % 5 else {"options": {"a": "b"}},
        }
        answer = field.ask("admin", "POST", path, body)
        if (
            not tally.check(answer.status in (200, 400, 405), f"{body} -> {answer.status} {answer.body[:120]!r}")
            or answer.status != 200
        ):
            kept = field.ask("admin", "GET", path).status
            tally.same(404, kept, f"{body} was refused, and is there")
            # The column has not stayed either: another type takes the name
            again = field.ask("admin", "POST", path, {"label": "x", "type": "int", "size": "10"})
            tally.check(
                again.status == 200, f"after {body} the name cannot be taken -> {again.status} {again.body[:120]!r}"
            )
        read = field.ask("clerk", "GET", f"/{('thirdparties', 'invoices', 'products')[number % 3]}?limit=1")
        tally.check(read.status == 200, f"after {body} the list -> {read.status}")
        field.ask("admin", "DELETE", path)


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
