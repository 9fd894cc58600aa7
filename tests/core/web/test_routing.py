"""Routes, places, conversion and validation, case by case over HTTP."""

from pathlib import Path

import pytest

from core.testing import Served, make_settings

SAMPLES = Path(__file__).parents[3] / "tests/samples"


@pytest.fixture(scope="module")
def routed(tmp_path_factory):
    folders = f"{SAMPLES / 'routing'}:{SAMPLES / 'reference'}"
    served = Served(make_settings(tmp_path_factory.mktemp("routed"), modules=folders))
    yield served
    served.close()


@pytest.fixture(scope="module")
def client(routed):
    return routed.client(None)


#: what release 16 was seen to answer, where we do the same
GET_CASES = [
    ("/mymod", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/Mymod", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/MYMOD", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/mymod/", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/mymod/index", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/api/index.php/mymod", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/API/index.php/mymod/7", 200, {"m": "get", "id": 7}),
    ("/api/index.phpx/mymod", 404, "Not Found"),
    ("/mymod/7", 200, {"m": "get", "id": 7}),
    ("/mymod/7/", 200, {"m": "get", "id": 7}),
    ("/mymod/abc", 400, 'Bad Request: `id`: expected a whole number, got "abc"'),
    ("/mymod/-7", 200, {"m": "get", "id": -7}),
    ("/mymod/07", 200, {"m": "get", "id": 7}),
    ("/mymod/7.5", 400, "Bad Request: `id`: expected a whole number"),
    ("/mymod/99999999999999999999", 400, "Bad Request: `id`: expected a whole number"),
    ("/mymod?n=1", 400, "Bad Request: `n`: expected at least 2"),
    ("/mymod?n=6", 400, "Bad Request: `n`: expected at most 5"),
    ("/mymod?n=4&c=green", 200, {"m": "index", "n": 4, "c": "green", "p": "abc"}),
    ("/mymod?c=blue", 400, "Bad Request: `c`: expected red or green"),
    ("/mymod?p=ABC", 400, "Bad Request: `p`: expected text that matches "),
    ("/mymod?n=", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/mymod?c=", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/mymod?n=4;c=green", 400, "Bad Request: `n`: expected a whole number"),
    ("/mymod?unknown=1", 200, {"m": "index", "n": 3, "c": "red", "p": "abc"}),
    ("/mymod/dosomething?a=1", 200, {"a": "1", "b": "x"}),
    ("/mymod/doSomething?a=1", 200, {"a": "1", "b": "x"}),
    ("/mymod/doSomething?a=%20two%20", 200, {"a": "two", "b": "x"}),
    ("/mymod/doSomething", 400, "Bad Request: `a` is required"),
    ("/mymod/thing/5", 200, {"thing": "5", "flag": 1}),
    ("/mymod/thing/A%20b", 200, {"thing": "A b", "flag": 1}),
    ("/mymod/owner/5", 200, {"owner": 5}),
    ("/mymod/multiply?a=3&b=2.5", 200, {"product": "7.5"}),
    ("/mymod/multiply?a=3&b=2,5", 400, "Bad Request: `b`: expected a number"),
    ("/mymod/_under", 400, 'Bad Request: `id`: expected a whole number, got "_under"'),
    ("/mymod/hidden", 400, 'Bad Request: `id`: expected a whole number, got "hidden"'),
    ("/mymod/opt/1/2", 200, [1, "2", 5]),
    ("/mymod/other/2/1", 200, [1, "2", 5]),
    ("/mymod/opt/1/2?c=9", 200, [1, "2", 9]),
    ("/mymod/opt/1", 404, "Not Found"),
    ("/mymod/opt/1/2/3", 404, "Not Found"),
    ("/mymod/shape/12", 200, {"number": 12}),
    ("/mymod/shape/twelve", 200, {"word": "twelve"}),
    ("/mymod/shape/12/points", 200, {"card": "12"}),
    ("/mymod/files/a/B/c.txt", 200, {"rest": "a/B/c.txt"}),
    # Beside a text, only what its type can be is a number
    ("/mymod/shape/4.5", 200, {"word": "4.5"}),
    ("/mymod/shape/-4", 200, {"number": -4}),
    ("/mymod/shape/1e3", 200, {"word": "1e3"}),
    ("/mymod/scaled/4.5", 200, {"factor": 4.5}),
    ("/mymod/scaled/x", 400, 'Bad Request: `factor`: expected a number, got "x"'),
    # An escaped slash is a part of its segment
    ("/mymod/thing/A%2Fb", 200, {"thing": "A/b", "flag": 1}),
    ("/mymod/thing/A%2fb/?flag=2", 200, {"thing": "A/b", "flag": 2}),
    ("/mymod/thing/%2F", 200, {"thing": "/", "flag": 1}),
    ("/mymod/thing/A%2F", 200, {"thing": "A/", "flag": 1}),
    ("/mymod/thing//", 400, "Bad Request: `id` is mandatory"),
    ("/mymod/thing/A%252Fb", 200, {"thing": "A%2Fb", "flag": 1}),
    ("/mymod/thing/%C3%A9%2F%C3%A9", 200, {"thing": "\u00e9/\u00e9", "flag": 1}),
    ("/api/index.php/mymod/thing/A%2Fb", 200, {"thing": "A/b", "flag": 1}),
    ("/mymod/shape/12%2Fpoints", 200, {"word": "12/points"}),
    ("/mymod/files/a%2FB/c.txt", 200, {"rest": "a/B/c.txt"}),
    ("/mymod/7%2F8", 400, 'Bad Request: `id`: expected a whole number, got "7/8"'),
    ("/mymod/7%2F..%2F8", 400, 'Bad Request: `id`: expected a whole number, got "7/../8"'),
    ("/mymod%2F7", 404, "Not Found"),
    # Slashes before the path are one
    ("//mymod/7", 200, {"m": "get", "id": 7}),
    ("///mymod/7", 200, {"m": "get", "id": 7}),
    ("//api/index.php/mymod/7", 200, {"m": "get", "id": 7}),
    ("//api/index.php//mymod/thing/A%2Fb", 200, {"thing": "A/b", "flag": 1}),
    ("/mymod/boom", 418, "teapot"),
    ("/mymod/nul", 200, None),
    ("/mymod/tru", 200, True),
    ("/mymod/err", 500, "Internal Server Error"),
    ("/mymod/leave", 500, "Internal Server Error"),
    ("/nosuch", 404, "Not Found"),
    ("/.", 404, "Not Found"),
    ("/mymod//7", 404, "Not Found"),
    ("/mymod/kinds?day=2026-11-21", 200, {"day": 1795219200}),
    ("/mymod/kinds?day=1795219200", 200, {"day": 1795219200}),
    ("/mymod/kinds?day=yesterday", 400, "Bad Request: `day`: expected Unix seconds"),
    ("/mymod/kinds?size=large", 200, {"size": "large", "price": "1.10", "maybe": None}),
    ("/mymod/kinds?size=huge", 400, "Bad Request: `size`: expected small or large"),
    ("/mymod/kinds?tags=a,b", 200, {"tags": ["a", "b"]}),
    ("/mymod/kinds?tags=a&tags=b", 200, {"tags": ["a", "b"]}),
    ("/mymod/kinds?options=%7B%22a%22:1%7D", 200, {"options": {"a": 1}}),
    ("/mymod/kinds?options=x", 400, "Bad Request: `options`: expected an object"),
    ("/mymod/kinds?price=NaN", 400, "Bad Request: `price`: expected a number"),
    ("/mymod/kinds?price=1e400", 400, "Bad Request: `price`: expected a number"),
    ("/mymod/kinds?price=1e31", 400, "Bad Request: `price`: expected a number below 1e31"),
    ("/mymod/kinds?maybe=5", 200, {"maybe": 5}),
    ("/mymod/limits?name=a", 400, "Bad Request: `name`: expected at least 2 characters, got 1"),
    ("/mymod/limits?name=abcde", 400, "Bad Request: `name`: expected at most 4 characters, got 5"),
    ("/mymod/limits?many=1,2,3", 400, "Bad Request: `many`: expected at most 2 values, got 3"),
    ("/mymod/limits?rate=0.4", 400, "Bad Request: `rate`: expected at least 0.5"),
    ("/mymod/limits?rate=1.5&many=1,2", 200, {"rate": "1.5", "many": [1, 2]}),
    ("/mymod/mended?n=9&c=GREEN&name=abcdef", 200, {"n": 5, "c": "green", "name": "abc"}),
    ("/mymod/mended?n=0&c=blue", 200, {"n": 2, "c": "red", "name": ""}),
    ("/mymod/spoken?n=1", 400, "Bad Request: Two at least, please."),
    ("/mymod/mail?address=a@example.org", 200, {"address": "a@example.org"}),
    ("/mymod/mail?address=nobody", 400, "Bad Request: `address`: expected an e-mail"),
    ("/mymod/needed", 400, "Bad Request: `a` is required"),
    ("/mymod/needed?a=1", 200, {"a": "1", "b": "y"}),
    ("/mymod/window?limit=5&count=true", 200, {"limit": 5, "count": True, "sqlfilters": ""}),
    ("/mymod/window?count=yes", 400, "Bad Request: `count`: expected true or false"),
    ("/mymod/closed", 401, "Unauthorized: an API key is required; send it in the header DOLAPIKEY"),
    ("/mymod/either", 200, {"login": ""}),
    ("/points/door", 202, "open"),
    ("/points", 401, "Unauthorized"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "status", "expected"), GET_CASES)
