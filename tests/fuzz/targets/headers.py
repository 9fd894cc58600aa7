"""Headers: conditions, ranges, proxies, formats and names of files; each read as it is meant, or as if it had not come."""

import io
from ipaddress import ip_address

import falcon
from falcon.testing import create_environ

from core.common.client_addresses import Proxies, read_address
from core.common.errors import ApiError, Unchanged
from core.contract.api import File
from core.storage.serializer import names_etag
from core.web.answers import write_file
from tests.fuzz.findings import insist
from tests.fuzz.site import Site

_CONTENT = bytes(range(100))
_TAG = '"0123456789abcdef01234567"'
_PROXIES = Proxies("10.0.0.0/8,::1,192.0.2.7")
#: header → verb, path and whether it has a body
_ASKED = (
    ("HTTP_IF_MATCH", "PUT", b"/thirdparties/1"),
    ("HTTP_IF_NONE_MATCH", "GET", b"/thirdparties/1"),
    ("HTTP_ACCEPT", "GET", b"/contacts"),
    ("HTTP_ACCEPT", "GET", b"/thirdparties/1"),
    ("HTTP_X_FORWARDED_FOR", "GET", b"/status"),
    ("HTTP_FORWARDED", "GET", b"/status"),
    ("HTTP_AUTHORIZATION", "GET", b"/status"),
    ("HTTP_DOLAPIKEY", "GET", b"/thirdparties/1"),
    ("HTTP_X_REQUEST_ID", "GET", b"/status"),
    ("HTTP_X_HTTP_METHOD_OVERRIDE", "POST", b"/thirdparties/1"),
    ("HTTP_ORIGIN", "OPTIONS", b"/status"),
    ("HTTP_ACCESS_CONTROL_REQUEST_METHOD", "OPTIONS", b"/status"),
    ("HTTP_ACCEPT_LANGUAGE", "GET", b"/explorer"),
    ("HTTP_ACCEPT_ENCODING", "GET", b"/explorer"),
    ("CONTENT_TYPE", "POST", b"/thirdparties"),
    ("CONTENT_LENGTH", "POST", b"/thirdparties"),
    ("HTTP_HOST", "GET", b"/explorer/openapi.json"),
    ("HTTP_COOKIE", "GET", b"/status"),
    ("HTTP_IF_MODIFIED_SINCE", "GET", b"/explorer"),
    ("HTTP_RANGE", "GET", b"/explorer"),
)


class Target:
    """Which header, and its value, of which a second line is a second header's."""

    seeds = [
        b'\x00"abc", W/"def"',
        b"\x01*",
        b"\x02text/csv;q=0.5, application/json",
        b"\x03application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        b"\x0410.0.0.1, [2001:db8::1]:8080, ::ffff:10.0.0.1, fe80::1%eth0",
        b'\x05for="[2001:db8::1]:4711";proto=https',
        b"\x06Bearer administrator-key-0123456789",
        b"\x09DELETE",
        b"\x0e" + b'multipart/form-data; boundary="b"',
        b"\x0f17",
        b"\x13bytes=0-9",
        b'\x13bytes=-5\n"0123456789abcdef01234567"',
        b"\x13bytes=99-",
        b"\x13bytes=0-1,5-6",
    ]
    words = [
        *(b"bytes=", b"bytes = ", b"-", b",", b"0", b"99", b"100", b"9" * 18, b"9" * 19, b"W/", b'"', b"*", b";q=", b"=", b";"),
        *(_TAG.encode(), b"10.0.0.1", b"::1", b"[::1]:80", b"%", b"::ffff:", b"0x7f.1", b"010.0.0.1", b"192.0.2.7:99999"),
        *(b"unknown", b"for=", b"text/csv", b"*/*", b"application/*", b"\xb2", b"\xe9", b"\t", b"\n", b"Bearer ", b"bearer"),
    ]  # fmt: skip

    def __init__(self, folder):
        self._site = Site(folder, proxies="127.0.0.1", origins="https://a.example")
        self._file = folder / "file"
        self._file.write_bytes(_CONTENT)

    def __call__(self, data):
        number, text = (data or b"\0")[0], data[1:].decode("latin-1")
        value, _, second = text.partition("\n")
        # A head holds nothing else, and has no space at the ends of a value
        value, second = (
            "".join(each for each in part if each == "\t" or (each >= " " and each != "\x7f")).strip(" \t")
            for part in (value, second)
        )
        _proxies(value, second)
        if names_etag(value, _TAG):
            insist(_TAG in value or "*" in value, "a condition names the tag", value)
        for content in (_CONTENT, self._file, io.BytesIO(_CONTENT)):
            _range(content, value, second)
        header, verb, path = _ASKED[number % len(_ASKED)]
        body = b'{"name": "Ltd"}' if verb in ("PUT", "POST") else b""
        if header == "CONTENT_LENGTH" and not (value.isascii() and value.isdigit() and len(value) < 4000):
            # The server beneath has refused it
            return
        self._site.ask(verb, path, body=body, **{"CONTENT_TYPE": "application/json", header: value})

    def close(self):
        """Nothing stays open."""
        self._site.close()


def _proxies(value, peer):
    address = read_address(value)
    insist(address is None or ip_address(str(address)) == address, "an address has one plain form", address)
    insist(_PROXIES.client("203.0.113.9", value) == "203.0.113.9", "nobody but a proxy says where a request comes from")
    client = _PROXIES.client("10.0.0.1", value)
    insist(read_address(client) is not None, "a client has an address", client)
    insist(str(read_address(client)) == client, "a client's address has its plain form", client)
    _PROXIES.client(peer, value)


def _range(content, value, second):
    sent = {"HTTP_RANGE": value, "HTTP_IF_RANGE": second, "HTTP_IF_NONE_MATCH": second}
    response = falcon.Response()
    try:
        write_file(falcon.Request(create_environ() | sent), response, File(content, "a.txt", "text/plain"))
    except Unchanged:
        return
    except ApiError as error:
        insist(error.status == 416, "a range is refused as such", error.status)
        insist(error.headers["Content-Range"] == "bytes */100", "a refused range tells the size", error.headers)
        return
    stream = response.stream
    body = response.data if stream is None else stream.read()
    if stream is not None:
        insist(response.content_length == str(len(body)), "the length is that of the body", value)
        stream.close()
    if response.status_code == 200:
        insist(body == _CONTENT, "a whole file is answered whole", value)
        return
    unit, _, rest = str(response.get_header("Content-Range")).partition(" ")
    span, _, size = rest.partition("/")
    first, last = (int(each) for each in span.split("-"))
    insist((unit, size) == ("bytes", "100") and 0 <= first <= last < 100, "a range lies in the file", rest)
    insist(body == _CONTENT[first : last + 1], "a range is what it says", rest)
