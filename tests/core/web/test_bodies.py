"""Bodies of requests: how much of one is read."""

import gzip
import io
import json

import pytest
from falcon.testing import create_environ

from core.contract.catalogue import catalogue
from tests.core.serving.conversation import Conversation, answers


def test_a_body_without_a_length_is_read_to_its_limit(server):
    def send(content):
        said = []
        environ = create_environ("/thirdparties", method="POST", headers={"DOLAPIKEY": server.settings.admin_key})
        environ.pop("CONTENT_LENGTH", None)
        environ |= {
            "HTTP_TRANSFER_ENCODING": "chunked",
            "CONTENT_TYPE": "application/json",
            "wsgi.input": io.BytesIO(content),
        }
        b"".join(server.app(environ, lambda status, headers: said.append(status)))
        return int(said[0][:3])

    assert send(b'{"name": "Chunked Ltd"}') == 200
    assert send(b" " * (server.settings.max_body + 1)) == 413


def test_a_vertical_tab_is_no_empty_body(server):
    answer = server.client().simulate_request(
        "PUT", "/thirdparties/1", body="\x0b", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "br", "gzip, deflate"])
def test_a_compressed_body_is_refused_as_such(server, content_type, encoding):
    headers = {"Content-Encoding": encoding} | ({"Content-Type": content_type} if content_type else {})
    answer = server.client().simulate_post("/thirdparties", body=gzip.compress(b'{"name": "Zip"}'), headers=headers)
    assert (answer.status_code, answer.headers["Accept-Encoding"]) == (415, "identity")
    assert "Content-Encoding" in answer.json["error"]["message"]


@pytest.mark.parametrize("encoding", ["identity", ""])
def test_a_body_that_is_not_compressed_may_say_it(server, encoding):
    headers = {"Content-Encoding": encoding}
    assert server.client().ask("POST", "/thirdparties", {"name": "Plain Ltd"}, headers=headers)


DOORS = '''
class Doors:
    """Doors."""

    def post_open(self, who: str) -> int:
        """Open a door.

        :access: public
        """
        return len(who)

    def post_either(self, who: str) -> int:
        """Open a door, with a key or without one.

        :access: hybrid
        """
        return len(who)

    def post_wide(self, who: str) -> int:
        """Open a wide door.

        :access: public
        :body: 20000
        """
        return len(who)

    def post_narrow(self, who: str) -> int:
        """Open a narrow door.

        :body: 100
        """
        return len(who)

    def post_own(self, who: str) -> int:
        """Open one's own door."""
        return len(who)
'''


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    ("path", "keyed", "most"),
    [
        ("/doors/open", False, 16_384),
        # The key is not looked at
        ("/doors/open", True, 16_384),
        ("/doors/either", False, 16_384),
        ("/doors/either", True, 50_000),
        ("/doors/wide", False, 20_000),
        ("/doors/narrow", True, 100),
        ("/doors/own", True, 50_000),
    ],
)
@pytest.mark.usefixtures("without_natives")
def test_a_body_without_a_key_is_short_unless_the_docstring_says_otherwise(
    serve, folder, write, path, keyed, most, chunked
):
    write("doors/class/api_doors.py", DOORS)
    served = serve(modules=str(folder), max_body=50_000)
    key = f"DOLAPIKEY: {served.settings.admin_key}\r\n" if keyed else ""
    told = []
    for size in (most, most + 1):
        content = b'{"who": "%s"}' % (b"x" * (size - 11))
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\n{key}Content-Type: application/json\r\n".encode()
        if chunked:
            # The last chunk by itself, so that what came before it has to be waited for
            last = b"1\r\n" + content[-1:] + b"\r\n0\r\n\r\n"
            pieces = [b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (size - 1, content[:-1]), last]
        else:
            pieces = [b"Content-Length: %d\r\n\r\n" % size, content]
        talk = Conversation(served.app)
        talk.client.sendall(head)
        answered = b""
        for piece in pieces:
            if not answered:
                talk.client.sendall(piece)
                # As often as the connection would be ready
                for _ in range(3):
                    talk.go_on()
                answered += talk.read()
        talk.close()
        told += [(status, json.loads(body)) for status, body in answers(answered)]
    (taken, value), (refused, failure) = told
    assert (taken, value) == (200, most - 11)
    assert refused == 413
    assert f"{most}" in failure["error"]["message"] and "limit" in failure["error"]["message"]


@pytest.mark.usefixtures("without_natives")
def test_a_limit_that_is_no_number_of_bytes_keeps_a_module_from_loading(serve, folder, write):
    write("doors/class/api_doors.py", DOORS.replace(":body: 100", ":body: 100 kB"))
    serve(modules=str(folder)).client(None).get("/doors/open", status=501)
    (failure,) = catalogue().failures
    assert "':body: 100 kB': expected a number of bytes, such as 1048576, got '100 kB'" in failure.reason


def test_a_login_takes_a_short_body(server):
    """In both profiles, and before anything is made of it."""
    for size, status in ((16_384, 403), (16_385, 413)):
        content = json.dumps({"login": "nobody", "password": "x"}).ljust(size)
        answer = server.client(None).simulate_post("/login", body=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == status, answer.text