def test_get(client, path, status, expected):
    answer = client.ask("GET", path, status=status)
    if status >= 400:
        assert answer["error"]["code"] == status
        assert answer["error"]["message"].startswith(expected)
        assert "secret" not in str(answer)
    elif isinstance(expected, dict):
        assert {key: answer[key] for key in expected} == expected
    else:
        assert answer == expected


WRITE_CASES = [
    ("POST", "/mymod", {"a": 1}, 200, {"a": 1}),
    ("POST", "/mymod", [1, 2], 200, [1, 2]),
    ("POST", "/mymod", None, 200, None),
    ("POST", "/mymod?x=1", {"a": 1}, 200, {"a": 1}),
    ("POST", "/mymod/echo", {"b": [1, {"c": None}]}, 200, {"b": [1, {"c": None}]}),
    ("POST", "/mymod/echo", [1], 400, "Bad Request: `request_data`: expected an object"),
    ("POST", "/mymod/echo", "text", 400, "Bad Request: `request_data`: expected an object"),
    ("GET", "/mymod/echo", None, 405, "Method Not Allowed"),
    ("PUT", "/mymod/7", {"a": 1}, 200, {"put": 7, "body": {"a": 1}}),
    ("PUT", "/mymod/7", None, 200, {"put": 7, "body": {}}),
    ("PUT", "/mymod", {}, 405, "Method Not Allowed"),
    ("DELETE", "/mymod", None, 405, "Method Not Allowed"),
    ("PATCH", "/mymod/noted", {"a": "b"}, 200, {"a": "b"}),
    ("POST", "/mymod/block/4", {"reason": "lost"}, 200, {"blocked": 4, "reason": "lost"}),
    ("POST", "/mymod/block/4?reason=lost", None, 200, {"blocked": 4, "reason": "lost"}),
    ("POST", "/mymod/block/4", {"id": 9, "reason": "lost"}, 200, {"blocked": 4, "reason": "lost"}),
    ("POST", "/mymod/block/4", None, 400, "Bad Request: `reason` is required"),
    ("POST", "/mymod/block/4", {"reason": None}, 400, "Bad Request: `reason` is required"),
    ("POST", "/mymod/made/3", {}, 201, {"made": "3"}),
    ("POST", "/mymod/made/3", None, 201, {"made": "3"}),
    ("GET", "/mymod/made/3", None, 405, "Method Not Allowed"),
    ("POST", "/mymod/two", {"a": 1}, 200, {"a": 1, "b": "q", "c": False, "d": 1.5, "e": []}),
    ("POST", "/mymod/two", {"a": "1", "b": "zz"}, 200, {"a": 1, "b": "zz", "c": False, "d": 1.5, "e": []}),
    ("POST", "/mymod/two", {"a": "x"}, 400, "Bad Request: `a`: expected a whole number"),
    ("POST", "/mymod/two", {"b": "zz"}, 400, "Bad Request: `a` is required"),
    ("POST", "/mymod/two", {"a": 1, "c": "yes"}, 400, "Bad Request: `c`: expected true or false"),
    ("POST", "/mymod/two", {"a": 1, "c": "true"}, 200, {"a": 1, "b": "q", "c": True, "d": 1.5, "e": []}),
    ("POST", "/mymod/two", {"a": 1, "c": 1}, 200, {"a": 1, "b": "q", "c": True, "d": 1.5, "e": []}),
    ("POST", "/mymod/two", {"a": 1, "c": 2}, 400, "Bad Request: `c`: expected true or false"),
    ("POST", "/mymod/two", {"a": 1, "d": "2,5"}, 400, "Bad Request: `d`: expected a number"),
    ("POST", "/mymod/two", {"a": 1, "d": "2.5"}, 200, {"a": 1, "b": "q", "c": False, "d": 2.5, "e": []}),
    ("POST", "/mymod/two", {"a": 1, "e": "x"}, 200, {"a": 1, "b": "q", "c": False, "d": 1.5, "e": ["x"]}),
    ("POST", "/mymod/two", {"a": 1, "e": 5}, 400, "Bad Request: `e`: expected a list"),
    ("POST", "/mymod/two", {"a": None}, 400, "Bad Request: `a` is required"),
    ("POST", "/mymod/two", {"a": 1.0}, 200, {"a": 1, "b": "q", "c": False, "d": 1.5, "e": []}),
    ("POST", "/mymod/two", {"a": 1.5}, 400, "Bad Request: `a`: expected a whole number"),
    ("POST", "/mymod/two", {"a": True}, 400, "Bad Request: `a`: expected a whole number"),
    ("POST", "/mymod/two", {"a": ""}, 400, "Bad Request: `a`: expected a whole number"),
    ("POST", "/mymod/two", {"a": {}}, 400, "Bad Request: `a`: expected a whole number"),
    ("POST", "/mymod/two?b=fromquery", {"a": 1}, 200, {"a": 1, "b": "fromquery", "c": False, "d": 1.5, "e": []}),
    ("POST", "/mymod/two?a=9", {"a": 1}, 200, {"a": 1, "b": "q", "c": False, "d": 1.5, "e": []}),
    ("POST", "/mymod/two?a=9", {}, 200, {"a": 9, "b": "q", "c": False, "d": 1.5, "e": []}),
    # [] is how some clients write an empty map; nothing else than an object holds names
    ("POST", "/mymod/two?a=9", [], 200, {"a": 9, "b": "q", "c": False, "d": 1.5, "e": []}),
    ("POST", "/mymod/two?a=9", [1], 400, "Bad Request: expected an object as body, got [1]"),
    ("POST", "/mymod/two?a=9", False, 400, "Bad Request: expected an object as body, got false"),
    # one parameter of the body: a body without its name is its value; {} is the same as no body
    ("POST", "/mymod/one/1", {"notrigger": 1}, 200, {"notrigger": 1}),
    ("POST", "/mymod/one/1", {}, 200, {"notrigger": 0}),
    ("POST", "/mymod/one/1", None, 200, {"notrigger": 0}),
    ("POST", "/mymod/one/1", 5, 200, {"notrigger": 5}),
    ("POST", "/mymod/one/1", {"x": 1}, 200, {"notrigger": 0}),
    ("POST", "/mymod/placed?limit=3", {"limit": 9}, 200, {"limit": 3, "token": ""}),
    ("POST", "/mymod/placed", {"limit": 9}, 400, "Bad Request: `limit` is required"),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "path", "body", "status", "expected"), WRITE_CASES)
