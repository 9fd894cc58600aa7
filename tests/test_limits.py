"""The limits of `core/LIMITS.md`: a request at each limit is accepted, and one beyond it is rejected."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from io import BytesIO

import pytest
from PIL import Image

from core.common import errors
from core.records import lists
from core.storage import sqlfilters
from core.storage.database import database, ensure_connected
from core.testing import Client, Served, serving
from tests.core.serving.conversation import Conversation, answers
from tests.docs.limits import BY_KEY


@dataclass
class World:
    """Where limits are tried: a server with a few records."""

    served: Served
    admin: Client

    def post(self, path, body, verb="POST"):
        return self.admin.simulate_request(verb, path, json=body)

    def raw(self, path, content, kind="application/json"):
        return self.admin.simulate_post(path, body=content, headers={"Content-Type": kind})

    def list(self, **params):
        return self.admin.simulate_get("/thirdparties", params={"limit": 1} | params)

    def filtered(self, text):
        return self.list(sqlfilters=text)

    def on_the_wire(self, content):
        talk = Conversation(self.served.app)
        try:
            ((status, _),) = answers(talk.exchange([content]))
        finally:
            talk.close()
        return status


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("limits")) as served:
        made = World(served, served.client())
        assert made.post("/thirdparties", {"name": "A", "client": 1}).json == 1
        assert made.post("/products", {"ref": "P", "label": "x"}).json == 1
        assert made.post("/users", {"login": "tried"}).json == 2
        yield made


def padded(count):
    """A body of so many bytes that adds nobody."""
    return '{"name":""}'.ljust(count)


def login(count):
    """A body of so many bytes that asks for a key, and says no password."""
    return '{"login": "x"}'.ljust(count)


def request_line(count):
    line = b"GET /status? HTTP/1.1\r\n"
    return line.replace(b"?", b"?" + b"x" * (count - len(line) + 2)) + b"Host: x\r\n\r\n"


def headers(count):
    return b"GET /status HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * (count - 1) + b"\r\n"


def header(count):
    return b"GET /status HTTP/1.1\r\nHost: x\r\nA: " + b"b" * (count - 5) + b"\r\n\r\n"


def endless_head(count):
    """A head that has not come to its end after so many bytes."""
    return b"GET /status HTTP/1.1\r\n" + b"B" * (count - 22)


def number(count):
    return f'{{"name": {"9" * count}}}'


def pairs(count):
    return "name=&" + "&".join(f"a{place}=" for place in range(count - 1))


def parts(count):
    part = b'--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    return part * count + b"--B--\r\n"


def long_filter(count):
    """A filter of so many characters."""
    text = " or ".join(["(t.name:=:'%s')" % ("x" * 3000)] * 3)
    return text + " or (t.name:=:'" + "x" * (count - len(text) - 17) + "')"


def picture(pixels):
    made = BytesIO()
    # In rows of a thousand; what is over takes a row more
    size = (1000, -(-pixels // 1000))
    Image.new("1", size).save(made, "PNG")
    return base64.b64encode(made.getvalue()).decode()


def heavy_picture(count):
    made = BytesIO()
    Image.new("RGB", (2, 2)).save(made, "PNG")
    return base64.b64encode(made.getvalue().ljust(count, b"\0")).decode()


def document(world, count, text="x"):
    return world.post("/proposals", {"socid": 1, "date": 0, "lines": [{"desc": text, "qty": 1, "subprice": 1}] * count})


def texts_of(count):
    whole, rest = divmod(count, 50_000)
    return [{"desc": "x" * length, "qty": 1, "subprice": 1} for length in [50_000] * whole + ([rest] if rest else [])]


def lines_of_a_page(world, count):
    """A page of documents with so many lines in all."""
    ensure_connected()
    whole, rest = divmod(count, 1000)
    first = document(world, 1000).json
    for _ in range(whole - 1):
        document(world, 1000)
    if rest:
        document(world, rest)
    answer = world.admin.simulate_get("/proposals", params={"sqlfilters": f"(t.rowid:>=:{first})", "limit": 1000})
    database.execute_sql("DELETE FROM llx_propaldet")
    database.execute_sql("DELETE FROM llx_propal")
    return answer


def extra_fields(world, count):
    answers = [
        world.post(f"/setup/extrafields/socpeople/f{place}", {"type": "varchar", "label": "x"})
        for place in range(count)
    ]
    for place in range(count):
        world.admin.simulate_delete(f"/setup/extrafields/socpeople/f{place}")
    return answers[-1]


def choice(world, options):
    body = {"type": "select", "label": "x", "param": {"options": options}}
    answer = world.post("/setup/extrafields/socpeople/choice", body)
    world.admin.simulate_delete("/setup/extrafields/socpeople/choice")
    return answer


def bytes_of_options(count):
    return {"a": "x" * (count - len(json.dumps({"options": {"a": ""}})))}


def payment(world, count):
    shares = {str(place): "1" for place in range(1, count + 1)}
    body = {"arrayofamounts": shares, "datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}
    return world.post("/invoices/paymentsdistributed", body)


def wrong_fields(world, count):
    return world.post("/proposals", {"socid": 1, "lines": [{"qty": "x"}] * count})


def upload(world, name):
    body = {"modulepart": "product", "ref": "P", "filename": name, "filecontent": "x", "overwriteifexists": 1}
    return world.post("/documents/upload", body)


def constant(world, name, value):
    return world.post(f"/setup/conf/{name}", {"value": value}, "PUT")


#: key of a limit → how it is tried
TRIES = {
    "body": lambda w, n: w.raw("/thirdparties", padded(n)),
    "body without key": lambda w, n: w.raw("/login", login(n)),
    "request line": lambda w, n: w.on_the_wire(request_line(n)),
    "headers": lambda w, n: w.on_the_wire(headers(n)),
    "header": lambda w, n: w.on_the_wire(header(n)),
    "json levels": lambda w, n: w.raw("/proposals", '{"a":' * n + "1" + "}" * n),
    "json values": lambda w, n: w.raw("/proposals", f'{{"a":[{",".join(["1"] * (n - 3))}]}}'),
    "csv values": lambda w, n: w.raw("/contacts/batch", "lastname\na\n" + "\n" * (n - 1), "text/csv"),
    "json number": lambda w, n: w.raw("/proposals", number(n)),
    "json exponent": lambda w, n: w.raw("/proposals", f'{{"a": [1e{n}, -1e-{n}]}}'),
    "form values": lambda w, n: w.raw("/proposals", pairs(n), "application/x-www-form-urlencoded"),
    "parts": lambda w, n: w.raw("/proposals", parts(n), "multipart/form-data; boundary=B"),
    "list parameter": lambda w, n: w.post("/users/2/rights", {"rights": ["thirdparties.read"] * n}, "PUT"),
    "text": lambda w, n: w.post("/thirdparties/1", {"note_public": "x" * n}, "PUT"),
    "filter": lambda w, n: w.filtered(long_filter(n)),
    "criteria": lambda w, n: w.filtered(" or ".join(["(t.rowid:=:1)"] * n)),
    "parentheses": lambda w, n: w.filtered("(" * n + "t.rowid:=:1" + ")" * n),
    "in": lambda w, n: w.filtered(f"(t.rowid:in:{','.join(['1'] * n)})"),
    "pattern": lambda w, n: w.filtered(f"(t.name:notlike:'{'x' * n}')"),
    "wildcards": lambda w, n: w.filtered(f"(t.name:like:'{'%a' * n}')"),
    "sort fields": lambda w, n: w.list(sortfield=",".join(["t.nom"] * n)),
    "lines": document,
    "line texts": lambda w, n: w.post("/proposals", {"socid": 1, "date": 0, "lines": texts_of(n)}),
    "page lines": lines_of_a_page,
    "links": lambda w, n: w.post("/proposals", {"socid": 1, "date": 0, "linked_objects": {"propal": [1] * n}}),
    "payment": payment,
    "extra fields": extra_fields,
    "options": lambda w, n: choice(w, {str(place): "x" for place in range(n)}),
    "option bytes": lambda w, n: choice(w, bytes_of_options(n)),
    "constant": lambda w, n: constant(w, "ANYTHING_FREE_TEXT", "x" * n),
    "company": lambda w, n: w.post("/setup/company", {"address": "x" * n}, "PUT"),
    "mask": lambda w, n: constant(w, "PROPALE_SAPHIR_MASK", "{user_extra_" + "x" * (n - 19) + "}{0000}"),
    "mask reference": lambda w, n: constant(w, "PROPALE_SAPHIR_MASK", "x" * (n - 4) + "{0000}"),
    "file name": lambda w, n: upload(w, "x" * (n - 4) + ".txt"),
    "logo": lambda w, n: w.post("/documents/logo", {"filename": "a.png", "filecontent": heavy_picture(n)}, "PUT"),
    "pixels": lambda w, n: w.post("/documents/logo", {"filename": "a.png", "filecontent": picture(n)}, "PUT"),
    "password": lambda w, n: w.post("/users/2", {"pass": "x" * n}, "PUT"),
    "batch": lambda w, n: w.post("/contacts/batch", {"entries": [{"method": "POST", "body": {"lastname": "x"}}] * n}),
}
#: limits beyond which a request is not rejected, or not at once; each has its own test, here or in tests/core/serving
OTHERS = {"page", "head", "trailer", "bodies", "bodies of an address", "searched text", "errors", "names"}
#: what is tried with is wrong for another reason than its size, and is answered so
TOLD = {400: "Bad Request", 413: "Content Too Large"}
SLOW = {
    "page lines": (pytest.mark.slow, pytest.mark.lasting),
    "lines": pytest.mark.slow,
    "extra fields": pytest.mark.slow,
}


def test_every_limit_is_tried():
    assert TRIES.keys() | OTHERS == BY_KEY.keys()
    assert not TRIES.keys() & OTHERS


@pytest.mark.parametrize("key", [pytest.param(each, marks=SLOW.get(each, ())) for each in TRIES])
def test_the_limit_is_let_through_and_one_more_is_not(world, key):
    most, expected, attempt = BY_KEY[key].most, BY_KEY[key].beyond, TRIES[key]
    assert isinstance(expected, int)
    within, beyond = attempt(world, most), attempt(world, most + 1)
    if isinstance(beyond, int):
        # Answered before there is any application: without a key
        assert (within, beyond) == (401, expected)
        return
    assert beyond.status_code == expected, beyond.text[:300]
    said = beyond.json["error"]["message"]
    assert said.startswith(TOLD[expected])
    # What is tried with may lack a field; what counts is that its size is not what is wrong
    assert within.status_code == 200 or within.json["error"]["message"] != said, within.text[:300]
    # Nor that there is such a record
    assert within.status_code in (200, 400, 404), within.text[:300]
    if within.status_code == 400:
        assert re.search("field missing|is required", within.json["error"]["message"]), within.text[:300]


def test_a_page_has_so_many_rows(world):
    assert lists.page_size(1000) == lists.page_size(1001) == 1000


def test_a_head_without_an_end(world):
    talk = Conversation(world.served.app)
    try:
        status = [status for status, _ in answers(talk.exchange([endless_head(8000), *[b"B" * 8192] * 17]))]
    finally:
        talk.close()
    assert status == [431]


def test_a_pattern_sees_the_beginning_of_a_text(world):
    seen = sqlfilters.LOOKED_INTO
    identifier = world.post("/thirdparties", {"name": "Noted", "note_public": "x" * (seen - 1) + "yz"}).json
    for letters, ids in (("xy", [identifier]), ("yz", [])):
        filtered = world.list(sqlfilters=f"(t.note_public:like:'%{letters}%')", properties="id")
        assert [each["id"] for each in filtered.json] == ids


def test_so_many_wrong_fields_are_named(world):
    assert len(wrong_fields(world, errors.MOST_ERRORS).json["error"]["errors"]) == errors.MOST_ERRORS
    assert len(wrong_fields(world, errors.MOST_ERRORS + 1).json["error"]["errors"]) == errors.MOST_ERRORS
