"""Bodies that a method gets as they were sent, such as a webhook's, whose signature it checks."""

import hashlib
import hmac
import json

import pytest

from core.contract.catalogue import catalogue
from core.testing import serving
from tests.core.serving.conversation import Conversation, answers
from tests.files import write_files

pytestmark = pytest.mark.usefixtures("without_natives")

HOOKS = '''
import hashlib
import hmac
import json

from core import RawBody, Unauthorized

SECRET = b"a secret of two servers"
calls = []


class Hooks:
    """Messages of another server."""

    def post(self, body: RawBody) -> int:
        """Take a signed message.

        :access: public
        :param body: the message {@validate false}
        """
        sent = body.headers.get("X-Signature", "").encode()
        expected = hmac.new(SECRET, body.content, hashlib.sha256).hexdigest().encode()
        if not hmac.compare_digest(sent, expected):
            raise Unauthorized("wrong signature")
        return json.loads(body.content)["amount"]

    def put_seen(self, id: int, source: str, body: RawBody) -> dict:
        """Show what arrives.

        :access: protected
        :body: 100000
        :param source: sender {@from query}
        """
        headers = {name: body.headers[name] for name in body.headers}
        size = len(body.content)
        return {"id": id, "source": source, "bytes": size, "first": body.content[:20].hex(), "headers": headers}

    def post_once(self, body: RawBody) -> int:
        """Count the calls.

        :access: protected
        """
        calls.append(body.content)
        return len(calls)
'''

SECRET = b"a secret of two servers"
BODY = b'{"amount":  12}\n'
RIGHT = hmac.new(SECRET, BODY, hashlib.sha256).hexdigest()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("hooks"), {"modules/hooks/class/api_hooks.py": HOOKS})
    with serving(folder, modules=str(folder / "modules")) as made:
        yield made


@pytest.fixture
def stranger(served):
    return served.client(None)


def sign(client, signature, body=BODY, **headers):
    sent = headers if signature is None else {"X-Signature": signature, **headers}
    return client.simulate_post("/hooks", body=body, headers=sent)


@pytest.mark.parametrize("name", ["X-Signature", "x-signature", "X-SIGNATURE"])
@pytest.mark.parametrize(
    "kind", ["application/json", "text/xml; charset=utf-8", "application/x-www-form-urlencoded", "x", ""]
)
def test_the_right_signature_is_accepted(stranger, name, kind):
    answer = stranger.simulate_post(
        "/hooks", body=BODY, headers={name: RIGHT, **({"Content-Type": kind} if kind else {})}
    )
    assert (answer.status_code, answer.json) == (200, 12)


@pytest.mark.parametrize(
    "signature",
    [
        None, "", " ", "null", "None", "true", "0", "[]", "{}", RIGHT[:-1], RIGHT[:1], RIGHT[1:], f"{RIGHT}0", RIGHT.upper(), f'"{RIGHT}"', f"[{RIGHT}]",
        f"{RIGHT},{RIGHT}", f"sha256={RIGHT}", "0" * 64, "\xe9" * 64, hashlib.sha256(BODY).hexdigest(), hmac.new(b"", BODY, hashlib.sha256).hexdigest(),
    ],
)  # fmt: skip
def test_any_other_signature_is_refused(stranger, signature):
    answer = sign(stranger, signature)
    assert (answer.status_code, answer.json["error"]["message"]) == (401, "Unauthorized: wrong signature")


@pytest.mark.parametrize(
    "body", [b"", b" ", BODY[:-1], BODY + b"\n", BODY.replace(b"12", b"21"), b'{"amount":12}', b"null"]
)
def test_the_signature_of_another_body_is_refused(stranger, body):
    assert sign(stranger, RIGHT, body).status_code == 401


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"{", "application/json"),
        (bytes(range(256)), "application/json"),
        (b"no boundary", "multipart/form-data"),
        (b"\xff=\xfe", "application/x-www-form-urlencoded"),
        (b"{} \r\n", "application/x-www-form-urlencoded"),
        (b"<?xml?>", "text/xml"),
        (b"", "application/json"),
    ],
)
def test_a_body_arrives_as_it_was_sent(served, content, kind):
    answer = served.client().simulate_put(
        "/hooks/seen/7", params={"source": "a"}, body=content, headers={"Content-Type": kind}
    )
    told = answer.json
    assert (told["id"], told["source"], told["bytes"], told["first"]) == (7, "a", len(content), content[:20].hex())
    assert told["headers"]["content-type"] == kind


def test_a_compressed_body_stays_so(served):
    sent = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    told = served.client().ask("PUT", "/hooks/seen/1?source=a", headers=sent)
    assert told["headers"]["content-encoding"] == "gzip"


def test_headers_that_hold_keys_are_left_out(served):
    sent = {"Authorization": "Bearer x", "Proxy-Authorization": "Basic y", "Cookie": "DOLAPIKEY=z", "X-Kept": "k"}
    told = served.client().ask("PUT", "/hooks/seen/1?source=a", headers=sent)
    assert told["headers"]["x-kept"] == "k"
    assert {"dolapikey", "authorization", "proxy-authorization", "cookie"} & {*told["headers"]} == set()