def test_write(client, verb, path, body, status, expected):
    answer = client.ask(verb, path, body, status=status)
    if status >= 400:
        assert answer["error"]["message"].startswith(expected)
    else:
        assert answer == expected


def test_every_wrong_field_is_named_at_once(client):
    error = client.ask("POST", "/mymod/two", {"a": "x", "c": "y", "d": "z"}, status=400)["error"]
    assert [each["field"] for each in error["errors"]] == ["a", "c", "d"]
    assert all("got" in each["message"] for each in error["errors"])


def test_405_names_the_verbs_there_are(client):
    answer = client.simulate_delete("/mymod/7")
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, PUT"


def test_options_names_the_verbs_of_the_path_as_every_405(client):
    for path in ("/mymod/7", "/mymod/closed", "/explorer"):
        allowed = client.simulate_options(path)
        assert (allowed.status_code, allowed.headers["Allow"]) == (405, client.simulate_post(path).headers["Allow"])
    assert client.simulate_options("/nothing").status_code == 404
    # A preflight reveals nothing
    asking = {"Origin": "http://x", "Access-Control-Request-Method": "GET"}
    assert client.simulate_options("/nothing", headers=asking).status_code == 204


def test_head_answers_as_get_without_a_body(client):
    got, head = client.simulate_get("/mymod/7"), client.simulate_head("/mymod/7")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"] == str(len(got.content))
    assert client.simulate_head("/mymod/closed").status_code == 401
    assert client.simulate_head("/mymod/echo").status_code == 405


