"""Files: uploads that would be run, paths that lead out of the store, what a browser would show."""

from .people import encoded, raw_file
from .rows import row
from .wire import with_query

SECRET = "planted-file-6e1f"
_PART = "thirdparty"
_RUN = ("py", "php", "php5", "phtml", "html", "htm", "xhtml", "svg", "svgz", "js", "mjs", "sh", "bat", "exe", "cgi", "pl", "jsp", "asp", "aspx", "shtml",
        "pyc", "so", "jar", "swf", "wasm", "htaccess", "xsl", "hta", "vbs", "ps1", "phar", "mht")  # fmt: skip
_PAGE = b"<html><script>alert(1)</script></html>"


def _folder(field):
    """The folder of the attackers' own record."""
    return str(field.people.own["thirdparties"])


def _upload(field, name, content=b"text", **more):
    body = {
        "modulepart": _PART,
        "ref": _folder(field),
        "filename": name,
        "filecontent": encoded(content),
        "fileencoding": "base64",
    }
    return field.ask("internal", "POST", "/documents/upload", {**body, **more})


@row("S50", "no upload becomes a program, script or page, whatever its name; none is stored in a module folder")
def programs(field, tally):
    """Extensions in all spellings, names that hide one, contents that are something else than their name says."""
    names = [
        name
        for each in _RUN
        for name in (
            f"a.{each}",
            f"a.{each.upper()}",
            f"a.{each}.txt",
            f"a.{each} ",
            f"a.{each}.",
            f"a.{each}. .",
            f"a.{each}\u200b",
            f"a.{each}/",
            f"a.{each}\x00.txt",
            f"a.{each};.txt",
            f"a.{each}:x",
            f".{each}",
        )
    ]
    names += [
        ".htaccess",
        "web.config.",
        "con",
        "nul.txt",
        "a" * 300 + ".txt",
        "",
        ".",
        "..",
        "/",
        "api_x.class.py",
        "api_x.class",
    ]

    def attack(name):
        answer = _upload(field, name, b"class X: pass")
        kept = answer.json if answer.status == 200 else ""
        parts = str(kept).lower().split(".")[1:]
        tally.check(
            answer.status in (400, 405) or not {each.strip() for each in parts} & set(_RUN),
            f"{name!r} -> {answer.status} {kept!r}",
        )

    tally.same(200, _upload(field, "fine.txt", overwriteifexists=1).status, "a file that is none of these")
    field.each(names, attack)
    for name, content in (
        ("a.png", _PAGE),
        ("a.pdf", _PAGE),
        ("a.jpg", b"<?php system(1);"),
        ("a.gif", b"MZ\x90"),
        ("a.png", b"GIF89a/*" + _PAGE),
        ("a.pdf", b"\x7fELF"),
        ("a.zip", _PAGE),
        ("a.docx", _PAGE),
    ):
        answer = _upload(field, name, content)
        tally.check(answer.status == 400, f"{name} that holds {content[:12]!r} -> {answer.status} {answer.body[:80]!r}")
    for subdir in (
        "../modules/evil/class",
        "../../modules",
        str(field.server.modules / "evil/class"),
        "modules",
        "../evil",
    ):
        answer = _upload(field, "api_evil.txt", ref="", subdir=subdir)
        tally.check(answer.status in (400, 401, 404), f"subdir {subdir} -> {answer.status}")
    found = [
        file
        for file in field.documents.rglob("*")
        if file.suffix.lower().strip(". ")[:] in {f".{each}"[1:] for each in _RUN}
    ]
    tally.check(not found, f"the store holds {found}")
    inside = [file.name for file in field.server.modules.rglob("*evil*")]
    tally.check(not inside, f"the module folder holds {inside}")


def _ways_up():
    for steps in (1, 3, 9):
        for up in (
            "../",
            "..\\",
            "..%2f",
            "%2e%2e/",
            "..%252f",
            "..;/",
            "....//",
            "..\u2215",
            "\uff0e\uff0e/",
            "..//",
            "./../",
            "..%c0%af",
            "..\x00/",
            "x/../",
        ):
            yield up * steps