@pytest.mark.parametrize(("path", "most"), [("/hooks", 16_384), ("/hooks/seen/1?source=a", 100_000)])
def test_a_body_has_a_limit(served, path, most):
    client = served.client(None) if path == "/hooks" else served.client()
    verb = "POST" if path == "/hooks" else "PUT"
    within = client.simulate_request(verb, path, body=b"x" * most)
    beyond = client.simulate_request(verb, path, body=b"x" * (most + 1))
    assert (within.status_code, beyond.status_code) == (401 if path == "/hooks" else 200, 413)
    assert beyond.json["error"]["message"] == f"Content Too Large: the body has {most + 1} bytes; the limit is {most}"


def test_a_missing_query_value_is_told_as_elsewhere(served):
    message = served.client().refused("PUT", "/hooks/seen/1", {}, status=400)
    assert message == "Bad Request: `source` is required"


def test_the_bytes_belong_to_an_idempotency_key(served):
    client = served.client()

    def send(body, **headers):
        return client.simulate_post("/hooks/once", body=body, headers={"Idempotency-Key": '"one"', **headers})

    assert send(b"a", Date="1").json == 1
    again = send(b"a", Date="2")
    assert (again.json, again.headers["idempotency-replayed"]) == (1, "true")
    assert send(b"b").status_code == 422
    assert client.simulate_post("/hooks/once", body=b"a").json == 2


def talk_of(served, pieces):
    talk = Conversation(served.app)
    try:
        return answers(talk.exchange(pieces))
    finally:
        talk.close()


def test_a_chunked_body_that_comes_in_pieces_is_joined(served):
    head = f"POST /hooks HTTP/1.1\r\nHost: x\r\nX-Signature: {RIGHT}\r\n"
    chunked = f"{head}Transfer-Encoding: chunked\r\n\r\n".encode()
    chunks = [b"%x\r\n%s\r\n" % (len(part), part) for part in (BODY[:3], BODY[3:])]
    assert talk_of(served, [chunked, *chunks, b"0\r\n\r\n"]) == [(200, b"12")]
    ((status, _),) = talk_of(served, [chunked, b"5000\r\n" + b"x" * 0x5000 + b"\r\n0\r\n\r\n"])
    assert status == 413


@pytest.mark.parametrize(
    "header",
    [
        "X-Signature: {right}\r\nX-Signature: {right}",
        "X-Signature: \r\nX-Signature: {right}",
        "X_Signature: {right}",
        "X-Signature: {right}\x0b",
    ],
)
def test_an_ambiguous_signature_is_refused(served, header):
    head = f"POST /hooks HTTP/1.1\r\nHost: x\r\nContent-Length: {len(BODY)}\r\n{header.format(right=RIGHT)}\r\n\r\n"
    ((status, _), *_) = talk_of(served, [head.encode("latin-1") + BODY])
    assert status in (400, 401)


WRONG = [
    ("def index(self, body: RawBody) -> int:", "`body`: expected a RawBody as the body of a POST, PUT or PATCH, got one in the query of a GET"),
    ("def delete(self, body: RawBody) -> int:", "got one in the query of a DELETE"),
    ("def post(self, body: RawBody, name: str) -> int:", "`body`: a RawBody is the whole body; take `name` from the path, or add {@from query}"),
    ("def post(self, body: RawBody, request_data: dict) -> int:", "take `request_data` from the path"),
    ("def post(self, body: RawBody, other: RawBody) -> int:", "a RawBody is the whole body"),
    ("def post(self, bodies: list[RawBody]) -> int:", "a dataclass can only be the type of a whole parameter"),
    ("def post(self, group: Group) -> int:", "`body`: expected a RawBody"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "reason"), WRONG)
def test_a_wrong_signature_is_a_load_error(serve, folder, write, line, reason):
    write(
        "bad/class/api_bad.py",
        f'''
from dataclasses import dataclass

from core import RawBody


@dataclass
class Group:
    body: RawBody


class Bad:
    """Bad."""

    {line}
        """Do it."""
        return 1
''',
    )
    serve(modules=str(folder))
    (failure,) = catalogue().failures
    assert reason in failure.reason


def test_no_batch_has_it(served):
    assert {each.template for each in catalogue().operations if each.origin == "hooks"} == {
        "/hooks", "/hooks/seen/{id}", "/hooks/once",
    }  # fmt: skip


def test_the_documents_show_it(served):
    client = served.client()
    document = client.get("/explorer/openapi/hooks.json")
    said = document["paths"]["/hooks"]["post"]
    assert said["requestBody"] == {
        "description": "the message; of any media type",
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
    assert "413" in said["responses"] and "415" not in said["responses"]
    older = client.get("/explorer/swagger.json")["paths"]["/hooks"]["post"]
    assert older["consumes"] == ["application/octet-stream"]
    assert json.dumps(older["parameters"]).count('"body"') == 2