def test_the_override_counts_on_post_alone_and_passes_the_same_checks(client):
    override = {"X-HTTP-Method-Override": "PUT"}
    assert client.ask("POST", "/mymod/7", {"a": 1}, headers=override) == {"put": 7, "body": {"a": 1}}
    assert client.ask("GET", "/mymod/7", headers=override)["m"] == "get"
    for verb in ("GET", "HEAD"):
        assert client.ask("POST", "/mymod/closed", headers={"X-HTTP-Method-Override": verb}, status=401)["error"]
    assert client.ask("POST", "/mymod/two", {"a": 1}, headers={"X-HTTP-Method-Override": "TRACE"})["a"] == 1


def test_headers_of_an_answer(client):
    assert client.simulate_post("/mymod/made/3").headers["X-Made"] == "yes"
    assert client.simulate_get("/mymod/kept").headers["Cache-Control"] == "private, max-age=60"
    assert client.simulate_get("/mymod/cached").headers["Cache-Control"] == "public, max-age=5"
    assert client.simulate_get("/mymod/old").headers["Deprecation"] == "true"
    plain = client.simulate_get("/mymod")
    assert plain.headers["Content-Type"] == "application/json; charset=utf-8"
    assert plain.headers["X-Content-Type-Options"] == "nosniff"
    assert plain.headers["Cache-Control"] == "no-cache, must-revalidate"
    assert "Access-Control-Allow-Origin" not in plain.headers


