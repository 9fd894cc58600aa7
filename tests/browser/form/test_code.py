"""The call as code: what is run makes the very request that the page would, whatever stands in it, and nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.browser.conftest import Opener
from tests.browser.pages import call_as_code, expect
from tests.needed import program, why_without

#: texts that would end a quotation of some language, and then make a file called ``ran``
NASTY = (
    "'; touch ran; '", '"; touch ran; "', "$(touch ran)", "`touch ran`", "it's", "\\", "\\'; touch ran #", '\\"', "a\\",
    '"); open("ran", "w"); ("', '" + open("ran", "w").name + "', "{open('ran', 'w')}",
    "'); touch('ran'); ('", '"); touch("ran"); ("', "?><?php touch('ran'); ?>", "{$x}", "${touch('ran')}", "$DOLAPIKEY",
    '"); require("fs").writeFileSync("ran", ""); ("', "${process.exit(1)}", "</script>", "*/", "//", "# --", "<<<'X'",
    "@/etc/passwd", ";type=text/html", "%00%s", "é 中 😀", "\u202egnp.exe", "\u2028", "\u200b$x", "+ &=?#/..", "", " ",
)  # fmt: skip
LINES = ("a\nb", "\r\nX-Evil: 1", "\t", "\n'; touch ran\n")
FILES = {"file": 'it\'s; "x", $(touch ran).txt', "more": "-é`touch ran`.bin"}
OBJECT: dict[str, Any] = {
    **{f"k{number}": each for number, each in enumerate(NASTY + LINES)},
    **{each: number for number, each in enumerate(NASTY)},
    **{"lines": [{"qty": 1.50, "free": False}, {}, [], None, -3, 1e5], "counted": {"0": "a", "1": {"0": []}}},
    "nul": "\0",
}
EXACT = '{"price": 12345678901234567890.10, "name": "' + "'; touch ran; ' $(touch ran) \\\\ \\\" \\u2028" + '"}'
HALF = json.dumps({"half": "\ud800 '; touch ran", "__proto__": {"a": 1}})

#: requests as the form makes them; the path of each is its number
REQUESTS: tuple[dict[str, Any], ...] = (
    {"verb": "GET", "query": urlencode([(f"q{number}", each) for number, each in enumerate(NASTY + LINES)])},
    {"verb": "GET", "query": urlencode([("a[]", "1"), ("a[]", "{2,3}"), ("b", "'; touch ran; '")])},
    {"verb": "POST", "body": json.dumps(OBJECT)},
    {"verb": "PUT", "body": EXACT, "headers": {"If-Match": '"it\'s $(touch ran)", "b\\"'}},
    {"verb": "PATCH", "body": HALF},
    {"verb": "DELETE", "headers": {"If-Match": "'; touch ran; '"}},
    {"verb": "POST", "fields": {"label": NASTY[0], **dict(zip(NASTY[1:4], NASTY, strict=False))}, "files": FILES},
    {"verb": "POST", "fields": {f"f{number}": each for number, each in enumerate(NASTY)}},
)
#: runs files of a language, in a process for all of them
RUNNERS = {
    "curl": ("sh", "sh", 'for each in "$@"; do sh "$each" || exit; echo; done'),
    "python": ("py", sys.executable, "import sys\nfor each in sys.argv[1:]: exec(open(each).read(), {})"),
    "php": (
        "php",
        "php",
        "foreach (array_slice($argv, 1) as $each) { (function () use ($each) { include $each; })(); }",
    ),
    "javascript": ("mjs", "node", "(async () => { for (const each of process.argv.slice(1)) await import(each); })()"),
}


#: requests with values to fill in, and one whose response is a file; what each code is run to send
OPEN: dict[str, Any] = {
    "verb": "POST",
    "query": "near=%7Bid%7D",
    "headers": {"Content-Type": "application/json", "X-Of": "{ref} it's $(touch ran)"},
    "body": '{"socid": {id}, "note": "{ref}: `touch ran` ${x} {y}", "id": "{z}"}',
    "variables": [{"name": "id", "value": 7, "note": "?> the\nID\u2028x"}, {"name": "ref", "value": "a'b", "note": ""}],
}
SAVED: dict[str, Any] = {"verb": "GET", "query": "original_file=FA1%2Fit's.pdf", "saves": ".bin"}


#: the code of every operation as its form is when it is opened, with the request that it is for
EVERY = """async ([kind, base]) => {
  const made = [];
  for (const service of indexState.index.services) {
    const { operations } = await documentOf(service);
    for (const operation of operations.values()) {
      const request = formOf(operation).request();
      const code = codeOf(kind, { ...request, saves: savesOf(operation.id) }, `${base}/${kind}-${operation.id}/`);
      const body = typeof request.body === "string" ? request.body : null;
      made.push({ id: operation.id, verb: request.verb, body, query: request.query, code });
    }
  }
  return made;
}"""


class _Echo(BaseHTTPRequestHandler):
    """Keeps every request, by its path, and says that it has come."""

    kept: dict[str, dict[str, Any]]

    def handle_request(self) -> None:
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        said = {
            "verb": self.command,
            "query": parse_qsl(query, keep_blank_values=True),
            "body": body,
            "of": self.headers,
        }
        assert path not in self.kept
        self.kept[path] = said
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def log_message(self, *parts: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def kept() -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    """The address of a small server, and what it was sent."""
    _Echo.kept = {}
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", _Echo.kept
        server.shutdown()


@pytest.fixture(scope="module")
def codes() -> dict[str, list[str]]:
    """What the page shows of each request, by language: filled by the first test."""
    return {}


def request_of(number: int) -> dict[str, Any]:
    """A request as the script of the page knows it."""
    made = {"query": "", "headers": {}, **REQUESTS[number], "path": f"/{number}"}
    if "body" in made:
        made["headers"] = {**made["headers"], "Content-Type": "application/json"}
    if "fields" in made:
        made["files"] = [{"name": name, "filename": file} for name, file in made.get("files", {}).items()]
    return made


def parts_of(said: dict[str, Any]) -> dict[str, bytes]:
    """The parts of a form of several, by name."""
    whole = message_from_bytes(b"Content-Type: " + said["of"]["Content-Type"].encode() + b"\r\n\r\n" + said["body"])
    named: dict[str, bytes] = {}
    for part in whole.walk():
        if part.is_multipart():
            continue
        heading = str(part["Content-Disposition"]).encode("utf-8", "surrogateescape").decode()
        name = heading.split('name="', 1)[1].split('"; filename=')[0].removesuffix('"')
        named[name.replace("%22", '"').replace('\\"', '"').replace("\\\\", "\\")] = bytes(part.get_payload(decode=True))
    return named


def test_the_page_writes_every_request_in_every_language(visit: Opener, kept: Any, codes: dict[str, list[str]]) -> None:
    page = visit("#/show/get-show-typed-size?size=3")
    page.get_by_role("button", name="Copy link").wait_for()
    made = page.evaluate(
        "([kinds, requests, base]) => kinds.map((kind) => requests.map((each) => codeOf(kind, each, `${base}/${kind}/`)))",
        [list(RUNNERS), [request_of(number) for number in range(len(REQUESTS))], kept[0]],
    )
    codes |= dict(zip(RUNNERS, made, strict=True))
    # The language that was chosen is the one of every operation, and of the next visit
    for place in ("", "#/show/get-show-paper"):
        visited = visit(place) if place else page
        code = call_as_code(visited)
        if visited is page:
            visited.get_by_role("button", name="PHP", exact=True).click()
        expect(visited.get_by_role("button", name="PHP", exact=True)).to_have_attribute("aria-pressed", "true")
        expect(code).to_contain_text("curl_setopt_array")
    page.evaluate("localStorage.clear()")


@pytest.mark.parametrize("kind", RUNNERS)
def test_code_has_variables_saves_files_and_may_hold_the_key(
    visit: Opener, kind: str, tmp_path: Path, kept: Any
) -> None:
    page = visit("#/show/get-show-typed-size")
    expect(call_as_code(page)).to_contain_text(re.compile(r"\bsize ?= ?1\b"))
    requests = [{"path": "/a/%7Bid%7D/b", **OPEN}, {"path": "/saved", "headers": {}, **SAVED}]
    made = page.evaluate(
        "([kind, all, base]) => all.map((each) => codeOf(kind, each, `${base}/open-${kind}/`, 'the key'))",
        [kind, requests, kept[0]],
    )
    ending, runner, script = RUNNERS[kind]
    needed = "curl" if kind == "curl" else runner
    if kind != "python" and not program(needed):
        pytest.skip(str(why_without(needed)))
    files = [tmp_path / f"{number}.{ending}" for number in range(len(made))]
    for file, code in zip(files, made, strict=True):
        file.write_text(code)
    option = {"php": "-r", "node": "-e"}.get(runner, "-c")
    ran = subprocess.run(
        [program(runner) or runner, option, script, *(["sh"] if kind == "curl" else []), *map(str, files)],
        cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert {each.name for each in tmp_path.iterdir()} == {*(each.name for each in files), "it's.pdf"}
    assert (tmp_path / "it's.pdf").read_bytes() == b"ok"
    said = kept[1][f"/open-{kind}/a/7/b"]
    assert said["of"]["DOLAPIKEY"] == "the key"
    assert said["query"] == [("near", "7")]
    assert said["of"]["X-Of"] == "a'b it's $(touch ran)"
    assert json.loads(said["body"]) == {"socid": 7, "note": "a'b: `touch ran` ${x} {y}", "id": "{z}"}


@pytest.mark.parametrize("kind", RUNNERS)
def test_the_code_of_every_operation_runs_as_it_is_copied(visit: Opener, kind: str, tmp_path: Path, kept: Any) -> None:
    ending, runner, script = RUNNERS[kind]
    needed = "curl" if kind == "curl" else runner
    if kind != "python" and not program(needed):
        pytest.skip(str(why_without(needed)))
    page = visit("#/show/get-show-typed-size")
    made = page.evaluate(EVERY, [kind, kept[0]])
    assert len(made) > 350
    files = [tmp_path / f"{each['id']}.{ending}" for each in made]
    for file, each in zip(files, made, strict=True):
        file.write_text(each["code"])
    option = {"php": "-r", "node": "-e"}.get(runner, "-c")
    ran = subprocess.run(
        [program(runner) or runner, option, script, *(["sh"] if kind == "curl" else []), *map(str, files)],
        cwd=tmp_path, env={**os.environ, "DOLAPIKEY": "the key"}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    came = {path.split("/")[1]: (path, said) for path, said in kept[1].items()}
    for each in made:
        path, said = came[f"{kind}-{each['id']}"]
        assert "%7B" not in path and "{" not in path
        assert (said["verb"], said["of"]["DOLAPIKEY"]) == (each["verb"], "the key"), each["id"]
        assert said["query"] == parse_qsl(each["query"], keep_blank_values=True), each["id"]
        if each["body"] is not None:
            assert json.loads(said["body"]) == json.loads(each["body"]), each["id"]
    assert any(each.suffix in (".pdf", ".bin") for each in tmp_path.iterdir())


@pytest.mark.parametrize("kind", RUNNERS)
def test_code_that_is_run_makes_the_request(kind: str, tmp_path: Path, kept: Any, codes: dict[str, list[str]]) -> None:
    ending, runner, script = RUNNERS[kind]
    needed = "curl" if kind == "curl" else runner
    if kind != "python" and not program(needed):
        pytest.skip(str(why_without(needed)))
    assert codes, "runs behind the test that asks the page"
    files = []
    for number, code in enumerate(codes[kind]):
        files.append(tmp_path / f"{number}.{ending}")
        files[-1].write_text(code.replace("your key", "the key"))
    for name, file in FILES.items():
        (tmp_path / file).write_text(name)
    before = sorted(tmp_path.iterdir())
    option = {"php": "-r", "node": "-e"}.get(runner, "-c")
    ran = subprocess.run(
        [program(runner) or runner, option, script, *(["sh"] if kind == "curl" else []), *map(str, files)],
        cwd=tmp_path, env={**os.environ, "DOLAPIKEY": "the key"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("ok") == len(REQUESTS), ran.stdout + ran.stderr
    assert sorted(tmp_path.iterdir()) == before
    for number, meant in enumerate(REQUESTS):
        said = kept[1][f"/{kind}/{number}"]
        assert (said["verb"], said["of"]["DOLAPIKEY"]) == (meant["verb"], "the key"), number
        assert said["query"] == parse_qsl(meant.get("query", ""), keep_blank_values=True), number
        assert "X-Evil" not in said["of"]
        for name, value in meant.get("headers", {}).items():
            assert said["of"][name] == value, number
        if "body" in meant:
            assert said["of"]["Content-Type"] == "application/json", number
            assert json.loads(said["body"]) == json.loads(meant["body"]), number
        if meant.get("body") in (EXACT, HALF):
            assert said["body"].decode() == meant["body"], number
        if "fields" in meant:
            content = {name: name.encode() for name in meant.get("files", {})}
            assert parts_of(said) == {name: each.encode() for name, each in meant["fields"].items()} | content, number
