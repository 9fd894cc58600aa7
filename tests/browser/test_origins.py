"""A page of another origin calls the API: each header that our pages refer to may be sent, and each one is read."""

import re

import pytest

from tests.browser.chromium import why_not
from tests.serving.running import ROOT, Running, own_port

SHOP = '''
from core import Api, File, set_header


class Shop(Api):
    """Headers of a module.

    :access: protected
    """

    def get(self, id: int) -> int:
        """Read one."""
        return id

    def post(self, x_shop: str) -> int:
        """Return the length of a header.

        :param x_shop: the shop {@from head}
        :header: X-Made: yes
        """
        set_header("X-Counted", "7")
        return len(x_shop)

    def page(self) -> File:
        """Return a file."""
        return File(b"x", "a b.txt", "text/plain")
'''

#: what our pages refer to and a program may set: a browser sets Accept-Encoding and the like itself
HEADERS = re.compile(
    r"\b(?:X-[A-Z][A-Za-z-]+|If-[A-Z][A-Za-z-]+|Idempotency-Key|Prefer|Range|DOLAPIKEY|Authorization)\b"
)

CALL = """
async ([base, verb, path, headers, names]) => {
  const answer = await fetch(base + path, { method: verb, headers });
  return [answer.status, await answer.text(), names.map((name) => answer.headers.get(name))];
}
"""


@pytest.fixture(scope="module")
def call(browser, tmp_path_factory):
    """``call("GET", "/status", {}, ["ETag"])``: what a page of another origin gets, with the values of some headers."""
    if reason := why_not():
        pytest.skip(reason)
    port = own_port()
    origin = f"http://localhost:{port}"
    server = Running(tmp_path_factory.mktemp("origins"), workers=1, port=port, origins=origin)
    server.write("shop/class/api_shop.py", SHOP)
    with server:
        page = browser.new_page()
        page.goto(f"{origin}/health/live")

        def ask(verb, path, headers, names=()):
            sent = {"DOLAPIKEY": server.key} | headers
            return page.evaluate(CALL, [f"http://127.0.0.1:{port}", verb, path, sent, list(names)])

        yield ask
        page.close()


def test_each_header_of_our_pages_may_be_sent(call):
    pages = [*ROOT.glob("explorer/guide/*.md"), *ROOT.glob("modules/**/*.md"), *ROOT.glob("core/*.md")]
    names = {name for page in pages for name in HEADERS.findall(page.read_text(encoding="utf-8"))}
    assert {"Prefer", "X-HTTP-Method-Override", "X-Request-Id", "If-None-Match", "Idempotency-Key"} <= names
    for name in sorted(names):
        # A header that isn't allowed makes the call fail in the browser
        assert call("PATCH", "/thirdparties/0", {name: "1"})[0] >= 400, name


def test_headers_of_modules_are_sent_and_read(call):
    names = ("X-Made", "X-Counted", "Location", "X-Request-Id", "Server-Timing")
    status, body, read = call("POST", "/shop", {"X-Shop": "four"}, names)
    assert (status, body, read[:3]) == (200, "4", ["yes", "7", "shop/4"])
    assert all(read)
    read = call("GET", "/shop/page", {"If-Range": '"x"', "Range": "bytes=0-"}, ["Content-Disposition"])
    assert 'filename="a b.txt"' in read[2][0]