def test_a_value_from_a_header(client):
    assert client.ask("POST", "/mymod/placed?limit=1", headers={"token": "T"}) == {"limit": 1, "token": "T"}


@pytest.mark.parametrize("header", ["DOLAPIKEY", "Authorization"])
def test_the_key_travels_in_a_header(routed, client, header):
    from core.testing import ADMIN_KEY

    value = ADMIN_KEY if header == "DOLAPIKEY" else f"Bearer {ADMIN_KEY}"
    assert client.ask("GET", "/mymod/closed", headers={header: value}) == {"login": "administrator"}
    assert client.ask("GET", "/mymod/either", headers={header: value}) == {"login": "administrator"}
    assert client.ask("GET", "/mymod/either", headers={header: value + "x"}, status=401)
    assert client.ask("GET", f"/mymod/closed?DOLAPIKEY={ADMIN_KEY}", status=401)
    assert client.ask("GET", f"/mymod/closed?api_key={ADMIN_KEY}", status=401)


@pytest.mark.parametrize("key", ["", " ", "null", "0", "x" * 600, "\u00e9", "None"])
def test_a_key_that_is_none(client, key):
    headers = {"DOLAPIKEY": key.encode().decode("latin-1")}
    assert client.ask("GET", "/mymod/closed", headers=headers, status=401)


