"""Run code as it is copied from the page: an interpreter for each language, and a server that records what it receives."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, unquote

from tests.needed import program, why_without
from tests.serving.running import Answer

#: the key that copied code finds in its environment
KEY = "the 'key'"
#: what the recorder responds with: bytes that no text contains
CONTENT = b"\xff\x00\r\nrecorded"
#: each reads paths of files, runs each file in its folder and prints a line with its exit code
LOOPS = {
    "curl": 'while read -r file; do (cd "${file%/*}" && sh "$file" </dev/null); printf "\\n== %s\\n" $?; done',
    "python": """
import os, sys, traceback
for line in sys.stdin:
    file, code = line.rstrip("\\n"), 0
    os.chdir(os.path.dirname(file))
    try:
        exec(compile(open(file).read(), file, "exec"), {"__name__": "__main__"})
    except BaseException:
        code = traceback.print_exc() or 1
    print(f"\\n== {code}", flush=True)
""",
    "php": """
set_error_handler(function ($level, $message) { throw new ErrorException($message); });
while (($line = fgets(STDIN)) !== false) {
    $code = 0;
    chdir(dirname($line));
    try { (function () { include func_get_arg(0); })(rtrim($line, "\\n")); }
    catch (Throwable $error) { echo $error; $code = 1; }
    echo "\\n== $code\\n";
}
""",
    "javascript": """
import { createInterface } from "node:readline";
import { dirname } from "node:path";
for await (const file of createInterface({ input: process.stdin })) {
    let code = 0;
    process.chdir(dirname(file));
    try { await import(file); } catch (error) { console.log(error); code = 1; }
    process.stdout.write(`\\n== ${code}\\n`);
}
""",
}
#: the program of each language, its options, the ending of its files
RUNNERS = {
    "curl": ("sh", ("-c",), "sh"),
    "python": (sys.executable, ("-W", "error::DeprecationWarning", "-W", "error::SyntaxWarning", "-c"), "py"),
    "php": ("php", ("-d", "display_errors=1", "-r"), "php"),
    "javascript": ("node", ("--input-type=module", "-e"), "mjs"),
}
NEEDED = {"curl": "curl", "php": "php", "javascript": "node"}
#: headers that a client adds itself
OWN_HEADERS = {
    "accept-encoding", "accept-language", "cache-control", "connection", "content-length", "host", "pragma",
    "sec-fetch-mode", "user-agent",
}  # fmt: skip


def why_not(kind):
    """Return why code of a language can't run here; None if it can."""
    return why_without(NEEDED[kind]) if kind in NEEDED else None


class Interpreter:
    """A process that runs files of one language, one after the other."""

    def __init__(self, kind, folder):
        self.kind = kind
        self._folder = folder
        name, options, self._ending = RUNNERS[kind]
        self._process = subprocess.Popen(
            [program(name) or name, *options, LOOPS[kind]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
            env={**os.environ, "DOLAPIKEY": KEY},
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate(timeout=60)

    def run(self, name, code, files=None):
        """Run code to its end in a folder with these files; return the files that it saved."""
        assert self._process.stdin and self._process.stdout
        folder = self._folder / name
        folder.mkdir()
        present = {"request." + self._ending: code.encode(), **(files or {})}
        for file, content in present.items():
            (folder / file).write_bytes(content)
        self._process.stdin.write(f"{folder}/request.{self._ending}\n".encode())
        self._process.stdin.flush()
        output = []
        for line in self._process.stdout:
            output.append(line)
            if line.startswith(b"== "):
                break
        assert output and output[-1] == b"== 0\n", f"{name}: {b''.join(output).decode(errors='replace')}\n{code}"
        left = {each.name: each.read_bytes() for each in folder.iterdir()}
        assert {file: left.pop(file, None) for file in present} == present, name
        return left


@dataclass
class Sent:
    """A request, in a form in which requests with the same meaning are equal."""

    verb: str
    path: list[str]
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: Any


def expected(request, key=KEY):
    """The request that a form of the page makes, each variable with the value that the code gives it."""

    def fill(words):
        for each in request.get("variables", ()):
            for braces in ("{%s}", "%%7B%s%%7D"):
                words = words.replace(braces % each["name"], str(each["value"]))
        return words

    headers = {"dolapikey": key, **{name.lower(): fill(value) for name, value in request["headers"].items()}}
    # A file has its name as its content
    content = request.get("upload") or fill(request.get("body") or "")
    body = _comparable(headers.get("content-type", ""), content.encode())
    files = {each["name"]: (each["filename"], each["filename"].encode()) for each in request.get("files") or ()}
    if parts := {name: (None, value.encode()) for name, value in (request.get("fields") or {}).items()} | files:
        headers["content-type"], body = "multipart/form-data", parts
    return _sent(request["verb"], fill(request["path"]), fill(request["query"]), headers, body)


def files_of(request):
    """The files that the code of a request reads: name → content."""
    names = [each["filename"] for each in request.get("files") or ()]
    return {name: name.encode() for name in [*names, *filter(None, [request.get("upload")])]}


def _sent(verb, path, query, headers, body):
    pairs = parse_qsl(query, keep_blank_values=True)
    return Sent(verb, [unquote(each) for each in path.split("/")], pairs, headers, body)


def _comparable(content_type, body):
    """A body as values; numbers with their digits, so that 1 isn't True."""
    if content_type.startswith("multipart/form-data"):
        whole = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
        return dict(_part(each) for each in whole.walk() if not each.is_multipart())
    if body and content_type == "application/json":
        return json.loads(body, parse_int=_number, parse_float=_number)
    return body.decode() or None


def _number(digits):
    return f"number {Decimal(digits).normalize()}"


def _part(part):
    """Name, file name and content of a part; programs escape quotes differently."""
    heading = dict(part.raw_items())["Content-Disposition"].encode("utf-8", "surrogateescape").decode()
    name, _, filename = heading.split('name="', 1)[1].removesuffix('"').partition('"; filename="')
    content = bytes(part.get_payload(decode=True))
    return _unescaped(name), (_unescaped(filename) if filename else None, content)


def _unescaped(words):
    return words.replace("%22", '"').replace('\\"', '"').replace("\\\\", "\\")


class Recorder:
    """A server that records requests; it responds with CONTENT, or with what another server responds."""

    def __init__(self):
        self._port = 0
        self._taken = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            def handle_request(self):
                content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                recorder._record(self, content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

            def log_message(self, *parts):
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self):
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @contextmanager
    def forwarding_to(self, port):
        """Let the server on a port respond."""
        self._port = port
        yield
        self._port = 0

    def take(self):
        """The only request since the last call, and the response to it."""
        (taken,) = self._taken
        self._taken.clear()
        return taken

    def _record(self, handler, content):
        path, _, query = handler.path.partition("?")
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = _comparable(headers.get("content-type", ""), content)
        kept = {name: value for name, value in headers.items() if name not in OWN_HEADERS and value != "*/*"}
        if "content-type" in kept:
            kept["content-type"] = kept["content-type"].partition("; boundary=")[0]
        answer = self._forward(handler, content) if self._port else Answer(200, CONTENT, {})
        self._taken.append((_sent(handler.command, path, query, kept, body), answer))
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            if name not in ("connection", "content-length", "date", "server", "transfer-encoding"):
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(answer.body)))
        handler.end_headers()
        handler.wfile.write(answer.body)

    def _forward(self, handler, content):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            connection.request(handler.command, handler.path, content or None, dict(handler.headers.items()))
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, answer.read(), headers)
        finally:
            connection.close()
