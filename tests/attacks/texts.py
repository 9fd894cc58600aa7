"""Texts that would be worked out where they are shown: templates, papers, sheets, names of files, lines of the log."""

import ast
import csv
import html
import io
import re
import socket
import threading
import zipfile
from contextlib import contextmanager, suppress

import pypdf

from tests.serving.running import ROOT

from .corpus import FORMULAS, MARKUP, TEMPLATES, WORKED_OUT
from .people import raw_file
from .rows import row

#: calls that work a text out
_WORKS_OUT = ("eval", "exec", "execfile", "compile", "__import__")
#: files that may: it reads what its own child, which is of the same user, has found in a module
_MAY = {"core/loading/trial.py": ["pickle.load", "pickle.loads"]}


@row("S7", "no text is evaluated: no file of the server uses eval or builds a template from a text")
def evaluation(field, tally):
    """Look through the program."""
    for folder in ("core", "modules", "explorer"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            found = [each for each in _calls(file.read_text()) if each in _WORKS_OUT or each.startswith("pickle.load")]
            name = str(file.relative_to(ROOT))
            tally.check(found == _MAY.get(name, []), f"{name}: {found}")


def _calls(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            yield "template of a text" if called.endswith(("Template", "from_string")) and not _fixed(node) else called


def _fixed(node):
    return bool(node.args) and isinstance(node.args[0], ast.Constant)


@row("S8", "a template expression in a text is printed literally")
def templates(field, tally):
    """Write them into every text of every kind of record."""

    def attack(asked):
        operation, text = asked
        texts = [
            name
            for name, said in operation.fields.items()
            if _is_text(said) and len(text) <= said.get("maxLength", 9999)
        ]
        body = dict(operation.example) | dict.fromkeys(texts, text)
        body |= {"socid": field.people.own["thirdparties"]} if "socid" in operation.fields else {}
        for unique in {"ref", "login", "number"} & set(operation.fields):
            body[unique] = field.people.fresh("t")
        for name in ("email", "lang", "default_lang", "multicurrency_code", "model_pdf"):
            body.pop(name, None)
        answer = field.ask("admin", "POST", operation.path, body)
        if answer.status != 200 or not isinstance(answer.json, int):
            tally.check(answer.status < 500, f"{operation.name} {text} -> {answer.status}")
            return
        read = field.ask("admin", "GET", f"{operation.path}/{answer.json}")
        told = read.body.decode()
        tally.check(
            not any(each in told for each in WORKED_OUT if each not in text), f"{operation.name} {text} -> {told[:200]}"
        )
        kept = read.json if read.status == 200 else {}
        for name in texts:
            if name in body and isinstance(kept.get(name), str) and kept[name]:
                tally.same(_plain(str(body[name])), _plain(kept[name]), f"{operation.name} {name}")

    creations = [each for each in field.published.operations if each.verb == "POST" and each.path.count("/") == 1]
    creations = [each for each in creations if each.takes_fields and "login" not in each.path]
    field.each([(each, text) for each in creations for text in TEMPLATES], attack)


def _is_text(said):
    return said.get("type") in ("string", ["string", "null"]) and not said.keys() & {
        "enum",
        "pattern",
        "format",
        "x-values",
        "x-alias-of",
    }


def _plain(text):
    """A text without what is tidied in numbers of phones and codes."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


@contextmanager
def _listening():
    """A port on which nobody must call, and who did."""
    calls = []
    with socket.socket() as ear:
        ear.bind(("127.0.0.1", 0))
        ear.listen()

        def take():
            with suppress(OSError):
                while True:
                    calls.append(ear.accept()[1])

        threading.Thread(target=take, daemon=True).start()
        try:
            yield ear.getsockname()[1], calls
        finally:
            # Closing alone leaves whoever waits on it waiting
            ear.shutdown(socket.SHUT_RDWR)


def _secret_picture(field):
    from PIL import Image

    file = field.outside / "secret.png"
    Image.new("RGB", (7, 7), (1, 2, 3)).save(file)
    return file


@row("S9", "markup in a text is printed, formatting tags are applied, no link is fetched or opened")
def markup(field, tally):
    """Print papers in which each text is markup."""
    picture = _secret_picture(field)
    with _listening() as (port, calls):

        def attack(text):
            text = (
                text.format(port=port, secret=picture, folder=field.outside)
                if "{port}" in text or "{secret}" in text
                else text
            )
            customer = field.made("/thirdparties", {"name": text[:120], "address": text[:200], "client": 1})
            line = {"desc": text, "qty": 1, "subprice": "1", "tva_tx": "20"}
            for kind in ("proposal", "order", "invoice"):
                body = {"socid": customer, "date": "2026-11-21", "note_public": text, "lines": [line]}
                made = field.made(f"/{kind}s", body)
                ref = f"(PROV{made})"
                built = field.ask(
                    "clerk", "PUT", "/documents/builddoc", {"modulepart": kind, "original_file": f"{ref}/{ref}.pdf"}
                )
                if not tally.check(built.status == 200, f"{kind} {text[:60]} -> {built.status} {built.body[:150]!r}"):
                    continue
                fetched = field.ask("clerk", "GET", raw_file(kind, f"{ref}/{ref}.pdf"))
                reader = pypdf.PdfReader(io.BytesIO(fetched.body))
                printed = _letters("".join(page.extract_text() for page in reader.pages))
                formatted = _letters(html.unescape(_EDITORS_TAG.sub("", text)))
                is_there = _letters(text)[:30] in printed or (formatted != _letters(text) and formatted[:30] in printed)
                tally.check(is_there, f"{kind} {text[:60]} is not printed")
                pictures = [each for page in reader.pages for each in page.images]
                tally.check(not pictures, f"{kind} {text[:60]} puts a picture into the paper")

        field.each(MARKUP, attack)
    tally.check(not calls, f"the server called {calls}")
    tally.check(not (field.outside / "broken").exists(), "the server ran a program")


#: a tag that editors write: what it formats is printed, not the tag; of a script nothing is
_EDITORS_TAG = re.compile(r"<script\b.*?</script>|</?(?:img|a|b)\b[^>]*>")


def _letters(text):
    return re.sub(r"\s", "", text)


@row("S62", "a logo or picture of a PDF is a stored file, never a URL or a path")
def logos(field, tally):
    """Name addresses and paths as the logo, print, and listen."""
    picture = _secret_picture(field)
    customer = field.people.own["thirdparties"]
    made = field.made("/proposals", {"socid": customer, "date": "2026-11-21", "lines": [{"desc": "x", "qty": 1}]})
    ref = f"(PROV{made})"
    with _listening() as (port, calls):
        for value in (f"http://127.0.0.1:{port}/x.png", f"file://{picture}", str(picture), f"../../../../../..{picture}",
                      "../../secret.png", "..\\secret.png", "/etc/passwd", "\\\\127.0.0.1\\x.png", "data:image/png;base64,AA"):  # fmt: skip
            set_ = field.ask("admin", "PUT", "/setup/conf/MAIN_INFO_SOCIETE_LOGO", {"value": value})
            built = field.ask(
                "admin", "PUT", "/documents/builddoc", {"modulepart": "proposal", "original_file": f"{ref}/{ref}.pdf"}
            )
            tally.check(
                set_.status in (200, 400) and built.status in (200, 405), f"{value} -> {set_.status}, {built.status}"
            )
            if built.status == 200:
                fetched = field.ask("admin", "GET", raw_file("proposal", f"{ref}/{ref}.pdf"))
                pages = pypdf.PdfReader(io.BytesIO(fetched.body)).pages
                tally.check(not any(page.images for page in pages), f"{value} is printed")
            field.ask("admin", "DELETE", "/setup/conf/MAIN_INFO_SOCIETE_LOGO")
    tally.check(not calls, f"the server called {calls}")


@row("S11", "a cell of a spreadsheet is never a formula")
def formulas(field, tally):
    """Names that begin as formulas do, in both kinds of sheets."""
    for text in FORMULAS:
        field.ask("clerk", "POST", "/thirdparties", {"name": f"{text}z", "town": text, "note_public": text})
        field.ask("clerk", "POST", "/products", {"ref": field.people.fresh("formula"), "label": f"{text}z"})
    sheets = {"csv": "text/csv", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
    for operation in field.published.lists:
        for name, media_type in sheets.items():
            answer = field.ask(
                "admin", "GET", field.path(operation, "own") + "?limit=1000", headers={"Accept": media_type}
            )
            if answer.status != 200:
                continue
            for cell in _cells(name, answer.body):
                tally.check(
                    cell[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n", "＝"),
                    f"{operation.name} {name}: {cell[:60]!r}",
                )


def _cells(name, content):
    if name == "csv":
        text = content.decode("utf-8-sig")
        cells = [cell for line in csv.reader(io.StringIO(text)) for cell in line]
        return [cell for cell in cells if not re.fullmatch(r"-?[\d.]+", cell)]
    sheet = zipfile.ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml").decode()
    # A text that begins so is a text, unless it is written as a formula
    return [f"={each}" for each in re.findall(r"<f>(.*?)</f>", sheet)] + ["a sheet"]


@row("S12", "file names, references and request IDs can't break a header or a log line")
def headers(field, tally):
    """Line ends, marks that turn text, quotes."""
    part, (ref, _, _) = (
        "thirdparty",
        field.people.file("thirdparties", "own").partition("/")
        if field.people.part("thirdparties", "own", "file")
        else (str(field.people.own["thirdparties"]), "", ""),
    )
    names = (
        'a"b.txt',
        "a;b.txt",
        "ä'é.txt",
        "a%0d%0ab.txt",
        "a\r\nX-Injected: 1.txt",
        "a\u202etxt.txt",
        "a\u2028b.txt",
        "日本.txt",
        'a\\"; filename=evil.html; x=".txt',
    )
    for name in names:
        body = {"modulepart": part, "ref": ref, "filename": name, "filecontent": "x", "overwriteifexists": 1}
        kept = field.ask("clerk", "POST", "/documents/upload", body)
        if kept.status != 200:
            tally.check(kept.status in (400, 404), f"{name!r} -> {kept.status}")
            continue
        answer = field.ask("clerk", "GET", raw_file(part, f"{ref}/{kept.json}"))
        told = answer.headers.get("content-disposition", "")
        held = answer.status == 200 and "x-injected" not in answer.headers and told.startswith("attachment")
        held &= (
            told.count('"') in (0, 2)
            and "\u202e" not in kept.json
            and "evil.html" not in told.partition('"')[2].partition('"')[2]
        )
        tally.check(held, f"{name!r} -> {answer.status} {told!r}")
    for value in ("a b", "a\tb", "x" * 65, "<script>", "é", 'a"b', "${x}", "a/b", "..%0d%0ax"):
        answer = field.ask(
            "clerk", "GET", "/status", headers={"X-Request-Id": value.encode("latin-1").decode("latin-1")}
        )
        tally.check(answer.headers.get("x-request-id") not in (None, value), f"X-Request-Id {value!r} is taken")
    for path in ("/status%0d%0aINJECTED", "/status%0aINJECTED", "/thirdparties?x=%0d%0aINJECTED", "/%1b[31mINJECTED"):
        head = f"GET {path} HTTP/1.1\r\nHost: x\r\nDOLAPIKEY: {field.people.keys['clerk']}\r\nUser-Agent: x\x1b[2JINJECTED\r\nConnection: close\r\n\r\n"
        answered = field.raw(head.encode(), wait=5)
        tally.check(b"\nINJECTED" not in answered, f"{path} ends a header")
    lines = [each for each in field.log.splitlines() if each.lstrip().startswith("INJECTED") or "\x1b" in each]
    tally.check(not lines, f"the log has the lines {lines[:3]}")
    login = {"login": "x\r\nINJECTED by a login\x1b[31m", "password": "x"}
    field.ask("", "POST", "/login", login, source="127.0.9.12")
    lines = [each for each in field.log.splitlines() if each.lstrip().startswith("INJECTED") or "\x1b" in each]
    tally.check(not lines, f"the log has the lines {lines[:3]}")