def test_a_module_in_the_style_of_the_reference(routed):
    client = routed.client()
    assert client.get("/points") == [{"limit": 100, "sortfield": "t.rowid", "ids": ""}]
    assert client.get("/points?limit=5&ids=1,2") == [{"limit": 5, "sortfield": "t.rowid", "ids": "1,2"}]
    assert client.refused("GET", "/points?limit=500", status=400).endswith('expected at most 200, got "500"')
    assert client.refused("GET", "/points?ids=x", status=400).startswith("Bad Request: `ids`: expected text that")
    assert client.get("/points/7") == {"id": 7, "kind": "int"}
    assert client.ask("POST", "/points/7/spend", {"amount": "3"}) == [7, 3, ""]
    assert client.refused("POST", "/points/7/spend", {"amount": 0}, status=400)
    assert client.ask("GET", "/points/door", status=202) == "open"


# Bodies --------------------------------------------------------------------------------------------------------------


def send(client, content, content_type, **headers):
    if content_type:
        headers["Content-Type"] = content_type
    return client.simulate_post("/mymod/echo", body=content, headers=headers)


@pytest.mark.parametrize(
    "content",
    [
        b"{", b'{"a":}', b"{'a':1}", b'{"a":NaN}', b'{"a":Infinity}', b"\xff\xfe", b'{"a":1}x', b'{"a":"\x01"}',
        b"[" * 10000, b'{"a":' * 2500 + b"1" + b"}" * 2500, b'{"a":' + b"9" * 10000 + b"}", b'{"a":1.' + b"9" * 9999 + b"}",
    ],
)  # fmt: skip
def test_a_body_that_is_no_json_is_400(client, content):
    answer = send(client, content, "application/json")
    assert answer.status_code == 400
    assert answer.json["error"]["message"].startswith("Bad Request: the body can't be read as JSON: ")


def test_body_formats(client):
    assert send(client, b'{"a": 1}', None).json == {"a": 1}
    assert send(client, b'{"a": 1.10}', "application/json; charset=utf-8").json == {"a": "1.10"}
    assert send(client, b"a=1&b=x+y", "application/x-www-form-urlencoded").json == {"a": "1", "b": "x y"}
    boundary = b'--B\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--B--\r\n'
    assert send(client, boundary, "multipart/form-data; boundary=B").json == {"a": "one"}
    assert send(client, b"--B\r\nnonsense", "multipart/form-data; boundary=B").status_code == 400
    hint = send(client, b'{"a": 1}', "application/x-www-form-urlencoded")
    assert (hint.status_code, "Content-Type: application/json" in hint.text) == (400, True)
    assert send(client, b"a,b", "text/csv").status_code == 415
    assert send(client, b"<a/>", "application/xml").status_code == 415


def test_a_body_that_is_too_large_is_413(routed):
    client = routed.client(None)
    assert send(client, b" " * 10485761, "application/json").status_code == 413
    assert client.simulate_post("/mymod/echo", body=b"{}", headers={"Content-Length": "99999999999"}).status_code == 413


def test_what_the_caller_accepts(client):
    assert client.simulate_get("/mymod", headers={"Accept": "application/json"}).status_code == 200
    assert client.simulate_get("/mymod", headers={"Accept": "image/png"}).status_code == 406
    assert client.simulate_get("/mymod", headers={"Accept": "text/csv"}).status_code == 406


def test_a_preflight_tells_nothing_about_what_exists(client):
    asked = {"Access-Control-Request-Method": "GET", "Origin": "https://elsewhere.example"}
    known, unknown = (client.simulate_options(path, headers=asked) for path in ("/mymod/7", "/nosuch/7"))
    assert known.status_code == unknown.status_code == 204
    named = [
        {name: value for name, value in each.headers.items() if name != "x-request-id"} for each in (known, unknown)
    ]
    assert named[0] == named[1]
    assert "Access-Control-Allow-Origin" not in known.headers
    assert client.simulate_options("/mymod").status_code == 405