@row("S51", "no file path leaves the store or enters another record's folder")
def paths(field, tally):
    """Steps upwards in every spelling and absolute paths, in every operation that names a file."""
    planted = field.outside / "secret.txt"
    planted.write_text(SECRET)
    field.watch.secrets.append(SECRET.encode())
    folder = _folder(field)
    _upload(field, "plain.txt", overwriteifexists=1)
    tally.same(
        200,
        field.ask("internal", "GET", raw_file(_PART, f"{folder}/plain.txt")).status,
        "a path that leads nowhere else",
    )
    targets = ("secret.txt", "outside/secret.txt", "server/data/test.db", "etc/passwd", "data/test.db", "test.db")
    texts = [f"{folder}/{up}{target}" for up in _ways_up() for target in targets] + [
        f"{up}{target}" for up in _ways_up() for target in targets[:3]
    ]
    texts += [str(planted), f"/{planted}", f"file://{planted}", "/etc/passwd", "C:\\Windows\\win.ini", "//etc/passwd", f"{folder}//etc/passwd",
              f"{folder}/", "/", ".", "..", "", f"{folder}/plain.txt/..", f"{folder}/plain.txt\x00.pdf", "~root/.profile", "$HOME/x", "a" * 5000]  # fmt: skip
    other = field.people.others["thirdparties"]
    texts += [f"{folder}/../{other}/told.txt", f"{folder}/../../thirdparties/{other}/told.txt", f"../{other}/told.txt"]

    def attack(text):
        for verb, path in (("GET", "/documents/raw"), ("GET", "/documents/download"), ("DELETE", "/documents")):
            answer = field.ask("internal", verb, with_query(path, modulepart=_PART, original_file=text))
            held = (
                answer.status in (400, 401, 403, 404, 414)
                and SECRET.encode() not in answer.body
                and b"root:x" not in answer.body
            )
            tally.check(held, f"{verb} {path} {text!r} -> {answer.status} {answer.body[:80]!r}")

    field.each(texts, attack)

    def written(text):
        for more in ({"filename": f"{text}x.txt"}, {"subdir": text, "ref": ""}, {"ref": text}):
            answer = _upload(
                field, **{"name": "way.txt"} if "filename" not in more else {"name": more.pop("filename")}, **more
            )
            tally.check(answer.status in (200, 400, 401, 404, 405), f"upload {text!r} {more} -> {answer.status}")

    field.each(list(_ways_up()), written)
    built = (
        "../x.pdf",
        "(PROV1)/../../x.pdf",
        "/tmp/x.pdf",
        "(PROV1)/x.pdf",
        "..\\x.pdf",
        "(PROV1)/(PROV1).pdf/../../x.pdf",
        "(PROV1)/(PROV1).php",
    )
    for text in built:
        answer = field.ask("clerk", "PUT", "/documents/builddoc", {"modulepart": "proposal", "original_file": text})
        tally.check(answer.status in (400, 404), f"builddoc {text} -> {answer.status}")
    outside = [
        str(each)
        for each in (
            *field.outside.rglob("*way*"),
            *field.folder.glob("*way*"),
            *(field.folder / "data").glob("*way*"),
            *field.server.modules.rglob("*way*"),
        )
    ]
    tally.check(not outside, f"files lie in {outside}")
    tally.same(SECRET, planted.read_text(), "the file outside")


@row(
    "S52",
    "uploads are never shown in a browser: they are sandboxed attachments with their own type; all else is JSON",
)
def shown(field, tally):
    """Upload pages under harmless names and look at their headers; then at those of every kind of answer."""
    for name in ("page.txt", "page.csv", "page.log", "page.xml", "page", "page.md", "page.json", "page.unknown"):
        kept = _upload(field, name, _PAGE, overwriteifexists=1)
        if kept.status != 200:
            tally.check(kept.status == 400, f"{name} -> {kept.status}")
            continue
        for how in ({}, {"Accept": "text/html"}, {"Range": "bytes=0-9"}):
            answer = field.ask("internal", "GET", raw_file(_PART, f"{_folder(field)}/{kept.json}"), headers=how)
            told = answer.headers
            held = told.get("content-disposition", "").startswith("attachment") and "sandbox" in told.get(
                "content-security-policy", ""
            )
            held &= (
                told.get("x-content-type-options") == "nosniff"
                and "html" not in told.get("content-type", "")
                and "xml" not in told.get("content-type", "")
            )
            tally.check(held, f"{name} {how} -> {answer.status} {told}")
    customer = field.made("/thirdparties", {"name": "<script>alert(1)</script>", "client": 1})
    asked = (("GET", f"/thirdparties/{customer}"), ("GET", "/thirdparties"), ("GET", "/<script>alert(1)</script>"), ("GET", "/thirdparties/<script>"), ("PUT", "/status"),
             ("GET", "/thirdparties?sqlfilters=<script>"), ("GET", "/thirdparties/999999"), ("POST", "/thirdparties"), ("GET", "/documents/raw"))  # fmt: skip
    for verb, path in asked:
        for accept in ("text/html", "*/*", "application/xml", "text/html,application/xhtml+xml,*/*;q=0.8"):
            answer = field.ask("clerk", verb, path, headers={"Accept": accept})
            kind = answer.headers.get("content-type", "")
            tally.check(
                kind.startswith("application/json") and answer.headers.get("x-content-type-options") == "nosniff",
                f"{verb} {path} {accept} -> {kind}",
            )
